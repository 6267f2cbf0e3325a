"""What is kept on disk between events, because a client starts a process for each: counts, what guards remember."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from anyhook.engine.continuation import Key
from anyhook.guards.session.memory import LostMemoryError
from anyhook.model.problems import AnyhookError
from anyhook.record.append import append_line
from anyhook.sources.state import make_private, read_private, state_folder, write_private


def state_file(kind: str, *about: str) -> Path:
    """The file in the folder ``kind`` that is about these; no part of its name comes from outside."""
    return state_folder() / kind / sha256("\0".join(about).encode(errors="replace")).hexdigest()


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


MAX_LOG_BYTES = 1024 * 1024
"""Some 50,000 events; a session with more of them has no use for a limit that it has not reached."""
MAX_AGE_SECONDS = 7 * 24 * 3600
_MAX_REMOVED = 100
"""Old files that one event removes at most: a client waits for it."""


class StoredMemory:
    """The :class:`~anyhook.guards.session.memory.GuardMemory` of one client and one package."""

    def __init__(self, client: str, package: Path) -> None:
        self._owner = (client, str(package))

    def add(self, session: str, entry: str) -> tuple[str, ...]:
        """Many processes may add to a log at once: each is given the log up to its own line."""
        file = self._file("session", session)
        try:
            make_private(file.parent)
            if not file.exists():
                _remove_old(file.parent)
            is_full = file.exists() and file.stat().st_size >= MAX_LOG_BYTES
            size = MAX_LOG_BYTES * 2 if is_full else append_line(str(file), entry.encode(errors="replace"))
        except OSError as error:
            raise LostMemoryError(f"{file}: {error.strerror or error}") from error
        except AnyhookError as error:
            raise LostMemoryError(str(error)) from error
        return _lines(file, size)

    def log(self, session: str) -> tuple[str, ...]:
        file = self._file("session", session)
        return _lines(file) if os.path.lexists(file) else ()

    def forget(self, session: str) -> None:
        file = self._file("session", session)
        with suppress(OSError):
            file.unlink(missing_ok=True)
            _remove_old(file.parent)

    def recall(self, name: str) -> str:
        return (read_private(self._file("project", name)) or b"").decode(errors="replace")

    def keep(self, name: str, text: str) -> None:
        with suppress(AnyhookError):
            write_private(self._file("project", name), text.encode(errors="replace"))

    def _file(self, scope: str, name: str) -> Path:
        return state_file("guards", *self._owner, scope, name)


def _lines(file: Path, size: int | None = None) -> tuple[str, ...]:
    log = read_private(file)
    if log is None:
        raise LostMemoryError(f"{file}: cannot be read, or other users may write to it")
    return tuple(log[:size].decode(errors="replace").splitlines())


def _remove_old(folder: Path) -> None:
    """Remove what was not written to for a week: not every client says that a session ends."""
    oldest = time.time() - MAX_AGE_SECONDS
    removed = 0
    for file in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if removed < _MAX_REMOVED and file.lstat().st_mtime < oldest:
                file.unlink()
                removed += 1
