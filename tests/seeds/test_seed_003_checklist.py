"""The Agent SDK hooks spec (seed 003), section 10: the verification checklist, in the loop of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.events import native_names
from anyhook.engine.engine import Engine
from anyhook.engine.session.session import Session
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Status
from anyhook.model.output import (
    AsyncOutput,
    HookOutput,
    PreToolUseOutput,
    SessionStartOutput,
    SyncOutput,
    UserPromptSubmitOutput,
)
from anyhook.model.payload import PAYLOADS, PreToolUse, Stop
from anyhook.model.payload_base import Payload
from tests.engine.session.sessions import returns

INPUT_FIELDS = {
    "PreToolUse": {"tool_name", "tool_input", "tool_use_id"},
    "PostToolUse": {"tool_name", "tool_input", "tool_response", "tool_use_id"},
    "PostToolUseFailure": {"tool_name", "tool_input", "tool_use_id", "error", "is_interrupt"},
    "Notification": {"message", "title", "notification_type"},
    "UserPromptSubmit": {"prompt"},
    "SessionStart": {"source", "agent_type", "model"},
    "SessionEnd": {"reason"},
    "Stop": {"stop_hook_active"},
    "SubagentStart": {"agent_id", "agent_type"},
    "SubagentStop": {"stop_hook_active", "agent_id", "agent_transcript_path", "agent_type"},
    "PreCompact": {"trigger", "custom_instructions"},
    "PermissionRequest": {"tool_name", "tool_input", "tool_use_id"},
    "Setup": {"trigger"},
    "TeammateIdle": {"teammate_name", "team_name"},
    "TaskCompleted": {"task_id", "task_subject", "task_description", "teammate_name", "team_name"},
}
"""Section 3.2; section 3.1 adds these to all of them:"""
BASE_FIELDS = {"session_id", "transcript_path", "cwd", "permission_mode"}


def runner(**hooks: Callable[[Any], Any]) -> Engine:
    """An engine with one function for each of these events."""
    engine = Engine(HookSet(dialect="agent-sdk"))
    for event, hook in hooks.items():
        engine.register(event, hook)
    return engine


def says(output: HookOutput) -> Callable[[Any], HookOutput]:
    return lambda event: output


def decides(decision: Any, reason: str | None = None) -> Callable[[Any], HookOutput]:
    specific = PreToolUseOutput(permission_decision=decision, permission_decision_reason=reason)
    return says(SyncOutput(hook_specific=specific))


ALLOW = decides("allow")


def play(engine: Engine, scene: Callable[[Session], Awaitable[Any]], **terms: Any) -> Any:
    async def run() -> Any:
        async with engine.session(**terms) as session:
            return await scene(session)

    return asyncio.run(run())


async def everything(s: Session) -> None:
    """An agent's life with all that section 7 draws."""
    await s.prompt("go")
    await s.tool("Bash", {"command": "ls"}, returns("a"))
    await s.tool("Bash", {"command": "ls"}, lambda tool_input: 1 / 0)
    async with s.subagent("Explore") as sub:
        await sub.stop()
    await s.compact("auto", returns("short"))
    await s.stop()
    await s.task_completed("t-1", "Tests", description="Write them", teammate="Ada", team="core")
    await s.teammate_idle("Ada", "core")
    await s.notify("Waiting", type="idle_prompt", title="Agent")


def events_of_everything() -> list[Payload]:
    received: list[Payload] = []
    engine = runner(**dict.fromkeys(native_names("agent-sdk"), received.append))
    play(engine, everything, setup="init", model="m-1", agent_type="main", ask=lambda question: True)
    return received


def test_event_coverage() -> None:
    """Event coverage: All 15 hook events from `HOOK_EVENTS` constant implemented"""
    assert {event.event for event in events_of_everything()} == INPUT_FIELDS.keys()


def test_input_types() -> None:
    """Input types: Each hook event receives its correct input type with all fields"""
    from anyhook.dialects.wire.payloads import encode_payload

    for event in events_of_everything():
        assert type(event) is PAYLOADS[event.event]
        assert (
            encode_payload(bind_payload(profile("agent-sdk"), event), event).keys()
            >= BASE_FIELDS | INPUT_FIELDS[event.event]
        )


def test_output_types() -> None:
    """Output types: Sync and async outputs parsed correctly"""
    engine = runner(PreToolUse=says(AsyncOutput()), UserPromptSubmit=says(SyncOutput(decision="block", reason="no")))
    engine.register("PreToolUse", lambda event: {"hookSpecificOutput": {"permissionDecision": "allow"}})

    async def scene(s: Session) -> None:
        assert (await s.prompt("go")).reason == "no"
        assert (await s.tool("Bash", {}, returns("ran"))).status == "ran"

    play(engine, scene)


