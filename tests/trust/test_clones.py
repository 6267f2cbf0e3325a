"""Trust belongs to content in one repository: its worktrees and clones keep their guards, and a stranger's asks."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bridge.bridging import GUARD, make_package
from tests.trust.trust_projects import ORIGIN, ask, clone, commit, git, make_repository, stop, trust

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

HOOKS = {
    "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}],
    "stop": [{"hooks": [{"type": "command", "command": "npm test"}]}],
}
RULES = "rules:\n  - when: {command: 'deploy *'}\n    then: block\n    message: Ask the platform team.\n"


def fill(folder: Path, test: str = "exit 0") -> Path:
    """A package with a script, a rule, a ready-made guard and a hook that runs what package.json says."""
    make_package(folder, HOOKS)
    (folder / "package.json").write_text(json.dumps({"scripts": {"test": test}}))
    (folder / "anyhook.toml").write_text("[guards.shell]\n")
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A trusted repository."""
    folder = make_repository(fill(tmp_path / "shop"))
    assert trust(folder, "--yes").returncode == 0
    return folder


def worktree(shop: Path, to: Path) -> None:
    git(shop, "worktree", "add", "-q", "-b", "other", str(to))


def worktree_without_a_branch(shop: Path, to: Path) -> None:
    git(shop, "worktree", "add", "-q", "--detach", str(to))


def second_clone(shop: Path, to: Path) -> None:
    clone(shop, to)


def clone_by_https(shop: Path, to: Path) -> None:
    clone(shop, to, origin="https://somebody@GitHub.com/acme/shop")


def shallow_clone(shop: Path, to: Path) -> None:
    clone(shop, to, "--depth", "1", origin="ssh://git@github.com/acme/shop.git/")


def checkout_of_ci(shop: Path, to: Path) -> None:
    """As GitHub's action does it: init, fetch of one commit, no branch."""
    to.mkdir()
    git(to, "init", "-q")
    git(to, "remote", "add", "origin", "https://github.com/acme/shop")
    git(to, "fetch", "-q", "--depth", "1", f"file://{shop}", "main")
    git(to, "checkout", "-q", "--detach", "FETCH_HEAD")


def moved_folder(shop: Path, to: Path) -> None:
    shop.rename(to)


def clone_of_a_clone_with_more_history(shop: Path, to: Path) -> None:
    commit(shop)
    commit(shop)
    clone(shop, to)


COPIES = [
    worktree,
    worktree_without_a_branch,
    second_clone,
    clone_by_https,
    shallow_clone,
    checkout_of_ci,
    moved_folder,
    clone_of_a_clone_with_more_history,
]


@pytest.mark.parametrize("copy", COPIES)
def test_all_hooks_run_in_every_copy_of_a_trusted_repository(
    copy: Callable[[Path, Path], None], shop: Path, tmp_path: Path
) -> None:
    copy(shop, tmp_path / "copy")
    done = ask(tmp_path / "copy", "echo DANGER")
    assert (done.returncode, done.stderr) == (2, "guard: no DANGER here")
    assert "(shell guard" in ask(tmp_path / "copy", "rm -rf /").stderr
    assert trust(tmp_path / "copy", "--list").returncode == 0
    assert (ask(tmp_path / "copy").stdout, stop(tmp_path / "copy").stdout) == ("", "")


@pytest.mark.parametrize("copy", [worktree, second_clone])
def test_what_is_approved_in_a_copy_runs_in_the_first(
    copy: Callable[[Path, Path], None], shop: Path, tmp_path: Path
) -> None:
    copy(shop, tmp_path / "copy")
    for folder in (shop, tmp_path / "copy"):
        (folder / "hooks/guard.sh").write_text(GUARD.replace("no DANGER", "really no DANGER"))
    assert "has to approve" in ask(shop).stderr
    assert trust(tmp_path / "copy", "--yes").returncode == 0
    assert "really no DANGER" in ask(shop, "echo DANGER").stderr


@pytest.mark.parametrize(
    "origin",
    ["", "git@github.com:evil/shop.git", "git@github.com.evil.test:acme/shop", "https://github.com/acme/shop2"],
)
def test_the_same_hooks_in_a_stranger_s_repository_ask(origin: str, shop: Path, tmp_path: Path) -> None:
    """The same bytes, but package.json says what npm test runs."""
    folder = make_repository(fill(tmp_path / "evil", test="touch ran"), origin)
    assert "not trusted yet" in ask(folder, "echo DANGER").stdout
    assert "not trusted yet" in stop(folder).stdout
    assert not (folder / "ran").exists()
    assert "(shell guard" in ask(folder, "rm -rf /").stderr  # which needs no trust


