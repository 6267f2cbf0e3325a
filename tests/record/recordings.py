"""Recorded events for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyhook.record.append import append_event
from anyhook.record.journal import Recording, create_recording, read_recording
from anyhook.record.redact import Redactor

GUARD = "grep -q 'rm -rf' && { echo 'no rm -rf here' >&2; exit 2; } || :"
CLAUDE = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": GUARD}]}]}


def bash(event: str, command: str, number: str = "t1", **more: Any) -> tuple[str, dict[str, Any]]:
    """One event of a shell command, as Claude Code sends it."""
    payload = {"session_id": "s1", "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}}
    if event == "PostToolUse":
        payload["tool_response"] = {"stdout": ""}
    return event, {**payload, "tool_use_id": number, **more}


def record(project: Path, *events: tuple[str, dict[str, Any]], client: str = "claude-code") -> Recording:
    """A recording called "one" with these events."""
    folder = create_recording(project, "one")
    for name, payload in events:
        append_event(str(folder), Redactor({}), client, name, payload)
    return read_recording(folder)
