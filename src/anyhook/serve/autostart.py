"""Starts a daemon for the next event, while nobody waits for it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from anyhook.serve.socket_place import find_place, make_private_place

VARIABLE = "ANYHOOK_DAEMON"
"""``0``: no daemon is started unless somebody says ``anyhook daemon start``."""
PAUSE = 60.0
"""Seconds between two attempts: one that cannot start must not cost every event a process."""


def start_for_next_time(environment: Mapping[str, str]) -> bool:
    """Start a daemon in the background if one is wanted and none was tried lately; returns at once, never raises.

    For ``anyhook exec``, after its answer is written.
    """
    if os.name != "posix" or environment.get(VARIABLE) == "0":
        return False
    with suppress(Exception):
        place = find_place(environment)
        with suppress(FileNotFoundError):
            # Both directions: after the clock was set back the file is from the future.
            if abs(time.time() - place.tried.stat().st_mtime) < PAUSE:
                return False
        make_private_place(place)
        place.tried.write_bytes(b"")
        from anyhook.serve.control import spawn_daemon

        spawn_daemon(place).returncode = 0  # nobody waits for it: it outlives this process
        return True
    return False
