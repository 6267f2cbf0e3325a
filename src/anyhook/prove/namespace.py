"""A network namespace with loopback alone and a process namespace, for one or more runs of a client.

The process namespace makes the end certain: when its first process ends, the kernel ends every other process in it,
also daemons. The mount namespace lets a copy of a project be at the project's own path.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path

_SECONDS_TO_START = 30
MS_BIND, MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18


class NamespaceUnavailableError(Exception):
    """This machine does not allow the namespaces; the text says why and what would help."""


@cache
def namespace_command() -> tuple[str, ...]:
    """The ``unshare`` command that works here, to be put before a command."""
    if sys.platform != "linux":
        raise NamespaceUnavailableError(f"network namespaces exist on Linux only, not on {sys.platform}")
    why = ""
    as_self = [()] if os.geteuid() == 0 else []  # root needs no user namespace where it has its capabilities
    for user in (*as_self, ("--map-root-user",)):
        for proc in (("--mount-proc",), ("--mount",)):  # some containers forbid a new /proc
            command = ("unshare", *user, "--net", "--ipc", "--pid", "--fork", "--kill-child", *proc)
            try:
                done = subprocess.run(
                    [*command, "true"], capture_output=True, text=True, timeout=_SECONDS_TO_START, check=False
                )
            except OSError:
                raise NamespaceUnavailableError("unshare is not on PATH; install util-linux") from None
            except subprocess.TimeoutExpired:
                raise NamespaceUnavailableError("unshare does not end") from None
            if done.returncode == 0:
                return command
            why = done.stderr.strip()
    raise NamespaceUnavailableError(
        f"network namespaces are not allowed here ({why}); "
        "run as root with CAP_SYS_ADMIN, or allow unprivileged user namespaces"
    )


def bring_up_loopback() -> None:
    """``ip link set lo up``, without iproute2. For the first process of a namespace."""
    import fcntl

    set_flags, up = 0x8914, 0x1  # SIOCSIFFLAGS, IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH22x", b"lo", up))


def mount_over(folder: Path, place: Path) -> bool:
    """Show a folder at another folder's path, in this mount namespace alone. False where that is not allowed."""
    return make_mounts_private() and mount(folder, place, MS_BIND | MS_REC)


def unmount(place: Path) -> None:
    """Undo :func:`mount_over`."""
    detach = 2  # MNT_DETACH: also while a process has its working directory there
    libc().umount2(os.fsencode(place), detach)


def make_mounts_private() -> bool:
    """Let no mount of this namespace be seen in another one."""
    return mount(None, Path("/"), MS_REC | _MS_PRIVATE)


def mount(source: Path | None, place: Path, flags: int, kind: str | None = None, options: str | None = None) -> bool:
    what = b"none" if source is None else os.fsencode(source)
    done = libc().mount(what, os.fsencode(place), kind and kind.encode(), flags, options and options.encode())
    return bool(done == 0)


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
