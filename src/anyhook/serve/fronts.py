"""What the daemon's two fronts, the Unix socket and HTTP, share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from anyhook.bridge.exec_options import Options
from anyhook.bridge.prepare_event import Caller
from anyhook.dialects.wire.answers import ProcessAnswer

Answering = Callable[[Options, Caller, bytes], Coroutine[Any, Any, ProcessAnswer | None]]
"""Answers an event whose payload is the bytes; None: the daemon cannot, the client has to run ``anyhook exec``."""

C = TypeVar("C", bound=Hashable)


class IdleConnections(Generic[C]):
    """Connections without a request, the oldest first. With more than ``limit`` of them the oldest is aborted."""

    def __init__(self, limit: int, abort: Callable[[C], None]) -> None:
        self._limit, self._abort = limit, abort
        self._idle: dict[C, None] = {}

    def add(self, connection: C) -> None:
        self._idle[connection] = None
        if len(self._idle) > self._limit:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            self._abort(oldest)

    def discard(self, connection: C) -> None:
        self._idle.pop(connection, None)

    def all(self) -> list[C]:
        return list(self._idle)
