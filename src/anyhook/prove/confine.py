"""What a client, its hooks and its tools may reach. For the first process of a namespace.

The namespaces alone keep the network and other processes away. Here go the files, the devices, the capabilities with
which root could undo all of this, and local sockets: a network namespace does not separate those that have a path, and
the daemon behind one (Docker, D-Bus, tmux) would do outside what it is told.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from anyhook.prove.namespace import MS_BIND, MS_REC, NamespaceUnavailableError, libc, make_mounts_private, mount

_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
_CAPABILITIES = 64
_PR_CAPBSET_READ, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 23, 24, 38, 22, 2
_FAMILIES = {"AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
"""The sockets that a network namespace separates."""


class Confinement(Struct, frozen=True, kw_only=True):
    """What is left of the machine."""

    writable: Path
    """The only folder whose files can be changed."""
    homes: tuple[Path, ...] = ()
    """Folders whose dot files are hidden: keys and tokens of the user."""
    shown: tuple[Path, ...] = ()
    """Paths that are not hidden: programs, and the project."""


def encode_confinement(confinement: Confinement) -> str:
    """As ASCII, also with file names that are not UTF-8."""
    return json.dumps(msgspec.to_builtins(confinement, enc_hook=str))


def decode_confinement(text: str) -> Confinement:
    """What :func:`encode_confinement` made."""
    return msgspec.convert(json.loads(text), Confinement, dec_hook=lambda _, value: Path(value))


def confine(confinement: Confinement) -> None:
    """Confine every program that this process starts from now on.

    Raises NamespaceUnavailableError where the machine does not allow it.
    """
    _protect_files(confinement)
    _drop_capabilities()
    _close_local_sockets()


# --------------------------------------------------------------------------------------------------- files and devices


def _protect_files(confinement: Confinement) -> None:
    """Make every file outside of a folder read-only, hide what is private, and all but harmless devices.

    A scripted command that a guard should have blocked runs where the guard does not work.
    """
    writable = confinement.writable
    devices = writable / "dev"
    devices.mkdir()
    done = (
        make_mounts_private()
        and mount(writable, writable, MS_BIND)
        and _hide(confinement)
        and mount(Path("tmpfs"), devices, 0, "tmpfs")
        and _gather_devices(devices)
        and mount(devices, Path("/dev"), MS_BIND | MS_REC)
        and _set_read_only(Path("/"), recursive=True)
        and _set_read_only(writable, clear=True)
    )
    if not done:
        why = os.strerror(ctypes.get_errno())
        raise NamespaceUnavailableError(f"files cannot be made read-only for the client here ({why})")


def _hide(confinement: Confinement) -> bool:
    """Show an empty folder or file in place of each dot file of a home folder that contains nothing to be shown."""
    folder, file = confinement.writable / "hidden.d", confinement.writable / "hidden"
    folder.mkdir()
    file.touch()
    shown = {known for path in confinement.shown for known in (path, path.resolve())}
    for entry in (entry for home in confinement.homes for entry in _dot_files(home)):
        place = entry.resolve()
        is_needed = any(path.is_relative_to(each) for path in shown for each in (entry, place))
        if place.exists() and not is_needed and not mount(folder if place.is_dir() else file, place, MS_BIND):
            return False
    return True


def _dot_files(home: Path) -> list[Path]:
    try:
        return [entry for entry in home.iterdir() if entry.name.startswith(".")]
    except OSError:
        return []


def _gather_devices(folder: Path) -> bool:
    for name in _DEVICES:
        device, place = Path("/dev", name), folder / name
        if not device.exists():
            continue
        place.touch()
        if not mount(device, place, MS_BIND):
            return False
    (folder / "shm").mkdir(mode=0o1777)
    (folder / "pts").mkdir()
    links = (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("ptmx", "pts/ptmx"))
    for name, target in links:
        (folder / name).symlink_to(target)
    # Terminals of its own: what is written to the user's would be taken for words of the user or of anyhook.
    return mount(Path("devpts"), folder / "pts", 0, "devpts", "newinstance,ptmxmode=0666,mode=0620")


def _set_read_only(place: Path, *, recursive: bool = False, clear: bool = False) -> bool:
    """``mount_setattr(2)``: glibc before 2.36 has no function for it."""
    number, here, all_below, read_only = 442, -100, 0x8000, 1
    change = struct.pack("QQQQ", 0 if clear else read_only, read_only if clear else 0, 0, 0)
    below = all_below if recursive else 0
    return bool(libc().syscall(number, here, os.fsencode(place), below, change, len(change)) == 0)


# --------------------------------------------------------------------------------------------------------- capabilities


def _drop_capabilities() -> None:
    """Take every capability from the programs that are started; this process keeps those it has, to mount with."""
    for number in range(_CAPABILITIES):
        libc().prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    header, sets = struct.pack("Ii", 0x20080522, 0), ctypes.create_string_buffer(24)  # version 3
    done = libc().capget(header, sets) == 0
    if done:
        effective, permitted, _, high_effective, high_permitted, _ = struct.unpack("6I", sets.raw)
        kept = struct.pack("6I", effective, permitted, 0, high_effective, high_permitted, 0)
        done = libc().capset(header, kept) == 0
    if not done or libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or _can_be_gained():
        raise NamespaceUnavailableError("capabilities cannot be taken from the client here")


def _can_be_gained() -> bool:
    """Whether a program that is started can have a capability: root gets all that are left."""
    return any(libc().prctl(_PR_CAPBSET_READ, number, 0, 0, 0) == 1 for number in range(_CAPABILITIES))


# -------------------------------------------------------------------------------------------------------- local sockets


class _Machine(Struct, frozen=True):
    """Numbers of a processor's Linux."""

    audit: int
    socket: int
    refused: tuple[int, ...]
    """add_key, request_key and keyctl (keys of the user), io_uring_setup (it makes sockets without system calls)."""


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 41, (248, 249, 250, 425)),
    "aarch64": _Machine(0xC00000B7, 198, (217, 218, 219, 425)),
}


