"""Many processes to start, one event loop to share: they take turns with everything else in it."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

_starts: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
"""Per event loop: how many processes were started in its present turn."""


async def turn_to_start(at_most: int) -> None:
    """Return when a process may be started, so that no turn of the event loop starts more than so many.

    Starting one stops the loop for about a millisecond; 64 hooks at once would stop it for too long.
    """
    loop = asyncio.get_running_loop()
    while (starts := _starts.get(loop, 0)) >= at_most:
        await asyncio.sleep(0)
    if not starts:
        loop.call_soon(_starts.pop, loop, None)
    _starts[loop] = starts + 1
