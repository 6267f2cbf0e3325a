"""The only view of the disk for everything that decides which hooks may run, with a record of what was asked.

Every path that is opened, listed or tested while hooks are found goes through this module, so a cache (the daemon has
one) can tell whether its content is still valid: see :func:`tracking_reads` and :class:`FileSnapshot`. Nothing heavy is
imported: every ``anyhook exec`` needs this module.
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
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO

    Clock = Callable[[], int]
    """Nanoseconds since the epoch."""

MIN_AGE_NS = 2_000_000_000
"""A file may change twice within one tick of the clock that stamps it (2 seconds on FAT) with equal times."""
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})
"""What the system says of a file that does not exist, or whose name no file can have."""
_READ_ONLY = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe without a writer must not block
)


_LACKS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


class OutOfFilesError(Exception):
    """No descriptor is left to read a file with. Not an OSError, which callers take for a missing file."""


def is_lack(error: OSError) -> bool:
    """Whether this process has no descriptor or memory left; another may."""
    return error.errno in _LACKS


class NotRegularError(OSError):
    """The path is a folder, a pipe, a device or, where links are not followed, a link."""


class FileSnapshot:
    """Every question about the disk with its first answer, which is also the answer to the same question later.

    A file that was read counts as unchanged while it has the same inode, size and times. One of these is the time of
    the inode's last change, which only the system can set. If that time is so recent, or so far in the future, that the
    next change could have the same one, the snapshot is never current.
    """

    def __init__(self, clock: Clock = time.time_ns) -> None:
        self.answers: dict[tuple[str, tuple[str | None, ...]], Any] = {}
        """By question and arguments."""
        self._checks: Sequence[tuple[Callable[..., Any], tuple[str | None, ...], Any]] = ()
        self._began = clock()
        self._changed = 0

    def ask(self, question: str, arguments: tuple[str | None, ...]) -> Any:
        """The answer to a question, from the disk if it is asked for the first time."""
        key = (question, arguments)
        if key not in self.answers:
            self.answers[key] = answer = _answer(_QUESTIONS[question], arguments)
            self._checks = ()
            if question == "facts" and answer is not None:
                self._changed = max(self._changed, answer[0])
        return self.answers[key]

    def is_current(self) -> bool:
        """Whether every question has the same answer now."""
        if self._changed > self._began - MIN_AGE_NS:  # not every later change would be visible
            return False
        if not self._checks:
            needed = needed_checks(self.answers)
            self._checks = [(_QUESTIONS[name], arguments, answer) for (name, arguments), answer in needed.items()]
        return all(_answer(look, arguments) == answer for look, arguments, answer in self._checks)


def needed_checks(answers: Mapping[tuple[str, tuple[str | None, ...]], Any]) -> dict[tuple[str, Any], Any]:
    """Fewer questions, which have these answers only if all have theirs: the daemon asks them on every event."""
    checks = dict(answers)
    for (name, arguments), answer in answers.items():
        path = arguments[0]
        if name == "real path" and path is not None and path == answer and os.name == "posix":
            del checks[name, arguments]
            above = path.split("/")
            checks |= {("is link", ("/".join(above[:end]),)): False for end in range(2, len(above) + 1)}
    for path in {arguments[0] for _, arguments in checks}:
        _merge_checks(checks, path)
    return checks


def _merge_checks(checks: dict[tuple[str, tuple[str | None, ...]], Any], path: str | None) -> None:
    """Look once at a path instead of up to four times. One that is no link is the same file as its target."""
    facts, own = checks.get(("facts", (path,))), checks.get(("own mode", (path,)))
    mode = facts[-1] if facts else checks.get(("mode", (path,)), own)
    if not isinstance(mode, int) or stat.S_ISLNK(mode) or own not in (None, mode):
        return  # an error, a link, or it has changed between two questions
    is_no_link = own is not None or ("is link", (path,)) in checks
    known = {"mode": mode, "own mode": mode, "is link": False} | ({"facts": facts} if facts or not mode else {})
    for name, answer in known.items():
        if checks.get((name, (path,)), ...) == answer:
            del checks[name, (path,)]
    checks[("own " if is_no_link else "") + ("facts" if facts else "mode"), (path,)] = facts or mode


_tracker: ContextVar[FileSnapshot | None] = ContextVar("the snapshot that records what is asked", default=None)


@contextmanager
def tracking_reads(clock: Clock = time.time_ns) -> Iterator[FileSnapshot]:
    """Record every question that this thread or task asks meanwhile."""
    snapshot = FileSnapshot(clock)
    token = _tracker.set(snapshot)
    try:
        yield snapshot
    finally:
        _tracker.reset(token)


# ------------------------------------------------------------------------------------------------------ what is there


def mode_of(path: Path) -> int:
    """The type and the permissions of a file, links followed; 0: it does not exist."""
    return int(_ask("mode", os.fspath(path)))


def own_mode(path: Path) -> int:
    """The same of the path itself, which may be a link."""
    return int(_ask("own mode", os.fspath(path)))


def exists(path: Path) -> bool:
    return accessible_mode(path) != 0


def is_file(path: Path) -> bool:
    return stat.S_ISREG(accessible_mode(path))


def is_dir(path: Path) -> bool:
    return stat.S_ISDIR(accessible_mode(path))


def is_link(path: Path) -> bool:
    return stat.S_ISLNK(accessible_mode(path, own_mode))


def is_shared(folder: Path) -> bool:
    """A folder such as /tmp, in which every user can make files."""
    return accessible_mode(folder) & 0o1002 == 0o1002


def accessible_mode(path: Path, look: Callable[[Path], int] = mode_of) -> int:
    """The mode of a file; 0 also for one in a folder that may not be searched. Never raises."""
    try:
        return look(path)
    except OSError:
        return 0


def target_of(link: Path) -> str:
    """The path that a link holds."""
    return str(_ask("target", os.fspath(link)))


def resolve(path: Path) -> Path:
    """The absolute path without links, as far as it exists."""
    return Path(_ask("real path", os.fspath(path)))


def find_program(name: str, path: str | None) -> str | None:
    """The file that a command name starts with this PATH."""
    found: str | None = _ask("program", name, path)
    return found


# ------------------------------------------------------------------------------------------------------------ content


def entries_of(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder. Of an entry use only the name and its own type; ask for its path to know more."""
    _will_read(folder)
    with _telling_lacks(), os.scandir(folder) as entries:
        return list(entries)


