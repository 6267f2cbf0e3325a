"""Sync functions off the event loop: in threads that are used again, and that never keep the interpreter from exiting.

The threads of asyncio and concurrent.futures are joined at exit, so that one stuck function would keep the host alive.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Any

IDLE_SECONDS = 10.0
"""How long a thread waits for the next function before it ends."""

Answer = tuple[Any, BaseException | None]
"""What a function returned, or what it raised: a future cannot hold every exception."""
Work = Callable[[], None]


class NoThreadError(Exception):
    """The function was not called."""


class _Worker:
    def __init__(self) -> None:
        self.work: SimpleQueue[Work] = SimpleQueue()
        threading.Thread(target=self._run, name="anyhook callback", daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                work = self.work.get(timeout=IDLE_SECONDS)
            except Empty:
                with suppress(ValueError):
                    _idle.remove(self)
                    return
                continue  # it was taken at the same time, so that work is on its way
            work()
            del work  # and with it what the function was called with
            _idle.append(self)


_idle: list[_Worker] = []
"""Threads without work. Its methods are atomic; a thread that is stuck is not in it."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads do not survive a fork


async def call_in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """Call a function in a thread, in a copy of this context. If the caller stops waiting, its answer is discarded.

    Raises NoThreadError if the system has no thread left.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[Answer] = loop.create_future()
    context = copy_context()

    def deliver(answer: Answer) -> None:
        if not answered.done():
            answered.set_result(answer)

    def work() -> None:
        try:
            answer: Answer = context.run(function, argument), None
        except BaseException as error:
            answer = None, error
        with suppress(RuntimeError):  # the loop is closed: no caller waits
            loop.call_soon_threadsafe(deliver, answer)

    try:
        worker = _idle.pop()
    except IndexError:
        try:
            worker = _Worker()
        except RuntimeError as why:
            raise NoThreadError(str(why)) from None
    worker.work.put(work)
    value, error = await answered
    if error is not None:
        raise error
    return value
