"""The daemon's front for anyhook's own clients: a Unix socket that only its user can reach. See daemon_socket.protocol.

A client waits for every iteration of the event loop, so a connection is a state machine with few steps, not a task.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyhook
from anyhook.bridge.exec_options import Options, exit_status, read_options
from anyhook.bridge.read_call import Caller
from anyhook.daemon_socket.peers import is_own_user
from anyhook.daemon_socket.protocol import (
    DECLINED,
    GO_ON,
    PREFIX,
    SIZE,
    DaemonAnswer,
    Head,
    ProtocolError,
    decode_head,
    encode_answer,
    head_size,
    stdin_size,
    variables_of,
)
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.serve.bounds import Bounds
from anyhook.serve.control import OWN_VARIABLES
from anyhook.serve.fronts import Answering, IdleConnections
from anyhook.serve.log import Log

BACKLOG = 128
"""Connections that wait to be accepted; asyncio accepts at most this many per iteration of the event loop."""


class SocketFront:
    """Listens from :meth:`start` until :meth:`close`."""

    def __init__(
        self,
        answer: Answering,
        control: Callable[[tuple[bytes, ...]], Coroutine[Any, Any, DaemonAnswer]],
        is_full: Callable[[], bool],
        log: Log,
        bounds: Bounds,
    ) -> None:
        self.answer, self.control, self.is_full = answer, control, is_full
        self.log, self.bounds = log, bounds
        self.idle = IdleConnections[Connection](bounds.idle_connections, Connection.break_off)
        """Connections whose head has not arrived."""
        self.connections: set[Connection] = set()
        self.running = self.held = self.declined = 0
        self.is_closed = False
        self.open_files: int | None = None
        """How many files hooks may have open; None: as many as this process."""
        self._own = {name: os.environ.get(name) for name in OWN_VARIABLES}
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        self._server: asyncio.Server | None = None
        self._all_closed = asyncio.Event()

    async def start(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        listening = _listen(path)
        self._server = await loop.create_unix_server(lambda: Connection(self), sock=listening, backlog=BACKLOG)

    def close(self) -> None:
        """Stop accepting connections, and close those without a request."""
        self.is_closed = True
        if self._server is not None:
            self._server.close()
        for connection in self.idle.all():
            connection.break_off()

    async def finish(self) -> None:
        """Wait until all requests are answered; close the connections that take longer than the grace period."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.bounds.grace):
                while self.connections:
                    self._all_closed.clear()
                    await self._all_closed.wait()
        for connection in list(self.connections):
            connection.break_off()

    def forget(self, connection: Connection) -> None:
        self.idle.discard(connection)
        self.connections.discard(connection)
        if not self.connections:
            self._all_closed.set()

    def accepted(self, head: Head) -> tuple[Options, Caller] | None:
        """The options and the caller of a request; None: the daemon declines it."""
        variables = variables_of(head.environment)
        is_same = (
            head.version == anyhook.__version__.encode()
            and head.umask == self._umask
            and head.cwd.startswith(b"/")
            and all(variables.get(name) == value for name, value in self._own.items())
        )
        if not is_same or head.arguments[:1] != (b"exec",) or self.is_closed or self.is_full():
            return None
        try:
            options = read_options([os.fsdecode(word) for word in head.arguments[1:]])
        except UsageError:  # the command reports it
            return None
        home = Path(variables.get("HOME") or Path.home())
        cwd = Path(os.fsdecode(head.cwd))
        return options, Caller(cwd=cwd, home=home, environment=variables, open_files=self.open_files)