def names_in(folder: Path) -> frozenset[str]:
    """The names in a folder; none when it cannot be listed."""
    try:
        return frozenset(entry.name for entry in entries_of(folder))
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return frozenset()


def open_file(path: Path, *, follow_links: bool = True) -> BinaryIO:
    """Open a regular file to read it.

    Raises OSError, :class:`NotRegularError` for everything else that exists, and :class:`OutOfFilesError`.
    """
    _will_read(path)
    if not stat.S_ISREG(os.stat(path, follow_symlinks=follow_links).st_mode):  # noqa: PTH116
        raise NotRegularError(errno.EINVAL, "not a regular file", str(path))
    with _telling_lacks():
        handle = os.open(path, _READ_ONLY if follow_links else _READ_ONLY | getattr(os, "O_NOFOLLOW", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # replaced since the first look
        os.close(handle)
        raise NotRegularError(errno.EINVAL, "not a regular file", str(path))
    return open(handle, "rb")  # noqa: PTH123


def read_small_file(path: Path, limit: int, *, follow_links: bool = True) -> bytes | None:
    """The content of a regular file of at most ``limit`` bytes; None when it is anything else."""
    try:
        with open_file(path, follow_links=follow_links) as file:
            content = file.read(limit + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= limit else None


@contextmanager
def _telling_lacks() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_lack(error):
            raise OutOfFilesError(f"{error.filename}: {error.strerror}; see: ulimit -n") from error
        raise


def _will_read(path: Path) -> None:
    """Record a file before its content is read, so that a change during the read is visible later."""
    if (snapshot := _tracker.get()) is not None:
        snapshot.ask("facts", (os.fspath(path),))


def _ask(question: str, *arguments: str | None) -> Any:
    snapshot = _tracker.get()
    answer = _answer(_QUESTIONS[question], arguments) if snapshot is None else snapshot.ask(question, arguments)
    if isinstance(answer, dict):
        raise OSError(answer["errno"], os.strerror(answer["errno"]), arguments[0])
    return answer


# ------------------------------------------------------------------------------------------------------- the questions


def _answer(look: Callable[..., Any], arguments: tuple[str | None, ...]) -> Any:
    """An error is an answer, too: a folder that cannot be searched may be searchable later."""
    try:
        return look(*arguments)
    except OSError as error:
        return {"errno": error.errno or errno.EIO}


def _mode(path: str, *, follow: bool = True) -> int:
    try:
        return os.stat(path, follow_symlinks=follow).st_mode  # noqa: PTH116 - creating a Path is slower than the call
    except OSError as error:
        if error.errno in _MISSING:
            return 0
        raise
    except ValueError:  # a NUL in the name
        return 0


def _own_mode(path: str) -> int:
    return _mode(path, follow=False)


def _facts(path: str, *, follow: bool = True) -> list[int] | None:
    """What changes when the content of a file does, the time of its last change first; None: it cannot be tested."""
    try:
        facts = os.stat(path, follow_symlinks=follow)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return [facts.st_ctime_ns, facts.st_mtime_ns, facts.st_size, facts.st_ino, facts.st_dev, facts.st_mode]


def _own_facts(path: str) -> list[int] | None:
    return _facts(path, follow=False)


def _real_path(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # a NUL in the name
        return os.path.abspath(path)  # noqa: PTH100


def _program(name: str, path: str | None) -> str | None:
    from shutil import which

    try:
        return which(name, path=path)
    except ValueError:  # a NUL in the name
        return None


_QUESTIONS: Mapping[str, Callable[..., Any]] = {
    "mode": _mode,
    "own mode": _own_mode,
    "facts": _facts,
    "own facts": _own_facts,
    "is link": os.path.islink,
    "target": os.readlink,
    "real path": _real_path,
    "program": _program,
}
