"""What anyhook remembers of the files it edits: how each was before, and which entries without a mark are ours.

How a file was is a matter of this machine and lies in the state folder. Which entries are ours is for everybody who has
the project, so for a project it lies in ``.anyhook/deployed.json``, by the hash of each entry.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.deploy.placement import Placement
from anyhook.model.document import Pointer
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.editing.replace_file import replace_file
from anyhook.sources.state import VARIABLE, make_private, read_private, state_folder, write_private

LOCK_SECONDS = 30.0
PROJECT_LEDGER = ".anyhook/deployed.json"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Be the only anyhook that edits a file. The lock lies in the state folder, not beside the file."""
    from filelock import FileLock, Timeout

    folder = state_folder() / "locks"
    lock = FileLock(folder / f"{digest(path)}.lock", timeout=LOCK_SECONDS, mode=0o600)
    try:
        make_private(folder)
        lock.acquire()
    except Timeout:
        raise AnyhookError(f"{path}: another anyhook has been editing it for {LOCK_SECONDS:.0f} s; try again") from None
    except OSError as error:
        remedy = f"make the folder writable, or set {VARIABLE}"
        raise AnyhookError(f"{folder}: cannot be written: {error.strerror or error}\n{remedy}") from None
    try:
        yield
    finally:
        lock.release()


def digest(value: Path | bytes | None) -> str:
    """A short name for a path or a content; that of a file that is not there is empty."""
    return "" if value is None else sha256(value if isinstance(value, bytes) else os.fsencode(value)).hexdigest()


# ------------------------------------------------------------------------------------------------ how a file was before


class OriginalFile(Struct, frozen=True):
    """How a file was without the entries of some owners."""

    content: bytes | None = None
    """None: it was not there."""
    owners: frozenset[str] = frozenset()
    """Those whose entries are left out. Entries of others are part of the content."""
    folders: tuple[str, ...] = ()
    """Folders that were made for the file, outermost first."""


class _Record(Struct, frozen=True):
    path: str
    versions: tuple[str, ...]
    """Digests of the contents for which the former one holds: those right before and after the last change."""
    content: str
    """Digest of the former content; empty: the file was not there."""
    owners: tuple[str, ...]
    folders: tuple[str, ...]


def recall(path: Path, current: bytes | None) -> OriginalFile | None:
    """How a file was, if nobody else has changed it since; None: not known."""
    folder = _folder_of(path)
    try:
        record = msgspec.json.decode(read_private(folder / "record.json") or b"", type=_Record)
    except msgspec.MsgspecError:
        return None
    content = read_private(folder / "original") if record.content else None
    if digest(current) not in record.versions or digest(content) != record.content:
        return None
    return OriginalFile(content, frozenset(record.owners), record.folders)


def remember(path: Path, former: OriginalFile, before: bytes | None, after: bytes | None) -> None:
    """Keep how a file was, before it is changed: whichever of both contents a crash leaves, it can be undone."""
    folder = _folder_of(path)
    if former.content is not None:
        write_private(folder / "original", former.content)
    record = _Record(
        path=str(path),
        versions=(digest(before), digest(after)),
        content=digest(former.content),
        owners=tuple(sorted(former.owners)),
        folders=former.folders,
    )
    write_private(folder / "record.json", msgspec.json.encode(record))


def forget(path: Path) -> None:
    rmtree(_folder_of(path), ignore_errors=True)


def _folder_of(path: Path) -> Path:
    return state_folder() / "files" / digest(path)


# ---------------------------------------------------------------------------------------------------- whose entries are


def mark(pointer: Pointer, entry: Any) -> str:
    """The hash by which an entry of the list at this place is known."""
    return digest(json.dumps([pointer, entry], sort_keys=True).encode())


class Ledger(Struct, frozen=True):
    """The entries that were put into files without a mark by which they could be told: file, owner, hashes."""

    files: dict[str, dict[str, list[str]]] = {}


def ledger_path(place: Placement, project: Path) -> Path:
    return project / PROJECT_LEDGER if place.scope is Scope.PROJECT else state_folder() / "deployed.json"


def read_ledger(path: Path) -> Ledger:
    """The ledger at this path; AnyhookError when there is one that cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Ledger)
    except FileNotFoundError:
        return Ledger()
    except (OSError, msgspec.MsgspecError) as error:
        remedy = "restore it from version control, or remove it: then entries of ours are no longer known as such"
        raise AnyhookError(f"{path}: {error}\n{remedy}") from None


def note_entries(path: Path, place: Placement, owner: str, marks: frozenset[str]) -> None:
    """Write down which entries of a file belong to an owner; a ledger with nothing in it is removed."""
    with locked(path):
        files = read_ledger(path).files
        owners = files.setdefault(place.name, {})
        if owners.get(owner, []) == sorted(marks):
            return
        owners[owner] = sorted(marks)
        files = {file: kept for file, own in files.items() if (kept := {o: m for o, m in own.items() if m})}
        content = msgspec.json.format(msgspec.json.encode(Ledger(files), order="sorted"), indent=2) + b"\n"
        if files and place.scope is Scope.PROJECT:  # for everybody who has the project
            path.parent.mkdir(exist_ok=True)
            replace_file(path, content)
        elif files:
            write_private(path, content)
        elif path.exists():
            path.unlink()
            with suppress(OSError):  # something else is in it
                path.parent.rmdir()
