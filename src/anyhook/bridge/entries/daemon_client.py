"""What entries start in front of ``anyhook exec``: a small program that asks the daemon first.

The programs are in ``serve/client``; what they do is in docs/daemon.md.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyhook

NAME = "anyhook-client"
"""What the command is called that is installed beside ``anyhook``: the native client, else the Python one."""
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
