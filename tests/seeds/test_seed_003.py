"""The Agent SDK hooks spec (seed 003): callbacks in process, under the profile ``agent-sdk``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.events import native_names
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.engine.engine import Engine
from anyhook.engine.functions.host_hooks import HookMatcher, parse
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.lazyjson import LazyJson
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.output import (
    AsyncOutput,
    Decision,
    HookOutput,
    NotificationOutput,
    PostToolUseFailureOutput,
    PostToolUseOutput,
    PreToolUseOutput,
    SessionStartOutput,
    SetupOutput,
    SubagentStartOutput,
    SyncOutput,
    UserPromptSubmitOutput,
    to_json,
)
from anyhook.model.payload import PAYLOADS, PreToolUse, Stop
from anyhook.model.payload_base import Payload

BASE = {
    "session_id": "s-1",
    "transcript_path": "/tmp/t.jsonl",
    "cwd": "/work",
    "permission_mode": "default",
}
"""BaseHookInput, section 3.1"""
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1"}
INPUTS: dict[str, dict[str, Any]] = {
    "PreToolUse": TOOL,
    "PostToolUse": {**TOOL, "tool_response": {"stdout": "a"}},
    "PostToolUseFailure": {**TOOL, "error": "exit 1", "is_interrupt": True},
    "Notification": {"message": "Waiting", "title": "Claude", "notification_type": "idle_prompt"},
    "UserPromptSubmit": {"prompt": "Fix it"},
    "SessionStart": {"source": "startup", "agent_type": "main", "model": "m-1"},
    "SessionEnd": {"reason": "logout"},
    "Stop": {"stop_hook_active": False},
    "SubagentStart": {"agent_id": "a-1", "agent_type": "Explore"},
    "SubagentStop": {
        "stop_hook_active": True,
        "agent_id": "a-1",
        "agent_transcript_path": "/tmp/a.jsonl",
        "agent_type": "Explore",
    },
    "PreCompact": {"trigger": "manual", "custom_instructions": None},
    "PermissionRequest": {**TOOL, "permission_suggestions": []},
    "Setup": {"trigger": "init"},
    "TeammateIdle": {"teammate_name": "Ada", "team_name": "core"},
    "TaskCompleted": {
        "task_id": "t-1",
        "task_subject": "Tests",
        "task_description": "Write them",
        "teammate_name": "Ada",
        "team_name": "core",
    },
}
"""Section 3.2: every event with all fields of its input. For PermissionRequest the spec points to another document."""

WITH_CONTEXT = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SessionStart",
    "SubagentStart",
    "Setup",
    "Notification",
]
"""Section 4.3: the events whose outputs have additionalContext."""


def given(event: str, **fields: Any) -> Payload:
    """The input of an event, read from its JSON."""
    payload, problems = decode_payload(
        profile("agent-sdk"), {**BASE, "hook_event_name": event, **INPUTS[event], **fields}
    )
    assert problems == ()
    return payload


Callback = Callable[..., Any]


def group(hooks: Sequence[Callback], matcher: str = "", timeout: float | None = None) -> HookMatcher:
    """HookCallbackMatcher, section 5"""
    return HookMatcher(matcher, hooks, timeout)


def runner(config: Mapping[str, Sequence[HookMatcher]]) -> Engine:
    """NewRunner(config map[HookEvent][]HookCallbackMatcher), section 6"""
    return Engine(parse(config, "agent-sdk"))


def returns(output: HookOutput | Mapping[str, Any] | None) -> Callback:
    """A callback with the spec's signature that always answers the same."""

    def callback(payload: Payload, tool_use_id: str | None, context: object) -> Any:
        return output

    return callback


def decides(decision: Any = None, reason: str | None = None) -> SyncOutput:
    return SyncOutput(hook_specific=PreToolUseOutput(permission_decision=decision, permission_decision_reason=reason))


def fired(event: str, *outputs: HookOutput | Mapping[str, Any] | None) -> Outcome:
    """What comes of an event when its callbacks return this, one after the other."""
    return runner({event: [group([returns(output) for output in outputs])]}).fire_sync(given(event))


# --- 1. Purpose


