"""What anyhook remembers of the files it edits: the original content, and which entries it owns.

The original content concerns this machine only and is in the state folder. The entries of a project concern everyone
who works on it, so their hashes are in the project's ``.anyhook/deployed.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.deploy.target_files import TargetFile
from anyhook.model.document import Pointer
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.record.append import iso_time
from anyhook.sources.editing.file_change import FileChange, read_content, write
from anyhook.sources.editing.file_lock import digest, locked
from anyhook.sources.editing.replace_file import refuse_links
from anyhook.sources.load import Loader
from anyhook.sources.state import read_private, state_folder, write_private

PROJECT_LEDGER = ".anyhook/deployed.json"


# ------------------------------------------------------------------------------------------------ original content


class OriginalFile(Struct, frozen=True):
    """A file without the entries of some owners."""

    content: bytes | None = None
    """None: it did not exist."""
    owners: frozenset[str] = frozenset()
    """The owners whose entries are left out. The content includes the entries of others."""
    folders: tuple[str, ...] = ()
    """Folders that were created for the file, outermost first."""


class _Record(Struct, frozen=True):
    path: str
    versions: tuple[str, ...]
    """Digests of the two contents that the original belongs to: before and after the last change."""
    content: str
    """Digest of the original content; empty: the file did not exist."""
    owners: tuple[str, ...]
    folders: tuple[str, ...]


def recall(path: Path, current: bytes | None) -> OriginalFile | None:
    """The original of a file; None when there is none, or when something else has changed the file since."""
    folder, record = _folder_of(path), _record_of(path)
    if record is None:
        return None
    content = read_private(folder / "original") if record.content else None
    if digest(current) not in record.versions or digest(content) != record.content:
        return None
    return OriginalFile(content, frozenset(record.owners), record.folders)


def _record_of(path: Path) -> _Record | None:
    return _record_in(_folder_of(path))


def _record_in(folder: Path) -> _Record | None:
    try:
        return msgspec.json.decode(read_private(folder / "record.json") or b"", type=_Record)
    except msgspec.MsgspecError:
        return None


class Remembered(Struct, frozen=True):
    """What is kept about one file that was, or was going to be, changed."""

    folder: Path
    path: Path
    """The file; the folder itself if a killed process had not yet written which file it is."""

    @property
    def is_left_over(self) -> bool:
        """Whether the file has no entry of the owners: the change was not made, or was undone."""
        record = _record_in(self.folder)
        if record is None:
            return True
        try:
            current = self.path.read_bytes() if self.path.exists() else None
        except OSError:
            return False
        return digest(current) == record.content

    @property
    def made_folders(self) -> tuple[Path, ...]:
        record = _record_in(self.folder)
        return tuple(map(Path, record.folders)) if record else ()

    def forget(self) -> None:
        rmtree(self.folder, ignore_errors=True)


def remembered_files() -> Iterator[Remembered]:
    """Every file of which something is kept."""
    files = state_folder() / "files"
    for folder in sorted(files.iterdir()) if files.is_dir() else ():
        record = _record_in(folder)
        yield Remembered(folder, Path(record.path) if record else folder)


def folders_made_for_neighbours(path: Path) -> tuple[str, ...]:
    """Folders that were created for other files in the folder of a file: the last file to go takes them along."""
    neighbours = sorted(path.parent.iterdir()) if path.parent.is_dir() else ()
    records = (_record_of(neighbour) for neighbour in neighbours if neighbour != path)
    return tuple(dict.fromkeys(folder for record in records if record for folder in record.folders))


def remember(path: Path, original: OriginalFile, before: bytes | None, after: bytes | None) -> None:
    """Keep the original of a file before the change, so that the change can be undone also after a crash."""
    folder = _folder_of(path)
    if original.content is not None:
        write_private(folder / "original", original.content)
    record = _Record(
        path=str(path),
        versions=(digest(before), digest(after)),
        content=digest(original.content),
        owners=tuple(sorted(original.owners)),
        folders=original.folders,
    )
    write_private(folder / "record.json", msgspec.json.encode(record))


def written_at(path: Path) -> str:
    """When anyhook last changed a file, as ISO text; empty: it did not, on this machine."""
    try:
        return iso_time((_folder_of(path) / "record.json").stat().st_mtime)
    except OSError:
        return ""


def forget(path: Path) -> None:
    rmtree(_folder_of(path), ignore_errors=True)


def _folder_of(path: Path) -> Path:
    return state_folder() / "files" / digest(path)


# --------------------------------------------------------------------------------------------------- owners of entries


def entry_hash(pointer: Pointer, entry: Any) -> str:
    """The hash that identifies an entry of the list at this pointer."""
    return digest(json.dumps([pointer, entry], sort_keys=True).encode())


class Ledger(Struct, frozen=True):
    """The entries that anyhook owns but cannot recognise by their content: file, owner, hashes."""

    files: dict[str, dict[str, list[str]]] = {}


def ledger_path(target: TargetFile, project: Path) -> Path:
    return project / PROJECT_LEDGER if target.scope is Scope.PROJECT else state_folder() / "deployed.json"


def read_ledger(path: Path, loader: Loader) -> Ledger:
    """The ledger at this path; AnyhookError when there is one that cannot be read."""
    content = loader.content(path)
    try:
        return Ledger() if content is None else msgspec.json.decode(content, type=Ledger)
    except msgspec.MsgspecError as error:
        remedy = "restore it from version control, or remove it: anyhook then no longer knows its own entries"
        raise AnyhookError(f"{path}: {error}\n{remedy}") from None


def record_entries(path: Path, target: TargetFile, owner: str, hashes: frozenset[str]) -> None:
    """Record which entries of a file belong to an owner; an empty ledger is removed."""
    with locked(path):
        files = read_ledger(path, Loader()).files
        owners = files.setdefault(target.name, {})
        if owners.get(owner, []) == sorted(hashes):
            return
        owners[owner] = sorted(hashes)
        write_ledger(path, Ledger(files), target.scope)


def write_ledger(path: Path, ledger: Ledger, scope: Scope) -> None:
    """Write a ledger without empty rows; an empty ledger is removed. The caller has the lock."""
    files = {file: kept for file, own in ledger.files.items() if (kept := {o: m for o, m in own.items() if m})}
    content = msgspec.json.format(msgspec.json.encode(Ledger(files), order="sorted"), indent=2) + b"\n"
    if scope is Scope.PROJECT:  # for everyone who works on the project
        refuse_links(path.parent.parent, path)
        before, folders = read_content(path), (str(path.parent),)
        write(FileChange(path=path, before=before, after=content if files else None, folders=folders))
    elif files:
        write_private(path, content)
    else:
        path.unlink(missing_ok=True)
