"""Limits on the connections of the page's server: those that have not shown the cookie, and those that do not read.

Any process of this machine can connect. One that sends half a request, or a whole one without the cookie, keeps its
place for a short time only, and never that of a page.
"""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from anyhook.serve.fronts import IdleConnections

_CONNECTION = "connection"
"""Its name in the state of a request."""


class ConnectionLimits(Struct, frozen=True, kw_only=True):
    unknown: int = 64
    """Connections without a request that was accepted; with more, the oldest is closed."""
    request_seconds: float = 10.0
    """How long a connection may take to send a request that is accepted."""
    stalled_seconds: float = 30.0
    """How long a client may read nothing while an answer waits; a page that was closed so connects again."""


LIMITS = ConnectionLimits()


def accept_connection(scope: Scope) -> None:
    """The sender of this request may ask: its connection is kept until the answer has been sent."""
    connection = scope.get("state", {}).get(_CONNECTION)
    if isinstance(connection, LimitedConnection):
        connection.accept()


class LimitedConnection(H11Protocol):
    """A connection of uvicorn with limits, which :func:`limited_connections` sets."""

    limits: ConnectionLimits
    waiting: IdleConnections[LimitedConnection]
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, _CONNECTION: self}
        self.waiting.add(self)
        self._deadline = self.loop.call_later(self.limits.request_seconds, self.abort)

    def accept(self) -> None:
        self.waiting.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        if self._deadline is None:  # it was accepted, and waits for the next request
            self.waiting.add(self, is_silent=False)
            self._deadline = self.loop.call_later(self.limits.request_seconds, self._close_if_read)
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._watch_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.accept()
        self.resume_writing()
        super().connection_lost(exc)

    def abort(self) -> None:
        """Close it at once: what waits to be sent is dropped."""
        self.transport.abort()

    def _close_if_read(self) -> None:
        """No other request has come. A large answer may still be on its way, through a tunnel for example."""
        if self._stalled is None:
            self.abort()
        else:
            self._deadline = self.loop.call_later(self.limits.request_seconds, self._close_if_read)

    def _watch_reading(self, unread: int | None = None) -> None:
        """Close it if the client has read nothing since there were so many bytes to send."""
        size = self.transport.get_write_buffer_size()
        if unread is not None and size >= unread:
            self.abort()
        else:
            self._stalled = self.loop.call_later(self.limits.stalled_seconds, self._watch_reading, size)


def limited_connections(with_limits: ConnectionLimits) -> type[LimitedConnection]:
    """The class of one server's connections."""

    class Limited(LimitedConnection):
        limits = with_limits
        waiting = IdleConnections[Any](with_limits.unknown, LimitedConnection.abort)

    return Limited
