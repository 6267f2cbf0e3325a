"""Counts on disk how often in a row hooks have kept an agent going: a client starts a process for every event."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from anyhook.bridge.state_files import state_file
from anyhook.engine.continuation import Key
from anyhook.model.problems import AnyhookError
from anyhook.sources.state import read_private, write_private


class StoredCount:
    """The :class:`~anyhook.engine.continuation.ContinuationCounter` of one client and one package."""

    def __init__(self, client: str, package: Path) -> None:
        self._owner = (client, str(package))

    def increment(self, key: Key) -> int:
        file = self._file(key)
        content = read_private(file) or b"0"
        times = (int(content) if content.isdigit() else 0) + 1
        with suppress(AnyhookError):  # a full disk must not let the agent stop
            write_private(file, str(times).encode())
        return times

    def reset(self, key: Key) -> None:
        with suppress(OSError):
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: Key) -> Path:
        return state_file("kept-going", *self._owner, *map(str, key))
