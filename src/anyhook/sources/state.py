"""The folder in which anyhook keeps what it must remember. Only its user can read it, whatever the umask says."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from anyhook.sources import disk

VARIABLE = "ANYHOOK_STATE_DIR"


def state_folder() -> Path:
    """Where our own files are: ``ANYHOOK_STATE_DIR``, else the place that this system has for state."""
    if moved := os.environ.get(VARIABLE):
        return Path(moved).absolute()
    if sys.platform == "linux":  # what platformdirs says there, without the time that it takes to ask
        base = os.environ.get("XDG_STATE_HOME", "").strip()
        return (Path(base) if base else Path("~/.local/state").expanduser()) / "anyhook"
    from platformdirs import user_state_path

    return user_state_path("anyhook", appauthor=False)


def write_private(path: Path, content: bytes) -> None:
    """Put a file into the state folder: the old one or the new one is there at any moment, never a half one."""
    from anyhook.model.problems import AnyhookError
    from anyhook.sources.editing.replace_file import replace_file

    try:
        make_private(path.parent)
        replace_file(path, content, 0o600)
    except OSError as error:
        raise AnyhookError(
            f"{path}: cannot be written: {error.strerror or error}; make the folder writable, or set {VARIABLE}"
        ) from error


def read_private(path: Path) -> bytes | None:
    """The content of one of our files; None when it is not there, or when somebody else could have written it."""
    disk.will_read(path)
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or not _is_ours(facts):
                return None
            return file.read()
    except OSError:
        return None


def _is_ours(facts: os.stat_result) -> bool:
    if os.name != "posix":
        return True
    return facts.st_uid in (os.geteuid(), 0) and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def make_private(folder: Path) -> None:
    """Create a folder and those above it for the user alone; close those of ours that are open to others."""
    top = state_folder()
    for part in reversed((folder, *folder.parents)):
        with suppress(FileExistsError):
            part.mkdir(mode=0o700)
        if part.is_relative_to(top):
            part.chmod(0o700)
