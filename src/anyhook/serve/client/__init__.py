"""The small programs that clients start for every event, and which of them this installation has."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NATIVE = "anyhook-client"


def program() -> tuple[str, ...]:
    """The words to put before ``anyhook exec ...`` in an entry; none where there is no daemon to ask."""
    if os.name != "posix":
        return ()
    folder = Path(__file__).parent
    if os.access(folder / NATIVE, os.X_OK):
        return (str(folder / NATIVE),)
    return (sys.executable, "-I", "-S", str(folder / "client.py"))
