"""A call in any client's words reaches the guards of every client: for fire, explain and try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import native_name
from anyhook.dialects.translation.attempts import Attempt, events_for, permission_event, why_no_event
from anyhook.dialects.translation.own_tools import events_of_tool, own_call
from anyhook.dialects.translation.tool_kinds import is_of_kind
from anyhook.dialects.translation.tools import native_input, tools_of_kind
from anyhook.dialects.translation.translate import hook_payloads
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.payload import ToolPayload
from anyhook.model.payload_base import Payload

KINDS = {"shell": "shell", "write": "edit", "edit": "edit", "read": "read", "web fetch": "fetch"}
"""What a client's tool does -> the kind that a guard names."""
INPUTS: Mapping[str, Mapping[str, Any]] = {
    "shell": {"command": "rm -rf ~"},
    "write": {"file_path": "a", "content": "x"},
    "edit": {"file_path": "a", "old_string": "x", "new_string": "y"},
    "read": {"file_path": "a"},
    "web fetch": {"url": "https://example.com", "prompt": "Read https://example.com"},
}
CLIENTS = [known.name for known in all_profiles() if known.runs_hooks]


def reaches(payload: Payload, client: str, kind: str) -> bool:
    """Whether a guard of this kind, which is asked by a deployed entry, hears of a client's event."""
    heard = hook_payloads(payload, profile(client), profile(OWN))
    calls = ((each.tool_name, each.get("tool_input")) for each in heard if isinstance(each, ToolPayload))
    return any(is_of_kind((kind,), name, dict(given), OWN) for name, given in calls)


def calls() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every tool of every client: what it does, its name, and its input."""
    for speaker in all_profiles():
        for kind in KINDS:
            for tool in tools_of_kind(kind, speaker.name):
                yield kind, tool, native_input(INPUTS[kind], kind, speaker.name)[0]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_guard_hears_of_a_tool_by_any_clients_name(client: str) -> None:
    for kind, tool, tool_input in calls():
        if not tools_of_kind(kind, client):
            continue
        events = events_of_tool("PreToolUse", tool, profile(client))
        payloads = []
        for event in events:
            given = {"tool_name": tool, "tool_input": tool_input, "session_id": "s", "cwd": "/p"}
            decoded, _ = decode_payload(profile(client), given, native_name(event, client) or "")
            payloads.append(own_call(decoded, profile(client)).payload)
        assert any(reaches(payload, client, KINDS[kind]) for payload in payloads), (tool, events)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_guard_hears_of_an_attempt(client: str) -> None:
    for kind, guard in KINDS.items():
        target = INPUTS[kind].get("command") or INPUTS[kind].get("url") or "/p/a"
        attempt = Attempt(kind, target)
        found = events_for(attempt, profile(client))
        if not tools_of_kind(kind, client):
            assert found == ()
            assert kind in why_no_event(attempt, profile(client))
        else:
            assert all(reaches(payload, client, guard) for payload in found), kind
            assert found


def test_an_attempt_arrives_in_the_clients_own_words() -> None:
    def words(attempt: Attempt, client: str) -> list[tuple[str, str]]:
        return [(each.native_event, getattr(each, "tool_name", "")) for each in events_for(attempt, profile(client))]

    shell = Attempt("shell", "rm -rf ~")
    assert words(shell, "cursor") == [("preToolUse", "Shell"), ("beforeShellExecution", "")]
    assert words(shell, "windsurf") == [("pre_run_command", "")]
    assert words(shell, "copilot-cli") == [("preToolUse", "bash")]
    assert words(Attempt("write", "/p/a"), "codex") == [("PreToolUse", "apply_patch")]
    assert words(Attempt("mcp", "github/delete_repo", {"name": "shop"}), "gemini-cli") == [
        ("BeforeTool", "mcp_github_delete_repo")
    ]
    assert words(Attempt("prompt", "hello"), "copilot-cli") == [("userPromptSubmitted", "")]
    assert words(Attempt("prompt", "hello"), "antigravity") == []
    assert permission_event(shell, profile("codex")) is not None
    assert permission_event(shell, profile("cursor")) is None


def test_a_call_in_the_spelling_of_others_keeps_what_the_client_understood() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "conversation_id": "c", "cwd": "/p"}
    decoded, problems = decode_payload(profile("cursor"), given, "beforeShellExecution")
    assert problems
    own = own_call(decoded, profile("cursor"))
    assert (own.payload.get("command"), own.payload.session_id, own.payload.cwd) == ("ls", "c", "/p")
    assert "other fields" in own.notes[-1]


def test_an_event_that_is_not_sent_for_the_tool_is_refused() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    decoded, _ = decode_payload(profile("windsurf"), given, "pre_read_code")
    assert own_call(decoded, profile("windsurf")).refusal == (
        "Windsurf does not send pre_read_code for the tool Bash; for it, it sends pre_run_command"
    )
