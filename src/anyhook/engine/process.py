"""Runs one command: feeds it, caps what it prints, ends it in time, and never waits longer than it must.

Posix only; :mod:`anyhook.engine.process_portable` does the same elsewhere. Processes are spawned with ``subprocess``
(which uses vfork) and watched by a pidfd: asyncio's own transports cost about a quarter more when many run at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

CHUNK = 1 << 16
KEPT_BYTES = 10 * 1024 * 1024
GRACE_SECONDS = 0.5


class RawResult(Struct, frozen=True, kw_only=True):
    """What a command did, before anybody says what it means."""

    exit_code: int | None = None
    """None: it was not started, or ended for lack of time. Negative: the signal that ended it."""
    stdout: bytes = b""
    stderr: bytes = b""
    lost_bytes: int = 0
    """How much of the output was over the cap and thrown away."""
    timed_out: bool = False
    error: str = ""
    """Why it could not be started."""
    duration_ms: float = 0.0


class Limits(Struct, frozen=True, kw_only=True):
    timeout: float | None = None
    """Seconds; None: no limit."""
    grace: float = GRACE_SECONDS
    """Seconds between asking to end and ending."""
    kept_bytes: int = KEPT_BYTES
    waits_for_pipe: bool = False
    """Whether output of a child that outlives the command is waited for."""


async def run_process(
    argv: Sequence[str],
    stdin: bytes,
    env: Mapping[str, str],
    cwd: str | None,
    limits: Limits,
    went_async: asyncio.Future[int | None] | None = None,
) -> RawResult:
    """Run a command to its end, its time limit, or the cancellation of the caller; then nothing of it is left.

    ``went_async`` is set when the first line says ``{"async": true}``, with the timeout that it asks for.
    """
    started = time.perf_counter()
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        text = getattr(error, "strerror", None) or str(error)
        return RawResult(error=text, duration_ms=(time.perf_counter() - started) * 1000)
    watch = _Watch(process, stdin, limits)
    watch.stdout.went_async = went_async
    try:
        timed_out = await watch.finish()
    finally:
        watch.close()
    return RawResult(
        exit_code=None if timed_out else process.returncode,
        stdout=bytes(watch.stdout.kept),
        stderr=bytes(watch.stderr.kept),
        lost_bytes=watch.stdout.lost + watch.stderr.lost,
        timed_out=timed_out,
        duration_ms=(time.perf_counter() - started) * 1000,
    )


class _Pipe:
    """One output stream, read as it comes; what is over the cap is counted and thrown away."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, cap: int) -> None:
        self.loop, self.fd, self.cap = loop, fd, cap
        self.kept = bytearray()
        self.lost = 0
        self.ended = loop.create_future()
        self.went_async: asyncio.Future[int | None] | None = None
        os.set_blocking(fd, False)
        loop.add_reader(fd, self.read)

    def read(self) -> None:
        """Take what is there, but let others have a turn."""
        for _ in range(16):
            try:
                data = os.read(self.fd, CHUNK)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.stop()
                return
            room = self.cap - len(self.kept)
            self.kept += data[:room] if room < len(data) else data
            self.lost += max(len(data) - max(room, 0), 0)
            if self.went_async is not None and b"\n" in self.kept:
                self._look_at_first_line(self.went_async)

    def _look_at_first_line(self, went_async: asyncio.Future[int | None]) -> None:
        """A hook that goes to the background says so in its first line, and only there."""
        self.went_async = None
        line = bytes(self.kept).partition(b"\n")[0].strip()
        if not line.startswith(b"{") or b"async" not in line:
            return
        try:
            answer = msgspec.json.decode(line)
        except msgspec.DecodeError:
            return
        if isinstance(answer, dict) and answer.get("async") is True and not went_async.done():
            timeout = answer.get("asyncTimeout")
            went_async.set_result(timeout if isinstance(timeout, int) else None)

    def stop(self) -> None:
        self.loop.remove_reader(self.fd)
        if not self.ended.done():
            self.ended.set_result(None)


class _Watch:
    """A running process and its three pipes."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limits: Limits) -> None:
        self.loop = asyncio.get_running_loop()
        self.process, self.limits = process, limits
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdout = _Pipe(self.loop, process.stdout.fileno(), limits.kept_bytes)
        self.stderr = _Pipe(self.loop, process.stderr.fileno(), limits.kept_bytes)
        self.exited: asyncio.Future[None] = self.loop.create_future()
        self.pidfd = -1
        self._await_exit()
        self.input = memoryview(stdin)
        self.stdin_fd = process.stdin.fileno()
        os.set_blocking(self.stdin_fd, False)
        self._feed()

    async def finish(self) -> bool:
        """Wait for the end; True when it had to be forced."""
        waited = [self.exited]
        if self.limits.waits_for_pipe:
            waited += [self.stdout.ended, self.stderr.ended]
        _, pending = await asyncio.wait(waited, timeout=self.limits.timeout)
        if pending:
            await self._end()
        self._reap()
        self.stdout.read()
        self.stderr.read()
        return bool(pending)

    async def _end(self) -> None:
        """Ask the whole group to end, then end it; whoever has left the group is not waited for."""
        self._signal(signal.SIGTERM)
        await asyncio.wait([self.exited], timeout=self.limits.grace)
        self._signal(signal.SIGKILL)
        if not self.exited.done():
            await asyncio.wait([self.exited], timeout=self.limits.grace)

    def close(self) -> None:
        """Let go of everything; a process that is still there (the caller was cancelled) is ended at once."""
        if self.process.returncode is None:
            self._signal(signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=1)
        self._stop_feeding()
        self.stdout.stop()
        self.stderr.stop()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        if self.pidfd >= 0:
            self.loop.remove_reader(self.pidfd)
            os.close(self.pidfd)
            self.pidfd = -1

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _reap(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=0.1 if self.exited.done() else 0)

    def _await_exit(self) -> None:
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self.pidfd = os.pidfd_open(self.process.pid)
                self.loop.add_reader(self.pidfd, self._exited)
                return
        threading.Thread(target=self._wait_in_thread, daemon=True).start()

    def _wait_in_thread(self) -> None:
        self.process.wait()
        with contextlib.suppress(RuntimeError):  # the loop may be closed by then
            self.loop.call_soon_threadsafe(self._exited)

    def _exited(self) -> None:
        if self.pidfd >= 0:
            self.loop.remove_reader(self.pidfd)
        self.process.poll()
        if not self.exited.done():
            self.exited.set_result(None)

    def _feed(self) -> None:
        """Write as much as the command takes; one that does not read is not waited for."""
        while self.input:
            try:
                self.input = self.input[os.write(self.stdin_fd, self.input[:CHUNK]) :]
            except BlockingIOError:
                self.loop.add_writer(self.stdin_fd, self._feed)
                return
            except OSError:
                break
        self._stop_feeding()

    def _stop_feeding(self) -> None:
        if self.stdin_fd < 0:
            return
        self.loop.remove_writer(self.stdin_fd)
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.stdin_fd = -1
