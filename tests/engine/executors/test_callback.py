"""Functions of the host as hooks: how they are registered, called, timed out, and what their failures come to."""

from __future__ import annotations

import asyncio
import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

import anyhook
from anyhook.engine.engine import Engine
from anyhook.engine.executors import threads
from anyhook.engine.executors.callback import CallbackContext
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse, SessionStart
from anyhook.model.payload_base import Payload

BASH = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="toolu_1")
NO = Reply(decision=Decision.DENY, reason="no")


def engine_of(client: str = "claude-code", *rules: Rule) -> Engine:
    return Engine(HookSet(dialect=client, rules=rules))


def fire(engine: Engine, payload: Payload = BASH) -> Outcome:
    return asyncio.run(engine.fire(payload))


def fire_with(callback: Callable[..., Any], **options: Any) -> Outcome:
    engine = engine_of()
    engine.register("PreToolUse", callback, **options)
    return fire(engine)


# -------------------------------------------------------------------------------------------------------- signatures


def sync_payload(payload: Payload) -> Reply:
    assert payload is BASH
    return NO


async def async_payload(payload: Payload) -> Reply:
    return sync_payload(payload)


def sync_seed(input: Payload, tool_use_id: str | None, context: CallbackContext) -> Reply:
    assert (tool_use_id, context) == ("toolu_1", CallbackContext("callback-1", 60))
    return sync_payload(input)


async def async_seed(input: Payload, tool_use_id: str | None, context: CallbackContext) -> Reply:
    return sync_seed(input, tool_use_id, context)


class Guard:
    async def __call__(self, payload: Payload) -> Reply:
        return sync_payload(payload)

    def method(self, input: Payload, tool_use_id: str | None, context: CallbackContext) -> Reply:
        return sync_seed(input, tool_use_id, context)


@functools.wraps(sync_seed)
def decorated(*args: Any) -> Reply:
    return sync_seed(*args)


@pytest.mark.parametrize(
    "callback",
    [
        sync_payload,
        async_payload,
        sync_seed,
        async_seed,
        Guard(),
        Guard().method,
        decorated,
        lambda payload, verbose=False: sync_payload(payload),
        lambda *args: sync_payload(*args),
        functools.partial(lambda word, payload: sync_payload(payload), "word"),
    ],
)
def test_both_signatures_sync_and_async(callback: Callable[..., Any]) -> None:
    outcome = fire_with(callback, timeout=60)
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "no")


@pytest.mark.parametrize("callback", [lambda: None, lambda a, b: None, lambda a, b, c, d: None, lambda a, *, b: None])
def test_other_signatures_are_refused_at_once(callback: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="a callback"):
        engine_of().register("PreToolUse", callback)


# ------------------------------------------------------------------------------------------------------ registration


def test_registered_hooks_come_after_those_of_files() -> None:
    rule = Rule(event="PreToolUse", native_event="PreToolUse", actions=(Command(command="true"),))
    engine = engine_of("claude-code", rule)
    engine.register("PreToolUse", lambda payload: None)
    assert [hook.action.kind for hook in engine.plan(BASH).runs] == ["command", "callback"]


def test_a_callback_is_called_until_it_is_unregistered() -> None:
    engine, calls = engine_of(), []
    first = engine.register("PreToolUse", lambda payload: calls.append("first"))
    second = engine.register("PreToolUse", lambda payload: calls.append("second"))
    fire(engine)
    assert sorted(calls) == ["first", "second"]  # they run at the same time
    assert engine.unregister(first) is True
    assert engine.unregister(first) is False
    assert engine.unregister("nonsense") is False
    fire(engine)
    assert calls[2:] == ["second"]
    assert engine.register("PreToolUse", lambda payload: None) not in (first, second)


def test_two_functions_of_one_name_are_two_hooks() -> None:
    engine, calls = engine_of("claude-code"), []  # a client that runs identical commands once
    for number in range(3):
        engine.register("PreToolUse", lambda payload, number=number: calls.append(number))
    fire(engine)
    assert sorted(calls) == [0, 1, 2]


def test_a_matcher_is_read_as_in_a_file() -> None:
    engine, calls = engine_of(), []
    for matcher in (None, "*", "Bash", "Edit|Bash", "^B.*h$", "Edit", "bash"):
        engine.register("PreToolUse", lambda payload, matcher=matcher: calls.append(matcher), matcher=matcher)
    fire(engine)
    assert set(calls) == {None, "*", "Bash", "Edit|Bash", "^B.*h$"}  # each in a thread of its own


