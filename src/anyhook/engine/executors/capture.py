"""Collects what a command prints, up to a cap."""

from __future__ import annotations

import asyncio

import msgspec


class Capture:
    """One output stream: what is over the cap is thrown away."""

    def __init__(self, cap: int, went_async: asyncio.Future[float | None] | None = None) -> None:
        self.kept = bytearray()
        self._room = max(cap, 0)
        self._went_async = went_async

    def release(self) -> bytes:
        """All that was kept, once: a reference that is left somewhere must not hold megabytes."""
        kept, self.kept, self._room = bytes(self.kept), bytearray(), 0
        return kept

    def take(self, data: bytes) -> None:
        kept = data if len(data) <= self._room else data[: self._room]
        before = len(self.kept)
        self.kept += kept
        self._room -= len(kept)
        if self._went_async is not None and (newline := kept.find(b"\n")) >= 0:
            _announce(bytes(self.kept[: before + newline]), self._went_async)
            self._went_async = None


def _announce(line: bytes, went_async: asyncio.Future[float | None]) -> None:
    """A hook announces in its first line, and only there, that it continues in the background."""
    if b"async" not in line:
        return
    try:
        answer = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    if isinstance(answer, dict) and answer.get("async") is True and not went_async.done():
        timeout = answer.get("asyncTimeout")
        is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
        went_async.set_result(float(timeout) if is_number and timeout else None)
