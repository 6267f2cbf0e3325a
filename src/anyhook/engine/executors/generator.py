"""Generators of the host as hooks: one that yields an async output continues after its event is answered.

The last other value that it yields is its reply; from the background, what that says to the model and the user.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from anyhook.dialects.profile import Unit
from anyhook.dialects.wire.replies import reply_to
from anyhook.engine.executors.callback import Function, result_of
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.executors.threads import call_in_thread
from anyhook.model.hooks import Callback
from anyhook.model.output import AsyncOutput, Reply

_END = object()


def is_generator(function: Function) -> bool:
    """Whether calling it gives a generator, sync or async."""
    return inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function)


async def run_generator(
    job: Job, action: Callback, timeout: float | None, went_async: asyncio.Future[float | None] | None
) -> ActionResult:
    """Run a generator to its end; ``went_async`` is set when it announces that it continues in the background."""
    limit = asyncio.timeout(timeout)
    return ActionResult(*await result_of(_last_value(job, action, limit, went_async), limit))


async def _last_value(
    job: Job, action: Callback, limit: asyncio.Timeout, went_async: asyncio.Future[float | None] | None
) -> Any:
    last = None
    async with aclosing(_values(action.function(job.payload))) as values:
        async for value in values:
            reply = reply_to(job.bound, value) if isinstance(value, AsyncOutput | Reply | Mapping) else None
            if reply is None or not reply.async_:
                last = value
            elif went_async is not None and not went_async.done():
                asked = reply.async_timeout_ms
                if asked is not None:  # the limit that it asks for replaces its own
                    limit.reschedule(None)
                is_in_seconds = job.profile.timeouts.async_unit is Unit.SECONDS
                went_async.set_result(asked / 1000 if asked is not None and is_in_seconds else asked)
    return last


async def _values(generator: Any) -> AsyncGenerator[Any, None]:
    """What a generator yields; a sync one runs in a thread."""
    if inspect.isasyncgen(generator):
        async with aclosing(generator):
            async for value in generator:
                yield value
        return
    while (value := await call_in_thread(lambda _: next(generator, _END), None)) is not _END:
        yield value
