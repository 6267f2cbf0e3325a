"""A client that also reads the files of others is answered by one entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.prepare_event import answer_without_hooks, prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import profile
from anyhook.entries.command_entries import EntryOptions, entry_line
from anyhook.entries.http_entries import HttpQuery, write_entry
from anyhook.model.hooks import FateState
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.sources.discover import Roots

CLAUDE = entry_line(profile("claude-code"), "PreToolUse", EntryOptions())
CURSOR = entry_line(profile("cursor"), "preToolUse", EntryOptions())


def started(client: str, folder: Path) -> ProjectClient:
    return Project(Roots(project=folder, home=folder / "home", system=folder / "system")).started(client)


def hooks_of_cursor(folder: Path, own: dict[str, Any] | None) -> ProjectClient:
    files: dict[str, Any] = {
        ".claude/settings.json": {
            "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": CLAUDE}]}]},
        }
    }
    if own is not None:
        files[".cursor/hooks.json"] = {"version": 1, "hooks": {"preToolUse": [own]}}
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    return started("cursor", folder)


def active_files(client: ProjectClient) -> list[str]:
    actions = (action for rule in client.loaded.rules for action in rule.actions)
    return [Path(action.origin.file).parent.name for action in actions if action.fate.state is FateState.ACTIVE]


def test_the_own_entry_answers(tmp_path: Path) -> None:
    client = hooks_of_cursor(tmp_path, {"command": CURSOR})
    assert active_files(client) == [".cursor"]
    assert client.leaves("PreToolUse", "claude-code")
    assert not client.leaves("PreToolUse", "cursor")


def test_without_an_own_entry_that_of_the_other_client_answers(tmp_path: Path) -> None:
    client = hooks_of_cursor(tmp_path, None)
    assert active_files(client) == [".claude"]
    assert not client.leaves("PreToolUse", "claude-code")


@pytest.mark.parametrize(("seconds", "state"), [(15, FateState.DROPPED), (15_000, FateState.ACTIVE)])
def test_an_entry_that_has_no_time_to_answer_is_lost(seconds: int, state: FateState, tmp_path: Path) -> None:
    """Code Agent counts milliseconds in the file in which Claude Code counts seconds."""
    entry = {"type": "command", "command": CLAUDE, "timeout": seconds}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    for client, expected in (("code-agent", state), ("claude-code", FateState.ACTIVE)):
        [rule] = started(client, tmp_path).loaded.rules
        assert rule.actions[0].fate.state is expected


@pytest.mark.parametrize(
    "own",
    [
        {"command": CURSOR, "matcher": "Shell"},
        {"command": f"{CURSOR}; true"},
        {"command": f": {CURSOR}"},
        {"command": "guard.sh"},
    ],
)
def test_what_is_not_exactly_an_entry_for_every_call_takes_no_event_away(tmp_path: Path, own: dict[str, Any]) -> None:
    client = hooks_of_cursor(tmp_path, own)
    assert active_files(client) == [".cursor", ".claude"]
    assert not client.leaves("PreToolUse", "claude-code")


@pytest.mark.parametrize(("own", "is_silent"), [({"command": CURSOR}, True), ({"command": "guard.sh"}, False)])
def test_an_entry_is_silent_for_a_caller_with_an_entry_of_its_own(
    tmp_path: Path, own: dict[str, Any], is_silent: bool
) -> None:
    hooks_of_cursor(tmp_path, own)
    payload = {
        "conversation_id": "c",
        "generation_id": "g",
        "cursor_version": "3.9.16",
        "workspace_roots": [str(tmp_path)],
        "hook_event_name": "preToolUse",
        "tool_name": "Shell",
        "tool_input": {"command": "ls"},
    }
    caller = Caller(cwd=tmp_path, home=tmp_path / "home", environment={})
    options = {"--client": "claude-code", "--event": "PreToolUse"}
    prepared = prepare(options, caller, json.dumps(payload).encode())
    assert prepared.call.client == "cursor"
    answered = answer_without_hooks(prepared)
    assert (answered is not None and not prepared.packages and answered.exit_code == 0) is is_silent


def test_an_http_entry_in_another_client_s_file_leaves_a_client_to_its_own(tmp_path: Path) -> None:
    http = write_entry(HttpQuery(client="claude-code", event="PreToolUse"), 24665, None)
    own = entry_line(profile("copilot-cli"), "preToolUse", EntryOptions())
    files: dict[str, Any] = {
        ".claude/settings.json": http,
        ".github/hooks/anyhook.json": {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": own}]}},
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(json.dumps(content))
    client = started("copilot-cli", tmp_path)
    assert active_files(client) == ["hooks"]
    assert client.leaves("PreToolUse", "claude-code")
    assert active_files(started("claude-code", tmp_path)) == [".claude"]


def test_no_entry_leaves_its_own_client_to_another(tmp_path: Path) -> None:
    """Only the entries for other clients ask who else answers."""
    http = write_entry(HttpQuery(client="claude-code", event="PreToolUse"), 24665, None)
    http["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": CLAUDE})
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps(http))
    assert active_files(started("claude-code", tmp_path)) == [".claude", ".claude"]
