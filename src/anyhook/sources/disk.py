"""Looks at the disk, for everything that decides which hooks may run, and can tell afterwards what was looked at.

Every question that this room has about a file is asked here. So whoever keeps what was worked out (the daemon does) can
find out whether it still holds: see :func:`tracking_reads` and :class:`FileSnapshot`. Nothing heavy is imported: all of
``anyhook exec`` goes through here.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

SETTLING_NS = 2_000_000_000
"""A file may change twice within one tick of the clock that stamps it (2 seconds on FAT), and look the same."""
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP})


class FileSnapshot:
    """What somebody saw of the disk: every question with its answer.

    A file that was read counts as the same as long as it has the same inode, size and times. One of these is the time
    of the inode's last change, which nobody can set but the system. Where it is so recent, or so far in the future,
    that the next change could have the same, nothing is taken to hold.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, tuple[str | None, ...]], Any] = {}
        self._began = time.time_ns()
        self._changed = 0

    def note(self, question: str, arguments: tuple[str | None, ...], answer: Any) -> None:
        self._seen[question, arguments] = answer
        if question == "facts" and answer is not None:
            self._changed = max(self._changed, answer[0])

    def is_current(self) -> bool:
        """Whether looking again would show the same."""
        return self.are_settled and are_current(self.plain())

    @property
    def are_settled(self) -> bool:
        """Whether a change from now on will show."""
        return self._changed <= self._began - SETTLING_NS

    def plain(self) -> Iterator[tuple[str, tuple[str | None, ...], Any]]:
        """All of it, for :func:`are_current`, as JSON can keep it."""
        return ((question, arguments, answer) for (question, arguments), answer in self._seen.items())


def are_current(snapshot: Iterable[Any]) -> bool:
    """Whether questions still have these answers. Raises KeyError, TypeError or ValueError for what are none."""
    try:
        return all(_QUESTIONS[question](*arguments) == answer for question, arguments, answer in snapshot)
    except OSError:
        return False


_tracker: ContextVar[FileSnapshot | None] = ContextVar("who is told what is looked at", default=None)


@contextmanager
def tracking_reads() -> Iterator[FileSnapshot]:
    """Note everything that is looked at meanwhile, in this thread or task."""
    snapshot = FileSnapshot()
    token = _tracker.set(snapshot)
    try:
        yield snapshot
    finally:
        _tracker.reset(token)


def mode_of(path: Path) -> int:
    """The type and the permissions of what is there, behind all links; 0: nothing is."""
    return int(_ask("mode", os.fspath(path)))


def own_mode(path: Path) -> int:
    """The same of what is there itself, which may be a link."""
    return int(_ask("own mode", os.fspath(path)))


def exists(path: Path) -> bool:
    return mode_of(path) != 0


def is_file(path: Path) -> bool:
    return stat.S_ISREG(mode_of(path))


def is_dir(path: Path) -> bool:
    return stat.S_ISDIR(mode_of(path))


def is_link(path: Path) -> bool:
    return stat.S_ISLNK(own_mode(path))


def target_of(link: Path) -> str:
    """Where a link leads, as it says itself."""
    return str(_ask("target", os.fspath(link)))


def resolve(path: Path) -> Path:
    """The absolute path without any link, as far as it is there."""
    return Path(_ask("real path", os.fspath(path)))


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder. Whoever wants more of an entry than its name and its own type asks for its path."""
    will_read(folder)
    with os.scandir(folder) as entries:
        return list(entries)


def will_read(path: Path) -> None:
    """Say that the content is going to be read. Before, so that a change while reading is one that shows later."""
    if (snapshot := _tracker.get()) is not None:
        text = os.fspath(path)
        snapshot.note("facts", (text,), _facts(text))


def find_program(name: str, path: str | None) -> str | None:
    """Where a command is, with this PATH."""
    found: str | None = _ask("program", name, path)
    return found


def _ask(question: str, *arguments: str | None) -> Any:
    answer = _QUESTIONS[question](*arguments)
    if (snapshot := _tracker.get()) is not None:
        snapshot.note(question, arguments, answer)
    return answer


# ------------------------------------------------------------------------------------------------------- the questions


def _mode(path: str, *, follow: bool = True) -> int:
    try:
        return os.stat(path, follow_symlinks=follow).st_mode  # noqa: PTH116 - a Path costs more than the question
    except OSError as error:
        if error.errno in _NOT_THERE:
            return 0
        raise
    except ValueError:  # a NUL in the name
        return 0


def _own_mode(path: str) -> int:
    return _mode(path, follow=False)


def _facts(path: str) -> list[int] | None:
    """How a file looks from outside, the time of its last change first; None: it cannot be looked at."""
    try:
        facts = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return [facts.st_ctime_ns, facts.st_mtime_ns, facts.st_size, facts.st_ino, facts.st_dev, facts.st_mode]


def _program(name: str, path: str | None) -> str | None:
    from shutil import which

    return which(name, path=path)


_QUESTIONS: Mapping[str, Callable[..., Any]] = {
    "mode": _mode,
    "own mode": _own_mode,
    "facts": _facts,
    "target": os.readlink,
    "real path": os.path.realpath,
    "program": _program,
}
