"""Files that are written once: what exists is never replaced."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from anyhook.model.problems import UsageError


class NewFile(Struct, frozen=True):
    """A file that is to be written."""

    path: str
    """Relative to the package's folder."""
    text: str
    is_executable: bool = False


def write_new_files(root: Path, planned: Sequence[NewFile]) -> None:
    """Write all of them, or none: UsageError with the list of those that are there already."""
    present = [file.path for file in planned if (root / file.path).exists() or (root / file.path).is_symlink()]
    if present:
        listed = "\n".join(f"  {path}" for path in present)
        raise UsageError(f"nothing is written, because these files are there already:\n{listed}")
    written: list[Path] = []
    try:
        for file in planned:
            _create(root / file.path, file, written)
    except OSError as error:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise UsageError(f"{error.filename}: {error.strerror}") from None


def _create(path: Path, file: NewFile, written: list[Path]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        written.append(path)
        stream.write(file.text)
    if file.is_executable:
        mode = path.stat().st_mode
        path.chmod(mode | (mode & 0o444) >> 2)  # whoever may read it may run it
