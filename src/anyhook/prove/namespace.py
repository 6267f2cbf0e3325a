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
_DEVICES = ("full", "null", "ptmx", "pts", "random", "tty", "urandom", "zero")
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18


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
            command = ("unshare", *user, "--net", "--pid", "--fork", "--kill-child", *proc)
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
    return _mount(None, Path("/"), _MS_REC | _MS_PRIVATE) and _mount(folder, place, _MS_BIND | _MS_REC)


def unmount(place: Path) -> None:
    """Undo :func:`mount_over`."""
    detach = 2  # MNT_DETACH: also while a process has its working directory there
    _libc().umount2(os.fsencode(place), detach)


def protect_files(writable: Path) -> None:
    """Make every file outside of a folder read-only, and hide all but harmless devices, in this namespace alone.

    A scripted command that a guard should have blocked runs where the guard does not work. Raises
    NamespaceUnavailableError where the machine does not allow it.
    """
    devices = writable / "dev"
    devices.mkdir()
    done = (
        _mount(None, Path("/"), _MS_REC | _MS_PRIVATE)
        and _mount(writable, writable, _MS_BIND)
        and _mount(Path("tmpfs"), devices, 0, "tmpfs")
        and _gather_devices(devices)
        and _mount(devices, Path("/dev"), _MS_BIND | _MS_REC)
        and _set_read_only(Path("/"), recursive=True)
        and _set_read_only(writable, clear=True)
    )
    if not done:
        why = os.strerror(ctypes.get_errno())
        raise NamespaceUnavailableError(f"files cannot be made read-only for the client here ({why})")


def _gather_devices(folder: Path) -> bool:
    for name in _DEVICES:
        device, place = Path("/dev", name), folder / name
        if not device.exists():
            continue
        if device.is_dir():
            place.mkdir()
        else:
            place.touch()
        if not _mount(device, place, _MS_BIND):
            return False
    (folder / "shm").mkdir(mode=0o1777)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        (folder / name).symlink_to(target)
    return True


def _mount(source: Path | None, place: Path, flags: int, kind: str | None = None) -> bool:
    what = b"none" if source is None else os.fsencode(source)
    return bool(_libc().mount(what, os.fsencode(place), kind and kind.encode(), flags, None) == 0)


def _set_read_only(place: Path, *, recursive: bool = False, clear: bool = False) -> bool:
    """``mount_setattr(2)``: glibc before 2.36 has no function for it."""
    number, here, all_below, read_only = 442, -100, 0x8000, 1
    change = struct.pack("QQQQ", 0 if clear else read_only, read_only if clear else 0, 0, 0)
    below = all_below if recursive else 0
    return bool(_libc().syscall(number, here, os.fsencode(place), below, change, len(change)) == 0)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
