"""Whether losing a path matters, as git knows it: real repositories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from anyhook.guards.effects import command_line
from anyhook.guards.effects.git_facts import Git, PathFacts
from anyhook.guards.effects.where import Where
from anyhook.guards.families import judge
from tests.guards.effects.places import in_repository, inside, run_git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Tracked and clean: src, docs. Changed: lib. Untracked: notes. Ignored: dist, secret, cache."""
    root = tmp_path / "app"
    for name in ("src/a.py", "src/deep/b.py", "docs/a.md", "lib/a.py", "models/m.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a\n")
    (root / ".gitignore").write_text("dist/\nsecret/\n.env\n*.sqlite3\n__pycache__/\n")
    run_git(root, "init", "-q")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    (root / "lib/a.py").write_text("b\n")
    for name in ("notes/a.md", "dist/a.js", "secret/a.txt", ".env", "dev.sqlite3", "src/__pycache__/a.pyc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a\n")
    return root


def is_refused(root: Path, line: str, folder: str = "") -> bool:
    return bool(judge(command_line(line), in_repository(root, folder)))


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf src",
        "rm -rf docs/",
        "rm src/a.py",
        "rm -rf src/*",
        "rm src/*.py",
        "cd src && rm -rf deep",
        "rm -rf dist",
        "find src -name '*.py' -delete",
        "> src/a.py",
        "truncate -s 0 docs/a.md",
        "rm -rf {root}/src",
        "cd {root} && rm -rf docs",
        "rm -rf not-there",
    ],
)
def test_what_git_can_bring_back_may_be_deleted(repository: Path, line: str) -> None:
    assert not is_refused(repository, line.format(root=repository))


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf lib",
        "rm lib/a.py",
        "rm -rf notes",
        "rm notes/a.md",
        "rm -rf secret",
        "rm -rf src lib",
        "rm -f dev.sqlite3",
        "rm .env",
        "rm -rf .git",
        "rm -rf .",
        "> lib/a.py",
        "find lib -type f -delete",
        "rm *.sqlite3",
        "rm -rf ../app/lib",
        "rm -rf {root}/lib",
        "rm -rf {root}",
        "cd lib && rm a.py",
    ],
)
def test_what_would_be_lost_is_kept(repository: Path, line: str) -> None:
    assert is_refused(repository, line.format(root=repository))


@pytest.mark.parametrize("before", ["git add lib", "git rm --cached src/a.py", "echo src/ >> .gitignore"])
def test_a_line_that_changes_what_git_knows_is_not_believed(repository: Path, before: str) -> None:
    assert not is_refused(repository, "true && rm -rf src")
    assert is_refused(repository, f"{before} && rm -rf src")


def test_an_ignore_file_that_nobody_has_committed_is_not_believed(repository: Path) -> None:
    (repository / "logs").mkdir()
    (repository / "logs/a.txt").write_text("a")
    (repository / "logs/.gitignore").write_text("*\n")
    assert is_refused(repository, "rm -rf logs")
    (repository / "logs/.gitignore").unlink()
    (repository / ".gitignore").write_text("logs/\n")
    assert is_refused(repository, "rm -rf logs")
    run_git(repository, "commit", "-qam", "ignore logs")
    assert not is_refused(repository, "rm -rf logs")


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_files_whose_changes_git_is_told_to_overlook_count_as_changed(repository: Path, flag: str) -> None:
    run_git(repository, "update-index", flag, "docs/a.md")
    assert is_refused(repository, "rm -rf docs")


def test_a_repository_within_is_not_known(repository: Path) -> None:
    (repository / "other").mkdir()
    run_git(repository / "other", "init", "-q")
    (repository / "other/a").write_text("a")
    assert is_refused(repository, "rm -rf other")
    assert is_refused(repository, "rm other/a")


def test_programs_that_the_project_names_are_not_run(repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.md filter=f\n")
    run_git(repository, "add", "-A")
    run_git(repository, "commit", "-qm", "second")
    run_git(repository, "config", "filter.f.clean", f"touch {repository}/ran; cat")
    run_git(repository, "config", "core.fsmonitor", f"touch {repository}/ran; echo")
    (repository / "docs/a.md").write_text("c\n")
    assert is_refused(repository, "rm -rf docs")
    assert not (repository / "ran").exists()


def test_without_an_answer_everything_counts_as_work(repository: Path) -> None:
    class Silent:
        def ask(self, paths: Sequence[str]) -> Mapping[str, PathFacts]:
            return dict.fromkeys(paths, PathFacts())

    line = command_line("rm -rf models")
    where = in_repository(repository)
    silent = Where(folder=where.folder, project=where.project, git=Silent())
    assert not judge(line, where)
    assert judge(line, silent)
    late = Git(str(repository), {"PATH": "/usr/bin:/bin"}, seconds=0)
    assert judge(line, Where(folder=where.folder, project=where.project, git=late))
    absent = Git(str(repository), {"PATH": "/nowhere"}, seconds=30)
    assert judge(line, Where(folder=where.folder, project=where.project, git=absent))


def test_git_is_asked_once_for_a_call_and_only_if_it_decides() -> None:
    asked: list[Sequence[str]] = []

    class Counting:
        def ask(self, paths: Sequence[str]) -> Mapping[str, PathFacts]:
            asked.append(paths)
            return dict.fromkeys(paths, PathFacts(is_known=True, is_found=True))

    where = inside("/home/me/app", Counting())
    for line in ("ls src", "rm -rf node_modules dist", "rm -rf /tmp/x", "rm -rf ~", "git status"):
        judge(command_line(line), where)
    assert asked == []
    assert judge(command_line("rm -rf src && rm models/a.py"), where) == ()
    assert asked == [["/home/me/app/src", "/home/me/app/models/a.py"]]


def test_where_there_is_no_repository_names_decide(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "models").mkdir()
    assert is_refused(tmp_path, "rm -rf src")
    assert not is_refused(tmp_path, "rm -rf models")


def test_a_work_tree_of_its_own_has_its_own_facts(repository: Path, tmp_path: Path) -> None:
    run_git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    tree = tmp_path / "tree"
    assert not is_refused(tree, "rm -rf lib")
    (tree / "docs/new.md").write_text("a")
    assert is_refused(tree, "rm -rf docs")
