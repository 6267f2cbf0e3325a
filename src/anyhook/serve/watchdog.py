"""Ends this process when a hook function never releases the interpreter lock.

An endless match of ``re`` holds the lock, so that no other thread runs and no time limit of the engine takes effect.
A client of the daemon then falls back to ``anyhook exec``, and an entry whose exec ended to its fail mode.
"""

from __future__ import annotations

import asyncio
import faulthandler
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def watched(seconds: float) -> AsyncIterator[None]:
    """End the process if the event loop makes no progress for so long."""
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def restart_timer() -> None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        timers[:] = [loop.call_later(seconds / 4, restart_timer)]

    restart_timer()
    try:
        yield
    finally:
        timers[0].cancel()
        faulthandler.cancel_dump_traceback_later()
