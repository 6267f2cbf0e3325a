"""How often in a row hooks have kept an agent going, remembered between the processes that a client starts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from anyhook.sources.state import read_private, state_folder, write_private


def count_continuation(key: Sequence[str]) -> int:
    """Count one more, and say how many it are now."""
    file = _file(key)
    content = read_private(file) or b"0"
    times = (int(content) if content.isdigit() else 0) + 1
    write_private(file, str(times).encode())
    return times


def forget_continuations(key: Sequence[str]) -> None:
    """The agent was let go: the next time is the first one again."""
    with suppress(OSError):
        _file(key).unlink(missing_ok=True)


def _file(key: Sequence[str]) -> Path:
    return state_folder() / "kept-going" / sha256("\0".join(key).encode(errors="replace")).hexdigest()
