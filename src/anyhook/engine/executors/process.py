"""Runs one command: feeds it, caps what it prints, ends it in time, and never waits longer than it must.

Posix only; :mod:`anyhook.engine.executors.process_portable` does the same elsewhere. ``subprocess`` starts them: it
uses vfork and, unlike ``os.posix_spawn``, can set the folder (posix_spawn was 5 % faster: not worth a detour).
They are watched by a pidfd: asyncio's own transports cost about half as much again when many run at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from anyhook.engine.executors.capture import Capture
from anyhook.engine.executors.spawn_throttle import turn_to_start
from anyhook.engine.raw import GRACE_SECONDS, MAX_OUTPUT_BYTES, Limits, RawResult, not_started

__all__ = ["GRACE_SECONDS", "MAX_OUTPUT_BYTES", "Limits", "RawResult", "run_process"]

CHUNK_BYTES = 1 << 16
"""The default size of a pipe."""
CHUNKS_PER_TURN = 16
"""How many chunks are read or written per iteration of the event loop: 1 MiB, the largest size of a pipe."""
STARTS_PER_TURN = 2
STATUS_LOST = "another part of this program took its exit status, or the program ignores SIGCHLD"


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
    await turn_to_start(STARTS_PER_TURN)
    try:
        process = _start(argv, env, cwd)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return not_started(error, (time.perf_counter() - began) * 1000)
    running = _PosixProcess(process, limits, went_async)
    try:
        if limits.open_files is not None:
            _limit_files(process.pid, limits.open_files)
        running.watch(stdin)
        timed_out = await running.finish()
    except asyncio.CancelledError:
        await running.abandon()
        raise
    finally:
        running.close()
    is_lost = running.status_lost and not timed_out
    return RawResult(
        exit_code=None if timed_out or is_lost else process.returncode,
        stdout=running.stdout.capture.release(),
        stderr=running.stderr.capture.release(),
        timed_out=timed_out,
        error=STATUS_LOST if is_lost else "",
        unable=is_lost,
        duration_ms=(time.perf_counter() - began) * 1000,
    )


def _start(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, whose group is the process and its children."""
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=env,
        bufsize=0,
        start_new_session=True,
    )


def _limit_files(pid: int, open_files: int) -> None:
    """Limit what a process may open that has just started: its loader still runs. Only Linux can do that."""
    if sys.platform == "linux":
        import resource  # only the daemon needs it

        with contextlib.suppress(OSError, ValueError):  # it has ended, or gave up its rights
            _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (open_files, hard))


