"""Runs the ``anyhook`` command with a clock that is an hour ahead: files that a test has just written count as old.

anyhook caches nothing that it read from files that changed in the last two seconds. A process that runs this instead of
``-m anyhook`` caches them, so a test needs not wait.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

AHEAD_NS = 3_600 * 10**9
RUN_LATER = (sys.executable, "-P", str(Path(__file__).resolve()))

_now = time.time_ns


def later() -> int:
    """The clock."""
    return _now() + AHEAD_NS


if __name__ == "__main__":
    time.time_ns = later
    from anyhook.cli.start import main

    sys.exit(main())
