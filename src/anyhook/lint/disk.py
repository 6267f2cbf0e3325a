"""What rules may ask about the files around a hook file. Nothing here writes, and nothing is ever run."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Protocol

MAX_SCRIPT_BYTES = 64 * 1024
"""Bytes of a script that are read; a longer one is not judged by its text."""


class Disk(Protocol):
    """The file system as the rules see it; tests give one that is a dictionary."""

    def is_file(self, path: Path) -> bool: ...

    def is_folder(self, path: Path) -> bool: ...

    def is_executable(self, path: Path) -> bool: ...

    def names(self, folder: Path) -> frozenset[str]:
        """What is in a folder; nothing when it cannot be read."""

    def text(self, path: Path) -> str | None:
        """The text of a small file; None when it is large, binary or cannot be read."""


class RealDisk:
    """Each question is put to the file system once."""

    def __init__(self) -> None:
        self._modes: dict[Path, int] = {}
        self._texts: dict[Path, str | None] = {}
        self._names: dict[Path, frozenset[str]] = {}

    def is_file(self, path: Path) -> bool:
        return stat.S_ISREG(self._mode(path))

    def is_folder(self, path: Path) -> bool:
        return stat.S_ISDIR(self._mode(path))

    def is_executable(self, path: Path) -> bool:
        return bool(self._mode(path) & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))

    def names(self, folder: Path) -> frozenset[str]:
        if folder not in self._names:
            try:
                with os.scandir(folder) as entries:
                    self._names[folder] = frozenset(entry.name for entry in entries)
            except (OSError, ValueError):
                self._names[folder] = frozenset()
        return self._names[folder]

    def text(self, path: Path) -> str | None:
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: Path) -> str | None:
        if not self.is_file(path):
            return None
        try:
            with path.open("rb") as file:
                content = file.read(MAX_SCRIPT_BYTES + 1)
        except OSError:
            return None
        if len(content) > MAX_SCRIPT_BYTES or b"\0" in content:
            return None
        return content.decode("utf-8", "replace")

    def _mode(self, path: Path) -> int:
        if path not in self._modes:
            try:
                self._modes[path] = path.stat().st_mode
            except (OSError, ValueError):  # ValueError: a NUL in the name
                self._modes[path] = 0
        return self._modes[path]
