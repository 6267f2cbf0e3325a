"""The daemon's log: one JSON object a line, limited in size, without payloads and environments."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from anyhook.model.lazyjson import dump_json
from anyhook.sources import disk

MAX_LOG_BYTES = 1024 * 1024
"""A longer log is renamed to ``daemon.log.1``, replacing the previous one."""


class Log:
    """A file to which lines are appended; if the disk is full, lines are lost and nothing else happens."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, what: str, **facts: Any) -> None:
        line = dump_json({"at": _now(), "pid": os.getpid(), "what": what, **facts}) + b"\n"  # also of odd paths
        with suppress(OSError):
            handle = os.open(
                self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600
            )
            try:
                os.write(handle, line)
                is_full = os.fstat(handle).st_size > MAX_LOG_BYTES
            finally:
                os.close(handle)
            if is_full:
                self.path.replace(older(self.path))


def read_log(path: Path, lines: int) -> list[str]:
    """The last lines, the oldest first."""
    found: list[str] = []
    for file in (older(path), path):
        with suppress(OSError), disk.open_file(file) as log:  # not a pipe, which may have no end
            found += log.read().decode("utf-8", "replace").splitlines()
    return found[-lines:] if lines else []


def older(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _now() -> str:
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"
