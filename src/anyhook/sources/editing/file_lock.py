"""Lets one anyhook at a time edit a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from anyhook.model.problems import AnyhookError
from anyhook.sources.editing.replace_file import remove_unfinished
from anyhook.sources.state import VARIABLE, make_private, state_folder

LOCK_SECONDS = 30.0


@contextmanager
def locked(path: Path, name: str = "") -> Iterator[None]:
    """Be the only anyhook that edits a file, beside which nothing is left of one that was killed.

    The lock is in the state folder, not beside the file. ``name`` is the digest of the path, where the path itself is
    not known any more.
    """
    from filelock import FileLock, Timeout

    folder = state_folder() / "locks"
    lock = FileLock(folder / f"{name or digest(path)}.lock", timeout=LOCK_SECONDS, mode=0o600)
    try:
        make_private(folder)
        lock.acquire()
    except Timeout:
        raise AnyhookError(f"{path}: another anyhook has been editing it for {LOCK_SECONDS:.0f} s; try again") from None
    except OSError as error:
        remedy = f"make the folder writable, or set {VARIABLE}"
        raise AnyhookError(f"{folder}: cannot be written: {error.strerror or error}\n{remedy}") from None
    try:
        remove_unfinished(path)
        yield
    finally:
        lock.release()


def digest(value: Path | bytes | None) -> str:
    """The hash of a path or a content; empty for a file that does not exist."""
    return "" if value is None else sha256(value if isinstance(value, bytes) else os.fsencode(value)).hexdigest()
