"""What rules may ask about the files around a hook file; nothing is written or run."""

from __future__ import annotations

import stat
from pathlib import Path

from anyhook.sources import disk

MAX_SCRIPT_BYTES = 64 * 1024
"""Bytes; a longer script is not checked by its text."""


class Disk:
    """:mod:`anyhook.sources.disk`, with each question asked once: many rules look at the same few files."""

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
        """What is in a folder; nothing when it cannot be read."""
        if folder not in self._names:
            self._names[folder] = disk.names_in(folder)
        return self._names[folder]

    def text(self, path: Path) -> str | None:
        """The text of a small file; None when it is large, binary or cannot be read."""
        if path not in self._texts:
            content = disk.read_small_file(path, MAX_SCRIPT_BYTES)
            is_text = content is not None and b"\0" not in content
            self._texts[path] = content.decode("utf-8", "replace") if content is not None and is_text else None
        return self._texts[path]

    def _mode(self, path: Path) -> int:
        if path not in self._modes:
            try:
                self._modes[path] = disk.mode_of(path)
            except OSError:
                self._modes[path] = 0
        return self._modes[path]