class Connection(asyncio.Protocol):
    """One client: its head, then its stdin, then the answer."""

    def __init__(self, front: SocketFront) -> None:
        self._front = front
        self._loop = asyncio.get_running_loop()
        self._received = bytearray()
        self._request: tuple[Options, Caller] | None = None
        self._size: int | None = None
        """The size of stdin, once it has arrived."""
        self._work: asyncio.Task[ProcessAnswer | None] | asyncio.Task[DaemonAnswer] | None = None
        self._active_at = self._loop.time()
        self._is_over = False

    # --- what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        front = self._front
        front.connections.add(self)
        self._timer = self._loop.call_later(front.bounds.stalled, self._check_time)
        if not is_own_user(transport.get_extra_info("socket")):
            front.log.write("refused", why="another user")
            self._end()
            return
        front.idle.add(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        try:
            self._advance()
        except ProtocolError as error:
            self._front.log.write("broken off", why=str(error))
            self.break_off()
        except Exception as error:  # a bug must not cost the client its answer
            self._front.log.write("failed", why=f"{type(error).__name__}: {error}")
            self._decline()

    def connection_lost(self, error: Exception | None) -> None:
        """If the client has ended before its answer, the hooks that the answer waits for are ended."""
        self._timer.cancel()
        if not self._is_over:
            self._front.log.write("broken off", why=type(error).__name__ if error else "the client is gone")
        if self._work is not None:
            self._work.cancel()
        elif self._request is not None:
            self._release()
        self._front.forget(self)

    # --- its steps

    def _advance(self) -> None:
        if self._is_over or self._work is not None:  # nothing may follow
            raise ProtocolError("there is more than a request")
        if self._request is None and not self._take_head():
            return
        if self._size is None and not self._take_size():
            return
        self._active_at = self._loop.time()
        assert self._request is not None
        assert self._size is not None
        if len(self._received) > self._size:
            raise ProtocolError("there is more than a request")
        if len(self._received) == self._size:
            stdin = bytes(self._received)
            self._received.clear()
            answering = self._loop.create_task(self._front.answer(*self._request, stdin))
            answering.add_done_callback(self._send_result)
            self._work = answering

    def _take_head(self) -> bool:
        """Whether the head has arrived and the client may send its stdin."""
        front = self._front
        if len(self._received) < PREFIX.size:
            return False
        front.idle.add(self, is_silent=False)
        end = PREFIX.size + head_size(bytes(self._received[: PREFIX.size]))
        if len(self._received) < end:
            return False
        head = decode_head(bytes(self._received[PREFIX.size : end]))
        del self._received[:end]
        front.idle.discard(self)
        if head.arguments[:1] == (b"daemon",):
            controlling = self._loop.create_task(front.control(head.arguments[1:]))
            controlling.add_done_callback(self._send_status)
            self._work = controlling
            return False
        accepted = front.accepted(head)
        if accepted is None:
            self._decline()
            return False
        front.running += 1
        self._request = accepted
        self._active_at = self._loop.time()
        self._transport.write(GO_ON)
        return True

    def _take_size(self) -> bool:
        """Whether the size of stdin has arrived and is within the limit."""
        front = self._front
        if len(self._received) < SIZE.size:
            return False
        size = stdin_size(bytes(self._received[: SIZE.size]))
        del self._received[: SIZE.size]
        if front.held + size > front.bounds.bytes_held:
            self._decline()
            return False
        self._size = size
        front.held += size
        return True

    def _send_result(self, work: asyncio.Task[ProcessAnswer | None]) -> None:
        options, _ = self._release()
        if work.cancelled():
            self.break_off()
        elif (error := work.exception()) is not None:
            self._front.log.write("failed", why=f"{type(error).__name__}: {error}")
            self._decline()
        elif (sent := work.result()) is None:
            self._decline()
        else:
            status = exit_status(options, sent)
            self._end(encode_answer(DaemonAnswer(status=status, stdout=sent.stdout, stderr=sent.stderr)))

    def _send_status(self, work: asyncio.Task[DaemonAnswer]) -> None:
        if work.cancelled():
            self.break_off()
        elif (error := work.exception()) is not None:
            self._front.log.write("failed", why=f"{type(error).__name__}: {error}")
            self._decline()
        else:
            self._end(encode_answer(work.result()))

    def _decline(self) -> None:
        self._front.declined += 1
        self._end(DECLINED)

    def _end(self, last: bytes = b"") -> None:
        """Send the last bytes; asyncio closes the connection once they are sent."""
        self._is_over = True
        self._front.idle.discard(self)
        self._active_at = self._loop.time()
        if last:
            self._transport.write(last)
        self._transport.close()

    def break_off(self) -> None:
        self._is_over = True
        self._front.idle.discard(self)
        self._transport.abort()

    def _release(self) -> tuple[Options, Caller]:
        """Release what the request occupies."""
        assert self._request is not None
        request, self._request = self._request, None
        self._front.running -= 1
        self._front.held -= self._size or 0
        return request

    def _check_time(self) -> None:
        """Break off when the daemon has waited too long for the client."""
        is_working = self._work is not None and not self._work.done()
        left = self._front.bounds.stalled - (self._loop.time() - self._active_at)
        if left > 0 or is_working:
            self._timer = self._loop.call_later(max(left, 1.0), self._check_time)
        else:
            self._front.log.write("broken off", why="the client was too slow")
            self.break_off()


def _listen(path: Path) -> socket.socket:
    """A socket that no other user can connect to. It replaces the socket of a daemon that has ended."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            raise AnyhookError(f"{path}: this is a folder, not a socket; remove it")
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
