"""A change to one file: planned, shown, written, undone. Nothing else in the file changes."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from msgspec import Struct

from anyhook.deploy.ledger import locked
from anyhook.deploy.write_file import (
    missing_folders,
    read_content,
    refuse_outside,
    refuse_read_only,
    unwritable,
    write_content,
)
from anyhook.model.problems import AnyhookError, Problem


class PlannedChange(Struct, frozen=True, kw_only=True):
    path: Path
    before: bytes | None
    """None: the file does not exist."""
    after: bytes | None
    """None: the file is removed."""
    what: str
    """In a few words, for people: "delete the hook on PreToolUse"."""
    notes: tuple[str, ...] = ()
    """What the user should know before the change is written."""
    problems: tuple[Problem, ...] = ()
    """What the linter would find in the file because of the change."""
    line: int = 0
    """The line of the file after the change at which a new hook is; 0: the change adds none."""
    project: Path | None = None
    """The project that the file must be a part of; None: it is the user's."""
    folders: tuple[str, ...] = ()
    """Folders that were created for the file; they are removed with it when they are empty."""

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def apply(change: PlannedChange) -> PlannedChange:
    """Write the file, and return the change that takes it back.

    AnyhookError: the file is read-only or cannot be written, or is not what it was when the change was planned.
    """
    path = change.path.resolve()
    if change.project is not None:
        refuse_outside(change.path, change.project)
    with locked(path):
        if read_content(change.path) != change.before:
            raise AnyhookError(
                f"{change.path}: the file has changed since; nothing was written\nlook at it, then try again"
            )
        refuse_read_only(path)
        folders = missing_folders(path) or change.folders
        try:
            write_content(path, change.after, folders)
        except OSError as error:
            raise unwritable(path, error) from None
    return PlannedChange(
        path=change.path,
        before=change.after,
        after=change.before,
        what=change.what,
        project=change.project,
        folders=folders,
    )


def diff_lines(change: PlannedChange) -> Iterator[str]:
    """The change as ``diff -u`` shows it, without the names of the files."""
    before, after = (_lines(content) for content in (change.before, change.after))
    for number, line in enumerate(unified_diff(before, after, n=3, lineterm="")):
        if number > 1:
            yield line


def _lines(content: bytes | None) -> list[str]:
    return [] if content is None else content.decode().splitlines()
