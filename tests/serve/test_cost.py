"""What the daemon does for an event while a client waits, counted in calls: these do not depend on the machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.exec_options import read_options
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.engine.functions.function_host import FunctionHost
from anyhook.serve.hook_cache import HookCache
from tests.later import later
from tests.serve.daemons import Stage

MAX_PREPARE_CALLS, MAX_ANSWER_CALLS = 640, 680
"""About a tenth more than counted with Python 3.11, whose pathlib needs the most."""
FUNCTION = "from anyhook import hook\n\n@hook('PreToolUse')\ndef guard(event):\n    return None\n"


class Counter:
    calls = 0

    def note(self, frame: FrameType, kind: str, argument: object) -> None:
        self.calls += kind in {"call", "c_call"}


@contextmanager
def counting() -> Iterator[Counter]:
    """Count the calls of this thread."""
    counter, before = Counter(), sys.getprofile()
    sys.setprofile(counter.note)
    try:
        yield counter
    finally:
        sys.setprofile(before)


def test_an_event_whose_hooks_are_cached_costs_few_calls(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.write_hooks({})
    stage.write("f.py", FUNCTION)
    stage.trust()
    monkeypatch.setenv("ANYHOOK_STATE_DIR", stage.environment["ANYHOOK_STATE_DIR"])
    options = read_options(["--client", "claude-code", "--event", "PreToolUse"])
    caller = Caller(cwd=stage.project, home=stage.top / "h", environment=stage.environment)
    cache, functions = HookCache(later), FunctionHost()
    prepare(options, caller, stage.payload(), cache.find)

    async def ask() -> tuple[int, int]:
        with counting() as preparing:
            prepared = prepare(options, caller, stage.payload(), cache.recall)
        with counting() as answering:
            await answer(prepared, functions, lambda task: None)
        return preparing.calls, answering.calls

    async def ask_often() -> list[tuple[int, int]]:
        return [await ask() for _ in range(5)]

    counted = asyncio.run(ask_often())
    functions.close()
    assert min(prepared for prepared, _ in counted) < MAX_PREPARE_CALLS, counted
    assert min(answered for _, answered in counted) < MAX_ANSWER_CALLS, counted
