"""Finds the user at the other end of a connection on the loopback, where the system tells it (Linux).

Another user of the machine may see a token or a cookie: in the command line of a browser while it starts, or with a
server on another port, to which a browser sends the same cookies.
"""

from __future__ import annotations

import os
from pathlib import Path

_LOOPBACK = "0100007F"
"""127.0.0.1 in the tables, whose addresses are numbers of a machine with the least significant byte first."""
_TABLES = (
    (Path("/proc/net/tcp"), _LOOPBACK),
    (Path("/proc/net/tcp6"), f"0000000000000000FFFF0000{_LOOPBACK}"),  # a socket for IPv6 that has connected by IPv4
)


def user_of_connection(port: int, server_port: int) -> int | None:
    """The user id of the process that has connected from this port; None: the system does not say."""
    for table, loopback in _TABLES:
        try:
            lines = table.read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if columns[1:3] == [f"{loopback}:{port:04X}", f"{loopback}:{server_port:04X}"]:
                return int(columns[7])
    return None


def may_be_own_user(port: int, server_port: int) -> bool:
    """Whether the process that has connected may be the user's, or is the system's.

    Who runs the server as root uses a browser as another user.
    """
    own = os.geteuid() if os.name == "posix" else 0
    return own == 0 or user_of_connection(port, server_port) in (None, 0, own)
