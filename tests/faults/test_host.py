"""The host of misbehaving hooks: many at once, cancelled in the middle, and an event loop that must not block."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.profile import Order
from anyhook.engine.engine import MAX_CONCURRENT
from anyhook.model.outcome import Effect, Outcome
from tests.faults.stage import LONG, SOON, Stage, appears, ends, is_running

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("runner")]


def test_200_hooks_at_once(stage: Stage) -> None:
    hooks = [f"echo {number} >&2; exit {2 if number == 150 else 0}" for number in range(200)]
    outcome = stage.fire(stage.engine(*hooks))
    assert len(outcome.runs) == 200
    assert {run.exit_code for run in outcome.runs} == {0, 2}
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "150")


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "copilot-vscode"])
def test_host_cancelled_in_the_middle(stage: Stage, client: str) -> None:
    engine = stage.engine(
        f"sleep {LONG} & echo $! > child; echo $$ > one; wait",
        f"trap '' TERM; echo $$ > two; sleep {LONG}; sleep {LONG}",
        client=client,
    )

    started = ("one",) if profile(client).execution.order is Order.SEQUENTIAL else ("one", "two")

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload("x" * 5_000_000)))
        for name in started:
            await appears(stage.folder / name)
            assert is_running(stage.pid(name))
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)
        for name in started:
            assert not is_running(stage.pid(name))

    asyncio.run(host())
    assert ends(stage.pid("child"))


@pytest.mark.parametrize("steps", range(12))
def test_host_cancelled_at_any_step(stage: Stage, steps: int) -> None:
    engine = stage.engine(f"echo $$ > leader; sleep {LONG}")

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload()))
        for _ in range(steps):
            await asyncio.sleep(0)
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)

    asyncio.run(host())
    leader = stage.folder / "leader"
    assert not leader.exists() or not leader.read_text() or ends(stage.pid("leader"))


def test_host_cancels_twice(stage: Stage) -> None:
    engine = stage.engine(f"echo $$ > leader; sleep {LONG}")

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload()))
        await appears(stage.folder / "leader")
        event.cancel()
        await asyncio.sleep(0)
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)

    asyncio.run(host())
    assert ends(stage.pid("leader"))


def test_background_hooks_end_with_the_engine(stage: Stage) -> None:
    engine = stage.engine(f"""echo '{{"async": true}}'; echo $$ > leader; sleep {LONG}""")

    async def host() -> Outcome:
        outcome = await asyncio.wait_for(engine.fire(stage.payload()), SOON)
        await appears(stage.folder / "leader")
        assert is_running(stage.pid("leader"))
        await asyncio.wait_for(engine.close(), SOON)
        return outcome

    assert asyncio.run(host()).runs[0].reason == "runs in the background"
    assert not is_running(stage.pid("leader"))


STALL = 0.050
"""Seconds of processor time that one turn of the event loop may take; waiting for other processes does not count."""


async def longest_turn(work: Coroutine[Any, Any, object]) -> float:
    """The most processor time that the event loop's thread spent between two turns of another task."""
    task = asyncio.ensure_future(work)
    longest, last = 0.0, time.thread_time()
    while not task.done():
        await asyncio.sleep(0)
        now = time.thread_time()
        longest, last = max(longest, now - last), now
    await task
    return longest


BUSY: dict[str, tuple[str, int, int]] = {
    "a hook that prints 5 MB": ("head -c 5000000 /dev/zero", 1, 0),
    "a hook that prints without end": ("yes", 1, 0),
    "a hook that reads 20 MB": ("cat >/dev/null", 1, 20_000_000),
    "as many hooks as run at once": ("true", MAX_CONCURRENT, 0),
}


@pytest.mark.parametrize("what", BUSY)
def test_no_turn_of_the_hosts_event_loop_is_long(stage: Stage, what: str) -> None:
    command, hooks, size = BUSY[what]
    engine = stage.engine(*(f"{command} # {number}" for number in range(hooks)), timeout_ms=500)
    payload = stage.payload("x" * size)
    assert min(asyncio.run(longest_turn(engine.fire(payload))) for _ in range(3)) < STALL  # the first one imports


def test_event_loop_of_the_host_runs_while_a_hook_does(stage: Stage) -> None:
    engine = stage.engine("echo $$ > leader; until [ -e go ]; do sleep 0.01; done; echo went >&2; exit 2")

    async def host() -> Outcome:
        event = asyncio.create_task(engine.fire(stage.payload()))
        await appears(stage.folder / "leader")
        (stage.folder / "go").touch()  # only a loop that is not blocked gets here
        return await asyncio.wait_for(event, SOON)

    assert asyncio.run(host()).reason == "went"
