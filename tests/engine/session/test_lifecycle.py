"""The lifecycle of the Agent SDK hooks spec, section 7: which events a session fires, in which order, with what."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from anyhook.engine.session.results import StopResult
from anyhook.model.payload_base import Payload
from tests.engine.session.sessions import add, allow, answer, command_rule, decide, engine_of, names, record, returns

CALL = {"tool_use_id": "toolu_1"}


def base(project: Path) -> dict[str, Any]:
    return {"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": str(project), "permission_mode": "default"}


def test_the_whole_diagram(tmp_path: Path) -> None:
    engine = engine_of("agent-sdk", project=tmp_path)
    fired = record(engine)
    answer(engine, "PreToolUse", allow(), matcher="Read")
    answer(engine, "PreToolUse", decide("deny", "not there"), matcher="Write")
    answer(engine, "PreToolUse", decide("ask", "sure?"), matcher="Bash")
    kept_going = iter([{"continue": True, "systemMessage": "run the tests"}, None])
    answer(engine, "Stop", lambda event: next(kept_going))

    def fails(tool_input: dict[str, Any]) -> str:
        raise FileNotFoundError("no such file")

    async def play() -> list[StopResult]:
        session = engine.session(
            session_id="s-1",
            transcript_path="/t.jsonl",
            model="m-1",
            agent_type="main",
            setup="init",
            ask=lambda question: True,
        )
        async with session as s:
            await s.prompt("Fix it")
            await s.tool("Read", {"file_path": "a"}, run=returns("text"), **CALL)
            await s.tool("Read", {"file_path": "b"}, run=fails, **CALL)
            await s.tool("Write", {"file_path": "c"}, run=returns("never"), **CALL)
            await s.tool("Bash", {"command": "ls"}, run=returns({"stdout": "a"}), **CALL)
            async with s.subagent("Explore", agent_id="a-1") as sub:
                await sub.tool("Read", {"file_path": "d"}, run=returns("text"), **CALL)
                await sub.stop("found it")
            await s.compact("auto", run=lambda instructions: "short")
            stops = [await s.stop("done"), await s.stop("tested")]
            await s.task_completed("t-1", "Tests", description="Write them", teammate="Ada", team="core")
            await s.teammate_idle("Ada", "core")
            await s.notify("Waiting", type="idle_prompt", title="Agent")
            await s.end("logout")
        return stops

    stops = asyncio.run(play())
    assert [(stop.keep_going, stop.text) for stop in stops] == [(True, "run the tests"), (False, "")]

    def tool(name: str, tool_input: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"tool_name": name, "tool_input": tool_input, "tool_use_id": "toolu_1", **more}

    sub = {"agent_id": "a-1", "agent_type": "Explore"}
    expected: list[tuple[str, dict[str, Any]]] = [
        ("Setup", {"trigger": "init"}),
        ("SessionStart", {"source": "startup", "agent_type": "main", "model": "m-1"}),
        ("UserPromptSubmit", {"prompt": "Fix it"}),
        # allow → execute → PostToolUse
        ("PreToolUse", tool("Read", {"file_path": "a"})),
        ("PostToolUse", tool("Read", {"file_path": "a"}, tool_response="text")),
        # error → PostToolUseFailure
        ("PreToolUse", tool("Read", {"file_path": "b"})),
        (
            "PostToolUseFailure",
            tool("Read", {"file_path": "b"}, error="FileNotFoundError: no such file", is_interrupt=False),
        ),
        # deny → skip
        ("PreToolUse", tool("Write", {"file_path": "c"})),
        # (permission check)
        ("PreToolUse", tool("Bash", {"command": "ls"})),
        ("PermissionRequest", tool("Bash", {"command": "ls"})),
        ("PostToolUse", tool("Bash", {"command": "ls"}, tool_response={"stdout": "a"})),
        # (if subagent spawned)
        ("SubagentStart", sub),
        ("PreToolUse", {**sub, **tool("Read", {"file_path": "d"})}),
        ("PostToolUse", {**sub, **tool("Read", {"file_path": "d"}, tool_response="text")}),
        (
            "SubagentStop",
            {
                **sub,
                "stop_hook_active": False,
                "agent_transcript_path": "",
                "last_assistant_message": "found it",
            },
        ),
        # (if context overflow)
        ("PreCompact", {"trigger": "auto", "custom_instructions": None}),
        ("SessionStart", {"source": "compact", "agent_type": "main", "model": "m-1"}),
        # (if stop_reason == end_turn)
        ("Stop", {"stop_hook_active": False, "last_assistant_message": "done"}),
        ("Stop", {"stop_hook_active": True, "last_assistant_message": "tested"}),
        # (task completed in background), (teammate idle notification), (any notification to user)
        (
            "TaskCompleted",
            {
                "task_id": "t-1",
                "task_subject": "Tests",
                "task_description": "Write them",
                "teammate_name": "Ada",
                "team_name": "core",
            },
        ),
        ("TeammateIdle", {"teammate_name": "Ada", "team_name": "core"}),
        ("Notification", {"message": "Waiting", "title": "Agent", "notification_type": "idle_prompt"}),
        ("SessionEnd", {"reason": "logout"}),
    ]
    assert names(fired) == [name for name, _ in expected]
    assert fired == [{**base(tmp_path), "hook_event_name": name, **fields} for name, fields in expected]


def test_a_subagent_has_a_stop_loop_of_its_own() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)
    wants = iter([True, True, None])
    answer(engine, "SubagentStop", lambda event: {"continue": next(wants)})

    async def play() -> list[bool]:
        async with engine.session() as s, s.subagent("Explore") as sub:
            return [(await sub.stop(text)).keep_going for text in ("one", "two", "three")]

    assert asyncio.run(play()) == [True, True, False]
    stops = [event for event in fired if event["hook_event_name"] == "SubagentStop"]
    assert [(event["stop_hook_active"], event["last_assistant_message"]) for event in stops] == [
        (False, "one"),
        (True, "two"),
        (True, "three"),
    ]
    assert len({event["agent_id"] for event in stops}) == 1


def test_a_subagent_always_stops() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)

    async def play() -> None:
        async with engine.session() as s:
            async with s.subagent("Explore"):
                pass
            with pytest.raises(ValueError, match="of the host"):
                async with s.subagent("Plan"):
                    raise ValueError("of the host")

    asyncio.run(play())
    assert [(event["hook_event_name"], event.get("agent_type")) for event in fired] == [
        ("SessionStart", None),
        ("SubagentStart", "Explore"),
        ("SubagentStop", "Explore"),
        ("SubagentStart", "Plan"),
        ("SubagentStop", "Plan"),
        ("SessionEnd", None),
    ]


def test_hooks_cannot_keep_an_agent_going_for_ever() -> None:
    engine = engine_of("agent-sdk")
    answer(engine, "Stop", {"continue": True})
    cap = engine.profile.stopping.cap
    assert cap == 8

    async def turn(session: Any) -> tuple[int, tuple[str, ...]]:
        await session.prompt("go")
        times = 0
        while (await session.stop()).keep_going:
            times += 1
        return times, session.pending_context().for_user

    async def play() -> list[tuple[int, tuple[str, ...]]]:
        async with engine.session() as s:
            return [await turn(s), await turn(s)]

    told = ("hooks kept the agent going 8 times in a row; now it may stop",)
    assert asyncio.run(play()) == [(cap, told), (cap, told)]


def test_a_new_prompt_begins_the_count_anew() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)
    answer(engine, "Stop", {"continue": True})

    async def play() -> list[bool]:
        async with engine.session() as s:
            await s.prompt("one")
            for _ in range(8):
                await s.stop()
            await s.prompt("two")
            return [(await s.stop()).keep_going for _ in range(8)]

    assert asyncio.run(play()) == [True] * 8
    active = [event["stop_hook_active"] for event in fired if event["hook_event_name"] == "Stop"]
    assert active == [False, *[True] * 7] * 2


def test_context_of_a_background_hook_is_pending(tmp_path: Path) -> None:
    news = """{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "the build is red"}}"""
    go = tmp_path / "go"
    command = f"""echo '{{"async": true}}'; until [ -e {go} ]; do sleep 0.01; done; echo '{news}'"""
    engine = engine_of("claude-code", command_rule("PostToolUse", command), project=tmp_path)

    async def play() -> list[tuple[str, ...]]:
        async with engine.session() as s, engine.session() as other:
            await s.tool("Read", {"file_path": "a"}, run=returns("text"))
            before = s.pending_context().for_model
            go.touch()
            await asyncio.wait(engine._background.tasks)
            return [before, other.pending_context().for_model, s.pending_context().for_model]

    assert asyncio.run(play()) == [(), (), ("the build is red",)]


def test_background_hooks_end_with_their_session(tmp_path: Path) -> None:
    engine = engine_of("claude-code", command_rule("PostToolUse", "sleep 60", is_async=True), project=tmp_path)

    async def play() -> None:
        async with engine.session() as s:
            async with engine.session() as other:
                for session in (s, other):
                    await session.tool("Read", {"file_path": "a"}, run=returns("text"))
                assert len(engine._background.tasks) == 2
            assert list(engine._background.tasks.values()) == [s.session_id]
        assert not engine._background.tasks

    asyncio.run(play())


@pytest.mark.parametrize("ending", [ValueError("of the host"), asyncio.CancelledError(), KeyboardInterrupt()])
def test_a_session_ends_however_the_host_ends(ending: BaseException) -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)

    async def play() -> None:
        async with engine.session():
            raise ending

    with pytest.raises(type(ending)):
        asyncio.run(play())
    assert names(fired) == ["SessionStart", "SessionEnd"]
    assert fired[-1]["reason"] == "other"


def test_a_cancelled_tool_call_is_an_interrupted_failure() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)
    answer(engine, "PreToolUse", allow())
    ended: list[str] = []

    async def slow_hook(payload: Payload) -> None:
        await asyncio.sleep(0.01)
        ended.append(payload.event)

    for event in ("PostToolUseFailure", "SubagentStop", "SessionEnd"):
        engine.register(event, slow_hook)
    running = asyncio.Event()

    async def forever(tool_input: dict[str, Any]) -> None:
        running.set()
        await asyncio.Event().wait()

    async def agent() -> None:
        async with engine.session() as s, s.subagent("Explore") as sub:
            await sub.tool("Bash", {"command": "sleep 1000"}, run=forever)

    async def play() -> None:
        task = asyncio.create_task(agent())
        await running.wait()
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()  # a second time, while its last hooks run
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())
    assert names(fired)[-3:] == ["PostToolUseFailure", "SubagentStop", "SessionEnd"]
    assert (fired[-3]["error"], fired[-3]["is_interrupt"]) == ("interrupted", True)
    assert ended == ["PostToolUseFailure", "SubagentStop", "SessionEnd"]


def test_a_session_that_is_cancelled_while_it_starts_ends_too() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)
    starting = asyncio.Event()

    async def hang(payload: Payload) -> None:
        starting.set()
        await asyncio.Event().wait()

    engine.register("SessionStart", hang)

    async def agent() -> None:
        async with engine.session():
            raise AssertionError("it never starts")

    async def play() -> None:
        task = asyncio.create_task(agent())
        await starting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(play())
    assert names(fired) == ["SessionStart", "SessionEnd"]


def test_clear_ends_and_starts() -> None:
    engine = engine_of("agent-sdk")
    fired = record(engine)
    answer(engine, "SessionStart", lambda event: add("SessionStart", f"after {event.source}"))

    async def play() -> tuple[str, ...]:
        async with engine.session(source="resume") as s:
            await s.clear()
            return s.pending_context().for_model

    assert asyncio.run(play()) == ("after clear",)
    assert [(event["hook_event_name"], event.get("source"), event.get("reason")) for event in fired] == [
        ("SessionStart", "resume", None),
        ("SessionEnd", None, "clear"),
        ("SessionStart", "clear", None),
        ("SessionEnd", None, "other"),
    ]


def test_the_client_that_has_it_is_told_after_compaction() -> None:
    engine = engine_of("claude-code")
    fired = record(engine)

    async def play() -> None:
        async with engine.session() as s:
            await s.compact("manual", run=returns("short"), custom_instructions="keep the plan")

    asyncio.run(play())
    assert names(fired) == ["SessionStart", "PreCompact", "PostCompact", "SessionStart", "SessionEnd"]
    assert fired[1]["custom_instructions"] == "keep the plan"
    assert fired[2]["compact_summary"] == "short"
