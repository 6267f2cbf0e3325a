"""Starts and stops the daemon of this user."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

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
    started = spawn_daemon(folder, arguments)
    until = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < until:
        if ask_daemon(folder, "status") is not None:
            return True
        if started.poll() is not None:
            break
        time.sleep(0.02)
    raise AnyhookError("the daemon did not start; see: anyhook daemon start --foreground")


def spawn_daemon(
    folder: RuntimeFolder, arguments: tuple[str, ...] = (), environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a daemon that shares no terminal, no streams and no working folder with this process.

    It inherits a lock that it releases when it listens, so that :func:`stop_daemon` also sees one that is starting.
    """
    import fcntl  # not on Windows, where there is no daemon

    lock = os.open(folder.starting, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        words = ["daemon", "start", "--foreground", "--starting", str(lock), *arguments]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "anyhook", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(lock,),
            cwd=os.sep,
            env=environment,
        )
        os.pwrite(lock, b"%-20d" % process.pid, 0)
    finally:
        os.close(lock)
    process.poll()
    return process


def own_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of an environment that a daemon itself needs."""
    return {name: environment[name] for name in (*OWN_VARIABLES, *_PLACE_AND_LANGUAGE) if name in environment}


def stop_daemon(folder: RuntimeFolder, wait: float) -> bool:
    """Stop the daemon and wait until it has ended; False: none runs. One that does not end in time is killed.

    One that is just starting is stopped as soon as it listens.
    """
    if ask_daemon(folder, "stop") is None and not _is_locked(folder) and not _is_starting(folder):
        return False
    until = time.monotonic() + wait
    while _is_locked(folder) or _is_starting(folder):
        if time.monotonic() > until:
            _end(folder.starting if _is_starting(folder) else folder.pid)
            return True
        time.sleep(0.02)
        ask_daemon(folder, "stop")
    return True


def _is_starting(folder: RuntimeFolder) -> bool:
    import fcntl  # not on Windows, where there is no daemon

    try:
        lock = os.open(folder.starting, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(lock)


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


def _end(pid: Path) -> None:
    """Kill a daemon that hangs. The pid in the file is correct: its process still holds the lock."""
    with suppress(OSError, ValueError):
        os.kill(int(pid.read_text()), signal.SIGKILL)
