"""What hooks add to a tool call of a framework's agent: CPU time against the same agent without anyhook.

Two callback hooks run on each call. Frameworks that are not installed are left out. Exits with 1
if a row exceeds its budget.
"""

from __future__ import annotations

import asyncio
import importlib
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from anyhook.engine.engine import Engine
from anyhook.model.hooks import HookSet
from anyhook.model.payload import PostToolUse, PreToolUse
from anyhook.model.payload_base import Payload

BUDGET = 150
"""Microseconds for each call."""
CALLS = 60
ROUNDS = 15
NAMES = ("google_adk", "langchain", "openai_agents", "pydantic_ai", "strands")


class Script:
    """A model that calls one tool after the other."""

    def __init__(self, says: Callable[[str], Any]) -> None:
        self._says, self._left = says, CALLS

    def shell(self, cmd: str) -> str:
        """Run a command."""
        return cmd

    def answer(self, read: str) -> Any:
        self._left -= 1
        return self._says("ls") if self._left >= 0 else "Done."


def engine_with_callbacks() -> Engine:
    engine = Engine(HookSet(dialect="claude-code"))

    @engine.on(PreToolUse, matcher="Bash")
    async def before(event: PreToolUse) -> None:
        look_at(event)

    @engine.on(PostToolUse, matcher="Bash")
    async def after(event: PostToolUse) -> None:
        look_at(event)

    return engine


def look_at(event: Payload) -> None:
    assert event.command == "ls"


async def seconds(run: Callable[[Any, Any], Awaitable[object]], calls: Callable[[str], Any], hooked: bool) -> float:
    async with engine_with_callbacks().session() as session:
        script = Script(calls)
        began = time.process_time()
        await run(script, session if hooked else None)
        return (time.process_time() - began) / CALLS


async def overhead(run: Callable[[Any, Any], Awaitable[object]], calls: Callable[[str], Any]) -> float:
    """Microseconds that hooks add to a call: the median of runs that alternate with those without."""
    plain, hooked = [], []
    for number in range(ROUNDS + 1):
        times = [await seconds(run, calls, is_hooked) for is_hooked in (number % 2 == 0, number % 2 == 1)]
        if number:
            hooked.append(times[number % 2])
            plain.append(times[1 - number % 2])
    return (statistics.median(hooked) - statistics.median(plain)) * 1e6


def main(names: tuple[str, ...]) -> int:
    scenario = importlib.import_module("tests.frameworks.scenario")
    exceeded = 0
    for name in names:
        try:
            module = importlib.import_module(f"tests.frameworks.test_{name}")
        except BaseException as error:  # pytest skips a module by an exception of its own
            if type(error).__name__ != "Skipped":
                raise
            continue
        took = asyncio.run(overhead(module.play, scenario.calls))
        exceeded += took > BUDGET
        print(f"{name:15} {took:6.0f} µs a call, budget {BUDGET} µs")
    return exceeded


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or NAMES))