def test_another_repository_with_the_same_origin_asks(shop: Path, tmp_path: Path) -> None:
    folder = make_repository(fill(tmp_path / "evil", test="touch ran"))
    (folder / "README.md").write_text("another first commit")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--amend", "-m", "another")
    assert "not trusted yet" in stop(folder).stdout
    assert not (folder / "ran").exists()


def lead_git_there(shop: Path, evil: Path) -> dict[str, str]:
    return {"GIT_DIR": str(shop / ".git"), "GIT_COMMON_DIR": str(shop / ".git")}


def graft_by_a_variable(shop: Path, evil: Path) -> dict[str, str]:
    (evil / "grafts").write_text(f"{first_commit(evil)} {first_commit(shop)}\n")
    return {"GIT_GRAFT_FILE": str(evil / "grafts")}


def graft(shop: Path, evil: Path) -> dict[str, str]:
    (evil / ".git/info/grafts").write_text(f"{first_commit(evil)} {first_commit(shop)}\n")
    return {}


def replace_the_first_commit(shop: Path, evil: Path) -> dict[str, str]:
    git(evil, "replace", "--graft", first_commit(evil), first_commit(shop))
    return {}


def bring_another_git(shop: Path, evil: Path) -> dict[str, str]:
    (evil / "bin").mkdir()
    (evil / "bin/git").write_text(f"#!/bin/sh\necho {first_commit(shop)}\n")
    (evil / "bin/git").chmod(0o755)
    return {"PATH": f"{evil / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def first_commit(folder: Path) -> str:
    return git(folder, "rev-list", "--max-parents=0", "HEAD").strip()


@pytest.mark.parametrize(
    "lie", [lead_git_there, graft_by_a_variable, graft, replace_the_first_commit, bring_another_git]
)
def test_no_variable_and_no_graft_gives_a_repository_another_first_commit(
    lie: Callable[[Path, Path], dict[str, str]], shop: Path, tmp_path: Path
) -> None:
    """A client's settings in a repository can set variables; objects of another one can be fetched into it."""
    evil = fill(tmp_path / "evil", test="touch ran")
    (evil / "README.md").write_text("another first commit")
    make_repository(evil)
    git(evil, "fetch", "-q", f"file://{shop}", "main")
    variables = lie(shop, evil)
    assert "not trusted yet" in ask(evil, "echo DANGER", **variables).stdout
    assert "not trusted yet" in ask(evil, "echo DANGER").stdout


def test_the_same_hooks_in_another_folder_without_git_ask(tmp_path: Path) -> None:
    assert trust(fill(tmp_path / "shop"), "--yes").returncode == 0
    assert stop(tmp_path / "shop").stdout == ""
    assert "not trusted yet" in stop(fill(tmp_path / "evil", test="touch ran")).stdout
    assert not (tmp_path / "evil/ran").exists()


@pytest.mark.parametrize("options", [(), ("--depth", "1")], ids=["whole", "shallow"])
def test_a_stranger_s_repository_in_the_place_of_a_trusted_one_asks(
    options: tuple[str, ...], shop: Path, tmp_path: Path
) -> None:
    """Somebody who tries repositories out under the same path."""
    evil = fill(tmp_path / "evil", test="touch ran")
    (evil / "README.md").write_text("another first commit")
    make_repository(evil)
    shutil.rmtree(shop)
    clone(evil, shop, *options, origin="git@github.com:evil/shop.git")
    assert "has to approve" in stop(shop).stdout
    assert not (shop / "ran").exists()


def test_another_folder_of_the_repository_is_another_package(shop: Path) -> None:
    fill(shop / "examples/evil", test="touch ran")
    done = stop(shop / "examples/evil", "--package", ".")
    assert "not trusted yet" in done.stdout
    assert not (shop / "examples/evil/ran").exists()


# ---------------------------------------------------------------------------------------------------- pretended copies


@pytest.mark.parametrize("leads_to", [".git", ".git/worktrees/copy", ".git/modules/sub"])
def test_a_git_file_that_somebody_sent_along_makes_no_trusted_repository(
    leads_to: str, shop: Path, tmp_path: Path
) -> None:
    worktree(shop, tmp_path / "copy")
    module = shop / ".git/modules/sub"
    shutil.copytree(shop / ".git", module, ignore=shutil.ignore_patterns("modules", "worktrees"))
    folder = fill(tmp_path / "evil", test="touch ran")
    (folder / ".git").write_text(f"gitdir: {shop}/{leads_to}\n")
    assert "not trusted yet" in stop(folder).stdout
    assert not (folder / "ran").exists()


def test_a_link_to_the_git_of_a_trusted_repository_is_what_an_archive_can_bring(shop: Path, tmp_path: Path) -> None:
    """Like a whole .git of its own (SECURITY.md): whoever unpacks one has a repository that says where it is from."""
    folder = fill(tmp_path / "evil")
    (folder / ".git").symlink_to(shop / ".git")
    assert stop(folder).stdout == ""


def test_submodules_are_repositories_of_their_own(shop: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    make_repository(outer, "git@github.com:acme/outer.git")
    git(outer, "submodule", "add", "-q", f"file://{shop}", "sub")
    git(outer / "sub", "remote", "set-url", "origin", ORIGIN)
    variables = {"ANYHOOK_STATE_DIR": str(tmp_path / "state"), "HOME": str(tmp_path / "home")}
    done = ask(outer / "sub", "echo DANGER", **variables)
    assert done.stderr == "guard: no DANGER here"


def test_another_address_of_the_same_folder_keeps_its_trust(shop: Path) -> None:
    git(shop, "remote", "set-url", "origin", "git@gitlab.com:acme/shop.git")
    assert ask(shop, "echo DANGER").stderr == "guard: no DANGER here"
    assert trust(shop, "--list").returncode == 0


def test_a_repository_that_gets_its_address_later_keeps_its_trust(tmp_path: Path) -> None:
    folder = make_repository(fill(tmp_path / "shop"), origin="")
    assert trust(folder, "--yes").returncode == 0
    git(folder, "remote", "add", "origin", ORIGIN)
    assert ask(folder, "echo DANGER").stderr == "guard: no DANGER here"


# ------------------------------------------------------------------------------------------------------ git taken away


def remove_git(folder: Path) -> None:
    shutil.rmtree(folder / ".git")


def begin_anew(folder: Path) -> None:
    remove_git(folder)
    make_repository(folder, origin="")


def begin_anew_elsewhere(folder: Path) -> None:
    remove_git(folder)
    make_repository(folder, origin="https://example.test/other.git")


def break_git(folder: Path) -> None:
    (folder / ".git/HEAD").unlink()


def replace_git_by_a_file(folder: Path) -> None:
    remove_git(folder)
    (folder / ".git").write_text("gitdir: /nowhere\n")


def go_to_a_new_branch(folder: Path) -> None:
    git(folder, "checkout", "-q", "--orphan", "empty")


GIT_ATTACKS = [remove_git, begin_anew, begin_anew_elsewhere, break_git, replace_git_by_a_file, go_to_a_new_branch]


@pytest.mark.parametrize("attack", GIT_ATTACKS)
@pytest.mark.parametrize(
    "is_below", [pytest.param(False, id="at the top"), pytest.param(True, id="in a folder", marks=pytest.mark.long)]
)
def test_without_its_git_the_former_guards_still_judge(
    attack: Callable[[Path], None], is_below: bool, tmp_path: Path
) -> None:
    top = tmp_path / "shop"
    package = fill(top / "tools" / "agents" if is_below else top)
    native = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (package / ".claude").mkdir()
    (package / ".claude/settings.json").write_text(json.dumps(native))
    if is_below:
        fill(top / "other")
    make_repository(top)
    variables = {"HOME": str(tmp_path / "home"), "ANYHOOK_STATE_DIR": str(tmp_path / "state")}
    if is_below:
        assert trust(top / "other", "--yes", **variables).returncode == 0
    assert trust(package, "--yes", "-c", "claude-code", "-c", "universal", **variables).returncode == 0
    attack(top)
    (package / "anyhook.toml").unlink()
    (package / ".claude/settings.json").write_text("{}")
    (package / "hooks/hooks.json").write_text('{"version": 1, "hooks": {}}')
    for _ in range(2):  # what the first event keeps must not make the second forget
        assert "(shell guard" in ask(package, "rm -rf /", **variables).stderr
        assert "has to approve" in ask(package, "ls", **variables).stderr
        done = ask(package, "ls", "--from", "claude-code", **variables)
        assert (done.returncode, "has to approve" in done.stderr) == (2, True)