@pytest.mark.parametrize("name", ["PreToolUse", "preToolUse", "pre-tool-use", "BeforeTool"])
def test_any_name_of_an_event_will_do(name: str) -> None:
    engine = engine_of("gemini-cli")
    engine.register(name, lambda payload: NO)
    assert fire(engine).effect is Effect.BLOCK


def test_a_host_may_have_events_of_its_own() -> None:
    engine, calls = engine_of(), []
    engine.register("deploy", lambda payload: calls.append(payload.event), own_event=True)
    assert fire(engine, Payload(event="deploy")).effect is Effect.PROCEED
    assert calls == ["deploy"]
    with pytest.raises(ValueError, match="is not the name of an event"):
        engine.register("no such event!", lambda payload: None, own_event=True)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no client has an event called 'PreToolUze'\. Did you mean .*PreToolUse"):
        engine_of().register("PreToolUze", lambda payload: None)


def test_several_callbacks_of_one_matcher() -> None:
    engine, calls = engine_of("agent-sdk"), []
    both = [lambda payload: calls.append(1), lambda payload: calls.append(2)]
    hook_id = engine.register("PreToolUse", both, matcher="Bash", timeout=60)
    runs = fire(engine).runs
    assert sorted(calls) == [1, 2]
    assert [run.origin.pointer for run in runs] == [f"{hook_id}/0", f"{hook_id}/1"]
    assert engine.unregister(hook_id)
    assert not fire(engine).runs


@pytest.mark.parametrize(
    ("word", "effect"),
    [("block", Effect.BLOCK), ("deny", Effect.BLOCK), ("ask", Effect.ASK), ("allow", Effect.PROCEED)],
)
def test_a_decision_alone_is_an_answer(word: str, effect: Effect) -> None:
    assert fire_with(lambda payload: word).effect is effect
    assert fire_with(lambda payload: Decision(word)).effect is effect


def test_a_word_that_is_no_decision_is_void() -> None:
    assert fire_with(lambda payload: "continue").runs[0].status is Status.ALLOWED
    (run,) = fire_with(lambda payload: "blok").runs
    assert run.status is Status.FAILED_OPEN
    assert "'blok' is not a decision" in run.reason


def test_failures_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    fire_with(lambda payload: 1 / 0)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("anyhook", "WARNING")
    assert "PreToolUse hook" in record.message
    assert "ZeroDivisionError" in record.message


def test_a_client_that_limits_hook_types_on_an_event_does_not_limit_its_host() -> None:
    engine = engine_of("claude-code")
    engine.register("SessionStart", lambda payload: Reply(context="remember"), matcher="startup")
    assert fire(engine, SessionStart(source="startup")).to_model == ("remember",)


def test_the_outcome_says_which_callback_decided() -> None:
    engine = engine_of()
    engine.register("PreToolUse", lambda payload: None)
    guard = engine.register("PreToolUse", lambda payload: NO)
    decided_by = fire(engine).decided_by
    assert decided_by is not None
    assert decided_by.pointer == guard


# ----------------------------------------------------------------------------------------------------------- failures


def test_what_a_callback_raises_is_its_own_failure() -> None:
    def fails(payload: Payload) -> None:
        raise KeyError("tool")

    (run,) = fire_with(fails).runs
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "KeyError: 'tool'")


def test_a_callback_that_exits_does_not_end_the_host() -> None:
    def exits(payload: Payload) -> None:
        raise SystemExit(2)

    assert fire_with(exits).runs[0].reason == "SystemExit: 2"


def test_a_callback_that_takes_too_long_is_cancelled() -> None:
    ended = []

    async def slow(payload: Payload) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    assert fire_with(slow, timeout=0.01).runs[0].status is Status.TIMED_OUT
    assert ended == [True]


def test_a_time_out_within_a_callback_is_not_its_own() -> None:
    async def waits(payload: Payload) -> None:
        raise TimeoutError("the database")

    (run,) = fire_with(waits, timeout=60).runs
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "TimeoutError: the database")


