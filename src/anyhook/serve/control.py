"""Starts and stops the daemon of this user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from filelock import FileLock, Timeout

from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import RuntimeFolder, make_private
from anyhook.model.problems import AnyhookError

OWN_VARIABLES = (
    "ANYHOOK_STATE_DIR", "HOME", "PYTHONHOME", "PYTHONPATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
    "ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "all_proxy", "https_proxy", "http_proxy", "no_proxy",
    "SSL_CERT_DIR", "SSL_CERT_FILE",
)  # fmt: skip
"""Variables that anyhook and its libraries read from their own process: a daemon answers only requests that have the
same values."""
_PLACE_AND_LANGUAGE = ("PATH", "XDG_RUNTIME_DIR", "LANG", "LC_ALL", "LC_CTYPE", "USER", "LOGNAME")
START_TIMEOUT_SECONDS = 30.0
"""Seconds that a daemon may take to start; one that has ended is not waited for."""


def start_daemon(folder: RuntimeFolder, arguments: tuple[str, ...] = ()) -> bool:
    """Start a daemon and wait until it answers; False: one runs already."""
    make_private(folder)
    if ask_daemon(folder, "status") is not None:
        return False
    started = spawn_daemon(arguments)
    until = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < until:
        if ask_daemon(folder, "status") is not None:
            return True
        if started.poll() is not None:
            break
        time.sleep(0.02)
    raise AnyhookError("the daemon did not start; see: anyhook daemon start --foreground")


def spawn_daemon(
    arguments: tuple[str, ...] = (), environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a daemon that shares no terminal, no streams and no working folder with this process."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "anyhook", "daemon", "start", "--foreground", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
        cwd=os.sep,
        env=environment,
    )
    process.poll()
    return process


def own_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that a daemon itself needs."""
    return {name: environment[name] for name in (*OWN_VARIABLES, *_PLACE_AND_LANGUAGE) if name in environment}


def stop_daemon(folder: RuntimeFolder, wait: float) -> bool:
    """Stop the daemon and wait until it has ended; False: none runs. One that does not end in time is killed."""
    if ask_daemon(folder, "stop") is None and not _is_locked(folder):
        return False
    until = time.monotonic() + wait
    while _is_locked(folder):
        if time.monotonic() > until:
            _end(folder)
            return True
        time.sleep(0.02)
    return True


def _is_locked(folder: RuntimeFolder) -> bool:
    if not folder.lock.exists():
        return False
    try:
        with FileLock(folder.lock, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _end(folder: RuntimeFolder) -> None:
    """Kill a daemon that hangs. The pid is correct: the process that wrote it still holds the lock."""
    with suppress(OSError, ValueError):
        os.kill(int(folder.pid.read_text()), signal.SIGKILL)
