"""No file makes the check of trust fail or last: a trusted guard and the organisation's hooks answer all the same."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.project import packages
from anyhook.project.asked_packages import HookPackage, find_packages
from anyhook.sources import disk
from anyhook.trust.decide import ProjectTrust
from tests.bridge.bridging import shell_call
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


@pytest.mark.parametrize("command", NAMES)
def test_trust_takes_a_name_that_no_file_can_have(command: str, tmp_path: Path) -> None:
    assert Project(tmp_path / "project", command).states() == ["new"]


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


SLOW = (
    "x " * 50_000,
    "case x in " * 8_000,
    "$(" * 30_000,
    "`" * 30_001,
    "$(a) " * 10_000,
    "'" * 60_001,
    "\\" * 60_000,
    "=" * 60_000,
    "a" * 50_000 + "$a" * 25_000,
    "%" * 60_000 + "/x.sh",
    "../" * 20_000 + "x.sh",
    "~/" * 30_000,
)


@pytest.mark.parametrize("text", SLOW, ids=[text[:8] for text in SLOW])
def test_a_command_line_that_is_hard_to_search_takes_no_longer_than_another(text: str, tmp_path: Path) -> None:
    """Where the time grows with the square of the length, these take minutes."""
    assert Project(tmp_path / "project", text).states() in (["new"], [])


def test_what_cannot_be_checked_blocks_if_a_guard_was_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, other = Project(tmp_path / "project"), Project(tmp_path / "other")
    project.trust()
    monkeypatch.setattr(ProjectTrust, "judge", fail)
    guarded, unknown = find(project)[0], find(other)[0]
    assert "asked" in guarded.refusal
    assert [rule.native_event for hooks in guarded.missing for rule in hooks.rules] == ["pre-tool-use"]
    assert "asked" in unknown.refusal
    assert not unknown.missing


@pytest.mark.parametrize("broken", ["ProjectTrust", "PackageHooks"])
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


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))


def fail(*_: object, **__: object) -> Any:
    raise RuntimeError("a bug")


def find(project: Project) -> tuple[HookPackage, ...]:
    return find_packages(project.roots, package=None, dialect=None, started_in=project.folder)
