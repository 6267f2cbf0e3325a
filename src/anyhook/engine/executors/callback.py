"""Functions of the host as hooks: which signatures are accepted, and how they are called."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from msgspec import Struct

from anyhook.engine.executors.threads import NoThreadError, call_in_thread
from anyhook.engine.raw import RawResult, is_lack
from anyhook.engine.session.host_calls import is_async, is_cancelled
from anyhook.model.hooks import Callback
from anyhook.model.payload_base import Payload

Function = Callable[..., Any]
"""``(payload)``, or ``(input, tool_use_id, context)`` as in the Agent SDK hooks spec; sync, async, or a generator
(:mod:`anyhook.engine.executors.generator`)."""


class CallbackContext(Struct, frozen=True):
    """The context argument of a callback in the Agent SDK hooks spec."""

    hook_id: str
    timeout: float | None
    """Seconds after which the callback times out; None: the client's default."""


def taking_payload(function: Function, context: CallbackContext) -> Function:
    """The function as one that takes the payload alone. Raises TypeError if it has neither signature."""
    match _required_parameters(function):
        case 1:
            return function
        case 3:

            def call(payload: Payload) -> Any:
                tool_use_id = getattr(payload, "tool_use_id", None)
                return function(payload, tool_use_id if isinstance(tool_use_id, str) else None, context)

            async def call_async(payload: Payload) -> Any:
                return await call(payload)

            async def call_steps(payload: Payload) -> AsyncIterator[Any]:
                async for value in call(payload):
                    yield value

            def call_steps_in_thread(payload: Payload) -> Iterator[Any]:
                yield from call(payload)

            taking: Function = call
            if inspect.isasyncgenfunction(function):
                taking = call_steps
            elif inspect.isgeneratorfunction(function):
                taking = call_steps_in_thread
            elif is_async(function):
                taking = call_async
            taking.__qualname__ = getattr(function, "__qualname__", repr(function))
            return taking
        case count:
            raise TypeError(f"a callback takes (payload) or (input, tool_use_id, context), not {count} parameters")


def _required_parameters(function: Function) -> int:
    """How many positional arguments the function needs; 1 if it takes at most one, or has no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # built-in functions have none
        return 1
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in by_position)
    if any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        raise TypeError("a callback is called by position, and this one has a parameter that needs its name")
    takes_more = len(by_position) > required or any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return 1 if required == 0 and takes_more else required


async def call_back(action: Callback, payload: Payload, timeout: float | None) -> tuple[RawResult, Any]:
    """Call a host's function: how it ended, and what it returned. An exception is the hook's failure."""
    return await result_of(_called(action.function, payload), asyncio.timeout(timeout))


async def result_of(called: Awaitable[Any], limit: asyncio.Timeout) -> tuple[RawResult, Any]:
    """How a call ended that may fail or take too long, and its value."""
    began = time.perf_counter()
    timed_out, failure, unable = False, "", False
    try:
        timed_out, value = await _in_time(called, limit)
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        value, failure = None, "CancelledError: something that it waited for was cancelled"
    except NoThreadError as error:  # a guard that was not asked must not count as one that allows
        return RawResult(error=f"it was not called: {error}", unable=True), None
    except (Exception, SystemExit) as error:
        value, failure, unable = None, f"{type(error).__name__}: {error}", is_lack(error)
    duration_ms = (time.perf_counter() - began) * 1000
    if timed_out:
        return RawResult(timed_out=True, duration_ms=duration_ms), None
    if failure:
        return RawResult(error=failure, unable=unable, duration_ms=duration_ms), None
    return RawResult(exit_code=0, duration_ms=duration_ms), value


async def _called(function: Function, payload: Payload) -> Any:
    """What the function returns. One that is not async runs in a thread, so that it can neither block the loop nor
    outlast its time limit."""
    value = function(payload) if is_async(function) else await call_in_thread(function, payload)
    return await value if inspect.isawaitable(value) else value


async def _in_time(value: Awaitable[Any], limit: asyncio.Timeout) -> tuple[bool, Any]:
    """Whether it took too long, and its value. A TimeoutError that the function itself raises is passed on."""
    try:
        async with limit:
            return False, await value
    except TimeoutError:
        if limit.expired():
            return True, None
        raise
