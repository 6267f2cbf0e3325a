"""A session for code that is not async has the methods of the other one, and does the same."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.engine.functions.host_hooks import parse
from anyhook.engine.session.agent_loop import Subagent
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession, SyncSubagent, SyncToolCall
from anyhook.engine.session.tool_call import ToolCall
from anyhook.model.functions import deny
from anyhook.model.output import Reply
from anyhook.model.payload import PreToolUse
from anyhook.model.problems import AnyhookError
from tests.engine.session.sessions import add, answer, decide, engine_of, names, record, returns

BASH = {"command": "ls"}


@pytest.mark.parametrize(("sync", "other"), [(SyncSession, Session), (SyncSubagent, Subagent)])
def test_both_have_the_same_methods(sync: type, other: type) -> None:
    more = {"transcript_path", "session"}  # an attribute of instances; the session for async code
    own = {"why_turn_ends", "session_context"}  # of the loop itself
    public = {name for name in dir(other) if not name.startswith("_")} - own
    assert {name for name in dir(sync) if not name.startswith("_")} - more == public
    for name in public:
        method = getattr(other, name)
        if inspect.isfunction(method) and name not in ("subagent", "tool_call"):
            parameters = inspect.signature(getattr(sync, name)).parameters
            assert parameters == inspect.signature(method).parameters, name


def test_a_call_in_two_steps_has_the_same_steps() -> None:
    for name in ("before", "ran", "failed"):
        parameters = inspect.signature(getattr(SyncToolCall, name)).parameters
        assert parameters == inspect.signature(getattr(ToolCall, name)).parameters


def test_a_session_from_beginning_to_end() -> None:
    engine = engine_of("claude-code")
    answer(engine, "SessionStart", add("SessionStart", "Python 3.12."))
    answer(engine, "Stop", lambda event: None if event.stop_hook_active else {"decision": "block", "reason": "Test."})
    fired = record(engine)
    with engine.session() as s:
        assert s.pending_context().text == "Python 3.12."
        assert s.prompt("Fix it.").text == "Fix it."
        assert s.tool("Bash", BASH, returns("ran")).text == "ran"
        with s.subagent("Explore") as helper:
            assert helper.tool("Read", {"file_path": "a"}, returns("text")).status == "ran"
        assert s.stop("Done.").text == "Test."
        assert not s.stop("Tested.").keep_going
        s.notify("Waiting", type="idle_prompt")
        assert s.compact("auto", lambda instructions: "short").summary == "short"
        s.clear()
    told = names(fired)
    assert told[:4] == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"]
    assert told.count("SubagentStart") == told.count("SubagentStop") == 1
    assert told[-3:] == ["SessionEnd", "SessionStart", "SessionEnd"]


def test_a_tool_runs_in_the_thread_and_context_of_its_caller() -> None:
    variable = ContextVar("variable", default="")
    seen: list[Any] = []

    async def hook(event: PreToolUse) -> None:
        seen.append(variable.get())

    engine = engine_of("claude-code")
    engine.register("PreToolUse", hook)
    with engine.session() as s:
        variable.set("mine")
        result = s.tool("Bash", BASH, lambda tool_input: threading.current_thread().name)
        assert result.output == threading.current_thread().name
    assert seen == ["mine"]


def test_it_can_be_used_where_a_loop_runs() -> None:
    async def tool(tool_input: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        return "async"

    async def main() -> None:
        with engine_of("claude-code").session() as s:
            assert s.tool("Bash", BASH, tool).output == "async"

    asyncio.run(main())


def test_calls_of_several_threads_are_judged_each_for_itself() -> None:
    engine = engine_of("claude-code")

    @engine.on(PreToolUse)
    async def guard(event: PreToolUse) -> Reply | None:
        return deny("no") if event.command == "rm" else None

    both_run = threading.Barrier(2, timeout=60)

    def run(tool_input: dict[str, Any]) -> str:
        both_run.wait()
        return "ran"

    with engine.session() as s, ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(s.tool, "Bash", {"command": command}, run) for command in ("ls", "rm", "pwd")]
        assert [call.result().text for call in calls] == ["ran", "no", "ran"]


def test_what_a_tool_raises_is_its_failure_and_ctrl_c_ends_it() -> None:
    engine = engine_of("claude-code")
    fired = record(engine)

    def interrupted(tool_input: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with engine.session() as s:
        assert s.tool("Bash", BASH, lambda tool_input: 1 // 0).text.startswith("ZeroDivisionError")
        with pytest.raises(KeyboardInterrupt):
            s.tool("Bash", BASH, interrupted)
    failures = [event for event in fired if event["hook_event_name"] == "PostToolUseFailure"]
    assert [event["is_interrupt"] for event in failures] == [False, True]


def test_a_call_in_two_steps() -> None:
    engine = engine_of("claude-code")
    answer(engine, "PreToolUse", decide("allow", updatedInput={"command": "ls -l"}))
    answer(engine, "PostToolUse", add("PostToolUse", "Be brief."))
    with engine.session() as s:
        call = s.tool_call("Bash", BASH)
        assert (call.before(), call.input) == (None, {"command": "ls -l"})
        assert call.ran("files").text == "files\n\nBe brief."
        call = s.tool_call("Bash", BASH)
        assert call.before() is None
        assert (call.failed("exit 1").status, call.failed("exit 1").text) == ("failed", "exit 1")


# --- mistakes in hook files

BROKEN = {"PreToolUse": [{"matcher": "Bash(", "hooks": [{"type": "command", "command": "true"}]}]}


def test_a_session_warns_once_of_mistakes_in_hooks(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(parse(BROKEN, "claude-code"))
    with caplog.at_level(logging.WARNING, "anyhook"):
        for _ in range(2):
            with engine.session():
                pass
    [told] = [record.getMessage() for record in caplog.records]
    assert "Bash(" in told


def test_a_host_can_refuse_them_or_read_them_itself(caplog: pytest.LogCaptureFixture) -> None:
    engine = Engine(parse(BROKEN, "claude-code"))
    with pytest.raises(AnyhookError, match=r"Bash\("):
        engine.session(problems="raise")
    with engine.session(problems="ignore"):
        assert [each.code for each in engine.hooks.problems] == ["M001"]
    assert caplog.records == []
