"""A shell, read or edit event is the tool event for that kind of tool: hooks on either are asked, once."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.entries.command_entries import EntryOptions, bridge
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command, HookSet, Rule
from tests.approving import approve

NOTING = 'cat >> "$(dirname "$0")/heard.txt"; echo >> "$(dirname "$0")/heard.txt"; echo "guard: no" >&2; exit 2'
CLAUDE_CALLS = {
    "shell": {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}},
    "read": {"tool_name": "Read", "tool_input": {"file_path": "/p/.env"}},
    "edit": {"tool_name": "Edit", "tool_input": {"file_path": "/p/a", "old_string": "x", "new_string": "y"}},
}
WINDSURF_CALLS = {
    "pre_run_command": {"command_line": "rm -rf /", "cwd": "/p"},
    "pre_read_code": {"file_path": "/p/.env"},
    "pre_write_code": {"file_path": "/p/a", "edits": [{"old_string": "x", "new_string": "y"}]},
}


def make_hooks(folder: Path, dialect: str, *events: str, matcher: str | None = None) -> Path:
    """A folder with one noting and blocking hook on each event, in this dialect."""
    folder.mkdir(parents=True)
    guard = folder / "guard.sh"
    guard.write_text(f"#!/bin/sh\n{NOTING}\n")
    guard.chmod(0o755)
    limit = {} if matcher is None else {"matcher": matcher}
    hook = {"type": "command", "command": str(guard)}
    if dialect == "cursor":
        (folder / ".cursor").mkdir()
        hooks: dict[str, Any] = {event: [{**hook, **limit}] for event in events}
        (folder / ".cursor" / "hooks.json").write_text(json.dumps({"version": 1, "hooks": hooks}))
    else:
        (folder / "hooks").mkdir()
        (folder / ".plugin").mkdir()
        hooks = {event: [{**limit, "hooks": [hook]}] for event in events}
        (folder / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    return folder


def ask(folder: Path, dialect: str, client: str, event: str, payload: dict[str, Any]) -> ProcessAnswer:
    caller = Caller(cwd=approve(folder), home=folder.parent / "home", environment={"PATH": os.environ["PATH"]})
    options = {"--client": client, "--event": event, "--from": dialect}
    prepared = prepare(options, caller, json.dumps(payload).encode())
    return asyncio.run(answer(prepared, None, lambda task: None))


def heard(folder: Path) -> list[dict[str, Any]]:
    """What the guard received, call by call."""
    file = folder / "heard.txt"
    return [json.loads(line) for line in file.read_text().split("\n") if line] if file.exists() else []


def claude(event: str, kind: str) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/p", "hook_event_name": event, **CLAUDE_CALLS[kind]}


@pytest.mark.parametrize(
    ("dialect", "event", "kind"),
    [
        ("open-plugins", "BeforeShellExecution", "shell"),
        ("open-plugins", "BeforeReadFile", "read"),
        ("cursor", "beforeShellExecution", "shell"),
        ("cursor", "beforeReadFile", "read"),
    ],
)
def test_a_client_with_one_event_for_all_tools_asks_hooks_on_one_kind(
    dialect: str, event: str, kind: str, tmp_path: Path
) -> None:
    folder = make_hooks(tmp_path / "p", dialect, event)
    given = ask(folder, dialect, "claude-code", "PreToolUse", claude("PreToolUse", kind))
    assert (given.exit_code, b"guard: no" in given.stderr) == (2, True) or b'"deny"' in given.stdout
    (received,) = heard(folder)
    assert received["hook_event_name"] == event
    other = ask(folder, dialect, "claude-code", "PreToolUse", claude("PreToolUse", "edit"))
    assert (other.exit_code, other.stdout) == (0, b"")


@pytest.mark.parametrize(("dialect", "event"), [("open-plugins", "AfterFileEdit"), ("cursor", "afterFileEdit")])
def test_after_an_edit_too(dialect: str, event: str, tmp_path: Path) -> None:
    folder = make_hooks(tmp_path / "p", dialect, event)
    ask(folder, dialect, "claude-code", "PostToolUse", {**claude("PostToolUse", "edit"), "tool_response": {}})
    (received,) = heard(folder)
    assert received["file_path"] == "/p/a"
    assert received["edits"] == [{"old_string": "x", "new_string": "y"}]


@pytest.mark.parametrize("event", WINDSURF_CALLS)
@pytest.mark.parametrize(("dialect", "hooked"), [("open-plugins", "PreToolUse"), ("cursor", "preToolUse")])
def test_a_client_with_events_by_kind_asks_hooks_on_all_tools(
    dialect: str, hooked: str, event: str, tmp_path: Path
) -> None:
    folder = make_hooks(tmp_path / "p", dialect, hooked)
    payload = {"agent_action_name": event, "trajectory_id": "s", "tool_info": WINDSURF_CALLS[event]}
    given = ask(folder, dialect, "windsurf", event, payload)
    assert (given.exit_code, given.stderr.strip()) == (2, b"guard: no")
    assert [received["hook_event_name"] for received in heard(folder)] == [hooked]


def test_hooks_on_both_events_are_both_asked_and_their_replies_joined(tmp_path: Path) -> None:
    folder = make_hooks(tmp_path / "p", "open-plugins", "PreToolUse", "BeforeShellExecution")
    ask(folder, "open-plugins", "codex", "PreToolUse", claude("PreToolUse", "shell"))
    assert [received["hook_event_name"] for received in heard(folder)] == ["PreToolUse", "BeforeShellExecution"]


@pytest.mark.parametrize("event", ["preToolUse", "beforeShellExecution"])
def test_a_client_that_fires_both_events_asks_each_hook_once(event: str, tmp_path: Path) -> None:
    folder = make_hooks(tmp_path / "p", "open-plugins", "PreToolUse", "BeforeShellExecution")
    payload = {"conversation_id": "s", "hook_event_name": event, "command": "rm", "tool_name": "Shell"}
    ask(folder, "open-plugins", "cursor", event, {**payload, "tool_input": {"command": "rm"}})
    assert [received["hook_event_name"].lower() for received in heard(folder)] == [event.lower()]


def test_a_matcher_on_the_tool_of_a_read_event_matches(tmp_path: Path) -> None:
    folder = make_hooks(tmp_path / "p", "cursor", "beforeReadFile", matcher="Read")
    ask(folder, "cursor", "claude-code", "PreToolUse", claude("PreToolUse", "read"))
    assert len(heard(folder)) == 1


def losses_of(dialect: str, event: str, client: str, matcher: str | None = None) -> list[tuple[Severity, str]]:
    native = profile(dialect).events[event][0]
    rule = Rule(event=event, native_event=native, matcher=matcher, actions=(Command(command="x"),))
    bridged = bridge(HookSet(dialect=dialect, rules=(rule,)), profile(client), EntryOptions())
    return [(loss.severity, loss.text.partition(": ")[0]) for loss in bridged.losses]


@pytest.mark.parametrize(
    ("dialect", "event", "client", "matcher", "expected"),
    [
        ("open-plugins", "BeforeShellExecution", "claude-code", None, []),
        ("open-plugins", "BeforeReadFile", "codex", None, [("error", "the hook never runs")]),
        ("universal", "PreToolUse", "windsurf", "Bash", []),
        ("universal", "PreToolUse", "windsurf", "Bash|WebFetch", [("warning", "the hook hears only of some tools")]),
        ("universal", "PreToolUse", "windsurf", "^WebFetch$", [("error", "the hook never runs")]),
        ("universal", "PreToolUse", "windsurf", "mcp__.*", []),
        ("universal", "PreToolUse", "codex", "^Read$", [("error", "the hook never runs")]),
        ("universal", "PreToolUse", "codex", "MyOwnTool", []),
    ],
)
def test_losses_name_what_is_not_heard(
    dialect: str, event: str, client: str, matcher: str | None, expected: list[tuple[str, str]]
) -> None:
    assert losses_of(dialect, event, client, matcher) == expected
