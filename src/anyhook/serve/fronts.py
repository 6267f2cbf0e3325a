"""What the daemon's two fronts, the Unix socket and HTTP, share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from anyhook.bridge.exec_options import Options
from anyhook.bridge.read_call import Caller
from anyhook.dialects.wire.answers import ProcessAnswer

Answering = Callable[[Options, Caller, bytes], Coroutine[Any, Any, ProcessAnswer | None]]
"""Answers an event whose payload is the bytes; None: the daemon cannot, the client has to run ``anyhook exec``."""

C = TypeVar("C", bound=Hashable)


class IdleConnections(Generic[C]):
    """Connections without a request. With more than ``limit`` of them the oldest is aborted, silent ones first."""

    def __init__(self, limit: int, abort: Callable[[C], None]) -> None:
        self._limit, self._abort = limit, abort
        self._silent: dict[C, None] = {}
        self._alive: dict[C, None] = {}
        """Those that have sent something: any number of silent ones does not cut them off."""

    def add(self, connection: C, *, is_silent: bool = True) -> None:
        self.discard(connection)
        (self._silent if is_silent else self._alive)[connection] = None
        if len(self._silent) + len(self._alive) > self._limit:
            oldest = next(iter(self._silent or self._alive))
            self.discard(oldest)
            self._abort(oldest)

    def discard(self, connection: C) -> None:
        self._silent.pop(connection, None)
        self._alive.pop(connection, None)

    def all(self) -> list[C]:
        return [*self._silent, *self._alive]
