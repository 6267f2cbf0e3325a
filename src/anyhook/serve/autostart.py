"""Starts a daemon for the next event, in the background.

Called at the end of every ``anyhook exec``, while its client waits: usually it only checks the age of one file.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from anyhook.daemon_socket.runtime_folder import find_runtime_folder, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyhook.daemon_socket.runtime_folder import RuntimeFolder

VARIABLE = "ANYHOOK_DAEMON"
"""``0``: only ``anyhook daemon start`` starts a daemon; ``start = false`` in anyhook.toml means the same."""
RETRY_PAUSE_SECONDS = 60.0
"""Seconds between two attempts, so that a daemon that cannot start does not cost every event a process."""


def start_for_next_time(environment: Mapping[str, str]) -> bool:
    """Start a daemon unless the settings forbid it or there was a recent attempt; returns at once, never raises."""
    if os.name != "posix" or environment.get(VARIABLE) == "0":
        return False
    with suppress(Exception):
        folder = find_runtime_folder(environment)
        if _was_tried_lately(folder):
            return False
        make_private(folder)
        folder.tried.write_bytes(b"")
        if _is_listening(folder) or not _is_wanted(environment):
            return False
        from anyhook.serve.control import own_variables, spawn_daemon

        # A daemon serves all projects, so it must not inherit what this project has put into the environment.
        started = spawn_daemon(folder, environment=own_variables(environment))
        started.returncode = 0  # not waited for: it outlives this process
        return True
    return False


def _was_tried_lately(folder: RuntimeFolder) -> bool:
    try:
        # The file may be from the future: the clock may have been set back.
        return abs(time.time() - folder.tried.stat().st_mtime) < RETRY_PAUSE_SECONDS
    except FileNotFoundError:
        return False


def _is_listening(folder: RuntimeFolder) -> bool:
    """Whether a daemon runs: then it has declined the event, and a second one could not start."""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(0.05)
        return asking.connect_ex(str(folder.socket)) == 0


def _is_wanted(environment: Mapping[str, str]) -> bool:
    from anyhook.sources.settings import ignored_settings, read_settings

    if ignored_settings():  # a daemon is in no project, and could not tell
        return False
    settings = read_settings(None, environment).daemon
    # HTTP hooks of all projects run with the daemon's own environment: it must be the user's, not this project's.
    return settings.start and not settings.http
