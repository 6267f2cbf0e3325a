"""Calls functions of hook files in this process, each in a thread of its own, so that none can block another.

A thread cannot be killed. A function that times out gets one exception; from then on, until its file changes, it runs
in a process that can be killed (:mod:`anyhook.engine.executors.python`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Coroutine, Mapping
from contextvars import Context, ContextVar
from queue import SimpleQueue
from typing import Any, TextIO

from msgspec import Struct

from anyhook.engine.executors.capture import Capture
from anyhook.engine.functions.forked_child import ends_forked_children
from anyhook.engine.functions.function_calls import (
    FunctionResult,
    call_function,
    describe_failure,
    trace_of,
    unpack_event,
    unpack_result,
)
from anyhook.engine.functions.hook_modules import FileStamp, HookModules, stamp_of
from anyhook.engine.raw import GRACE_SECONDS, MAX_OUTPUT_BYTES, RawResult, is_lack
from anyhook.model.functions import variables

MAX_STUCK_THREADS = 16
"""Threads that timed out and still run; beyond this, every function runs in a process."""
MAX_IDLE_THREADS = 16
"""Threads that are kept for the next calls: starting one costs more than most functions."""


class FunctionRef(Struct, frozen=True):
    """A function of a file of hooks."""

    file: str
    name: str


class TimeUpError(BaseException):
    """Raised inside a function that timed out; not an Exception, so that ``except Exception`` does not catch it."""


class FunctionHost:
    """The functions that run in this process. One is enough for all engines; it may be used by several event loops."""

    def __init__(self) -> None:
        self._modules = HookModules({"print": _print})
        self._runaways: dict[FunctionRef, FileStamp | None] = {}
        """Functions that timed out, with the stamp of their file at that time."""
        self._stuck: set[_FunctionCall] = set()
        self._threads = _Threads()

    def close(self) -> None:
        """Forget the modules; running calls continue."""
        self._modules.close()
        self._threads.close()

    def can_run(self, function: FunctionRef) -> bool:
        """Whether the function may run here, rather than in a process that can be killed."""
        self._stuck = {call for call in self._stuck if call.is_alive()}
        if len(self._stuck) >= MAX_STUCK_THREADS or any(call.function == function for call in self._stuck):
            return False
        if function in self._runaways:
            if self._runaways[function] == stamp_of(function.file):
                return False
            del self._runaways[function]
        return True

    async def call(
        self, function: FunctionRef, event: bytes, timeout: float | None, environment: Mapping[str, str]
    ) -> tuple[RawResult, FunctionResult]:
        """Call a function with a packed event. Raises nothing but cancellation, and returns at the timeout."""
        began = time.perf_counter()
        call = _FunctionCall(self._modules, function, event, timeout, environment)
        self._threads.run(call)
        try:
            in_time = await call.wait(timeout)
        except asyncio.CancelledError:
            self._abandon(call)
            raise
        duration_ms = (time.perf_counter() - began) * 1000
        if not in_time:
            self._abandon(call)
            if not call.is_async:  # an async one has a timeout of its own, which ends it unless it blocks
                self._runaways[function] = stamp_of(function.file)
        printed = call.printed.release()
        if not in_time or call.timed_out:
            return RawResult(timed_out=True, stderr=printed, duration_ms=duration_ms), FunctionResult()
        raw = RawResult(exit_code=0, stderr=printed, unable=call.is_unable, duration_ms=duration_ms)
        return raw, call.answer

    def _abandon(self, call: _FunctionCall) -> None:
        if call.is_async:  # its own timeout is ending it; an exception in the last steps of its loop would not help
            asyncio.get_running_loop().call_later(GRACE_SECONDS, call.interrupt)
        else:
            call.interrupt()
        self._stuck.add(call)


class _Threads:
    """Threads that run calls: one for each running call, and a few idle ones for the next."""

    def __init__(self) -> None:
        self._waiting: list[SimpleQueue[_FunctionCall | None]] = []
        self._lock = threading.Lock()
        self._closed = False

    def run(self, call: _FunctionCall) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.pop().put(call)
                return
        # A daemon thread: a function that never ends must not keep the host's process alive.
        threading.Thread(target=self._work, args=(call,), name="hook functions", daemon=True).start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for calls in self._waiting:
                calls.put(None)
            self._waiting.clear()

    def _work(self, call: _FunctionCall | None) -> None:
        calls: SimpleQueue[_FunctionCall | None] = SimpleQueue()
        with contextlib.suppress(TimeUpError):  # it may arrive after the function has ended
            while call is not None:
                is_reusable = call.run()
                is_kept = is_reusable and self._keep(calls)
                call.announce_end()
                call = None  # and with it its event, while this thread waits
                call = calls.get() if is_kept else None

    def _keep(self, calls: SimpleQueue[_FunctionCall | None]) -> bool:
        """Whether this thread is kept for another call."""
        with self._lock:
            if self._closed or len(self._waiting) >= MAX_IDLE_THREADS:
                return False
            self._waiting.append(calls)
            return True


class _FunctionCall:
    """One running call in a thread."""

    def __init__(
        self,
        modules: HookModules,
        function: FunctionRef,
        event: bytes,
        timeout: float | None,
        environment: Mapping[str, str],
    ) -> None:
        self.function = function
        self.answer = FunctionResult()
        self.printed = Capture(MAX_OUTPUT_BYTES)
        self.is_async = False
        self.timed_out = False
        self.is_unable = False
        """It failed because this process has no descriptor, thread or memory left."""
        self._modules, self._event, self._environment = modules, event, environment
        self._ends_at = None if timeout is None else time.monotonic() + timeout
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._was_interrupted = False
        self._ended = False

    async def wait(self, timeout: float | None) -> bool:
        """Whether it ended before the timeout."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):  # asyncio.wait needs one more turn of the loop
                await self._over
        return not self._over.cancelled()

    def is_alive(self) -> bool:
        return not self._ended

    def interrupt(self) -> None:
        """Raise TimeUpError inside the function. One that waits in C code gets it when that returns."""
        import ctypes

        with self._lock:
            self._was_interrupted = True
            if not self._ended and self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(TimeUpError))

    def run(self) -> bool:
        """Call the function in this thread and note its answer; returns whether the thread can be reused."""
        with contextlib.suppress(TimeUpError):
            try:
                with self._lock:
                    self._thread = threading.get_ident()
                # A new context, so that no context variable reaches another function.
                with ends_forked_children():
                    self.answer = Context().run(self._answer)
            finally:
                with self._lock:
                    self._ended = True
        return not self._was_interrupted

    def announce_end(self) -> None:
        """Wake the task that waits for the call."""
        with contextlib.suppress(RuntimeError):  # the loop may be closed by then
            self._loop.call_soon_threadsafe(self._set_over)

    def _set_over(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _answer(self) -> FunctionResult:
        variables.set(self._environment)
        _printed.set(self.printed)
        file, name = self.function.file, self.function.name
        try:
            function = self._modules.function(file, name)
            return unpack_result(call_function(function, unpack_event(self._event), self._run_async))
        except TimeUpError:
            self.timed_out = True
            return FunctionResult()
        except BaseException as error:  # SystemExit and KeyboardInterrupt, too, are only this hook's failure
            self.is_unable = is_lack(error)
            self.printed.take(trace_of(error, file).encode("utf-8", "replace"))
            return FunctionResult(failure=describe_failure(error, file))

    def _run_async(self, coroutine: Coroutine[Any, Any, object]) -> object:
        """In a loop of its own: an async function that blocks must not stop the host's."""
        self.is_async = True

        async def limited() -> object:
            left = None if self._ends_at is None else max(self._ends_at - time.monotonic(), 0)
            limit = asyncio.timeout(left)
            try:
                async with limit:
                    with ends_forked_children():  # before it ends the loop, which it shares with its parent
                        return await coroutine
            except TimeoutError:
                if limit.expired():
                    raise TimeUpError from None
                raise

        return asyncio.run(limited())


_printed: ContextVar[Capture] = ContextVar("what the function prints")


def _print(
    *values: object, sep: str | None = " ", end: str | None = "\n", file: TextIO | None = None, flush: bool = False
) -> None:
    """``print`` as the modules see it: what a hook prints belongs to its run, not to the host's own output."""
    printed = _printed.get(None)
    if file is not None or printed is None:
        print(*values, sep=sep, end=end, file=file, flush=flush)
    else:
        text = (" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end)
        printed.take(text.encode("utf-8", "replace"))