def test_hooks_observe_modify_inject_and_control() -> None:
    """Hooks allow external code to observe events, modify behavior, inject context, control permissions"""
    seen: list[str] = []
    output = SyncOutput(
        hook_specific=PreToolUseOutput(
            permission_decision="allow", updated_input={"command": "ls -l"}, additional_context="Be brief."
        )
    )
    engine = runner({"PreToolUse": [group([lambda payload: seen.append(payload.event), returns(output)])]})
    outcome = engine.fire_sync(given("PreToolUse"))
    assert seen == ["PreToolUse"]
    assert (outcome.decision, outcome.updated_input) == (Decision.ALLOW, {"command": "ls -l"})
    assert outcome.to_model == ("Be brief.",)


# --- 2. Hook Events


def test_there_are_fifteen_events() -> None:
    """`HOOK_EVENTS` constant (15 events)"""
    assert native_names("agent-sdk").keys() == INPUTS.keys()
    assert len(INPUTS) == 15


@pytest.mark.parametrize("event", INPUTS)
def test_an_event_is_fired(event: str) -> None:
    """Event coverage: All 15 hook events from `HOOK_EVENTS` constant implemented"""
    outcome = fired(event, SyncOutput())
    assert outcome.event == event
    assert [run.status for run in outcome.runs] == [Status.ALLOWED]


# --- 3. Hook Input Types


@pytest.mark.parametrize("event", INPUTS)
def test_an_event_has_its_own_input(event: str) -> None:
    """Input types: Each hook event receives its correct input type with all fields"""
    received: list[Payload] = []
    runner({event: [group([received.append])]}).fire_sync(given(event))
    [payload] = received
    assert type(payload) is PAYLOADS[event]
    plain = {name: _plain(getattr(payload, name)) for name in (*BASE, *INPUTS[event])}
    assert plain == {**BASE, **INPUTS[event]}
    assert payload.extra == {}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, LazyJson) else value


@pytest.mark.parametrize("event", INPUTS)
def test_an_input_is_written_as_it_was_read(event: str) -> None:
    """The names behind `json:`, of BaseHookInput and of every event"""
    payload = given(event)
    written = encode_payload(bind_payload(profile("agent-sdk"), payload), payload)
    assert written == {**BASE, "hook_event_name": event, **INPUTS[event]}


def test_what_may_be_omitted_may_be_absent() -> None:
    """`omitempty`"""
    plain = {
        "session_id": "s",
        "transcript_path": "t",
        "cwd": "/",
        "hook_event_name": "SessionStart",
        "source": "clear",
    }
    payload, problems = decode_payload(profile("agent-sdk"), plain)
    assert problems == ()
    assert encode_payload(bind_payload(profile("agent-sdk"), payload), payload) == plain


# --- 4. Hook Output Types


def test_a_sync_output_has_these_fields() -> None:
    """SyncHookJSONOutput"""
    plain = {
        "continue": True,
        "suppressOutput": True,
        "stopReason": "done",
        "decision": "block",
        "systemMessage": "careful",
        "reason": "because",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"},
    }
    output = msgspec.convert(plain, SyncOutput)
    assert output == SyncOutput(
        continue_=True,
        suppress_output=True,
        stop_reason="done",
        decision="block",
        system_message="careful",
        reason="because",
        hook_specific=PreToolUseOutput(permission_decision="deny"),
    )
    assert to_json(output) == plain
    assert to_json(SyncOutput()) == {}


def test_an_async_output_has_these_fields() -> None:
    """AsyncHookJSONOutput signals that the hook will complete asynchronously."""
    assert msgspec.convert({"async": True, "asyncTimeout": 5}, AsyncOutput) == AsyncOutput(async_timeout=5)
    assert msgspec.json.encode(AsyncOutput(async_timeout=15)) == b'{"async":true,"asyncTimeout":15}'
    assert msgspec.convert({"async": True}, AsyncOutput) == AsyncOutput()


