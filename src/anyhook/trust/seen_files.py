"""Reads single files: follows the links on the way to them, hashes them, and keeps the result.

The amount that is read is limited; beyond that :class:`TooMuchError` is raised. A pipe, a device or a file that grows
while it is read cannot block.
"""

from __future__ import annotations

import os
import re
import stat
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Literal

from msgspec import Struct

from anyhook.lazy_pattern import LazyPattern
from anyhook.sources import disk

MAX_FILES = 2_000
MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_TOTAL_BYTES = 256 * 1024 * 1024
_PIECE_BYTES = 256 * 1024
_MAX_LINKS = 40
_MAX_CALLED = 120
_PLAIN = LazyPattern(r"[\w.@+-]*", re.ASCII)
_WORDS = LazyPattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MAX_WORDS = 4
"""With the suffix, as in ``check_commit_message.py``."""


class TooMuchError(Exception):
    """The project has more than is read; the text says what."""


class UsedFile(Struct, frozen=True):
    """A file, or what is at its path, as it was when it was read."""

    path: str
    """From the project folder; absolute when it is outside."""
    kind: Literal["file", "link", "missing", "unreadable", "special", "too large"]
    sha256: str = ""
    mode: int = 0
    target: str = ""
    """The path that a link holds."""

    @property
    def is_outside(self) -> bool:
        return Path(self.path).is_absolute()

    @property
    def is_hidden(self) -> bool:
        """Whether its content cannot be known, so that it cannot be trusted."""
        return self.kind in ("unreadable", "special", "too large")


class SeenFiles:
    """The files of one project that were read, each once."""

    def __init__(self, project: Path) -> None:
        self.project = disk.resolve(project)
        self.by_name: dict[str, UsedFile] = {}
        self._names: dict[Path, frozenset[str]] = {}
        self._bytes = 0

    def add(self, path: Path) -> frozenset[str]:
        """Note a file and every link on the way to it."""
        if path not in self._names:
            links, end, mode = self._follow(path)
            names = {link.path for link in links}
            for link in links:
                self._note(link)
            if not stat.S_ISDIR(mode):
                names.add(self._note_end(end, mode))
            self._names[path] = frozenset(names)
        return self._names[path]

    def links_to(self, path: Path) -> frozenset[str]:
        """Note only the links on the way to a file."""
        links, _, _ = self._follow(path)
        for link in links:
            self._note(link)
        return frozenset(link.path for link in links)

    def place(self, path: Path) -> str:
        """How a path is written down: from the project folder when it is inside. No two paths are written alike."""
        text = path.relative_to(self.project).as_posix() if path.is_relative_to(self.project) else path.as_posix()
        return storable(text) if "\\" not in text else text.encode("unicode_escape").decode("ascii")

    def _follow(self, path: Path) -> tuple[list[UsedFile], Path, int]:
        """The links on the way, the real file at the end, and its mode; 0: it does not exist."""
        links: list[UsedFile] = []
        path = self.project / path
        inside = path.is_relative_to(self.project)
        at = self.project if inside else Path(path.anchor)
        waiting = list(reversed(path.relative_to(at).parts))
        mode = stat.S_IFDIR
        while waiting:
            part = waiting.pop()
            step = at.parent if part == ".." else at / part
            try:
                mode = disk.own_mode(step)
                is_link = stat.S_ISLNK(mode)
                target = Path(disk.target_of(step)) if is_link else step
            except OSError:
                mode = 0
            if not mode:
                return links, step.joinpath(*reversed(waiting)), 0
            if not is_link:
                at = step
                continue
            if len(links) == _MAX_LINKS:
                return links, step, 0
            links.append(UsedFile(self.place(step), "link", target=storable(str(target))))
            if target.is_absolute():
                at = Path(target.anchor)
            waiting += reversed(target.relative_to(target.anchor).parts)
        return links, at, mode

    def _note_end(self, path: Path, mode: int) -> str:
        name = self.place(path)
        if name not in self.by_name:
            if not mode:
                self._note(UsedFile(name, "missing"))
            elif not stat.S_ISREG(mode):
                self._note(UsedFile(name, "special"))
            else:
                self._note(self._read(path, name))
        return name

    def _note(self, file: UsedFile) -> None:
        if len(self.by_name) >= MAX_FILES and file.path not in self.by_name:
            raise TooMuchError(f"the hooks use more than {MAX_FILES:,} files")
        self.by_name[file.path] = file

    def _read(self, path: Path, name: str) -> UsedFile:
        """Hash a file piece by piece."""
        digest, size = sha256(), 0
        try:
            with disk.open_file(path, follow_links=False) as file:
                mode = os.fstat(file.fileno()).st_mode
                while piece := file.read(_PIECE_BYTES):
                    size += len(piece)
                    if size > MAX_FILE_BYTES:
                        return UsedFile(name, "too large")
                    digest.update(piece)
        except disk.NotRegularError:  # replaced since its mode was read
            return UsedFile(name, "special")
        except OSError:
            return UsedFile(name, "unreadable")
        self._bytes += size
        if self._bytes > MAX_TOTAL_BYTES:
            raise TooMuchError(f"the files that the hooks use have more than {MAX_TOTAL_BYTES // 2**20} MB")
        return UsedFile(name, "file", digest.hexdigest(), _kept_mode(mode))


def _kept_mode(mode: int) -> int:
    """What git keeps of a mode, so that clones of people with other umasks have the same content."""
    return (0o755 if mode & stat.S_IXUSR else 0o644) | mode & (stat.S_ISUID | stat.S_ISGID)


def name_of(file: Path, root: Path) -> str:
    """What a file of hooks is called where an agent may read it: from the folder of its package."""
    return called(file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name)


def called(path: str, *, is_approved: bool = False) -> str:
    """What a file of a project is called where an agent may read it: a name that could be a message is left out.

    A message may have the form of a name (``Run_this_now_or.sh``); ``is_approved``: a person has seen this one.
    """
    kept = "/".join(takewhile(_PLAIN.fullmatch if is_approved else _is_plain, path.split("/")))
    if kept == path and len(path) <= _MAX_CALLED:
        return path
    folder = kept[:_MAX_CALLED].rpartition("/")[0] if kept == path or len(kept) > _MAX_CALLED else kept
    return f"a file in {folder}" if folder else "a file"


def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and len(_WORDS.findall(name)) <= _MAX_WORDS


def storable(text: str) -> str:
    """The text, with escapes when it has half characters that no file can hold: names that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("unicode_escape").decode("ascii")
    return text
