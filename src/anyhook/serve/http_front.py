"""The daemon's HTTP front, for clients that have HTTP hooks: only for this machine, and only with the user's token.

A web page in the user's browser can send requests here, too, so a request that names another host or comes from a page
is refused first. There is no exit status: an answer for which the client has no JSON is sent as an error status.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import h11
from msgspec import Struct

from anyhook.bridge.exec_options import Options, read_options
from anyhook.bridge.read_call import Caller
from anyhook.daemon_socket.protocol import MAX_STDIN_BYTES
from anyhook.daemon_socket.simulation import SIMULATION, SIMULATION_HEADER
from anyhook.dialects import NAMES, profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.entries.fail_mode import fallback
from anyhook.entries.http_entries import ADDRESS, NoSuchHookError, base_url, own_token, read_url
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.serve.bounds import Bounds
from anyhook.serve.fronts import Answering, IdleConnections
from anyhook.serve.log import Log

T = TypeVar("T")

_IS_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?").fullmatch
KEEP_ALIVE_SECONDS = 300.0
"""Seconds that a connection may wait for its next request: a new connection takes longer than an answer."""
LINGER_SECONDS = 2.0
"""Seconds that a refused client has to read the response before the connection is closed."""
MAX_HEAD_BYTES = 64 * 1024
_CHUNK_BYTES = 64 * 1024
_TOO_BUSY = "the daemon has too much to do"
_TOO_LARGE = f"the payload has more than {MAX_STDIN_BYTES} bytes"


class _RefusedError(Exception):
    """The request is not answered; status and text say why."""

    def __init__(self, status: int, text: str, **headers: str) -> None:
        super().__init__(text)
        self.response = _Response(status, f"anyhook: {text}\n".encode(), "text/plain; charset=utf-8", headers)


class _Response(Struct, frozen=True):
    status: int
    body: bytes
    media_type: str = "application/json"
    headers: Mapping[str, str] = {}


class HttpFront:
    """Listens from :meth:`start` until :meth:`close`; requests that are still being answered are in :attr:`talks`."""

    def __init__(self, port: int, answer: Answering, is_full: Callable[[], bool], log: Log, bounds: Bounds) -> None:
        self.port, self.log, self.bounds = port, log, bounds
        self.talks: set[asyncio.Task[None]] = set()
        self.running = 0
        self._token, self._answer, self._is_full = own_token().encode(), answer, is_full
        self._idle = IdleConnections(bounds.idle_connections, _abort)
        self._environment = _without_clients_variables(os.environ)
        self._held = 0
        self.open_files: int | None = None
        """How many files hooks may have open; None: as many as this process."""
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return base_url(self.port)

    async def start(self) -> None:
        try:
            self._server = await asyncio.start_server(self._accept, ADDRESS, self.port)
        except OSError as error:
            why = f"cannot listen on {ADDRESS}:{self.port}: {error.strerror or error}"
            raise AnyhookError(f"{why}; choose another with --http-port, or http_port in anyhook.toml") from error

    def close(self) -> None:
        """Stop accepting connections, and close those without a request."""
        if self._server is not None:
            self._server.close()
        self._server = None
        for writer in self._idle.all():
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.talks.add(task)
        task.add_done_callback(self.talks.discard)
        try:
            wire = _Wire(reader, writer, self.bounds.stalled)
            await self._talk(wire)
            self._idle.add(writer)
            await wire.linger()
        except (OSError, EOFError, TimeoutError, h11.ProtocolError) as error:
            self.log.write("broken off", why=type(error).__name__)
        except Exception as error:  # a bug must not affect the other connections
            self.log.write("failed", why=f"{type(error).__name__}: {error}")
        finally:
            self._idle.discard(writer)
            writer.close()

    async def _talk(self, wire: _Wire) -> None:
        """Answer one request after the other, as long as the connection is kept."""
        patience = self.bounds.stalled
        is_silent = True
        while self._server is not None:
            self._idle.add(wire.writer, is_silent=is_silent)
            try:
                request = await wire.head(patience)
            except h11.RemoteProtocolError as error:
                await wire.send(_RefusedError(error.error_status_hint, str(error)).response, is_last=True)
                return
            finally:
                self._idle.discard(wire.writer)
            if request is None:
                return
            response = await self._respond(wire, request)
            if response.status != 200:
                self.log.write("http", status=response.status)
            if not await wire.send(response, is_last=self._server is None):
                return
            is_silent = response.status != 200  # who has the token is kept for the next event
            patience = KEEP_ALIVE_SECONDS

    # --- one request

    async def _respond(self, wire: _Wire, request: h11.Request) -> _Response:
        try:
            _check_sender(request, self._token)
            options = _read_options(request)
            try:
                sent = await self._ask(wire, request, options)
            except _RefusedError as refused:
                if options.get("--fail") != "closed":
                    raise
                client = profile(options["--client"])
                sent = fallback(client, options["--event"], "closed", f"anyhook: {refused}", is_process=False)
        except _RefusedError as refused:
            return refused.response
        if sent.exit_code:
            return _RefusedError(500, sent.stderr.decode(errors="replace")).response
        return _Response(200, sent.stdout or b"{}")

    async def _ask(self, wire: _Wire, request: h11.Request, options: Options) -> ProcessAnswer:
        if self._is_full():
            raise _RefusedError(503, _TOO_BUSY)
        self.running += 1
        payload = bytearray()
        try:
            if int(_header(request, b"content-length") or 0) > MAX_STDIN_BYTES:
                raise _RefusedError(413, _TOO_LARGE)
            async for piece in wire.body():
                payload += piece
                self._held += len(piece)
                if len(payload) > MAX_STDIN_BYTES:
                    raise _RefusedError(413, _TOO_LARGE)
                if self._held > self.bounds.bytes_held:
                    raise _RefusedError(503, _TOO_BUSY)
            simulation = _header(request, SIMULATION_HEADER.encode()).decode("ascii", "replace")
            caller = Caller(
                cwd=None,
                home=Path.home(),
                environment={**self._environment, SIMULATION: simulation} if simulation else self._environment,
                open_files=self.open_files,
                is_process=False,
            )
            sent = await wire.unless_disconnected(self._answer(options, caller, bytes(payload)))
        finally:
            self._held -= len(payload)
            self.running -= 1
        if sent is None:
            raise _RefusedError(400, "the payload names its folder relative to another one")
        return sent


def _abort(connection: asyncio.StreamWriter) -> None:
    connection.transport.abort()


def _without_clients_variables(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The daemon's environment without the variables that clients set for their own hooks."""
    runs = [profile(name).execution for name in NAMES]
    foreign = {name for run in runs for name in (*run.exports, *run.plugin_exports, *run.event_exports)}
    return {name: value for name, value in environment.items() if name not in foreign}


