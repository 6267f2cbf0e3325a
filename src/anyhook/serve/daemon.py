"""The daemon: one process for one user that answers events with everything loaded.

Whatever it cannot or should not answer it declines, and the client runs ``anyhook exec``: there is no case in which the
daemon has to guess. All its times are those of the event loop, which no change of the clock moves.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

import anyhook
from anyhook.dialects import NAMES, profile
from anyhook.dialects.codec import decode_payload
from anyhook.engine.function_host import FunctionHost
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.serve.answer import Prepared, Surroundings, answer_prepared, exit_status, prepare, read_options, work_left
from anyhook.serve.log import Log
from anyhook.serve.packages import KeepingLoader
from anyhook.serve.peers import is_own_user
from anyhook.serve.protocol import (
    DECLINED,
    GO_ON,
    PREFIX,
    SIZE,
    Answer,
    Head,
    ProtocolError,
    decode_head,
    encode_answer,
    head_size,
    stdin_size,
    variables_of,
)
from anyhook.serve.socket_place import Place, make_private_place

OWN_VARIABLES = (
    "ANYHOOK_STATE_DIR", "HOME", "PYTHONHOME", "PYTHONPATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "all_proxy", "https_proxy", "http_proxy", "no_proxy",
    "SSL_CERT_DIR", "SSL_CERT_FILE",
)  # fmt: skip
"""What anyhook and its libraries read for themselves, of this process and not of the request: it must be the same."""


BACKLOG = 128
"""Connections that wait to be accepted, and so the most that are accepted in one turn of the loop."""


class Bounds(Struct, frozen=True, kw_only=True):
    """What the daemon allows itself and its clients."""

    idle: float = 1800
    """Seconds without a request after which it ends."""
    half: float = 10
    """Seconds that a client may take between two pieces of a request, or to take its answer."""
    silent: int = 128
    """Connections without a request; beyond that the oldest is closed. With 128 of each kind 1,024 files are enough."""
    running: int = 128
    """Requests at once; more are declined."""
    background: int = 64
    """Background hooks of this many requests; more requests are declined."""
    bytes_held: int = 256 * 1024 * 1024
    """Of stdin, by all requests together; more are declined."""
    grace: float = 30
    """Seconds that running requests have when it is to stop."""


class AlreadyRunningError(AnyhookError):
    """Another daemon of this user holds the lock."""


class Daemon:
    """One listening daemon, from :meth:`run` until it is told to stop, has nothing to do, or was replaced."""

    def __init__(
        self, place: Place, bounds: Bounds | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.place = place
        self.bounds = bounds or Bounds()
        self.log = Log(place.log)
        variables = os.environ if environment is None else environment
        self._own = {name: variables.get(name) for name in OWN_VARIABLES}
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        self._loader = KeepingLoader()
        self._functions = FunctionHost()
        self._threads = ThreadPoolExecutor(4, "prepare")
        self._silent: dict[asyncio.StreamWriter, None] = {}
        """Connections whose head has not arrived, the oldest first."""
        self._talks: set[asyncio.Task[None]] = set()
        self._background: set[asyncio.Task[None]] = set()
        self._running = self._held = self._answered = self._declined = 0
        self._used_at = self._began_at = 0.0
        self._program = _facts_of(Path(anyhook.__file__))
        self._over = asyncio.Event()

    # --- its life

    async def run(self, when_ready: Callable[[], None] = lambda: None) -> None:
        """Serve until the end. Raises AlreadyRunningError when another daemon was first."""
        make_private_place(self.place)
        lock = FileLock(self.place.lock, mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise AlreadyRunningError("a daemon is already running; see: anyhook daemon status") from None
        try:
            await self._serve(when_ready)
        finally:
            lock.release()

    async def _serve(self, when_ready: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        _warm_up()
        self._began_at = self._used_at = loop.time()
        listening = _listen(self.place.socket)
        inode = self.place.socket.stat().st_ino
        with suppress(OSError):
            self.place.pid.write_text(str(os.getpid()))
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError, RuntimeError):  # only the main thread hears signals
                loop.add_signal_handler(number, self._over.set)
        server = await asyncio.start_unix_server(self._accept, sock=listening, backlog=BACKLOG)
        self.log.write("started", version=anyhook.__version__)
        when_ready()
        why = await self._watch(inode)
        server.close()
        if why != "replaced":
            self.place.socket.unlink(missing_ok=True)
        self.log.write("stopping", why=why, running=self._running)
        await self._finish()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._functions.close()
        with suppress(OSError):
            self.place.pid.unlink(missing_ok=True)
        self.log.write("stopped", answered=self._answered, declined=self._declined)

    async def _watch(self, inode: int) -> str:
        """Wait for a reason to end, and say which."""
        loop = asyncio.get_running_loop()
        pause = min(5.0, self.bounds.idle / 4)
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), pause)
                return "asked to"
            try:
                is_ours = self.place.socket.lstat().st_ino == inode
            except OSError:
                is_ours = False
            if not is_ours:
                return "replaced"  # nobody could find this daemon any more, and the next one needs the lock
            if _facts_of(Path(anyhook.__file__)) != self._program:
                return "anyhook was installed anew"
            is_busy = self._running or self._background
            if not is_busy and loop.time() - self._used_at > self.bounds.idle:
                return "nothing to do"

    async def _finish(self) -> None:
        """Let what runs come to its end, for a while."""
        for writer in list(self._silent):
            writer.close()
        left = self._talks | self._background
        if left:
            _, left = await asyncio.wait(left, timeout=self.bounds.grace)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    # --- one client

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)
        self._silent[writer] = None
        if len(self._silent) > self.bounds.silent:
            oldest = next(iter(self._silent))
            del self._silent[oldest]
            oldest.transport.abort()
        try:
            if not is_own_user(writer.get_extra_info("socket")):
                self.log.write("refused", why="another user")
            else:
                await self._talk(reader, writer)
        except (OSError, EOFError, TimeoutError, ProtocolError) as error:
            self.log.write("broken off", why=type(error).__name__)
        except Exception as error:  # a bug of ours must not cost anybody an answer
            self._declined += 1
            self.log.write("failed", why=f"{type(error).__name__}: {error}")
        finally:
            self._silent.pop(writer, None)
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self.bounds.half):
            head = decode_head(await reader.readexactly(head_size(await reader.readexactly(PREFIX.size))))
        self._silent.pop(writer, None)
        if head.arguments[:1] == (b"daemon",):
            await self._send(writer, encode_answer(self._control(head)))
            return
        self._used_at = asyncio.get_running_loop().time()
        variables = variables_of(head.environment)
        options = self._accepted(head, variables)
        is_full = self._running >= self.bounds.running or len(self._background) >= self.bounds.background
        if options is None or is_full:
            self._declined += 1
            await self._send(writer, DECLINED)
            return
        self._running += 1
        try:
            await self._send(writer, GO_ON)
            stdin = await self._stdin(reader)
            if stdin is None:
                self._declined += 1
                await self._send(writer, DECLINED)
                return
            try:
                around = Surroundings(
                    cwd=Path(os.fsdecode(head.cwd)),
                    home=Path(variables.get("HOME") or Path.home()),
                    environment=variables,
                )
                await self._relay(self._answer(options, around, stdin), reader, writer)
            finally:
                self._held -= len(stdin)
        finally:
            self._running -= 1
            self._used_at = asyncio.get_running_loop().time()

    async def _stdin(self, reader: asyncio.StreamReader) -> bytes | None:
        """All of stdin; None when everybody's together is too much to keep."""
        async with asyncio.timeout(self.bounds.half):
            left = stdin_size(await reader.readexactly(SIZE.size))
        if self._held + left > self.bounds.bytes_held:
            return None
        self._held += left
        size, pieces = left, []
        try:
            while left:
                async with asyncio.timeout(self.bounds.half):
                    piece = await reader.read(left)
                if not piece:
                    raise EOFError
                pieces.append(piece)
                left -= len(piece)
        except BaseException:
            self._held -= size
            raise
        return b"".join(pieces)

    async def _relay(
        self, answering: Coroutine[Any, Any, bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer, unless the client goes away first: then its hooks are ended, as if their client had ended them."""
        work = asyncio.create_task(answering)
        gone = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise EOFError
            await self._send(writer, await work)
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.wait((work, gone))

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        async with asyncio.timeout(self.bounds.half):
            await writer.drain()

    # --- requests

    def _accepted(self, head: Head, variables: Mapping[str, str]) -> Mapping[str, str] | None:
        """The options of a request that is answered here; None: the client has to do it."""
        is_same = (
            head.version == anyhook.__version__.encode()
            and head.umask == self._umask
            and head.cwd.startswith(b"/")
            and all(variables.get(name) == value for name, value in self._own.items())
        )
        if not is_same or head.arguments[:1] != (b"exec",) or self._over.is_set():
            return None
        try:
            options = read_options([os.fsdecode(word) for word in head.arguments[1:]])
        except UsageError:  # the command itself says best what is wrong
            return None
        return None if "--background" in options else options

    async def _answer(self, options: Mapping[str, str], around: Surroundings, stdin: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        began = loop.time()
        prepared = await loop.run_in_executor(
            self._threads, prepare, options, around, stdin, self._loader, self._functions
        )
        if _means_other_files(prepared, stdin):
            self._declined += 1
            return DECLINED
        sent = await answer_prepared(prepared, stdin, lambda: self._start_background(prepared, stdin))
        self._answered += 1
        self.log.write(
            "answered",
            client=prepared.call.client,
            event=prepared.call.event,
            packages=[str(side.root) for side in prepared.sides],
            refused=[why for why in (prepared.refusal, *(side.refusal for side in prepared.sides)) if why],
            status=sent.exit_code,
            ms=round((loop.time() - began) * 1000, 2),
        )
        return encode_answer(Answer(status=exit_status(options, sent), stdout=sent.stdout, stderr=sent.stderr))

    def _start_background(self, prepared: Prepared, stdin: bytes) -> None:
        task = asyncio.create_task(work_left(prepared, stdin))
        self._background.add(task)
        task.add_done_callback(self._background_ended)

    def _background_ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log.write("background hooks failed", why=f"{type(error).__name__}: {error}")

    def _control(self, head: Head) -> Answer:
        """``anyhook daemon`` asks; any version may."""
        if head.arguments[1:2] == (b"stop",):
            self._over.set()
        return Answer(stdout=msgspec.json.encode(self.status()))

    def status(self) -> dict[str, Any]:
        """What ``anyhook daemon status`` shows."""
        return {
            "pid": os.getpid(),
            "version": anyhook.__version__,
            "seconds": round(asyncio.get_running_loop().time() - self._began_at, 1),
            "answered": self._answered,
            "declined": self._declined,
            "running": self._running,
            "background": len(self._background),
            "connections": len(self._talks),
        }


def _listen(path: Path) -> socket.socket:
    """A socket that nobody else can connect to; whatever was in its place is from a daemon that is gone."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            raise AnyhookError(f"{path}: there is a folder in the socket's place; remove it")
        path.unlink()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening


def _warm_up() -> None:
    """Do beforehand what the first client would otherwise wait for."""
    for name in NAMES:
        profile(name)
    for module in ("sources.parse_json", "sources.parse_python", "engine.executors.python", "engine.match"):
        import_module(f"anyhook.{module}")
    with suppress(OSError):
        gettempdir()  # found out by writing a file, which a full disk prevents later


def _facts_of(path: Path) -> tuple[int, int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size


def _means_other_files(prepared: Prepared, stdin: bytes) -> bool:
    """Whether the payload names its folder relative to the client's, which is not this process's."""
    asked, _ = decode_payload(profile(prepared.call.client), stdin, prepared.call.event)
    return isinstance(asked.cwd, str) and bool(asked.cwd) and not asked.cwd.startswith("/")