@pytest.mark.parametrize(
    ("plain", "output"),
    [
        (
            {
                "hookEventName": "PreToolUse",
                "permissionDecision": "ask",
                "permissionDecisionReason": "sure?",
                "updatedInput": {"command": "ls"},
                "additionalContext": "c",
            },
            PreToolUseOutput(
                permission_decision="ask",
                permission_decision_reason="sure?",
                updated_input={"command": "ls"},
                additional_context="c",
            ),
        ),
        (
            {"hookEventName": "PostToolUse", "additionalContext": "c", "updatedMCPToolOutput": [1]},
            PostToolUseOutput(additional_context="c", updated_mcp_tool_output=[1]),
        ),
        (
            {"hookEventName": "PostToolUseFailure", "additionalContext": "c"},
            PostToolUseFailureOutput(additional_context="c"),
        ),
        ({"hookEventName": "SessionStart", "additionalContext": "c"}, SessionStartOutput(additional_context="c")),
        ({"hookEventName": "SubagentStart", "additionalContext": "c"}, SubagentStartOutput(additional_context="c")),
        ({"hookEventName": "Setup", "additionalContext": "c"}, SetupOutput(additional_context="c")),
        ({"hookEventName": "Notification", "additionalContext": "c"}, NotificationOutput(additional_context="c")),
        ({"hookEventName": "UserPromptSubmit"}, UserPromptSubmitOutput()),
    ],
    ids=lambda value: value["hookEventName"] if isinstance(value, dict) else "",
)
def test_an_output_of_one_event(plain: dict[str, Any], output: Any) -> None:
    """Event-Specific Outputs"""
    assert msgspec.convert({"hookSpecificOutput": plain}, SyncOutput) == SyncOutput(hook_specific=output)
    assert to_json(SyncOutput(hook_specific=output)) == {"hookSpecificOutput": plain}


@pytest.mark.parametrize("response", ["text", {"content": []}, None])
def test_the_output_of_a_tool_is_replaced(response: Any) -> None:
    """`UpdatedMCPToolOutput interface{}`: any value, whatever the tool returned"""
    output = SyncOutput(hook_specific=PostToolUseOutput(updated_mcp_tool_output={"content": ["cleaned"]}))
    engine = runner({"PostToolUse": [group([returns(output)])]})
    outcome = engine.fire_sync(given("PostToolUse", tool_name="mcp__files__read", tool_response=response))
    assert outcome.updated_output == {"content": ["cleaned"]}


def test_a_prompt_is_blocked() -> None:
    """Can block prompt submission via SyncHookJSONOutput.Decision = "block" """
    outcome = fired("UserPromptSubmit", SyncOutput(decision="block", reason="no secrets"))
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "no secrets")


def test_an_output_may_be_plain_json() -> None:
    """HookJSONOutput is the union of sync and async outputs."""
    outcome = fired("PreToolUse", to_json(decides("deny", "no")))
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "no")


# --- 5. Hook Callback Matcher


