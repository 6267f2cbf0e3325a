"""The daemon: one process per user that answers events with everything loaded.

It declines what it cannot or should not answer, and the client runs ``anyhook exec``, so it never has to guess. It
measures time with the event loop's clock, which does not change when the system clock is set.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import msgspec
from filelock import FileLock, Timeout

import anyhook
from anyhook.bridge.answer_event import answer, calls_functions
from anyhook.bridge.exec_options import Options
from anyhook.bridge.journal_event import Observed, journal_row, recording_on
from anyhook.bridge.prepare_event import NotCachedError, Prepared, prepare
from anyhook.bridge.read_call import Caller
from anyhook.daemon_socket.protocol import DaemonAnswer
from anyhook.daemon_socket.runtime_folder import RuntimeFolder, make_private
from anyhook.dialects import NAMES, profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.functions.function_host import FunctionHost
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.record.store.spool import is_switched_off, journal_folder
from anyhook.record.store.writer import JournalWriter
from anyhook.serve.bounds import Bounds
from anyhook.serve.hook_cache import HookCache
from anyhook.serve.log import Log
from anyhook.serve.memory import give_large_blocks_back
from anyhook.serve.process_state import ProcessState, allow_more_files
from anyhook.serve.socket_front import SocketFront
from anyhook.serve.watchdog import watched

if TYPE_CHECKING:
    from anyhook.serve.http_front import HttpFront


MAX_INLINE_PAYLOAD_BYTES = 64 * 1024
"""Bytes of a payload that is decoded in the event loop; larger ones are decoded in a thread."""
STUCK_SECONDS = 4.0
"""How long the event loop may be blocked: all clients wait for it."""


class AlreadyRunningError(AnyhookError):
    """Another daemon of this user holds the lock."""


class Daemon:
    """One daemon. :meth:`run` serves until it is stopped, idle for too long, or replaced."""

    def __init__(self, folder: RuntimeFolder, bounds: Bounds | None = None, http_port: int | None = None) -> None:
        self.folder = folder
        self.bounds = bounds or Bounds()
        self.log = Log(folder.log)
        self._socket = SocketFront(self._answer, self._control, self._is_full, self.log, self.bounds)
        self._http: HttpFront | None = None
        self._http_port = http_port
        self._cache = HookCache()
        self._functions = FunctionHost()
        self._threads = ThreadPoolExecutor(4, "prepare")
        self._journal: JournalWriter | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._answered = 0
        self._used_at = self._began_at = 0.0
        self._program = _stamp_of(Path(anyhook.__file__))
        self._stop = asyncio.Event()
        self._state: ProcessState | None = None
        self._changed = ""
        """What a function has changed for all: the daemon answers nothing more."""
        self._is_unchecked = False
        """Whether functions were called since the last comparison."""

    # --- start and end

    async def run(self, when_ready: Callable[[], None] = lambda: None) -> None:
        """Serve until the end. Raises AlreadyRunningError if another daemon runs."""
        make_private(self.folder)
        lock = FileLock(self.folder.lock, mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise AlreadyRunningError("a daemon is already running; see: anyhook daemon status") from None
        try:
            async with watched(STUCK_SECONDS):
                await self._serve(when_ready)
        finally:
            lock.release()

    async def _serve(self, when_ready: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        open_files = self._socket.open_files = allow_more_files()
        give_large_blocks_back()
        _warm_up()
        self._began_at = self._used_at = loop.time()
        if self._http_port is not None:
            from anyhook.serve.http_front import HttpFront  # its library is an optional dependency

            self._http = HttpFront(self._http_port, self._answer, self._is_full, self.log, self.bounds)
            self._http.open_files = open_files
            await self._http.start()
        await self._socket.start(self.folder.socket)
        inode = self.folder.socket.stat().st_ino
        with suppress(OSError):
            _write_pid(self.folder.pid)
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError, RuntimeError):  # only the main thread can handle signals
                loop.add_signal_handler(number, self._stop.set)
        if not is_switched_off(os.environ):
            self._journal = JournalWriter(journal_folder(), lambda text: self.log.write("journal", why=text))
        self._state = ProcessState()
        self.log.write("started", version=anyhook.__version__)
        when_ready()
        why = await self._watch(inode)
        self._socket.close()
        if self._http is not None:
            self._http.close()
        if why != "replaced":
            self.folder.socket.unlink(missing_ok=True)
        self.log.write("stopping", why=why, running=self._running())
        await asyncio.gather(self._socket.finish(), self._finish())
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._functions.close()
        if self._journal is not None:
            await asyncio.to_thread(self._journal.close)
        with suppress(OSError):
            self.folder.pid.unlink(missing_ok=True)
        self.log.write("stopped", answered=self._answered, declined=self._socket.declined)

    async def _watch(self, inode: int) -> str:
        """Wait for a reason to end, and return it."""
        loop = asyncio.get_running_loop()
        pause = min(5.0, self.bounds.idle / 4)
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), pause)
                return f"a hook has changed {self._changed}" if self._changed else "asked to"
            try:
                is_current = self.folder.socket.lstat().st_ino == inode
            except OSError:
                is_current = False
            if not is_current:
                return "replaced"  # no client can find this daemon any more, and the next one needs the lock
            if _stamp_of(Path(anyhook.__file__)) != self._program:
                return "anyhook was installed anew"
            # Not with HTTP: an HTTP hook cannot start the next daemon.
            is_busy = self._running() or self._background or self._http is not None
            if not is_busy and loop.time() - self._used_at > self.bounds.idle:
                return "nothing to do"

    async def _finish(self) -> None:
        """Wait for background hooks and HTTP requests; cancel those that take longer than the grace period."""
        left = self._background | (set() if self._http is None else self._http.talks)
        if left:
            _, left = await asyncio.wait(left, timeout=self.bounds.grace)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    # --- requests

    def _running(self) -> int:
        return self._socket.running + (0 if self._http is None else self._http.running)

    def _is_full(self) -> bool:
        return (
            self._is_changed()
            or self._running() >= self.bounds.running
            or len(self._background) >= self.bounds.background
        )

    async def _answer(self, options: Options, caller: Caller, stdin: bytes) -> ProcessAnswer | None:
        """Answer an event; None: decline it."""
        if self._is_changed():  # since the request was accepted
            return None
        loop = asyncio.get_running_loop()
        began = self._used_at = loop.time()
        try:
            prepared = self._prepare_from_cache(options, caller, stdin)
            if prepared is None:
                search = partial(prepare, options, caller, stdin, self._cache.find)
                prepared = await loop.run_in_executor(self._threads, search)
        except UsageError:  # the command reports it
            return None
        if (prepared.is_unable and caller.is_process) or _is_relative_to_client(prepared):
            return None
        seen = Observed()
        try:
            sent = await answer(prepared, self._functions, self._keep, seen)
        finally:  # also when the client is gone
            self._is_unchecked = self._is_unchecked or calls_functions(prepared)
        if (why := seen.why_unable()) and caller.is_process:  # exec may have what this process lacks
            self.log.write("unable", why=why)
            return None
        self._answered += 1
        self._used_at = loop.time()
        note = partial(self._note, prepared, seen, sent, stdin, self._used_at - began)
        loop.call_later(0, note)  # after the client has its answer
        return sent

    def _is_changed(self) -> bool:
        """Whether a function has changed this process. It is compared once after functions were called."""
        if self._is_unchecked and self._state is not None:
            self._is_unchecked = False
            self._changed = self._changed or self._state.change()
            if self._changed:
                self._stop.set()
        return bool(self._changed)

    def _prepare_from_cache(self, options: Options, caller: Caller, stdin: bytes) -> Prepared | None:
        """The event with cached packages; None: to find them would block the event loop for too long."""
        if len(stdin) > MAX_INLINE_PAYLOAD_BYTES:
            return None
        try:
            return prepare(options, caller, stdin, self._cache.recall)
        except NotCachedError:
            return None

    def _note(self, prepared: Prepared, seen: Observed, sent: ProcessAnswer, stdin: bytes, seconds: float) -> None:
        self._is_changed()
        packages = [asked.package for asked in prepared.packages]
        self.log.write(
            "answered",
            client=prepared.call.client,
            event=prepared.call.client_payload.native_event,
            packages=[str(package.root) for package in packages],
            refused=[why for why in (prepared.refusal, *(package.refusal for package in packages)) if why],
            status=sent.exit_code,
            ms=round(seconds * 1000, 2),
        )
        journal = self._journal
        if journal is not None and not is_switched_off(prepared.call.caller.environment):
            recording = recording_on(prepared, journal.recordings())
            row = journal_row(
                prepared,
                seen,
                sent,
                via="daemon",
                seconds=seconds,
                stdin=stdin,
                with_body=journal.settings.bodies,
                with_subject=journal.settings.subjects,
                recording=recording,
            )
            patterns = () if recording is None else recording.patterns
            journal.put(row, prepared.call.caller.environment, patterns)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        """Wait for a hook that continues in the background before the daemon stops."""
        self._background.add(task)
        task.add_done_callback(self._background_ended)

    def _background_ended(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log.write("background hook failed", why=f"{type(error).__name__}: {error}")

    async def _control(self, words: tuple[bytes, ...]) -> DaemonAnswer:
        """Answer a command of :mod:`anyhook.daemon_socket.ask`, of any version."""
        if words[:1] == (b"stop",):
            self._stop.set()
        elif words[:1] == (b"store",) and self._journal is not None:
            await _stored(self._journal)
        return DaemonAnswer(stdout=msgspec.json.encode(self.status()))

    def status(self) -> dict[str, Any]:
        """What ``anyhook daemon status`` shows."""
        return {
            "pid": os.getpid(),
            "version": anyhook.__version__,
            "seconds": round(asyncio.get_running_loop().time() - self._began_at, 1),
            "answered": self._answered,
            "declined": self._socket.declined,
            "running": self._running(),
            "background": len(self._background),
            "connections": len(self._socket.connections) + (0 if self._http is None else len(self._http.talks)),
            "http": None if self._http is None else self._http.url,
        }


def _warm_up() -> None:
    """Import and compute what the first client would otherwise wait for."""
    for name in NAMES:
        profile(name)
    for module in (
        "engine.executors.python",
        "engine.match",
        "sources.parsing.parse_json",
        "sources.parsing.parse_python",
    ):
        import_module(f"anyhook.{module}")
    with suppress(OSError):
        gettempdir()  # it is found by writing a file, which a full disk would prevent later
    gc.freeze()  # these objects stay; collecting would examine them again and again while clients wait


async def _stored(journal: JournalWriter) -> None:
    """Wait until the rows that wait are stored."""
    loop, is_stored = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        with suppress(RuntimeError):  # the daemon has ended meanwhile
            loop.call_soon_threadsafe(is_stored.set)

    journal.store(tell)
    await is_stored.wait()


def _write_pid(path: Path) -> None:
    """Write the id of this process, for its user alone whatever the umask is."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as file:
        os.fchmod(handle, 0o600)
        file.write(str(os.getpid()))


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def _is_relative_to_client(prepared: Prepared) -> bool:
    """Whether the payload names its folder relative to the working folder of the client, which this process lacks."""
    cwd = prepared.call.client_payload.cwd
    return isinstance(cwd, str) and bool(cwd) and not cwd.startswith("/")
