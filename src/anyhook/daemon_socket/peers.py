"""Finds the user at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import struct
import sys

_LINUX = struct.Struct("3i")  # pid, uid, gid
_XUCRED = struct.Struct("IIh")  # version, uid, number of groups; the groups follow
_LOCAL_PEERCRED, _XUCRED_SIZE = 1, 76


def user_of_peer(connection: socket.socket) -> int | None:
    """The user id of the process that connected; None where the system does not say."""
    if sys.platform == "linux":
        _, uid, _ = _LINUX.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size))
        return int(uid)
    if sys.platform == "darwin":
        _, uid, _ = _XUCRED.unpack_from(connection.getsockopt(0, _LOCAL_PEERCRED, _XUCRED_SIZE))
        return int(uid)
    return None


def is_own_user(connection: socket.socket) -> bool:
    """Whether the peer is the same user; True where the system does not say: there the folder's mode protects it."""
    try:
        return user_of_peer(connection) in (None, os.geteuid())
    except OSError:
        return False
