"""No file makes the check of trust fail or last: a trusted guard and the organisation's hooks answer all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge import packages
from anyhook.bridge.packages import HookPackage, find_packages
from anyhook.bridge.prepare_event import Caller, prepare
from anyhook.sources import disk
from anyhook.trust import references
from anyhook.trust.decide import TrustState
from anyhook.trust.used_files import Language
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.checkout import SOURCE
from tests.trust.trust_projects import Project

LONG = "a" * 300
NAMES = (
    f"bash ./{LONG}",
    f"bash {'a' * 1000}",
    f"cd {LONG}",
    f"python3 {LONG}",
    f"python3 -m {LONG}",
    f"node ./{LONG}",
    f"x ~/{LONG}",
    f"./{LONG}",
    f"PATH=./{LONG} x",
    f"source {LONG}/x",
    f"make -C {LONG}",
    f"run-parts {LONG}",
    "bash /proc/1/root/x",
)
SLOW: tuple[tuple[Language, str], ...] = (
    ("shell", "x " * 50_000),
    ("shell", "case x in " * 8_000),
    ("shell", "nice " * 20_000),
    ("shell", "sh " * 30_000),
    ("shell", "python -W " * 10_000),
    ("shell", "jq -" + "f" * 90_000 + "$'\n'"),
    ("shell", "a" * 50_000 + "$a" * 25_000),
    ("shell", "PATH=" * 2_000),
    ("python", "import a" + ".a" * 200_000),
    ("python", "from " + "." * 200_000 + "\n("),
    ("python", "from" + " " * 200_000 + "\n("),
    ("node", "import" + " " * 200_000),
    ("package", '{"exports":' + "[" * 5_000 + "]" * 5_000 + "}"),
)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
SEARCH = """
import sys
from anyhook.trust.references import references_of_code
from anyhook.trust.seen_files import TooMuchError
try:
    references_of_code(sys.argv[1], sys.stdin.read())
except TooMuchError:
    pass
"""


def test_a_name_that_no_file_can_have_beside_a_guard_blocks(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    (package / "hooks/z.sh").write_text("\n".join(NAMES))
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert done.returncode == 2
    assert "hooks/z.sh is new" in done.stderr


@pytest.mark.parametrize("command", NAMES)
def test_trust_takes_a_name_that_no_file_can_have(command: str, tmp_path: Path) -> None:
    assert Project(tmp_path / "project", command).check().state is TrustState.UNKNOWN


@pytest.mark.parametrize("error", [PermissionError(13, "no"), OSError(36, "File name too long")])
def test_asking_whether_a_file_exists_never_fails(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> os.stat_result:
        raise error

    monkeypatch.setattr(os, "stat", refuse)
    path = Path("a/b")
    assert not any(ask(path) for ask in (disk.exists, disk.is_file, disk.is_dir, disk.is_link))


def test_a_name_with_a_nul_is_no_error() -> None:
    assert disk.resolve(Path("/a\0b")) == Path("/a\0b")
    assert disk.find_program("/a\0b", "/bin") is None


@pytest.mark.parametrize(("language", "text"), SLOW)
def test_a_text_that_is_hard_to_search_takes_no_longer_than_another(language: Language, text: str) -> None:
    """Where the time grows with the square of the length, most of these take minutes."""
    subprocess.run(
        [sys.executable, "-P", "-c", SEARCH, language], input=text, text=True, env=ENVIRONMENT, timeout=120, check=True
    )


def test_no_text_is_searched_that_was_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client waits for the answer: what differs is enough to know."""
    project = Project(tmp_path / "project")
    project.write("hooks/guard.sh", "exit 2", mode=0o755)
    project.trust()
    monkeypatch.setattr(references, "references_of_code", fail)
    monkeypatch.setattr(references, "references_of_action", fail)
    assert find(project)[0].distrust == ""
    project.write("hooks/x.sh", "x " * 50_000)
    assert "hooks/x.sh is new" in find(project)[0].distrust
    project.define("bash ./other.sh")
    assert "has other hooks" in find(project)[0].distrust
    other = Project(tmp_path / "other")
    assert "not trusted yet" in find(other)[0].distrust


def test_what_cannot_be_checked_blocks_if_a_guard_was_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, other = Project(tmp_path / "project"), Project(tmp_path / "other")
    project.trust()
    monkeypatch.setattr(packages, "check_trust", fail)
    guarded, unknown = find(project)[0], find(other)[0]
    assert "asked" in guarded.distrust
    assert [rule.native_event for hooks in guarded.trusted for rule in hooks.rules] == ["pre-tool-use"]
    assert "asked" in unknown.refusal


@pytest.mark.parametrize("broken", ["check_trust", "find_hooks_above"])
def test_the_organisations_hooks_are_asked_whatever_a_project_has(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path / "project")
    place = project.roots.system / "etc/anyhook/hooks.json"
    place.parent.mkdir(parents=True)
    place.write_text((project.folder / "hooks/hooks.json").read_text())
    monkeypatch.setattr(packages, broken, fail)
    managed, own = find(project)
    assert managed.hooks.rules
    assert not managed.refusal
    assert "asked" in own.refusal


@pytest.mark.parametrize(("is_trusted", "fails"), [(True, "closed"), (False, "guard")])
def test_an_error_blocks_where_hooks_were_trusted(is_trusted: bool, fails: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    if is_trusted:
        project.trust()
    caller = Caller(cwd=project.folder, home=project.roots.home, environment={})
    options = {"--client": "codex", "--event": "PreToolUse"}
    prepared = prepare(options, caller, json.dumps(shell_call("echo")).encode(), fail)
    assert prepared.refusal
    assert prepared.call.fail == fails


def fail(*_: object, **__: object) -> Any:
    raise RuntimeError("a bug")


def find(project: Project) -> tuple[HookPackage, ...]:
    return find_packages(project.roots, package=None, dialect=None, started_in=project.folder)
