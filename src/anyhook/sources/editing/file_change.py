"""A change to one file of the user: planned, shown, written, undone. Nothing else in the file changes.

change = FileChange(path=path, before=read_content(path), after=..., what="add the guard shell", project=project)
change.is_needed, diff_lines(change)     # for --dry-run and for a screen
undo = apply(change)                     # lock, compare with what was planned from, replace in one step
apply(undo)                              # the file is byte for byte as it was
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

from msgspec import Struct, structs

from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.editing.file_lock import locked
from anyhook.sources.editing.own_place import refuse_outside
from anyhook.sources.editing.replace_file import create_file, explain_obstacle, replace_file
from anyhook.sources.load import Loader


class FileChange(Struct, frozen=True, kw_only=True):
    path: Path
    before: bytes | None
    """None: the file does not exist."""
    after: bytes | None
    """None: the file is removed."""
    what: str = ""
    """In a few words, for people: "delete the hook on PreToolUse"."""
    notes: tuple[str, ...] = ()
    """What the user should know before the change is written."""
    problems: tuple[Problem, ...] = ()
    """What the linter would find in the file because of the change."""
    line: int = 0
    """The line of the file after the change at which a new hook is; 0: the change adds none."""
    project: Path | None = None
    """The project that the file must be a part of; None: it is the user's."""
    otherwise: str = ""
    """What the user can do if the file cannot be changed, as the end of a remedy: ", or repair x.json instead"."""
    folders: tuple[str, ...] = ()
    """Folders that were created for the file, outermost first; they are removed with it when they are empty."""
    mode: int | None = None
    """The mode of a file that is created; None: the usual one."""

    @property
    def written_path(self) -> Path:
        """The file that is written: where the path is a symbolic link, what that leads to."""
        return self.path.resolve()

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def read_content(path: Path) -> bytes | None:
    """The content of a file; None: it does not exist. AnyhookError: it cannot be read."""
    return Loader().content(path)


def apply(change: FileChange) -> FileChange:
    """Write the file, and return the change that takes it back.

    AnyhookError: the file cannot be written, is read-only or outside its project, or is not what it was when the change
    was planned; nothing is written.
    """
    if not change.is_needed:
        return change
    refuse_elsewhere(change)
    with locked(change.written_path):
        return write(change)


def write(change: FileChange) -> FileChange:
    """The same for callers that have the lock, and for files that do not exist yet, which need none."""
    if not change.is_needed:
        return change
    refuse_unwritable(change)
    path = change.written_path
    made = missing_folders(path)
    folders = made or change.folders
    mode = path.stat().st_mode & 0o7777 if change.after is None else None
    try:
        if change.after is None:
            path.unlink()
            _remove_empty(folders)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            (create_file if change.before is None else replace_file)(path, change.after, change.mode)
    except OSError as error:
        _remove_empty(made)
        is_there = isinstance(error, FileExistsError) and path.is_file()
        raise (_changed_since(change) if is_there else _unwritable(path, error)) from None
    return structs.replace(
        change, before=change.after, after=change.before, notes=(), problems=(), line=0, folders=folders, mode=mode
    )


def refuse_elsewhere(change: FileChange) -> None:
    """AnyhookError if a link leads from the file to a place outside its project."""
    if change.project is not None:
        refuse_outside(change.path, change.project, change.otherwise)


def refuse_unwritable(change: FileChange) -> None:
    """AnyhookError if the change must not be written. A read-only file is not replaced, though its folder allows it."""
    refuse_elsewhere(change)
    if read_content(change.path) != change.before:
        raise _changed_since(change)
    if change.before is not None and not change.path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise AnyhookError(
            f"{change.written_path}: the file is read-only\nmake it writable (chmod u+w){change.otherwise}"
        )


def missing_folders(path: Path) -> tuple[str, ...]:
    """The folders that must be made for a file, outermost first."""
    below = [folder for folder in path.parents if not folder.exists()]
    return tuple(str(folder) for folder in reversed(below))


def diff_lines(change: FileChange, context: int = 3) -> Iterator[str]:
    """The change as ``diff -u`` shows it, without the names of the files."""
    before, after = (_lines(content) for content in (change.before, change.after))
    for number, line in enumerate(unified_diff(before, after, n=context, lineterm="")):
        if number > 1:
            yield line


def _lines(content: bytes | None) -> list[str]:
    return [] if content is None else content.decode(errors="replace").splitlines()


def _remove_empty(folders: tuple[str, ...]) -> None:
    for folder in reversed(folders):
        with suppress(OSError):  # it has other files
            Path(folder).rmdir()


def _changed_since(change: FileChange) -> AnyhookError:
    return AnyhookError(f"{change.path}: the file has changed since; nothing was written\nlook at it, then try again")


def _unwritable(path: Path, error: OSError) -> AnyhookError:
    if obstacle := explain_obstacle(path):
        return AnyhookError(f"{obstacle}\nrename it, or remove it")
    why = error.strerror or str(error)
    remedy = "check the rights of the file and its folder, and the space on the disk"
    return AnyhookError(f"{path}: cannot be written: {why}\n{remedy}")