class _PipeReader:
    """One output pipe, read as it fills."""

    def __init__(self, fd: int, capture: Capture, at_end: Callable[[], None]) -> None:
        self.fd, self.capture, self._at_end = fd, capture, at_end
        self.loop = asyncio.get_running_loop()
        self.ended = False

    def start(self) -> None:
        os.set_blocking(self.fd, False)
        self.loop.add_reader(self.fd, self.read)

    def read(self) -> None:
        """Read what is there, at most as much as a pipe can hold: endless output must not block the event loop."""
        for _ in range(CHUNKS_PER_TURN):
            if self.ended:
                return
            try:
                data = os.read(self.fd, CHUNK_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if data:
                self.capture.take(data)
            else:
                self.stop()

    def stop(self) -> None:
        if not self.ended:
            self.ended = True
            self.loop.remove_reader(self.fd)
            self._at_end()


class _PosixProcess:
    """A running process and its three pipes.

    Its end is noticed without reaping it: until it is reaped, no other process can get its pid, so that a signal to its
    group never reaches another process.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], limits: Limits, went_async: asyncio.Future[float | None] | None
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.loop = asyncio.get_running_loop()
        self.process, self.limits = process, limits
        self.stdin = process.stdin
        self.outputs = (process.stdout, process.stderr)
        self.stdout = _PipeReader(process.stdout.fileno(), Capture(limits.kept_bytes, went_async), self._check_over)
        self.stderr = _PipeReader(process.stderr.fileno(), Capture(limits.kept_bytes), self._check_over)
        self.exited: asyncio.Future[None] = self.loop.create_future()
        self.over: asyncio.Future[bool] = self.loop.create_future()
        """True: the time is up."""
        self.unwritten = memoryview(b"")
        self.pidfd = -1
        self.reaped_by_thread = False
        self.status_lost = False

    def watch(self, stdin: bytes) -> None:
        self.stdout.start()
        self.stderr.start()
        self._watch_exit()
        os.set_blocking(self.stdin.fileno(), False)
        self.unwritten = memoryview(stdin)
        self._feed()

    async def finish(self) -> bool:
        """Wait for the end; True: the time limit ended it."""
        limit = self.limits.timeout
        timer = None if limit is None else self.loop.call_later(limit, self._set_over, True)
        try:
            timed_out = await self.over
        finally:
            if timer is not None:
                timer.cancel()
        if timed_out:
            await self._end()
        self.stdout.read()
        self.stderr.read()
        self._reaped()
        return timed_out

    async def _end(self) -> None:
        """Ask the whole group to end, then kill it; processes that have left the group are not waited for."""
        self._signal_group(signal.SIGTERM)
        await asyncio.wait([self.exited], timeout=self.limits.grace)
        await self.abandon()

    async def abandon(self) -> None:
        """Kill the whole group. Only a process stuck in the kernel survives this; it is not waited for."""
        self._signal_group(signal.SIGKILL)
        await asyncio.wait([self.exited], timeout=self.limits.grace)
        self._reaped()

    def close(self) -> None:
        """Release everything, also when nothing can be awaited any more."""
        self._stop_feeding()
        self.stdout.stop()
        self.stderr.stop()
        for stream in self.outputs:
            stream.close()
        self.unwritten = memoryview(b"")
        if not self._reaped():
            self._signal_group(signal.SIGKILL)
            if not self._reaped() and not self.reaped_by_thread:
                with contextlib.suppress(RuntimeError):  # no new threads while the interpreter shuts down
                    threading.Thread(target=self.process.wait, daemon=True).start()
        if self.pidfd >= 0:
            self.loop.remove_reader(self.pidfd)
            os.close(self.pidfd)
            self.pidfd = -1

    # --- its end

    def _watch_exit(self) -> None:
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # an old kernel, or no descriptor is left
                self.pidfd = os.pidfd_open(self.process.pid)
                self.loop.add_reader(self.pidfd, self._has_exited)
                return
        self.reaped_by_thread = sys.platform == "darwin"  # there, Python before 3.13 cannot wait without reaping
        threading.Thread(target=self._wait_in_thread, daemon=True).start()

    def _wait_in_thread(self) -> None:
        if sys.platform == "darwin":
            self._reap(0)
        else:
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        with contextlib.suppress(RuntimeError):  # the loop may be closed by then
            self.loop.call_soon_threadsafe(self._has_exited)

    def _has_exited(self) -> None:
        if self.pidfd >= 0:
            self.loop.remove_reader(self.pidfd)
        if not self.exited.done():
            self.exited.set_result(None)
        self._check_over()

    def _check_over(self) -> None:
        pipes_matter = self.limits.waits_for_pipe and not (self.stdout.ended and self.stderr.ended)
        if self.exited.done() and not pipes_matter:
            self._set_over(False)

    def _set_over(self, timed_out: bool) -> None:
        if not self.over.done():
            self.over.set_result(timed_out)

    def _reaped(self) -> bool:
        """Whether it has ended and its exit status is taken, by this call or by the thread that waits for it."""
        return self.process.returncode is not None or (not self.reaped_by_thread and self._reap(os.WNOHANG))

    def _reap(self, options: int) -> bool:
        """Take the exit status. What ``Popen.poll`` and ``wait`` do, except that they read a lost status as 0."""
        try:
            pid, status = os.waitpid(self.process.pid, options)
        except ChildProcessError:  # the host ignores SIGCHLD or waits for every child
            self.status_lost = True
            self.process.returncode = 0
            return True
        if pid:
            self.process.returncode = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    # --- its input

    def _feed(self) -> None:
        """Write as much as the pipe takes; a command that does not read is not waited for."""
        fd = self.stdin.fileno()
        for _ in range(CHUNKS_PER_TURN):
            if not self.unwritten:
                self._stop_feeding()
                return
            try:
                self.unwritten = self.unwritten[os.write(fd, self.unwritten[:CHUNK_BYTES]) :]
            except BlockingIOError:
                break
            except OSError:  # it has closed its end
                self._stop_feeding()
                return
        self.loop.add_writer(fd, self._feed)

    def _stop_feeding(self) -> None:
        if not self.stdin.closed:
            self.loop.remove_writer(self.stdin.fileno())
            self.stdin.close()
