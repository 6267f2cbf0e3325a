"""What guards remember from one event to the next: a log of each session, and short texts for the project."""

from __future__ import annotations

from typing import Protocol


class LostMemoryError(Exception):
    """What was remembered cannot be read or written; the text says why."""


class GuardMemory(Protocol):
    """The memory of the guards of one project, as one client uses them."""

    def add(self, session: str, entry: str) -> tuple[str, ...]:
        """Add a line to the log of a session; returns the log up to this line. Raises LostMemoryError."""
        ...

    def log(self, session: str) -> tuple[str, ...]:
        """The log of a session, without adding to it. Raises LostMemoryError."""
        ...

    def forget(self, session: str) -> None:
        """Remove the log of a session that has ended."""
        ...

    def recall(self, name: str) -> str:
        """A text that was kept for the project; empty: there is none."""
        ...

    def keep(self, name: str, text: str) -> None:
        """Keep a text for the project, if that is possible."""
        ...


class MemoryOfProcess:
    """The memory of a host whose process lives as long as its sessions."""

    def __init__(self) -> None:
        from threading import Lock  # not for an event without a hook

        self._logs: dict[str, list[str]] = {}
        self._texts: dict[str, str] = {}
        self._lock = Lock()  # the guards of one event run in threads

    def add(self, session: str, entry: str) -> tuple[str, ...]:
        with self._lock:
            log = self._logs.setdefault(session, [])
            log.append(entry)
            return tuple(log)

    def log(self, session: str) -> tuple[str, ...]:
        with self._lock:
            return tuple(self._logs.get(session, ()))

    def forget(self, session: str) -> None:
        self._logs.pop(session, None)

    def recall(self, name: str) -> str:
        return self._texts.get(name, "")

    def keep(self, name: str, text: str) -> None:
        self._texts[name] = text