def _close_local_sockets() -> None:
    """Refuse sockets but those of the network, which has loopback alone; ``socketpair`` reaches no one else."""
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        raise NamespaceUnavailableError(f"local sockets cannot be kept from the client on {platform.machine()}")
    code = ctypes.create_string_buffer(_filter(machine))
    program = struct.pack("HxxxxxxP", len(code.raw) // 8, ctypes.addressof(code))
    if libc().prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0) != 0:
        why = os.strerror(ctypes.get_errno())
        raise NamespaceUnavailableError(f"local sockets cannot be kept from the client here ({why})")


def _filter(machine: _Machine) -> bytes:
    """The program for seccomp: 32-bit system calls, other sockets and the refused calls fail with EACCES."""
    load, jump_if_equal, jump_if_not_less, give = 0x20, 0x15, 0x35, 0x06
    number_at, audit_at, first_argument_at, is_32_bit = 0, 4, 16, 0x40000000
    allowed, refused = 0x7FFF0000, 0x00050000 | 13
    lines: list[tuple[int, str, str, int]] = [
        (load, "", "", audit_at),
        (jump_if_equal, "", "refuse", machine.audit),
        (load, "", "", number_at),
        (jump_if_not_less, "refuse", "", is_32_bit),
        *((jump_if_equal, "refuse", "", number) for number in machine.refused),
        (jump_if_equal, "", "allow", machine.socket),
        (load, "", "", first_argument_at),
        *((jump_if_equal, "allow", "", family) for family in _FAMILIES.values()),
        (give, "", "", refused),
        (give, "", "", allowed),
    ]
    return b"".join(
        struct.pack("HBBI", code, _distance(lines, at, yes), _distance(lines, at, no), value)
        for at, (code, yes, no, value) in enumerate(lines)
    )


def _distance(lines: Sequence[object], at: int, target: str) -> int:
    """How many lines a jump skips: the last two refuse and allow."""
    ends = {"refuse": len(lines) - 2, "allow": len(lines) - 1}
    return ends[target] - at - 1 if target else 0
