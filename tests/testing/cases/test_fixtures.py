"""Fixtures: in any client's spelling, for the client under test."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.payload import PostToolUse, PreToolUse
from anyhook.testing.cases.fixtures import decode_fixture
from tests.testing.packages import WRITE

CLAUDE = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s"}
GEMINI = {**CLAUDE, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
COPILOT = {"sessionId": "s", "toolName": "bash", "toolArgs": {"command": "ls"}}


def sent(data: dict[str, Any], client: str, event: str = "PreToolUse") -> dict[str, Any]:
    """What the client's hook would read on stdin."""
    native = native_name(event, client)
    assert native is not None
    return encode_payload(
        bind_event(profile(client), event, native), decode_fixture(profile(client), data, event, native)
    )


@pytest.mark.parametrize(("data", "client"), [(WRITE, "universal"), (CLAUDE, "claude-code"), (GEMINI, "gemini-cli")])
def test_a_fixture_in_the_client_s_own_spelling_is_sent_as_it_stands(data: dict[str, Any], client: str) -> None:
    assert sent(data, client) == data


@pytest.mark.parametrize("data", [CLAUDE, GEMINI, COPILOT])
def test_the_spelling_of_another_client_is_translated(data: dict[str, Any]) -> None:
    found = sent(data, "universal")
    assert (found["hookEventName"], found["toolName"]) == ("pre-tool-use", "Bash")
    assert found["toolInput"] == {"command": "ls"}
    found = sent(data, "cursor")
    assert (found["hook_event_name"], found["tool_name"]) == ("preToolUse", "Shell")


def test_inputs_of_tools_are_translated() -> None:
    payload = decode_fixture(profile("copilot-cli"), WRITE, "PreToolUse", "preToolUse")
    assert isinstance(payload, PreToolUse)
    assert payload.tool_name == "create"
    assert payload.tool_input["path"] == "/src/app.ts"


def test_the_event_of_the_case_counts_whatever_the_fixture_says() -> None:
    payload = decode_fixture(profile("universal"), WRITE, "PostToolUse", "post-tool-use")
    assert isinstance(payload, PostToolUse)
    assert sent(WRITE, "universal", "PostToolUse")["hookEventName"] == "post-tool-use"


def test_a_fixture_need_not_name_its_event() -> None:
    found = sent({"tool_name": "Bash", "tool_input": {}}, "claude-code")
    assert found["hook_event_name"] == "PreToolUse"


def test_an_empty_fixture_is_an_event_and_nothing_more() -> None:
    assert sent({}, "universal", "Stop") == {"hookEventName": "stop"}


def test_what_nobody_would_send_is_read_as_far_as_it_can_be() -> None:
    assert sent({"hookEventName": "pre-tool-use", "toolName": 5}, "universal")["toolName"] == 5
