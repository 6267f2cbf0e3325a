"""Ends this process when a hook function never releases the interpreter lock.

An endless match of ``re`` holds the lock, so that no other thread runs and no time limit of the engine takes effect.
A client of the daemon then falls back to ``anyhook exec``, and an entry whose exec ended to its fail mode.
"""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def watched(seconds: float) -> AsyncIterator[None]:
    """End the process if it computes for so long without progress of the event loop.

    Time that passes while the process is stopped (SIGSTOP, Ctrl-Z, a debugger) or gets no processor does not count: it
    makes no progress then, and nothing is stuck.
    """
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []

    def restart_timer() -> None:
        _restart(seconds)
        timers[:] = [loop.call_later(seconds / 4, restart_timer)]

    _prepare()
    restart_timer()
    try:
        yield
    finally:
        timers[0].cancel()
        _cancel()


if sys.platform == "win32":  # without a timer that counts the time of the processor

    def _prepare() -> None:
        pass

    def _restart(seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=2)

    def _cancel() -> None:
        faulthandler.cancel_dump_traceback_later()

else:

    def _prepare() -> None:
        """Let the signal of the timer print where the process is stuck, and end it."""
        with suppress(ValueError):  # only the main thread may; a parent can have left it ignored
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGPROF,))
        faulthandler.register(signal.SIGPROF, file=2, chain=True)

    def _restart(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def _cancel() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.unregister(signal.SIGPROF)
