"""What every change to a user's hook file does before and while it is written."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.editing.replace_file import explain_obstacle, replace_file
from anyhook.sources.load import read_text
from anyhook.sources.state import checkout_of


def read_content(path: Path) -> bytes | None:
    """The content of a file; None: it does not exist. AnyhookError: it cannot be read."""
    text = read_text(path) if path.is_symlink() or path.exists() else None
    if isinstance(text, Problem):
        raise AnyhookError(f"{path}: {text.text}\n{text.fix}")
    return None if text is None else text.encode()


def refuse_outside(path: Path, project: Path) -> None:
    """A project must not have files changed that are not its own: ``.claude -> ~/.claude``, ``../other/.codex``."""
    if not path.resolve().is_relative_to(checkout_of(project)):
        text = f"{path}: a symbolic link leads to {path.resolve()}, outside the project"
        remedy = "replace the link by a folder or file of the project, or deploy for the user: --scope user"
        raise AnyhookError(f"{text}\n{remedy}")


def refuse_read_only(path: Path, otherwise: str = ", or use another scope") -> None:
    """A read-only file is not replaced, though the rights of its folder would allow it."""
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise AnyhookError(f"{path}: the file is read-only\nmake it writable (chmod u+w){otherwise}")


def missing_folders(path: Path) -> tuple[str, ...]:
    """The folders that must be made for a file, outermost first."""
    below = [folder for folder in path.parents if not folder.exists()]
    return tuple(str(folder) for folder in reversed(below))


def write_content(path: Path, content: bytes | None, folders: tuple[str, ...]) -> None:
    """Replace a file; None removes it, and those of these folders, outermost first, that are then empty."""
    if content is None:
        path.unlink()
        for folder in reversed(folders):
            with suppress(OSError):  # it is no longer empty
                Path(folder).rmdir()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)


def unwritable(path: Path, error: OSError) -> AnyhookError:
    if obstacle := explain_obstacle(path):
        return AnyhookError(f"{obstacle}\nrename it, or remove it")
    why = error.strerror or str(error)
    remedy = "check the rights of the file and its folder, and the space on the disk"
    return AnyhookError(f"{path}: cannot be written: {why}\n{remedy}")
