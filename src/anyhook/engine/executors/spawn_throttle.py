"""Limits how many processes are started in one iteration of an event loop."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_starts: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
"""Per event loop: how many processes were started in its current iteration."""


async def turn_to_start(at_most: int) -> None:
    """Return when a process may be started: at most this many per iteration of the event loop.

    Starting one blocks the loop for about a millisecond; 64 hooks at once would block it for too long.
    """
    loop = asyncio.get_running_loop()
    while (starts := _starts.get(loop, 0)) >= at_most:
        await asyncio.sleep(0)
    if not starts:
        loop.call_soon(_starts.pop, loop, None)
    _starts[loop] = starts + 1
