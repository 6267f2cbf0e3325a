"""The overhead of the engine over the hooks themselves, as ratios in the same run.

Run by ``make bench``. The compared calls alternate, so that a slow moment of the machine affects both. Exits with 1 if
a row exceeds its budget.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import NamedTuple

from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.wire.payloads import payload_bytes
from anyhook.engine.engine import Engine
from anyhook.engine.index import MAX_REMEMBERED
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse
from anyhook.model.payload_base import Payload

CLIENT = "claude-code"
PAYLOAD = PreToolUse(
    tool_name="Bash",
    tool_input={"command": "git status", "description": "x" * 1500},
    session_id="session",
    transcript_path="/tmp/transcript.jsonl",
    cwd="/tmp",
)
READS_STDIN = "cat >/dev/null"
CONCURRENT = 32
BLOCKS = 5

Work = Callable[[], Awaitable[object]]


class Row(NamedTuple):
    name: str
    measured: str
    value: float
    unit: str
    budget: float


async def samples(rounds: int, repeat: int, *works: Work) -> list[list[float]]:
    """The seconds of one call of each, measured alternately after one call that warms the caches."""
    times: list[list[float]] = [[] for _ in works]
    turns = list(zip(works, times, strict=True))
    for number in range(rounds + 1):
        turns.reverse()  # so that none is always first
        for work, taken in turns:
            began = time.perf_counter()
            for _ in range(repeat):
                await work()
            if number:
                taken.append((time.perf_counter() - began) / repeat)
            await asyncio.sleep(0)  # lets the event loop drop the timers of unexpired time limits
    return times


async def medians(rounds: int, repeat: int, *works: Work) -> list[float]:
    """The median of each, from the fastest of several blocks: noise only adds to such short times."""
    blocks = [await samples(rounds // BLOCKS, repeat, *works) for _ in range(BLOCKS)]
    return min(([statistics.median(taken) for taken in block] for block in blocks), key=sum)


def engine_with(*rules: Rule) -> Engine:
    return Engine(HookSet(dialect=CLIENT, rules=rules))


def rule(matcher: str | None, *commands: str) -> Rule:
    actions = tuple(Command(command=command) for command in commands)
    return Rule(event="PreToolUse", native_event="PreToolUse", matcher=matcher, actions=actions)


# ------------------------------------------------------------------------------------------------------- in process


async def idle() -> Row:
    engine = engine_with(*(rule(f"tool_{number}", "true") for number in range(10)), rule("^mcp__", "true"))
    (taken,) = await medians(75, 200, lambda: engine.fire(PAYLOAD))
    return Row("event that no rule matches", f"{taken * 1e6:.1f} µs", taken * 1e6, "µs", 20)


async def callback(name: str, function: Callable[[Payload], Awaitable[Reply | None]]) -> Row:
    engine = engine_with()
    engine.register("PreToolUse", function, matcher="Bash", timeout=5)
    bare, fired = await medians(75, 100, lambda: function(PAYLOAD), lambda: engine.fire(PAYLOAD))
    over = (fired - bare) * 1e6
    return Row(name, f"{fired * 1e6:.1f} µs, bare {bare * 1e6:.1f}", over, "µs", 60)


async def sync_callback() -> Row:
    def allows(payload: Payload) -> None:
        return None

    engine = engine_with()
    engine.register("PreToolUse", allows, matcher="Bash", timeout=5)
    (taken,) = await medians(75, 100, lambda: engine.fire(PAYLOAD))
    return Row("sync callback, in a thread", f"{taken * 1e6:.1f} µs", taken * 1e6, "µs", 300)


async def says_nothing(payload: Payload) -> None:
    return None


async def denies(payload: Payload) -> Reply:
    return Reply(decision=Decision.DENY, reason="not here")


# ------------------------------------------------------------------------------------------------------- processes


async def bare_shell(command: str, stdin: bytes) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_shell(command, stdin=pipe, stdout=pipe, stderr=pipe)
    await process.communicate(stdin)


async def command(at_once: int, rounds: int) -> Row:
    commands = [f"{READS_STDIN} # {number}" for number in range(at_once)]  # identical ones would run once
    engine = engine_with(rule("Bash", *commands))
    stdin = payload_bytes(bind_event(engine.profile, PAYLOAD.event, "PreToolUse"), PAYLOAD)

    async def bare() -> None:
        await asyncio.gather(*(bare_shell(command, stdin) for command in commands))

    plain, fired = await samples(rounds, 1, bare, lambda: engine.fire(PAYLOAD))
    ratio = statistics.median(engine_s / bare_s for engine_s, bare_s in zip(fired, plain, strict=True))
    name = "command hook" if at_once == 1 else f"{at_once} command hooks at once"
    engine_ms, bare_ms = (statistics.median(taken) / at_once * 1e3 for taken in (fired, plain))
    return Row(name, f"{engine_ms:.2f} ms, bare {bare_ms:.2f}", ratio, "x", 1.15)


# ---------------------------------------------------------------------------------------------------------- matching


def matching(engine: Engine, payloads: Sequence[Payload]) -> Work:
    turn = count()

    async def match() -> None:
        engine.match(payloads[next(turn) % len(payloads)])

    return match


async def rules(name: str, payloads: Sequence[Payload]) -> Row:
    few, many = (engine_with(*(rule(f"tool_{n}", f"run {n}") for n in range(size))) for size in (10, 10_000))
    ten, thousands = await medians(75, 200, matching(few, payloads), matching(many, payloads))
    measured = f"{thousands * 1e6:.2f} µs, with 10 {ten * 1e6:.2f}"
    return Row(name, measured, thousands / ten, "x", 3)


def tools(*names: str) -> list[Payload]:
    return [PreToolUse(tool_name=name, tool_input={}) for name in names]


async def measure() -> list[Row]:
    never_seen = tools(
        *(f"other_{number}" for number in range(MAX_REMEMBERED * 2))
    )  # evicted from the cache before they come again
    return [
        await idle(),
        await callback("callback that says nothing", says_nothing),
        await callback("callback that denies", denies),
        await sync_callback(),
        await command(1, rounds=200),
        await command(CONCURRENT, rounds=25),
        await rules("10,000 rules, one matches", tools("tool_5")),
        await rules("10,000 rules, tools never seen", never_seen),
    ]


def main() -> int:
    rows = asyncio.run(measure())
    print(f"{'engine':<36} {'measured':<26} {'added':>9} {'budget':>9}")
    over = False
    for row in rows:
        late = row.value > row.budget
        over = over or late
        added, budget = f"{row.value:.2f} {row.unit}", f"{row.budget:g} {row.unit}"
        print(f"{row.name:<36} {row.measured:<26} {added:>9} {budget:>9}{'  OVER' if late else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
