"""Calls functions of the host, sync or async, without blocking the loop, and finishes work despite cancellation."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from anyhook.engine.executors.threads import call_in_thread

T = TypeVar("T")


async def call_host(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function and wait for it; one that is not async runs in a thread, so that it does not block the loop."""
    if is_async(function):
        return await function(*arguments)
    value = await call_in_thread(lambda _: function(*arguments), None)
    return await value if inspect.isawaitable(value) else value


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await at once: an async function, or an object that is called like one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def is_cancelled() -> bool:
    """Whether this task is being cancelled, rather than something that it waits for."""
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
        task.exception()  # retrieved, so that asyncio does not warn of it
    raise cancelled
