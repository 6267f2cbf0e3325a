"""Where the daemon of this user listens: a folder that only its user can enter, the socket, and the lock.

The C client and the Python client find the socket by the same rule. Reading this file needs hardly any other module,
because ``anyhook exec`` does.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SOCKET_PATH_BYTES = 100
"""The system takes no longer name of a socket: 108 bytes on Linux, 104 on macOS, with the zero behind it."""


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
        """Written by whoever holds the lock."""
        return self.folder / "daemon.pid"

    @property
    def tried(self) -> Path:
        """When somebody last started a daemon for the next time."""
        return self.folder / "tried"

    @property
    def log(self) -> Path:
        return self.folder / "daemon.log"


def find_runtime_folder(environment: Mapping[str, str]) -> RuntimeFolder:
    """The place for these variables, whether or not anything is there."""
    if moved := environment.get("ANYHOOK_STATE_DIR"):
        return RuntimeFolder(Path(moved).absolute() / "run")
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return RuntimeFolder(Path(runtime) / "anyhook")
    home = environment.get("HOME") or str(Path.home())
    return RuntimeFolder(Path(home) / ".local/state/anyhook/run")


def make_private(place: RuntimeFolder) -> None:
    """Create the folder for its user alone, or close it; raises AnyhookError when it cannot be private."""
    from anyhook.model.problems import AnyhookError

    folder = place.folder
    if len(os.fsencode(place.socket)) > MAX_SOCKET_PATH_BYTES:
        raise AnyhookError(f"{folder}: the name is too long for a socket; set ANYHOOK_STATE_DIR to a shorter one")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
            raise AnyhookError(f"{folder}: this is not a folder of yours; remove it, or set ANYHOOK_STATE_DIR")
        folder.chmod(0o700)
    except OSError as error:
        raise AnyhookError(f"{folder}: {error.strerror}; make the folder writable, or set ANYHOOK_STATE_DIR") from error
