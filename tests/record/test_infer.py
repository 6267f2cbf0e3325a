"""What came of an event is concluded only where the events after it leave no doubt."""

from __future__ import annotations

from typing import Any

from anyhook.model.outcome import Effect
from anyhook.record.infer import conclude, read_payloads
from anyhook.record.recorded import Happened, RecordedEvent


def event(name: str, client: str = "claude-code", outcome: Happened | None = None, **payload: Any) -> RecordedEvent:
    sent = {"session_id": "s1", "hook_event_name": name, **payload}
    return RecordedEvent(at="2026-01-01T00:00:00.000Z", client=client, event=name, payload=sent, outcome=outcome)


def bash(name: str, number: str | None = "t1", command: str = "ls", **payload: Any) -> RecordedEvent:
    known: dict[str, Any] = {} if number is None else {"tool_use_id": number}
    if name == "PostToolUse":
        known["tool_response"] = "ok"
    return event(name, tool_name="Bash", tool_input={"command": command}, **known, **payload)


def effects(*events: RecordedEvent) -> list[str | None]:
    return [None if happened is None else happened.effect for happened in conclude(read_payloads(events))]


def test_a_tool_that_ended_was_let_through() -> None:
    assert effects(bash("PreToolUse"), bash("PostToolUse")) == ["proceed", None]
    assert effects(bash("PreToolUse"), bash("PostToolUseFailure", error="x")) == ["proceed", None]


def test_the_reason_says_how_it_is_known() -> None:
    concluded = conclude(read_payloads((bash("PreToolUse"), bash("PostToolUse"))))[0]
    assert concluded == Happened(Effect.PROCEED, "PostToolUse followed", is_concluded=True)


def test_calls_at_once_are_told_apart_by_their_ids() -> None:
    assert effects(bash("PreToolUse", "a"), bash("PreToolUse", "b"), bash("PostToolUse", "b")) == [
        None,
        "proceed",
        None,
    ]


def test_without_ids_the_same_tool_and_input_count() -> None:
    calls = (bash("PreToolUse", None, "ls"), bash("PreToolUse", None, "rm x"), bash("PostToolUse", None, "ls"))
    assert effects(*calls) == ["proceed", None, None]


def test_a_tool_that_never_ended_may_have_been_blocked_or_not() -> None:
    assert effects(bash("PreToolUse"), event("Stop")) == [None, None]
    assert effects(bash("PreToolUse"), bash("PermissionDenied")) == [None, None]


def test_a_tool_that_the_user_was_asked_about_may_have_been_let_through_by_the_user() -> None:
    concluded = conclude(read_payloads((bash("PreToolUse"), bash("PermissionRequest"), bash("PostToolUse"))))
    assert concluded[0] == Happened(Effect.PROCEED, "PostToolUse followed", is_concluded=True, may_have_asked=True)


def test_a_call_of_another_session_does_not_count() -> None:
    assert effects(bash("PreToolUse"), bash("PostToolUse", session_id="s2")) == [None, None]


def test_a_prompt_that_the_model_worked_on_went_through() -> None:
    assert effects(event("UserPromptSubmit", prompt="go"), bash("PreToolUse")) == ["proceed", None]
    assert effects(event("UserPromptSubmit", prompt="go"), event("UserPromptSubmit", prompt="again")) == [None, None]


def test_an_agent_that_stops_again_because_of_a_hook_was_kept_going() -> None:
    first, second = event("Stop", stop_hook_active=False), event("Stop", stop_hook_active=True)
    stops = (first, bash("PreToolUse"), second, event("SessionEnd"))
    assert effects(*stops) == ["continue", None, "proceed", None]


def test_an_agent_that_gets_a_new_prompt_had_stopped() -> None:
    assert effects(event("Stop"), event("UserPromptSubmit", prompt="more")) == ["proceed", None]


def test_subagents_stop_on_their_own() -> None:
    first, second = (event("SubagentStop", agent_id=name, stop_hook_active=name == "b") for name in "ab")
    assert effects(first, second) == [None, None]


def test_an_outcome_that_was_seen_is_kept() -> None:
    seen = Happened(Effect.BLOCK, "no")
    calls = read_payloads((event("PreToolUse", outcome=seen, tool_name="Bash", tool_input={}), bash("PostToolUse")))
    assert conclude(calls)[0] == seen


def test_other_clients_are_read_in_their_own_words() -> None:
    first: dict[str, Any] = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}
    before = event("BeforeTool", "gemini-cli", **first)
    after = event("AfterTool", "gemini-cli", **first, tool_response={"llmContent": "x"})
    assert effects(before, after) == ["proceed", None]
    camel = {"sessionId": "s", "toolName": "bash", "toolArgs": {"command": "ls"}}
    times: dict[str, Any] = {"at": "2026-01-01T00:00:00.000Z", "client": "copilot-cli"}
    pre = RecordedEvent(event="preToolUse", payload=camel, **times)
    post = RecordedEvent(event="postToolUse", payload={**camel, "toolResult": {}}, **times)
    assert effects(pre, post) == ["proceed", None]


def test_what_is_no_object_or_of_no_known_client_is_no_trouble() -> None:
    broken = RecordedEvent(at="", client="claude-code", event="Stop", payload="not json")
    unknown = RecordedEvent(at="", client="nobody", event="Stop", payload={})
    assert effects(broken, unknown) == [None]
