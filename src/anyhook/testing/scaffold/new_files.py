"""New files: names, texts, and writing without replacing what exists."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from anyhook.model.problems import AnyhookError, UsageError
from anyhook.sources.editing.file_change import FileChange, write
from anyhook.sources.editing.own_place import refuse_outside
from anyhook.sources.editing.replace_file import refuse_links

_MAX_BASE_LENGTH = 60
"""Leaves space for a number: a name may have 64 characters."""


class NewFile(Struct, frozen=True):
    """A file that is to be written."""

    path: str
    """Relative to the package's folder."""
    text: str
    is_executable: bool = False


def write_new_files(root: Path, planned: Sequence[NewFile], instead: str = "") -> None:
    """Write all of them, or none: UsageError with the list of those that exist, and what to do ``instead``."""
    present = [file.path for file in planned if (root / file.path).exists() or (root / file.path).is_symlink()]
    if present:
        listed = "\n".join(f"  {path}" for path in present)
        remedy = f"\n{instead}" if instead else ""
        raise UsageError(f"nothing is written, because these files exist already:\n{listed}{remedy}")
    for file in planned:
        if file.path.startswith(".anyhook/"):
            refuse_links(root, root / file.path)
        refuse_outside(root / file.path, root)
    undo: list[FileChange] = []
    try:
        for file in planned:
            undo.insert(0, create(root, file))
    except AnyhookError:
        for change in undo:
            with suppress(AnyhookError):
                write(change)
        raise


def create(root: Path, file: NewFile) -> FileChange:
    """Write a new file, and return the change that takes it back. AnyhookError when there is one, or it cannot be."""
    path = root / file.path
    undo = write(FileChange(path=path, before=None, after=file.text.encode(), project=root))
    if file.is_executable:
        mode = path.stat().st_mode
        path.chmod(mode | (mode & 0o444) >> 2)  # executable for those who may read it
    return undo


def json_text(value: object) -> str:
    """Indented JSON; with escapes only where a client has cut an emoji in two, which UTF-8 cannot hold."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    is_utf8 = not re.search("[\ud800-\udfff]", text)
    return (text if is_utf8 else json.dumps(value, indent=2)) + "\n"


def new_name(words: Sequence[str], taken: Collection[str]) -> str:
    """A name for a case, made of words, that is not taken."""
    kebab = "-".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", word) for word in words).lower()
    base = re.sub(r"[^a-z0-9]+", "-", kebab).strip("-")[:_MAX_BASE_LENGTH]
    names = (base, *(f"{base}-{number}" for number in range(2, 1000)))
    return next(name for name in names if name not in taken)
