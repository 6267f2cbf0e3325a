"""Replaces a file in one step: a reader sees the old text or the new one, never a part."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from errno import EEXIST
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

UNFINISHED = ".anyhook-"
"""Part of the name of a file while it is written; one that remains was not finished."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def refuse_links(project: Path, path: Path) -> None:
    """AnyhookError if a link on the way from the project to one of anyhook's own files leads elsewhere.

    A project could otherwise have files of its user overwritten: ``.anyhook -> ~/.ssh``.
    """
    from anyhook.model.problems import AnyhookError

    for part in (path, *path.parents):
        if part == project or not part.is_relative_to(project):
            return
        if part.is_symlink():
            text = f"{part}: this is a symbolic link, and anyhook does not write through it"
            raise AnyhookError(f"{text}\nreplace it by a folder or file")


def explain_obstacle(path: Path) -> str:
    """What is a file in place of a folder on the way to a file, or a folder in place of the file; empty: nothing."""
    for folder in reversed(path.parents):
        if folder.is_file():
            return f"{folder}: this is a file, and must be a folder with {path.relative_to(folder)} in it"
    return f"{path}: this is a folder, and must be a file" if path.is_dir() else ""


def unfinished_beside(path: Path) -> tuple[Path, ...]:
    """What is not finished of a file: it is being written, or who wrote it was killed."""
    return tuple(path.parent.glob(f".{path.name}{UNFINISHED}*")) if path.parent.is_dir() else ()


def remove_unfinished(path: Path) -> None:
    """Remove what a killed anyhook left beside a file. The caller has its lock: no other anyhook is writing it."""
    for file in unfinished_beside(path):
        with suppress(OSError):
            file.unlink()


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file with this mode, or with the mode and, where allowed, the owner of the file that it replaces."""
    facts = path.stat() if path.exists() else None
    if mode is None and facts is not None:
        mode = facts.st_mode & 0o7777
    _write(path, content, mode, facts, Path.replace)


def create_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a new file. FileExistsError if there is one, though it was made a moment ago."""
    _write(path, content, mode, None, _name_anew)


def _name_anew(unfinished: Path, path: Path) -> None:
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(EEXIST, os.strerror(EEXIST), str(path)) from None
        unfinished.replace(path)
    else:
        unfinished.unlink()


def _write(
    path: Path, content: bytes, mode: int | None, facts: os.stat_result | None, finish: Callable[[Path, Path], object]
) -> None:
    unfinished = path.with_name(f".{path.name}{UNFINISHED}{secrets.token_hex(6)}")
    try:
        with os.fdopen(os.open(unfinished, _NEW, 0o666 if mode is None else 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if facts is not None:
            with suppress(OSError, AttributeError):
                os.chown(unfinished, facts.st_uid, facts.st_gid)
        if mode is not None:
            unfinished.chmod(mode)
        finish(unfinished, path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
