"""Recorded events against today's hooks: what would change, and what is unknown."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import dialect, profile
from anyhook.model.outcome import Effect
from anyhook.project.project import Project
from anyhook.record.entries import recording_rules
from anyhook.record.recorded import Happened
from anyhook.record.redact import restore_home
from anyhook.testing.replay import hooks_of_today, replay
from tests.record.recordings import CLAUDE, bash, record

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the guard is a POSIX shell command")


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path_factory.mktemp("state")
    state.chmod(0o700)
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(state))


def write_hooks(project: Path, hooks: Any, file: str = ".claude/settings.json") -> None:
    (project / file).parent.mkdir(parents=True, exist_ok=True)
    (project / file).write_text(json.dumps({"hooks": hooks}))


def test_a_hook_that_would_now_block_what_was_let_through_is_a_change(tmp_path: Path) -> None:
    write_hooks(tmp_path, CLAUDE)
    recording = record(tmp_path, bash("PreToolUse", "rm -rf x"), bash("PostToolUse", "rm -rf x"))
    before, after = replay(recording.events, Project.open(tmp_path, home=tmp_path / "home"))
    assert before.is_changed
    assert before.about == "Bash"
    assert before.then == Happened(Effect.PROCEED, "PostToolUse followed", is_concluded=True)
    assert before.now is not None
    assert (before.now.effect, before.now.reason) == (Effect.BLOCK, "no rm -rf here")
    assert not after.is_changed
    assert after.then is None


def test_what_would_happen_again_is_no_change(tmp_path: Path) -> None:
    write_hooks(tmp_path, CLAUDE)
    recording = record(tmp_path, bash("PreToolUse", "ls"), bash("PostToolUse", "ls"))
    assert not any(event.is_changed for event in replay(recording.events, Project.open(tmp_path, home=tmp_path)))


def test_a_hook_that_asks_where_the_user_was_asked_is_no_change(tmp_path: Path) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}
    hook = {"type": "command", "command": f"echo '{json.dumps(answer)}'"}
    write_hooks(tmp_path, {"PreToolUse": [{"hooks": [hook]}]})
    events = [bash(name, "ls") for name in ("PreToolUse", "PermissionRequest", "PostToolUse")]
    first, *_ = replay(record(tmp_path, *events).events, Project.open(tmp_path, home=tmp_path))
    assert first.now is not None
    assert first.now.effect is Effect.ASK
    assert not first.is_changed


def test_another_client_gets_the_event_in_its_own_words(tmp_path: Path) -> None:
    blocks = [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "echo gemini >&2; exit 2"}]}]
    write_hooks(tmp_path, {"BeforeTool": blocks}, ".gemini/settings.json")
    recording = record(tmp_path, bash("PreToolUse", "ls"), bash("PostToolUse", "ls"))
    first, _ = replay(recording.events, Project.open(tmp_path, home=tmp_path), "gemini-cli")
    assert first.now is not None
    assert (first.now.client, first.now.native_event, first.now.effect) == ("gemini-cli", "BeforeTool", Effect.BLOCK)


@pytest.mark.parametrize("below", [".", "src/deep"])
def test_the_package_s_hooks_are_hooks_of_today(tmp_path: Path, below: str) -> None:
    """Also for a client that has no hooks of its own, and from a folder below the package."""
    guard = {"type": "command", "command": "echo no rm >&2; exit 2"}
    write_hooks(tmp_path, {"pre-tool-use": [{"matcher": "Bash", "hooks": [guard]}]}, "hooks/hooks.json")
    file = tmp_path / "hooks/hooks.json"
    file.write_text(json.dumps({"version": 1, **json.loads(file.read_text())}))
    events = record(tmp_path, bash("PreToolUse", "rm x"), bash("PostToolUse", "rm x")).events
    folder = tmp_path / below
    folder.mkdir(parents=True, exist_ok=True)
    for client in (None, "gemini-cli"):
        first = next(replay(events, Project.open(folder, home=tmp_path / "home"), client))
        assert first.now is not None
        assert (first.now.effect, first.now.reason, first.is_changed) == (Effect.BLOCK, "no rm", True)


def test_an_event_that_the_other_client_does_not_have_is_not_played(tmp_path: Path) -> None:
    write_hooks(tmp_path, {"BeforeTool": []}, ".gemini/settings.json")
    event = ("PostToolBatch", {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": []})
    (played,) = replay(record(tmp_path, event).events, Project.open(tmp_path, home=tmp_path), "gemini-cli")
    assert played.now is None
    assert not played.is_changed


def test_hooks_see_real_paths_again(tmp_path: Path) -> None:
    write_hooks(tmp_path, {"PreToolUse": [{"hooks": [{"type": "command", "command": "cat >&2; exit 2"}]}]})
    call = bash("PreToolUse", "cat ~/x", cwd="~/src", transcript_path="~")
    (played,) = replay(record(tmp_path, call).events, Project.open(tmp_path, home=Path("/home/ada")))
    assert played.now is not None
    seen = json.loads(played.now.reason)
    assert (seen["cwd"], seen["transcript_path"]) == (str(Path("/home/ada/src")), str(Path("/home/ada")))
    assert seen["tool_input"] == {"command": "cat ~/x"}


def test_only_texts_that_are_paths_get_the_home_folder_back() -> None:
    value = {"a": ["~/x", "~", "~other", "see ~/x"], "b": {"c": "~\\x"}, "n": 1}
    restored = {"a": ["/h/x", "/h", "~other", "see ~/x"], "b": {"c": "/h\\x"}, "n": 1}
    assert restore_home(value, "/h") == restored


def test_entries_that_record_are_no_hooks_of_today(tmp_path: Path) -> None:
    rules = recording_rules(profile("claude-code"), tmp_path)
    write_hooks(tmp_path, dialect("claude-code").write(rules)["hooks"])
    assert hooks_of_today(Project.open(tmp_path, home=tmp_path).started("claude-code")).rules == ()
