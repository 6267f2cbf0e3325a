"""Calls functions of hook files in this process: each call has a thread to itself, so that none can hold up another.

A thread cannot be ended from outside. A function that does not end in time is told so once; from then on it runs in a
process that can be ended (:mod:`anyhook.engine.executors.python` sees to that) until its file is changed.
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
from anyhook.engine.functions.function_calls import (
    FunctionResult,
    call_function,
    describe_failure,
    trace_of,
    unpack_event,
    unpack_result,
)
from anyhook.engine.functions.hook_modules import HookModules, Mark, mark_of
from anyhook.engine.raw import GRACE_SECONDS, MAX_OUTPUT_BYTES, RawResult
from anyhook.model.functions import variables

MAX_STUCK_THREADS = 16
"""Threads that did not end in time and are still there; with so many, every function runs in a process."""
MAX_IDLE_THREADS = 16
"""Threads that are kept for the next calls: to start one costs more than most functions."""


class FunctionRef(Struct, frozen=True):
    """A function of a file of hooks."""

    file: str
    name: str


class TimeUpError(BaseException):
    """Raised inside a function whose time is up; not an Exception, so that ``except Exception`` does not keep it."""


class FunctionHost:
    """The functions that run in this process. One is enough for all engines; it may be used by several event loops."""

    def __init__(self) -> None:
        self._modules = HookModules({"print": _print})
        self._runaways: dict[FunctionRef, Mark | None] = {}
        """Functions that did not end in time, with the file as it was then."""
        self._stuck: set[_FunctionCall] = set()
        self._threads = _Threads()

    def close(self) -> None:
        """Forget the modules; calls that are under way go on."""
        self._modules.close()
        self._threads.close()

    def takes(self, function: FunctionRef) -> bool:
        """Whether the function may run here, rather than in a process that can be ended."""
        self._stuck = {call for call in self._stuck if call.is_alive()}
        if len(self._stuck) >= MAX_STUCK_THREADS or any(call.function == function for call in self._stuck):
            return False
        if function in self._runaways:
            if self._runaways[function] == mark_of(function.file):
                return False
            del self._runaways[function]
        return True

    async def call(
        self, function: FunctionRef, event: bytes, timeout: float | None, environment: Mapping[str, str]
    ) -> tuple[RawResult, FunctionResult]:
        """Call a function with a packed event. Never raises but for cancellation, and never waits longer than told."""
        began = time.perf_counter()
        call = _FunctionCall(self._modules, function, event, timeout, environment)
        self._threads.run(call)
        try:
            in_time = await call.wait(timeout)
        except asyncio.CancelledError:
            self._give_up(call)
            raise
        duration_ms = (time.perf_counter() - began) * 1000
        if not in_time:
            self._give_up(call)
            if not call.is_async:  # an async one has a limit of its own and ends by it, unless it blocks
                self._runaways[function] = mark_of(function.file)
        printed = bytes(call.printed.kept)
        if not in_time or call.timed_out:
            return RawResult(timed_out=True, stderr=printed, duration_ms=duration_ms), FunctionResult()
        raw = RawResult(exit_code=0, stderr=printed, duration_ms=duration_ms)
        return raw, call.answer

    def _give_up(self, call: _FunctionCall) -> None:
        if call.is_async:  # it is just ending by its own limit; an error amid the last steps of its loop is no help
            asyncio.get_running_loop().call_later(GRACE_SECONDS, call.interrupt)
        else:
            call.interrupt()
        self._stuck.add(call)


class _Threads:
    """Threads that run calls; as many as there are calls at once, and a few more that wait for the next."""

    def __init__(self) -> None:
        self._waiting: list[SimpleQueue[_FunctionCall | None]] = []
        self._lock = threading.Lock()
        self._closed = False

    def run(self, call: _FunctionCall) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.pop().put(call)
                return
        # A daemon: a function that never ends must not keep the host from ending.
        threading.Thread(target=self._work, args=(call,), name="hook functions", daemon=True).start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for calls in self._waiting:
                calls.put(None)
            self._waiting.clear()

    def _work(self, call: _FunctionCall | None) -> None:
        calls: SimpleQueue[_FunctionCall | None] = SimpleQueue()
        with contextlib.suppress(TimeUpError):  # it may still be on its way when the function has ended
            while call is not None:
                is_fit = call.run()
                is_kept = is_fit and self._keep(calls)
                call.tell()
                call = calls.get() if is_kept else None

    def _keep(self, calls: SimpleQueue[_FunctionCall | None]) -> bool:
        """Whether this thread is to wait for another call."""
        with self._lock:
            if self._closed or len(self._waiting) >= MAX_IDLE_THREADS:
                return False
            self._waiting.append(calls)
            return True


class _FunctionCall:
    """One call under way in a thread."""

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
        self._modules, self._event, self._environment = modules, event, environment
        self._ends_at = None if timeout is None else time.monotonic() + timeout
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._was_interrupted = False
        self._ended = False

    async def wait(self, timeout: float | None) -> bool:
        """Whether it has ended in time."""
        done, _ = await asyncio.wait([self._over], timeout=timeout)
        return bool(done)

    def is_alive(self) -> bool:
        return not self._ended

    def interrupt(self) -> None:
        """Raise an error where the function is. One that waits inside of C hears of it when that returns."""
        import ctypes

        with self._lock:
            self._was_interrupted = True
            if not self._ended and self._thread is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(TimeUpError))

    def run(self) -> bool:
        """Call the function in this thread and note its answer; whether the thread is good for another call."""
        with contextlib.suppress(TimeUpError):
            try:
                with self._lock:
                    self._thread = threading.get_ident()
                # A new context: nothing that a function has set there reaches another.
                self.answer = Context().run(self._answer)
            finally:
                with self._lock:
                    self._ended = True
        return not self._was_interrupted

    def tell(self) -> None:
        """Let whoever waits for the call go on."""
        with contextlib.suppress(RuntimeError):  # the loop may be closed by then
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
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
        except BaseException as error:  # SystemExit and KeyboardInterrupt are no more than this hook's failure, too
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