@pytest.mark.parametrize(
    ("matcher", "tool", "matches"),
    [
        ("", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("bash", "Bash", False),
        ("mcp__*", "mcp__files__read", True),
        ("mcp__*", "Bash", False),
        ("mcp__*__read", "mcp__files__read", True),
        ("mcp__*__read", "mcp__files__write", False),
        ("*", "Bash", True),
    ],
)
def test_a_matcher_is_a_glob_or_an_exact_name(matcher: str, tool: str, matches: bool) -> None:
    """tool name pattern (glob or exact), e.g. "Bash", "mcp__*" """
    engine = runner({"PreToolUse": [group([returns(None)], matcher)]})
    outcome = engine.fire_sync(given("PreToolUse", tool_name=tool))
    assert (len(outcome.runs), len(outcome.skipped)) == ((1, 0) if matches else (0, 1))


def test_a_callback_gets_input_id_and_context() -> None:
    """type HookCallback func(input HookInput, toolUseID string, ctx context.Context)"""
    calls: list[tuple[Payload, str | None, Any]] = []

    def callback(payload: Payload, tool_use_id: str | None, context: Any) -> None:
        calls.append((payload, tool_use_id, context))

    async def later(payload: Payload, tool_use_id: str | None, context: Any) -> None:
        await asyncio.sleep(0)
        calls.append((payload, tool_use_id, context))

    engine = runner({event: [group([callback, later], timeout=20)] for event in ("PreToolUse", "Stop")})
    for event, tool_use_id in (("PreToolUse", "toolu_1"), ("Stop", None)):
        engine.fire_sync(given(event))
        assert [(call[0].event, call[1], call[2].timeout) for call in calls] == [(event, tool_use_id, 20)] * 2
        calls.clear()


# --- 6. Hook Runner


def test_an_event_without_hooks_has_no_results() -> None:
    """`if !ok { return nil, nil }`"""
    outcome = runner({"Stop": [group([returns(SyncOutput())])]}).fire_sync(given("SessionEnd"))
    assert (outcome.runs, outcome.effect) == ((), Effect.PROCEED)


def test_results_are_in_order() -> None:
    """Ordering: Hooks within a matcher execute in array order"""
    started: list[str] = []

    def named(name: str) -> Callback:
        async def callback(payload: Payload) -> SyncOutput:
            started.append(name)
            await asyncio.sleep(0)
            return SyncOutput(system_message=name)

        return callback

    config = {
        "PreToolUse": [
            group([named("a"), named("b")], "Bash"),
            group([named("no")], "Write"),
            group([named("c")]),
        ]
    }
    outcome = runner(config).fire_sync(given("PreToolUse"))
    assert started == ["a", "b", "c"]
    assert [run.reply and run.reply.message for run in outcome.runs] == ["a", "b", "c"]


def test_one_hook_ends_before_the_next_one_starts() -> None:
    """`for _, hook := range matcher.Hooks`"""
    steps: list[str] = []

    def named(name: str) -> Callback:
        async def callback(payload: Payload) -> None:
            steps.append(f"{name} starts")
            await asyncio.sleep(0)
            steps.append(f"{name} ends")

        return callback

    runner({"Stop": [group([named("a"), named("b")])]}).fire_sync(given("Stop"))
    assert steps == ["a starts", "a ends", "b starts", "b ends"]


def test_a_timeout_is_for_all_hooks_of_a_matcher() -> None:
    """Timeout enforcement: Hook timeouts cancel execution after specified duration"""
    cancelled: list[str] = []

    def endless(name: str) -> Callback:
        async def callback(payload: Payload) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(name)
                raise

        return callback

    config = {
        "PreToolUse": [
            group([endless("a"), endless("b")], timeout=0.05),
            group([returns(SyncOutput(system_message="still there"))]),
        ]
    }
    outcome = runner(config).fire_sync(given("PreToolUse"))
    assert cancelled == ["a", "b"]
    assert [run.status for run in outcome.runs] == [Status.TIMED_OUT, Status.TIMED_OUT, Status.ALLOWED]
    # An error like any other: no result, and so no decision.
    assert (outcome.effect, outcome.decision) == (Effect.ASK, None)
    assert outcome.to_model == ("still there",)


def test_without_a_timeout_there_is_no_limit() -> None:
    """`if matcher.Timeout > 0`"""
    assert profile("agent-sdk").timeouts.effective_ms(None, "callback", "PreToolUse") is None


@pytest.mark.parametrize(
    "failing",
    [
        RuntimeError("broken"),
        TimeoutError("of its own"),
        asyncio.CancelledError(),
        SystemExit(3),
    ],
    ids=repr,
)
def test_errors_are_logged_and_the_others_go_on(failing: BaseException) -> None:
    """Error isolation: Hook errors logged but don't crash the agentic loop"""

    def raises(payload: Payload, tool_use_id: str | None, context: object) -> None:
        raise failing

    async def raises_later(payload: Payload) -> None:
        await asyncio.sleep(0)
        raise failing

    engine = runner({"PreToolUse": [group([raises, raises_later, returns(decides("allow"))])]})
    outcome = engine.fire_sync(given("PreToolUse"))
    assert [run.status for run in outcome.runs] == [Status.FAILED_OPEN, Status.FAILED_OPEN, Status.ALLOWED]
    assert all(type(failing).__name__ in run.reason for run in outcome.runs[:2])
    assert outcome.decision is Decision.ALLOW


@pytest.mark.parametrize(
    "value", [5, "deny", [1], {"decision": 7}, {"hookSpecificOutput": "deny"}, object()], ids=range(6)
)
def test_a_value_that_is_no_output_is_no_crash(value: Any) -> None:
    """Error isolation, of what a callback returns"""
    outcome = runner({"PreToolUse": [group([lambda payload: value, returns(decides("deny"))])]}).fire_sync(
        given("PreToolUse")
    )
    assert len(outcome.runs) == 2
    assert outcome.effect is Effect.BLOCK


def test_continue_false_stops_processing() -> None:
    """Continue semantics: `continue: false` stops processing further hooks"""
    called: list[str] = []
    stop = returns(SyncOutput(continue_=False, stop_reason="enough"))
    config = {
        "PreToolUse": [
            group([lambda payload: called.append("a"), stop, lambda payload: called.append("b")], "Bash"),
            group([lambda payload: called.append("c")]),
        ]
    }
    outcome = runner(config).fire_sync(given("PreToolUse"))
    assert called == ["a"]
    assert len(outcome.runs) == 2


@pytest.mark.parametrize("goes_on", [None, True])
def test_only_continue_false_stops(goes_on: bool | None) -> None:
    """`result.Sync.Continue != nil && !*result.Sync.Continue`"""
    assert len(fired("PreToolUse", SyncOutput(continue_=goes_on), SyncOutput()).runs) == 2


def test_hooks_come_and_go() -> None:
    """Runner manages hook registration and execution."""
    engine = Engine(HookSet(dialect="agent-sdk"))
    hook_id = engine.register("Stop", returns(SyncOutput(continue_=True)))
    assert engine.fire_sync(given("Stop")).effect is Effect.CONTINUE
    assert engine.unregister(hook_id)
    assert engine.fire_sync(given("Stop")).effect is Effect.PROCEED


# --- 8. Hook Result Processing

DENY, ALLOW, ASK = decides("deny", "no"), decides("allow", "yes"), decides("ask", "hm")
NOTHING, LATER = SyncOutput(), AsyncOutput()


@pytest.mark.parametrize(
    ("outputs", "effect"),
    [
        ([], Effect.ASK),
        ([NOTHING], Effect.ASK),
        ([LATER], Effect.ASK),
        ([ASK], Effect.ASK),
        ([SyncOutput(decision="approve")], Effect.ASK),
        ([DENY], Effect.BLOCK),
        ([ALLOW], Effect.PROCEED),
        ([SyncOutput(decision="block")], Effect.BLOCK),
        ([DENY, ALLOW], Effect.BLOCK),
        ([ALLOW, DENY], Effect.PROCEED),
        ([NOTHING, LATER, DENY, ALLOW], Effect.BLOCK),
        ([ALLOW, SyncOutput(decision="block")], Effect.PROCEED),
        ([ASK, DENY], Effect.BLOCK),
        ([ASK, ALLOW], Effect.PROCEED),
    ],
)
def test_the_first_decision_about_a_tool_counts(outputs: list[HookOutput], effect: Effect) -> None:
    """Decision propagation: PreToolUse permission decisions flow to permission system"""
    assert fired("PreToolUse", *outputs).effect is effect


def test_a_decision_comes_with_its_reason() -> None:
    """PermissionDecisionReason"""
    outcome = fired("PreToolUse", NOTHING, DENY, ALLOW)
    assert (outcome.decision, outcome.reason, outcome.decided_by) == (Decision.DENY, "no", outcome.runs[1].origin)


@pytest.mark.parametrize(
    ("said", "effect"),
    [
        ([], Effect.PROCEED),
        ([None], Effect.PROCEED),
        ([True], Effect.CONTINUE),
        ([None, True], Effect.CONTINUE),
        ([False], Effect.PROCEED),
        ([False, True], Effect.PROCEED),
        ([True, False], Effect.CONTINUE),
    ],
)
def test_continue_true_keeps_the_agent_going(said: list[bool | None], effect: Effect) -> None:
    """Stop hook: `continue: true` in Stop hook restarts the loop"""
    assert fired("Stop", *(SyncOutput(continue_=value) for value in said)).effect is effect


def test_nothing_else_keeps_the_agent_going() -> None:
    """`return false // stop as normal`"""
    assert fired("Stop", SyncOutput(decision="block", reason="more"), AsyncOutput()).effect is Effect.PROCEED


# --- 9. Additional Context Injection


def test_system_messages_are_context() -> None:
    """`contexts = append(contexts, r.Sync.SystemMessage)`, `strings.Join(contexts, "\\n")`"""
    outcome = fired("PreToolUse", SyncOutput(system_message="one"), LATER, NOTHING, SyncOutput(system_message="two"))
    assert outcome.to_model == ("one\ntwo",)


def test_context_goes_result_by_result() -> None:
    """`for _, r := range results`: of each its message and its context; what is said twice is there twice"""

    def output(number: int) -> SyncOutput:
        return SyncOutput(
            system_message=f"message {number}", hook_specific=PreToolUseOutput(additional_context="the same")
        )

    outcome = fired("PreToolUse", output(1), output(2))
    assert outcome.to_model == ("message 1\nthe same\nmessage 2\nthe same",)


@pytest.mark.parametrize("event", WITH_CONTEXT)
def test_additional_context_is_injected(event: str) -> None:
    """Context injection: additionalContext appended to next LLM system message"""
    specific = {"hookEventName": event, "additionalContext": "context"}
    output = msgspec.convert({"systemMessage": "message", "hookSpecificOutput": specific}, SyncOutput)
    outcome = fired(event, output)
    assert outcome.to_model == ("message\ncontext",)


def test_context_is_never_cut() -> None:
    """additionalContext which is appended to the next system message"""
    long = "x" * 100_000
    output = SyncOutput(hook_specific=SessionStartOutput(additional_context=long))
    assert fired("SessionStart", output).to_model == (long,)


# --- 10. Verification Checklist: what the sections above leave open


def test_an_async_output_decides_nothing() -> None:
    """Async support: AsyncHookJSONOutput handled with timeout"""
    outcome = fired("PreToolUse", AsyncOutput(async_timeout=5), {"async": True, "asyncTimeout": 5}, DENY)
    first, second, third = (run.reply for run in outcome.runs)
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.async_, first.async_timeout_ms) == (True, 5000)
    assert (second.async_, second.async_timeout_ms) == (True, 5000)  # the spec counts seconds
    assert (outcome.effect, outcome.decided_by) == (Effect.BLOCK, outcome.runs[2].origin)


