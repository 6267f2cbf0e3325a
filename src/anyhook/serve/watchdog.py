"""Ends this process when a function of a hook file never lets go of the interpreter.

An endless match of ``re`` holds its lock, so that no other thread runs and no limit of the engine is noticed. Whoever
waits for an answer then gets it elsewhere: a client from ``anyhook exec``, and that one's entry from itself.
"""

from __future__ import annotations

import asyncio
import faulthandler
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def watched(seconds: float) -> AsyncIterator[None]:
    """End the process if the running loop stands still for so long meanwhile."""
    loop = asyncio.get_running_loop()
    signs: list[asyncio.TimerHandle] = []

    def show_life() -> None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        signs[:] = [loop.call_later(seconds / 4, show_life)]

    show_life()
    try:
        yield
    finally:
        signs[0].cancel()
        faulthandler.cancel_dump_traceback_later()