def test_a_callback_whose_own_work_is_cancelled_does_not_cancel_the_host() -> None:
    async def waits(payload: Payload) -> None:
        work = asyncio.ensure_future(asyncio.sleep(60))
        work.cancel()
        await work

    (run,) = fire_with(waits).runs
    assert run.status is Status.FAILED_OPEN


def test_cancelling_the_host_cancels_its_callbacks() -> None:
    started, ended = [], []

    async def slow(payload: Payload) -> None:
        started.append(True)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def host() -> None:
        engine = engine_of()
        for _ in range(3):
            engine.register("PreToolUse", slow)
        event = asyncio.create_task(engine.fire(BASH))
        while len(started) < 3:
            await asyncio.sleep(0)
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await event

    asyncio.run(host())
    assert ended == [True] * 3


# ------------------------------------------------------------------------------------------------ functions that block


def test_a_sync_callback_that_takes_too_long_neither_counts_nor_blocks_the_loop() -> None:
    engine, release, ticks = engine_of(), threading.Event(), []

    def blocks(payload: Payload) -> Reply:
        release.wait(60)
        return NO

    engine.register("PreToolUse", blocks, timeout=0.2)

    async def tick() -> None:
        while True:
            ticks.append(True)
            await asyncio.sleep(0.01)

    async def host() -> Outcome:
        ticking = asyncio.create_task(tick())
        outcome = await engine.fire(BASH)
        ticking.cancel()
        release.set()  # its late answer finds no caller
        return outcome

    outcome = asyncio.run(host())
    assert outcome.effect is not Effect.BLOCK
    assert outcome.runs[0].status is Status.TIMED_OUT
    assert len(ticks) > 1


def test_a_stuck_sync_callback_does_not_keep_others_waiting() -> None:
    engine, release = engine_of(), threading.Event()
    engine.register("PreToolUse", lambda payload: release.wait(60) and None, timeout=0.05)
    engine.register("PreToolUse", lambda payload: NO, timeout=60)
    assert [fire(engine).effect for _ in range(3)] == [Effect.BLOCK] * 3
    release.set()


def test_a_sync_callback_sees_the_context_of_its_caller() -> None:
    who: ContextVar[str] = ContextVar("who")
    who.set("Ada")
    assert fire_with(lambda payload: Reply(context=who.get())).to_model == ("Ada",)


def test_a_stuck_sync_callback_does_not_keep_the_interpreter_from_exiting() -> None:
    program = """
import threading
from anyhook import Engine, HookSet, PreToolUse
engine = Engine(HookSet(dialect="claude-code"))
engine.register("PreToolUse", lambda payload: threading.Event().wait(), timeout=0.05)
print(engine.fire_sync(PreToolUse(tool_name="Bash", tool_input={})).runs[0].status)
"""
    where = {**os.environ, "PYTHONPATH": str(Path(anyhook.__file__).parents[1])}
    argv = [sys.executable, "-c", program]
    ended = subprocess.run(argv, env=where, capture_output=True, text=True, timeout=120, check=True)
    assert (ended.stdout, ended.stderr) == ("timed-out\n", "")


def test_a_sync_callback_may_return_something_to_await() -> None:
    async def refuse() -> Reply:
        return NO

    assert fire_with(lambda payload: refuse()).effect is Effect.BLOCK


def test_a_hundred_stuck_callbacks_neither_count_nor_block_the_loop() -> None:
    release, ticks = threading.Event(), []

    def stuck(payload: Payload) -> str:
        release.wait()
        return "deny"

    async def host() -> Outcome:
        engine = engine_of()
        engine.register("PreToolUse", [stuck] * 100, timeout=0.3)
        fired = asyncio.create_task(engine.fire(BASH))
        while not fired.done():  # a blocked loop would never come here
            ticks.append(1)
            await asyncio.sleep(0.01)
        release.set()
        return await fired

    outcome = asyncio.run(host())
    assert [run.status for run in outcome.runs] == [Status.TIMED_OUT] * 100
    assert outcome.effect is Effect.PROCEED
    assert len(ticks) > 1


def test_a_guard_for_which_there_is_no_thread_counts_as_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def host() -> Outcome:
        engine = engine_of()
        engine.register("PreToolUse", lambda payload: None)
        threads._idle.clear()
        monkeypatch.setattr(threading.Thread, "start", no_thread)
        return await engine.fire(BASH)

    outcome = asyncio.run(host())
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "it was not called: can't start new thread")
