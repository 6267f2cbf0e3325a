"""The same as :mod:`anyhook.engine.executors.process` on asyncio's own subprocess transports, for Windows.

Slower, and used only where an event loop can watch neither pipes nor processes itself. Windows has no polite way to
end a tree of processes, so there the time limit ends it at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from anyhook.engine.executors.capture import Capture
from anyhook.engine.executors.spawn_throttle import turn_to_start
from anyhook.engine.raw import Limits, RawResult, not_started

__all__ = ["Limits", "RawResult", "run_process"]

DRAIN_SECONDS = 0.25
"""How long the rest of the output is waited for once the command has ended; a child that holds the pipe is not."""
ENDING_SECONDS = 5
"""How long Windows may take to end a tree of processes."""


async def run_process(
    argv: Sequence[str],
    stdin: bytes,
    env: Mapping[str, str],
    cwd: str | None,
    limits: Limits,
    went_async: asyncio.Future[float | None] | None = None,
) -> RawResult:
    """Run a command to its end, its time limit, or the cancellation of the caller; then nothing of it is left.

    ``went_async`` is set when the first line says ``{"async": true}``, with the timeout that it asks for.
    """
    began = time.perf_counter()
    running = _PortableProcess(limits, went_async)
    try:
        await running.start(argv, env, cwd)
        running.feed(stdin)
        timed_out = await running.finish()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return not_started(error, (time.perf_counter() - began) * 1000)
    except asyncio.CancelledError:
        await running.abandon()
        raise
    finally:
        running.close()
    stdout, stderr = running.captures[1], running.captures[2]
    return RawResult(
        exit_code=None if timed_out else running.exit_code,
        stdout=stdout.release(),
        stderr=stderr.release(),
        timed_out=timed_out,
        duration_ms=(time.perf_counter() - began) * 1000,
    )


def _in_a_group_of_its_own() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


class _PortableProcess(asyncio.SubprocessProtocol):
    """A running process and its three pipes."""

    transport: asyncio.SubprocessTransport | None = None
    """None until it is started."""
    exit_code: int | None = None

    def __init__(self, limits: Limits, went_async: asyncio.Future[float | None] | None) -> None:
        loop = asyncio.get_running_loop()
        self.limits = limits
        self.captures = {1: Capture(limits.kept_bytes, went_async), 2: Capture(limits.kept_bytes)}
        self.open_pipes = {0, 1, 2}
        self.exited: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()

    # --- what the transport calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.captures[fd].take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self.open_pipes.discard(fd)
        if not self.open_pipes & {1, 2} and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        assert self.transport is not None
        self.exit_code = self.transport.get_returncode()
        if not self.exited.done():
            self.exited.set_result(None)

    # --- what the caller calls

    async def start(self, argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> None:
        """Start it; raises what keeps it from starting."""
        await turn_to_start(at_most=1)
        loop = asyncio.get_running_loop()
        options = _in_a_group_of_its_own()
        starting = asyncio.ensure_future(loop.subprocess_exec(lambda: self, *argv, cwd=cwd, env=env, **options))
        await _even_if_cancelled(starting)
        starting.result()  # or why it could not be started

    def feed(self, stdin: bytes) -> None:
        with contextlib.suppress(OSError, RuntimeError):  # it may have ended already
            self._stdin().write(stdin)
            self._stdin().close()  # once everything is written

    def _stdin(self) -> asyncio.WriteTransport:
        assert self.transport is not None
        return cast(asyncio.WriteTransport, self.transport.get_pipe_transport(0))

    async def finish(self) -> bool:
        """Wait for the end; True: the time limit ended it."""
        awaited = [self.exited, self.drained] if self.limits.waits_for_pipe else [self.exited]
        _, pending = await asyncio.wait(awaited, timeout=self.limits.timeout)
        if pending:
            await self._end()
        elif not self.drained.done():
            await asyncio.wait([self.drained], timeout=DRAIN_SECONDS)
        return bool(pending)

    async def _end(self) -> None:
        """Ask the whole group to end, where that is possible; then end it."""
        if self._signal_group("SIGTERM"):
            await asyncio.wait([self.exited], timeout=self.limits.grace)
        await self.abandon()

    async def abandon(self) -> None:
        """Kill the whole group or tree; processes that have left it are not waited for."""
        if self.transport is None:
            return
        if not self._signal_group("SIGKILL"):
            await _end_tree(self.transport.get_pid())
        await _even_if_cancelled(self.exited, self.limits.grace)

    def close(self) -> None:
        """Release everything; a process that still runs is killed."""
        if self.transport is None:
            return
        if not self.exited.done():
            self._signal_group("SIGKILL")
        if 0 in self.open_pipes and self._stdin().get_write_buffer_size():
            self._stdin().abort()  # closing would wait until the rest is read
        self.transport.close()

    def _signal_group(self, name: str) -> bool:
        """Send a signal to the process and its children; False where there is no such thing."""
        if sys.platform == "win32" or self.transport is None:
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.transport.get_pid(), signal.Signals[name])
        return True


async def _even_if_cancelled(future: asyncio.Future[Any], timeout: float | None = None) -> None:
    """Wait for something that is certain to happen, and only then pass on a cancellation.

    asyncio loses track of a process if it is cancelled while it starts one or before it hears of its end.
    """
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future], timeout=timeout)
            break
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def _end_tree(pid: int) -> None:
    """End a process and everything below it, on Windows."""
    with contextlib.suppress(OSError, TimeoutError):
        ending = await asyncio.create_subprocess_exec(
            "taskkill", "/T", "/F", "/PID", str(pid), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        await asyncio.wait_for(ending.wait(), ENDING_SECONDS)