def command_rule(command: str) -> Rule:
    return Rule(event="PostToolUse", native_event="PostToolUse", actions=(Command(command=command),))


def test_an_async_command_is_not_waited_for(tmp_path: Path) -> None:
    """`Async bool`: the hook will complete asynchronously"""
    go, done = tmp_path / "go", tmp_path / "done"
    command = f"""echo '{{"async": true}}'; until [ -e {go} ]; do sleep 0.01; done; touch {done}"""
    engine = Engine(HookSet(dialect="agent-sdk", rules=(command_rule(command),)), project=tmp_path)

    async def play() -> Outcome:
        outcome = await engine.fire(given("PostToolUse"))
        assert not done.exists()
        go.touch()
        await engine.close(wait=600)
        return outcome

    outcome = asyncio.run(play())
    assert (outcome.effect, outcome.runs[0].reason) == (Effect.PROCEED, "runs in the background")
    assert done.exists()


def test_an_async_command_ends_in_its_time(tmp_path: Path) -> None:
    """`AsyncTimeout int // seconds`"""
    late = tmp_path / "late"
    command = f"""echo '{{"async": true, "asyncTimeout": 1}}'; sleep 60; touch {late}"""
    engine = Engine(HookSet(dialect="agent-sdk", rules=(command_rule(command),)), project=tmp_path)

    async def play() -> None:
        await engine.fire(given("PostToolUse"))
        await engine.close(wait=600)

    asyncio.run(play())
    assert not late.exists()


