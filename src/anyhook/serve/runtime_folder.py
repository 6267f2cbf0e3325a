"""The folder of this user's daemon, which no other user can enter, and the files in it.

Importing this module needs hardly any other one, because ``anyhook exec`` does it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from anyhook.sources import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SOCKET_PATH_BYTES = 100
"""Bytes in the path of a socket: systems allow 108 (Linux) or 104 (macOS), with the zero at the end."""


class RuntimeFolder:
    """The files of one daemon."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def socket(self) -> Path:
        return self.folder / "daemon.sock"

    @property
    def lock(self) -> Path:
        """Held as long as the daemon lives."""
        return self.folder / "daemon.lock"

    @property
    def pid(self) -> Path:
        """Written by the process that holds the lock."""
        return self.folder / "daemon.pid"

    @property
    def tried(self) -> Path:
        """Its time is when ``anyhook exec`` last tried to start a daemon."""
        return self.folder / "tried"

    @property
    def log(self) -> Path:
        return self.folder / "daemon.log"


def find_runtime_folder(environment: Mapping[str, str]) -> RuntimeFolder:
    """The folder for these variables, whether or not it exists."""
    return RuntimeFolder(state.socket_folder(environment))


def make_private(place: RuntimeFolder) -> None:
    """Create the folder for its user alone, or close it to others; raises AnyhookError when that is impossible."""
    from anyhook.model.problems import AnyhookError

    folder = place.folder
    if len(os.fsencode(place.socket)) > MAX_SOCKET_PATH_BYTES:
        raise AnyhookError(f"{folder}: the path is too long for a socket; set {state.VARIABLE} to a shorter one")
    try:
        state.make_private(folder)
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            raise AnyhookError(f"{folder}: this is not a folder of this user; remove it, or set {state.VARIABLE}")
        folder.chmod(0o700)
    except OSError as error:
        raise AnyhookError(f"{folder}: {error.strerror}; make the folder writable, or set {state.VARIABLE}") from error
