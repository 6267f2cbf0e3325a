"""Runs ``anyhook`` in a fork of a process that has imported it already: what a test starts costs 20 ms, not 300.

A fork is a process like any other: it has arguments, an environment, a folder, streams and an exit status of its own.
What only a new interpreter shows (imports, ``PYTHON...`` variables, inherited signals and limits, a terminal) is
tested with a real start. Only the standard library is imported, so that this file is also a program:
``python -I -S front.py ADDRESS ARGUMENT ...``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Mapping, Sequence

NUMBER = struct.Struct("=i")
LENGTH = struct.Struct("=Q")


def run_in_fork(
    address: str,
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: str,
    streams: Sequence[int],
    timeout: float | None = None,
    started: Callable[[int], object] = lambda pid: None,
) -> int:
    """Run one command and return its wait status. The server kills the fork if this process ends first."""
    request = json.dumps([list(arguments), dict(environment), cwd, _umask()]).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        connection.connect(address)
        socket.send_fds(connection, [LENGTH.pack(len(request))], list(streams))
        connection.sendall(request)
        started(_receive(connection))
        return _receive(connection)


def _umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask


def _receive(connection: socket.socket) -> int:
    received = b""
    while len(received) < NUMBER.size:
        if not (more := connection.recv(NUMBER.size - len(received))):
            raise ConnectionError("the process that runs commands of tests has ended")
        received += more
    number: int = NUMBER.unpack(received)[0]
    return number


def main() -> None:
    def forward_signals(pid: int) -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _frame: os.kill(pid, received))

    status = run_in_fork(
        sys.argv[1],
        sys.argv[2:],
        environment=os.environ,
        cwd=os.getcwd(),  # noqa: PTH109 - pathlib costs as much as the rest of it
        streams=(0, 1, 2),
        started=forward_signals,
    )
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
