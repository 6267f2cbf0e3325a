"""An event loop in a thread of its own: async work for callers that have no loop, or must not wait in theirs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines, each in the context variables of its caller. Several threads may use it at the same time."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="anyhook session", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work. What ends the waiting, such as Ctrl-C, cancels it, and is raised when it has ended."""
        done: Future[T] = Future()
        task: asyncio.Task[None] | None = None

        async def carry_out() -> None:
            try:
                value = await work
            except BaseException as error:
                done.set_exception(error)
            else:
                done.set_result(value)

        def start() -> None:
            nonlocal task
            task = self._loop.create_task(carry_out())

        self._loop.call_soon_threadsafe(start, context=copy_context())
        try:
            return done.result()
        except BaseException:
            if not done.done():
                self._loop.call_soon_threadsafe(lambda: task is not None and task.cancel())
                done.exception()
            raise

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
