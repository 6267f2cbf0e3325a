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

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def socket(self) -> Path:
        return self.path / "daemon.sock"

    @property
    def lock(self) -> Path:
        """Held as long as the daemon lives."""
        return self.path / "daemon.lock"

    @property
    def starting(self) -> Path:
        """Locked from before a daemon's process is started until it listens or has ended; has the id of the process."""
        return self.path / "daemon.starting"

    @property
    def pid(self) -> Path:
        """Written by the process that holds the lock."""
        return self.path / "daemon.pid"

    @property
    def tried(self) -> Path:
        """Its time is when ``anyhook exec`` last tried to start a daemon."""
        return self.path / "tried"

    @property
    def log(self) -> Path:
        return self.path / "daemon.log"


def find_runtime_folder(environment: Mapping[str, str]) -> RuntimeFolder:
    """The folder for these variables, whether or not it exists."""
    return RuntimeFolder(state.socket_folder(environment))


def make_private(folder: RuntimeFolder) -> None:
    """Create the folder for its user alone; raises AnyhookError if it cannot be made, or others can enter it."""
    from anyhook.model.problems import AnyhookError

    path = folder.path
    if len(os.fsencode(folder.socket)) > MAX_SOCKET_PATH_BYTES:
        raise AnyhookError(f"{path}: the path is too long for a socket; set {state.VARIABLE} to a shorter one")
    try:
        state.make_private(path)
        facts = path.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            raise AnyhookError(f"{path}: this is not a folder of this user; remove it, or set {state.VARIABLE}")
    except OSError as error:
        raise AnyhookError(f"{path}: {error.strerror}; make the folder writable, or set {state.VARIABLE}") from error
