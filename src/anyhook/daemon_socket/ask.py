"""Sends the daemon of this user a command: what is not an event of a client."""

from __future__ import annotations

import os
import socket
import stat
from typing import Any, Literal

import msgspec

import anyhook
from anyhook.daemon_socket.peers import is_own_user
from anyhook.daemon_socket.protocol import Head, decode_answer, encode_head
from anyhook.daemon_socket.runtime_folder import RuntimeFolder

CONTROL_TIMEOUT_SECONDS = 5.0
"""Seconds that a daemon may take to report its status."""
Command = Literal["status", "stop", "store"]
"""``store``: write the rows of the journal that wait, and report the status after that."""


def ask_daemon(folder: RuntimeFolder, command: Command, within: float | None = None) -> dict[str, Any] | None:
    """Send the daemon a command and return its status; None: no daemon of this user answers in time."""
    head = Head(version=anyhook.__version__.encode(), cwd=b"/", arguments=(b"daemon", command.encode()))
    try:
        facts = folder.socket.lstat()
        if not stat.S_ISSOCK(facts.st_mode) or facts.st_uid != os.geteuid():
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as daemon:
            daemon.settimeout(within or CONTROL_TIMEOUT_SECONDS)
            daemon.connect(str(folder.socket))
            if not is_own_user(daemon):
                return None
            daemon.sendall(encode_head(head))
            received = b"".join(iter(lambda: daemon.recv(65536), b""))
    except OSError:
        return None
    answer = decode_answer(received)
    return None if answer is None else msgspec.json.decode(answer.stdout, type=dict[str, Any])
