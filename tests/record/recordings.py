"""Recorded events for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anyhook.record.record_payload import record_payload
from anyhook.record.recordings import Recording, begin_recording, end_recordings, open_recording
from anyhook.record.store.open_recordings import marker_of
from anyhook.record.store.spool import journal_folder

GUARD = "grep -q 'rm -rf' && { echo 'no rm -rf here' >&2; exit 2; } || :"
CLAUDE = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": GUARD}]}]}


def bash(event: str, command: str, number: str = "t1", **more: Any) -> tuple[str, dict[str, Any]]:
    """One event of a shell command, as Claude Code sends it."""
    payload = {"session_id": "s1", "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}}
    if event == "PostToolUse":
        payload["tool_response"] = {"stdout": ""}
    return event, {**payload, "tool_use_id": number, **more}


def begin(project: Path, name: str = "one", *clients: str) -> str:
    """Switch a recording on, and return its marker."""
    return str(marker_of(journal_folder(), begin_recording(project, clients or ("claude-code",), name).name))


def record(
    project: Path, *events: tuple[str, dict[str, Any]], client: str = "claude-code", name: str = "one"
) -> Recording:
    """A recording with these events. The state folder must be the test's own."""
    marker = begin(project, name, client)
    for event, payload in events:
        record_payload(marker, client, event, json.dumps(payload).encode())
    end_recordings(project, [client])
    return open_recording(project, name)
