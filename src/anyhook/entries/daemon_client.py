"""What entries start in front of ``anyhook exec``: a small program that asks the daemon first.

The programs are in ``serve/client``; what they do is in docs/daemon.md.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import anyhook

NAME = "anyhook-client"
"""What the command is called that is installed beside ``anyhook``: the native client, else the Python one."""
_SCRIPTS = Path(sys.prefix, "Scripts" if os.name == "nt" else "bin")
FOLDER = Path(anyhook.__file__).parent / "serve" / "client"


def client_by_name() -> tuple[str, ...]:
    """The client as every machine finds it that has anyhook; none where there is no daemon to ask."""
    return (NAME,) if os.name == "posix" else ()


def client_by_path() -> tuple[str, ...]:
    """The fastest client of this installation; none where there is no daemon to ask."""
    if os.name != "posix":
        return ()
    native = FOLDER / NAME
    if os.access(native, os.X_OK):
        return (str(native),)
    return (sys.executable, "-I", "-S", str(FOLDER / "client.py"))


def program_of_installation() -> str:
    """Where an installation in a virtual environment has its command."""
    return str(_SCRIPTS / ("anyhook.exe" if os.name == "nt" else "anyhook"))


def program_by_path() -> str:
    """The command as this machine finds it, also if it is not on the PATH."""
    own = program_of_installation()
    return shutil.which("anyhook") or (own if Path(own).is_file() else "anyhook")


def is_found_by_name(path: str) -> bool:
    """Whether a client finds the command that is started without the virtual environment of this process."""
    is_virtual = sys.prefix != sys.base_prefix
    folders = [folder for folder in path.split(os.pathsep) if not (is_virtual and Path(folder) == _SCRIPTS)]
    return all(shutil.which(name, path=os.pathsep.join(folders)) for name in ("anyhook", *client_by_name()))
