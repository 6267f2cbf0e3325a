"""Removes what an anyhook that was killed has left: unfinished files, folders made for nothing, records of no entries.

``deploy`` and ``undeploy`` call this first. They keep what an undo needs before they change a file, so a change that
was not made, or was undone, is known by its record: the file is as it is without the entries of the record's owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from anyhook.deploy.file_entries import read_hook_file
from anyhook.deploy.ledger import (
    Ledger,
    Remembered,
    entry_hash,
    ledger_path,
    read_ledger,
    remembered_files,
    write_ledger,
)
from anyhook.deploy.target_files import TargetFile, target_files, writable_clients
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_lock import locked
from anyhook.sources.editing.replace_file import UNFINISHED, unfinished_beside
from anyhook.sources.load import Loader


def remove_leftovers(roots: Roots, scope: Scope) -> None:
    """Clean up after every anyhook of this user that was killed while it changed files."""
    for found in remembered_files():
        if found.is_left_over or any(_unfinished(found)):
            with locked(found.path, found.folder.name):
                _clean(found)
    targets = [target for client in writable_clients(scope) for target in target_files(client, roots, scope)]
    for ledger in dict.fromkeys(ledger_path(target, roots.project) for target in targets):
        if ledger.parent.is_dir() and not ledger.parent.is_symlink():
            with locked(ledger):
                _clean_ledger(ledger, [one for one in targets if ledger_path(one, roots.project) == ledger])


def _clean(found: Remembered) -> None:
    """The caller has the lock: what is still there now was left by a process that has ended."""
    for file in list(_unfinished(found)):
        with suppress(OSError):
            file.unlink()
    if not found.is_left_over:
        return
    for folder in reversed(found.made_folders):
        with suppress(OSError):  # it is in use, or gone already
            folder.rmdir()
    found.forget()


def _unfinished(found: Remembered) -> Iterator[Path]:
    yield from unfinished_beside(found.path)
    yield from found.folder.glob(f".*{UNFINISHED}*")


def _clean_ledger(path: Path, targets: Sequence[TargetFile]) -> None:
    """Remove rows about entries that no file has; and the folder, if that leaves it empty."""
    if path.exists():
        with suppress(AnyhookError):  # the next command that reads it reports that it is broken
            files = read_ledger(path, Loader()).files
            kept = {file: _present(file, owners, targets) for file, owners in files.items()}
            if kept != files:
                write_ledger(path, Ledger(kept), targets[0].scope)
    with suppress(OSError):  # it is in use
        path.parent.rmdir()


def _present(file: str, owners: dict[str, list[str]], targets: Sequence[TargetFile]) -> dict[str, list[str]]:
    """The rows of a file whose entries are in it; all of them if it cannot be read."""
    present: set[str] = set()
    for target in targets:
        if target.name == file:
            try:
                current = read_hook_file(target, Loader())
            except AnyhookError:
                return owners
            entries = current.entries() if current else ()
            present |= {entry_hash(entry.list_pointer, entry.value) for entry in entries}
    return {owner: [one for one in hashes if one in present] for owner, hashes in owners.items()}