def _check_sender(request: h11.Request, token: bytes) -> None:
    """Refuse requests that do not come from a hook client of this user."""
    host = _header(request, b"host").decode("latin-1").lower()
    if not _IS_LOOPBACK(host):
        raise _RefusedError(403, "the request names another host")  # such as a page's, made to resolve to this machine
    if any(name == b"origin" for name, _ in request.headers):
        raise _RefusedError(403, "pages in a browser are not answered")
    scheme, _, given = _header(request, b"authorization").partition(b" ")
    if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), token):
        headers = {"WWW-Authenticate": "Bearer"}
        raise _RefusedError(401, "the token is missing or wrong; see: anyhook daemon http-entry --help", **headers)


def _read_options(request: h11.Request) -> Options:
    try:
        options = read_options(read_url(request.target.decode("latin-1")).words())
    except NoSuchHookError as error:
        raise _RefusedError(404, str(error)) from None
    except (UsageError, ValueError) as error:
        raise _RefusedError(400, str(error)) from None
    if request.method != b"POST":
        raise _RefusedError(405, "events are sent by POST", Allow="POST")
    return options


def _header(request: h11.Request, wanted: bytes) -> bytes:
    """The value of a header; empty if there is none or more than one."""
    values = [value for name, value in request.headers if name == wanted]
    return bytes(values[0]) if len(values) == 1 else b""


# ----------------------------------------------------------------------------------------------------------- the wire


class _Wire:
    """One connection: HTTP as h11 reads and writes it, with a time limit for every wait."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, stalled: float) -> None:
        self.writer = writer
        self._reader, self._stalled = reader, stalled
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._is_head = False

    async def head(self, patience: float) -> h11.Request | None:
        """The next request without its body; None: there is none."""
        if not self._http.trailing_data[0]:
            try:
                async with asyncio.timeout(patience):
                    self._http.receive_data(await self._reader.read(_CHUNK_BYTES))
            except TimeoutError:
                return None
        async with asyncio.timeout(self._stalled):
            event = await self._next()
        if not isinstance(event, h11.Request):
            return None
        self._is_head = event.method == b"HEAD"
        return event

    async def body(self) -> AsyncIterator[bytes]:
        while True:
            async with asyncio.timeout(self._stalled):
                event = await self._next()
            if not isinstance(event, h11.Data):
                return
            yield bytes(event.data)

    async def unless_disconnected(self, answering: Awaitable[T]) -> T:
        """The answer; raises EOFError if the client disconnects first: its hooks are then ended."""
        work = asyncio.ensure_future(answering)
        sign = asyncio.ensure_future(self._reader.read(_CHUNK_BYTES))
        try:
            await asyncio.wait((work, sign), return_when=asyncio.FIRST_COMPLETED)
            if sign.done() and (more := sign.result()):
                self._http.receive_data(more)  # the client has sent its next request early
            elif not work.done():
                raise EOFError
            return await work
        finally:
            for task in (work, sign):
                task.cancel()
            await asyncio.wait((work, sign))

    async def send(self, response: _Response, *, is_last: bool) -> bool:
        """Send a response; returns whether another request may follow."""
        is_last = is_last or self._http.their_state is not h11.DONE
        headers = {
            "Content-Type": response.media_type,
            "Content-Length": str(len(response.body)),
            "Cache-Control": "no-store",
            **response.headers,
            **({"Connection": "close"} if is_last else {}),
        }
        events: list[h11.Event] = [h11.Response(status_code=response.status, headers=list(headers.items()))]
        events += [] if self._is_head else [h11.Data(data=response.body)]
        await self._write(*events, h11.EndOfMessage())
        if self._http.our_state is not h11.DONE or is_last:
            return False
        self._http.start_next_cycle()
        return True

    async def _next(self) -> h11.Event:
        while not isinstance(event := self._http.next_event(), h11.Event):  # it needs more data
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_CHUNK_BYTES))
        return event

    async def _write(self, *events: h11.Event) -> None:
        self.writer.write(b"".join(self._http.send(event) or b"" for event in events))
        async with asyncio.timeout(self._stalled):
            await self.writer.drain()

    async def linger(self) -> None:
        """End the response, and give the client time to read it."""
        self.writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while await self._reader.read(_CHUNK_BYTES):
                    pass