def test_an_outcome_can_be_kept(tmp_path: Path) -> None:
    """errors logged: every result, with its status and reason, is plain data"""

    def broken(payload: Payload) -> None:
        raise ValueError("broken")

    outcome = runner({"PreToolUse": [group([broken, returns(DENY)])]}).fire_sync(given("PreToolUse"))
    plain = outcome.to_json()
    assert [(run["status"], run["reason"]) for run in plain["runs"]] == [
        ("failed-so-allowed", "ValueError: broken"),
        ("blocked", "no"),
    ]


def test_a_host_makes_its_own_inputs() -> None:
    """HookInput, made by the agentic loop"""
    asked = runner({"PreToolUse": [group([returns(NOTHING)])]})
    assert asked.fire_sync(PreToolUse(tool_name="Bash", tool_input={}, session_id="s")).effect is Effect.ASK
    changed = structs.replace(Stop(stop_hook_active=False), stop_hook_active=True)
    assert runner({"Stop": [group([returns(NOTHING)])]}).fire_sync(changed).effect is Effect.PROCEED


def test_a_request_to_ask_does_not_hide_a_block() -> None:
    """Section 8: decision "block" is a deny, whatever else the same result says except allow."""

    def output(permission: Any) -> SyncOutput:
        specific = PreToolUseOutput(permission_decision=permission)
        return SyncOutput(decision="block", reason="no", hook_specific=specific)

    assert fired("PreToolUse", output("ask")).effect is Effect.BLOCK
    assert fired("PreToolUse", output("defer")).effect is Effect.BLOCK
    assert fired("PreToolUse", output("ask")).reason == "no"
    assert fired("PreToolUse", decides("ask")).effect is Effect.ASK
    assert fired("PreToolUse", decides("defer")).effect is Effect.DEFER


def test_the_reason_of_a_hook_that_continues_is_kept() -> None:
    """Section 4.1: reason goes with the result of a Stop hook that restarts the loop."""
    outcome = fired("Stop", SyncOutput(continue_=True, reason="Run the tests."))
    assert (outcome.effect, outcome.reason) == (Effect.CONTINUE, "Run the tests.")
    assert outcome.to_model == ("Run the tests.",)
