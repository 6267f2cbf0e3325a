"""The host's own functions in the loop: sync or async, never in the way of others, and what must end in any case."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


async def call_host(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function and wait for it; one that is not async runs in a thread, so that others go on meanwhile."""
    if is_async(function):
        return await function(*arguments)

    def call() -> tuple[Any, BaseException | None]:
        try:
            return function(*arguments), None
        except BaseException as error:  # a thread cannot hand over every exception itself: StopIteration hangs
            return None, error

    value, error = await asyncio.to_thread(call)
    if error is not None:
        raise error
    return await value if inspect.isawaitable(value) else value


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await at once: an async function, or an object that is called like one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def is_cancelled() -> bool:
    """Whether this task is told to end, rather than something that it waits for."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def finish_even_if_cancelled(work: Awaitable[T]) -> T:
    """Wait for work to its end, also when cancelled meanwhile; the cancellation is raised afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # seen, so that nobody is warned of it
    raise cancelled