def test_matcher_filtering() -> None:
    """Matcher filtering: Tool name matchers correctly filter hook execution"""
    engine = runner()
    called: list[str] = []

    @engine.on(PreToolUse, matcher="mcp__*")
    def guard(event: PreToolUse) -> None:
        called.append(event.tool_name)

    async def scene(s: Session) -> None:
        for name in ("Bash", "mcp__files__read", "Read", "mcp__files__write"):
            await s.tool(name, {}, returns("ran"))

    play(engine, scene)
    assert called == ["mcp__files__read", "mcp__files__write"]


def test_timeout_enforcement() -> None:
    """Timeout enforcement: Hook timeouts cancel execution after specified duration"""
    engine = runner()

    @engine.on(PreToolUse, timeout=0.05)
    async def endless(event: PreToolUse) -> None:
        await asyncio.Event().wait()

    engine.register("PreToolUse", ALLOW)
    result = play(engine, lambda s: s.tool("Bash", {}, returns("ran")))
    assert result.status == "ran"
    assert [run.status for run in result.outcomes[0].runs] == [Status.TIMED_OUT, Status.ALLOWED]


def test_continue_semantics() -> None:
    """Continue semantics: `continue: false` stops processing further hooks"""
    engine = runner(PreToolUse=says(SyncOutput(continue_=False, stop_reason="enough")))
    called: list[object] = []
    engine.register("PreToolUse", called.append)

    async def scene(s: Session) -> str | None:
        await s.tool("Bash", {}, returns("never"))
        return s.turn_ended

    assert play(engine, scene) == "enough"
    assert not called


def test_decision_propagation() -> None:
    """Decision propagation: PreToolUse permission decisions flow to permission system"""
    asked: list[str] = []

    def ask(question: Any) -> bool:
        asked.append(question.reason)
        return False

    def used(hook: Callable[[Any], Any]) -> str:
        result = play(runner(PreToolUse=hook), lambda s: s.tool("Bash", {}, returns("ran")), ask=ask)
        return str(result.status)

    assert used(ALLOW) == "ran"
    assert used(decides("deny", "no")) == "denied"
    assert asked == []
    assert used(decides("ask", "sure?")) == "denied"
    assert used(says(SyncOutput())) == "denied"  # no hook made a decision
    assert asked == ["sure?", ""]


def test_stop_hook() -> None:
    """Stop hook: `continue: true` in Stop hook restarts the loop"""
    engine = runner()

    @engine.on(Stop)
    def once_more(event: Stop) -> SyncOutput | None:
        return None if event.stop_hook_active else SyncOutput(continue_=True, system_message="run the tests")

    async def agent(s: Session) -> list[str]:
        read = [(await s.prompt("go")).text]
        while (stop := await s.stop()).keep_going:
            read.append(stop.text)
        return read

    assert play(engine, agent) == ["go", "run the tests"]


def test_context_injection() -> None:
    """Context injection: additionalContext appended to next LLM system message"""
    engine = runner(
        SessionStart=says(
            SyncOutput(system_message="message", hook_specific=SessionStartOutput(additional_context="start"))
        ),
        UserPromptSubmit=says(SyncOutput(hook_specific=UserPromptSubmitOutput(additional_context="prompt"))),
    )

    async def agent(s: Session) -> list[str]:
        user = (await s.prompt("go")).text
        return [s.pending_context().text, user]

    assert play(engine, agent) == ["message\nstart", "go\n\nprompt"]


def test_error_isolation() -> None:
    """Error isolation: Hook errors logged but don't crash the agentic loop"""

    def broken(event: Payload) -> None:
        raise ValueError("broken")

    engine = runner(**dict.fromkeys(native_names("agent-sdk"), broken))
    engine.register("PreToolUse", ALLOW)
    play(engine, everything, setup="init")
    result = play(engine, lambda s: s.tool("Bash", {}, returns("ran")))
    assert result.status == "ran"
    assert result.outcomes[0].runs[0].reason == "ValueError: broken"


def test_async_support(tmp_path: Path) -> None:
    """Async support: AsyncHookJSONOutput handled with timeout"""
    late = tmp_path / "late"
    news = """{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "news"}}"""
    commands = (
        f"""echo '{{"async": true, "asyncTimeout": 1}}'; sleep 60; touch {late}""",
        f"""echo '{{"async": true}}'; sleep 0.1; echo '{news}'""",
    )
    rules = [
        Rule(event="PostToolUse", native_event="PostToolUse", actions=(Command(command=text),)) for text in commands
    ]
    engine = Engine(HookSet(dialect="agent-sdk", rules=tuple(rules)), project=tmp_path)
    engine.register("PreToolUse", ALLOW)

    async def scene(s: Session) -> tuple[tuple[str, ...], ...]:
        result = await s.tool("Bash", {}, returns("ran"))
        await engine.close(wait=600)
        return result.context, s.pending_context().for_model

    assert play(engine, scene) == ((), ("news",))
    assert not late.exists()


def test_ordering() -> None:
    """Ordering: Hooks within a matcher execute in array order"""
    order: list[str] = []
    engine = runner()
    for name in "abc":
        engine.register("Stop", lambda event, name=name: order.append(name), matcher="*")
    play(engine, lambda s: s.stop())
    assert order == ["a", "b", "c"]
