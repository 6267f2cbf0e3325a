"""Keeps hook files as they were parsed and understood.

Each is read on every request and parsed anew when its text is another: no clock and no time stamp can be wrong, and a
file that cannot be read any more is not used as it was.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from msgspec import Struct

from anyhook.model.document import Document, Format
from anyhook.model.hooks import HookFile
from anyhook.model.problems import Problem
from anyhook.sources.discover import Found
from anyhook.sources.load import Loader, parse, read_text

KEPT_TEXT = 32 * 1024 * 1024
"""Characters of hook files that are kept at most; the longest unused go first."""


class _Kept(Struct):
    """One file, and what each client that asked made of it."""

    text: str
    document: Document
    read: list[tuple[Found, HookFile]]


class KeepingLoader(Loader):
    """A loader that many requests share, from several threads."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: OrderedDict[tuple[Path, Format], _Kept] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def document(self, path: Path, form: Format) -> Document | Problem:
        kept = self._look(path, form)
        return kept if isinstance(kept, Problem) else kept.document

    def load(self, found: Found) -> HookFile:
        kept = self._look(found.path, self.format_of(found.path))
        if isinstance(kept, Problem) or found.path.is_symlink() or found.path.parent.is_symlink():
            return super().load(found)
        for asked, file in kept.read:
            if asked == found:
                return file
        file = super().load(found)
        kept.read.append((found, file))
        return file

    def _look(self, path: Path, form: Format) -> _Kept | Problem:
        text = read_text(path)
        if isinstance(text, Problem):
            return text
        key = (path, form)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept.text == text:
                self._kept.move_to_end(key)
                return kept
        kept = _Kept(text, parse(text, form, str(path)), [])
        with self._lock:
            self._forget(key)
            self._kept[key] = kept
            self._size += len(text)
            while self._size > KEPT_TEXT and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))
        return kept

    def _forget(self, key: tuple[Path, Format]) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._size -= len(kept.text)
