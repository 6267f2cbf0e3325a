"""Adds lines to the journal's spool, safely from many short processes at once.

A client waits for the process that imports this, so only the smallest parts of the standard library are used.
"""

from __future__ import annotations

import errno
import os
import stat
import time

SPOOL = "spool.jsonl"
"""In the folder of the journal: rows that wait to be stored."""
RECORDER = "record"
"""``via`` of the rows of ``anyhook record``: its entries see what a client sends, and not what comes of it."""
LOCK_SECONDS = 3.0
"""How long a process waits for its turn before it gives up."""
_NEW_FILE = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe or a device in its place must not block
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_FAR_AWAY = 0x7FFF_FFFF
"""The byte that Windows locks: behind all that is ever written, so that readers are not locked out."""
_PART_BYTES = 1 << 20
RENAMES_OPEN_FILES = os.name != "nt"


def append_line(file: str, line: bytes) -> int:
    """Add one line, whole or not at all; a line that another process left unfinished is ended first.

    Returns the size of the file. If the file is renamed while this waits for its turn, the line goes to the next one.
    """
    while (size := _append_here(file, line)) is None:
        pass
    return size


def open_regular(file: str, flags: int = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)) -> int:
    """The descriptor of a regular file. OSError for a pipe, a device or a socket: to read one may never end."""
    descriptor = os.open(file, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", file)
    return descriptor


def take_lines(file: str, to: str) -> bool:
    """Give the file another name while no process adds a line to it; False: it does not exist."""
    try:
        descriptor = open_regular(file, _NEW_FILE & ~os.O_CREAT)
    except FileNotFoundError:
        return False
    try:
        _lock(descriptor)
        if not _is_still(file, descriptor):
            return False
        if RENAMES_OPEN_FILES:
            os.rename(file, to)  # noqa: PTH104
        else:
            _move_lines(descriptor, to)
    finally:
        os.close(descriptor)
    return True


def _move_lines(descriptor: int, to: str) -> None:
    """What is cut short leaves lines in both files: who reads them knows a row by its id."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    copy = os.open(to, _NEW_FILE, 0o600)
    try:
        while part := os.read(descriptor, _PART_BYTES):
            _write_all(copy, part)
    finally:
        os.close(copy)
    os.ftruncate(descriptor, 0)


def _is_still(file: str, descriptor: int) -> bool:
    """Whether the open file has this name: another process may have renamed it before this one had the lock."""
    try:
        return os.path.samestat(os.stat(file), os.fstat(descriptor))  # noqa: PTH116
    except FileNotFoundError:
        return False


def _append_here(file: str, line: bytes) -> int | None:
    descriptor = open_regular(file, _NEW_FILE)
    try:
        _lock(descriptor)
        if not _is_still(file, descriptor):
            return None
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size == 0 and hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
        text = (b"" if size == 0 or _last_byte(descriptor, size) == b"\n" else b"\n") + line + b"\n"
        try:
            _write_all(descriptor, text)
        except OSError:  # a full disk
            os.ftruncate(descriptor, size)
            raise
        return size + len(text)
    finally:
        os.close(descriptor)  # and with it the lock


def now() -> str:
    """The time as ISO text in UTC, with milliseconds: it sorts by time."""
    return iso_time(time.time())


def iso_time(seconds: float) -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds * 1000) % 1000:03}Z"


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _write_all(descriptor: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _lock(descriptor: int) -> None:
    """Lock the file for this process. TimeoutError, which is an OSError, when another process keeps the lock."""
    end = time.monotonic() + LOCK_SECONDS
    while not _try_lock(descriptor):
        if time.monotonic() > end:
            raise TimeoutError("another process keeps the file locked")
        time.sleep(0.002)


if os.name == "nt":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, _FAR_AWAY, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
