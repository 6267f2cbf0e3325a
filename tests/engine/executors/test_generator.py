"""Generators as hooks: they answer, continue in the background, and say the rest later."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.engine.executors.callback import CallbackContext
from anyhook.model.hooks import HookSet
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.output import AsyncOutput, SyncOutput
from anyhook.model.payload import PostToolUse, PreToolUse, Stop
from anyhook.model.payload_base import Payload

LONG = 600
"""Seconds that nothing should ever take."""
DONE = PostToolUse(tool_name="Bash", tool_input={}, tool_response="", tool_use_id="toolu_1", session_id="s")
GUARDED = PreToolUse(tool_name="Bash", tool_input={}, session_id="s")
NEWS = SyncOutput(system_message="news", decision="block")


class Host:
    """A loop with a background hook that waits until it may end."""

    def __init__(self) -> None:
        self.go = threading.Event()

    async def waits(self, payload: Payload) -> AsyncIterator[Any]:
        yield AsyncOutput()
        await asyncio.to_thread(self.go.wait, LONG)
        yield NEWS

    async def with_id(self, payload: Payload, tool_use_id: str | None, context: CallbackContext) -> AsyncIterator[Any]:
        assert (tool_use_id, context.timeout) == ("toolu_1", LONG)
        yield {"async": True, "asyncTimeout": LONG}
        await asyncio.to_thread(self.go.wait, LONG)
        yield {"systemMessage": "news"}

    def in_thread(self, payload: Payload) -> Iterator[Any]:
        yield AsyncOutput()
        self.go.wait(LONG)
        yield NEWS

    def in_thread_with_id(
        self, payload: Payload, tool_use_id: str | None, context: CallbackContext
    ) -> Iterator[SyncOutput | AsyncOutput]:
        yield AsyncOutput(async_timeout=LONG)
        self.go.wait(LONG)
        yield NEWS

    async def fire(self, engine: Engine) -> tuple[Outcome, Outcome]:
        first = await engine.fire(DONE)
        assert len(engine.background_tasks) == 1
        self.go.set()
        await engine.close(wait=LONG)
        return first, await engine.fire(Stop(session_id="s"))


def engine_with(event: str, hook: Callable[..., Any], client: str = "agent-sdk", timeout: float = LONG) -> Engine:
    engine = Engine(HookSet(dialect=client))
    engine.register(event, hook, timeout=timeout)
    return engine


@pytest.mark.parametrize("name", ["waits", "with_id", "in_thread", "in_thread_with_id"])
def test_it_continues_in_the_background_and_says_the_rest_later(name: str) -> None:
    host = Host()
    first, second = asyncio.run(host.fire(engine_with("PostToolUse", getattr(host, name))))
    assert (first.effect, first.to_model, first.runs[0].reason) == (Effect.PROCEED, (), "runs in the background")
    assert second.to_model == ("news",)
    assert second.effect is Effect.PROCEED  # what it decides comes too late


def test_its_message_comes_before_its_context() -> None:
    """As for a hook that the event waits for (Agent SDK hooks spec, section 9)."""
    host = Host()

    async def says_both(payload: Payload) -> AsyncIterator[Any]:
        yield AsyncOutput()
        await asyncio.to_thread(host.go.wait, LONG)
        specific = {"hookEventName": "PostToolUse", "additionalContext": "context"}
        yield {"systemMessage": "message", "hookSpecificOutput": specific}

    _, second = asyncio.run(host.fire(engine_with("PostToolUse", says_both)))
    assert second.to_model == ("message\ncontext",)


@pytest.mark.parametrize("client", ["agent-sdk", "claude-code"])
def test_the_limit_that_it_asks_for_ends_it(client: str) -> None:
    """Seconds in AsyncOutput, also where the client's JSON has milliseconds."""
    ended: list[str] = []

    async def endless(payload: Payload) -> AsyncIterator[AsyncOutput]:
        yield AsyncOutput(async_timeout=0.05)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def play() -> None:
        engine = engine_with("PostToolUse", endless, client)
        await engine.fire(DONE)
        await engine.close(wait=LONG)

    asyncio.run(play())
    assert ended == ["ended"]


def test_that_limit_replaces_its_own() -> None:
    host = Host()

    async def waits(payload: Payload) -> AsyncIterator[Any]:
        yield AsyncOutput(async_timeout=LONG)
        await asyncio.sleep(0.1)  # longer than the timeout of the registration
        yield NEWS

    _, second = asyncio.run(host.fire(engine_with("PostToolUse", waits, timeout=0.05)))
    assert second.to_model == ("news",)


@pytest.mark.parametrize("client", ["agent-sdk", "code-agent"])
def test_one_that_announces_nothing_is_waited_for(client: str) -> None:
    async def guard(payload: Payload) -> AsyncIterator[str]:
        await asyncio.sleep(0)
        yield "deny"

    def guard_in_thread(payload: Payload) -> Iterator[str]:
        yield "deny"

    for hook in (guard, guard_in_thread):
        outcome = engine_with("PreToolUse", hook, client).fire_sync(GUARDED)
        assert (outcome.effect, outcome.runs[0].status) == (Effect.BLOCK, Status.BLOCKED)


def test_where_hooks_cannot_continue_it_is_waited_for() -> None:
    """The Code Agent spec has no async replies."""

    async def guard(payload: Payload) -> AsyncIterator[Any]:
        yield AsyncOutput()
        await asyncio.sleep(0)
        yield "block"

    assert engine_with("PreToolUse", guard, "code-agent").fire_sync(GUARDED).effect is Effect.BLOCK


def test_one_that_raises_has_failed() -> None:
    async def broken(payload: Payload) -> AsyncIterator[Any]:
        raise ValueError("broken")
        yield

    def broken_in_thread(payload: Payload) -> Iterator[Any]:
        raise ValueError("broken")
        yield

    for hook in (broken, broken_in_thread):
        [run] = engine_with("PostToolUse", hook).fire_sync(DONE).runs
        assert (run.status, run.reason) == (Status.FAILED_OPEN, "ValueError: broken")


def test_one_that_takes_too_long_is_timed_out() -> None:
    async def endless(payload: Payload) -> AsyncIterator[Any]:
        await asyncio.Event().wait()
        yield None

    [run] = engine_with("PostToolUse", endless, timeout=0.05).fire_sync(DONE).runs
    assert run.status is Status.TIMED_OUT
