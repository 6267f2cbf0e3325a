"""Disks, partitions and file systems."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands
from anyhook.guards.shell.places import RAW_DEVICE, is_temporary, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_ALWAYS = frozenset(
    [
        "wipefs",
        "blkdiscard",
        "pvremove",
        "vgremove",
        "lvremove",
        "mkswap",
        "cfdisk",
        "nwipe",
        "scrub",
        "badblocks",
    ]
)
_PARTITIONERS = frozenset({"fdisk", "sfdisk", "gdisk", "sgdisk", "parted"})
_SUBCOMMANDS = {
    "zpool": {"destroy", "labelclear", "export", "remove", "detach"},
    "zfs": {"destroy", "rollback"},
    "cryptsetup": {"luksformat", "erase", "lukserase", "reencrypt", "luksremovekey", "lukskillslot"},
    "diskutil": {
        "erasedisk",
        "erasevolume",
        "partitiondisk",
        "reformat",
        "zerodisk",
        "randomdisk",
        "secureerase",
        "apfs",
    },
    "nvme": {"format", "sanitize"},
}
_LISTED_DEVICE = LazyPattern(r"\$\([^)]*\b(?:df|findmnt|lsblk|blkid|mount|diskutil|losetup|swapon)\b")


def refuse(what: str) -> Finding:
    return Finding(Family.DISKS, what, "Work on an image file below /tmp, or ask the user.")


def judge_mkfs(command: Invocation) -> Finding | None:
    targets = operands(command)
    if any(
        re.search(r"\.(?:img|iso|raw|qcow2)$", target) or is_temporary(place(command, target)) for target in targets
    ):
        return None
    return refuse("makes a file system, which erases what is there") if targets or command.has_more_arguments else None


def judge_always(command: Invocation) -> Finding | None:
    if command.name == "wipefs" and not has_option(command, "ao", "--all", "--offset"):
        return None
    if command.name == "badblocks" and not has_option(command, "wn"):
        return None
    return refuse("erases a disk or a partition") if command.arguments else None


def judge_partitioner(command: Invocation) -> Finding | None:
    arguments = command.arguments
    if (
        not arguments
        or has_option(command, "l", "--list", "--version", "--print")
        or "print" in arguments
        or "-d" in arguments
    ):
        return None
    return refuse("changes the partitions of a disk")


def judge_subcommand(command: Invocation) -> Finding | None:
    words = {argument.lower() for argument in command.arguments}
    if words & _SUBCOMMANDS[command.name]:
        if (
            command.name == "diskutil"
            and "apfs" in words
            and not any(word.startswith(("delete", "erase")) for word in words)
        ):
            return None
        return refuse(f"destroys data with {command.name}")
    return None


def judge_dd(command: Invocation) -> Finding | None:
    for argument in command.arguments:
        key, _, value = argument.partition("=")
        if key != "of":
            continue
        path = place(command, value)
        if _is_device(path) or re.match(r"\$\{?\w*(?:DISK|DEV|DRIVE|USB)", value, re.IGNORECASE):
            return refuse(f"writes to the device {value}")
        if path.startswith(("~", "/", "..")) and not is_temporary(path) and not path.startswith("/dev/"):
            return refuse(f"overwrites {path}")
        if any(text.startswith("if=/dev/") for text in command.arguments) and re.search(r"(?:^|/)src/", path):
            return refuse(f"overwrites {path}")
    return None


def judge_write(written: Sequence[str]) -> Finding | None:
    """Redirections and copies to a device."""
    return next((refuse(f"writes to the device {path}") for path in written if _is_device(path)), None)


def _is_device(path: str) -> bool:
    """A device by its name, or what a program lists that knows of devices: ``$(findmnt -no SOURCE /home)``."""
    return path[:1] in "/\\$" and (RAW_DEVICE.match(path) or _LISTED_DEVICE.match(path)) is not None


def judge_mdadm(command: Invocation) -> Finding | None:
    return (
        refuse("destroys a RAID array")
        if has_option(command, "", "--zero-superblock", "--stop", "--remove", "--fail")
        else None
    )


def judge_hdparm(command: Invocation) -> Finding | None:
    return (
        refuse("erases a disk")
        if any(
            "security-erase" in text or "trim-sector" in text or "yes-i-know" in text or "write-sector" in text
            for text in command.arguments
        )
        else None
    )


def judge_umount(command: Invocation) -> Finding | None:
    if has_option(command, "a", "--all") or any(
        path in ("/", "/home", "/boot", "/usr", "/var") for path in operands(command)
    ):
        return refuse("unmounts the file systems of this machine")
    return None


def judge_btrfs(command: Invocation) -> Finding | None:
    return refuse("deletes a volume") if "delete" in command.arguments or "remove" in command.arguments else None


JUDGES = {
    **dict.fromkeys(_ALWAYS, (judge_always,)),
    **dict.fromkeys(_PARTITIONERS, (judge_partitioner,)),
    **dict.fromkeys(_SUBCOMMANDS, (judge_subcommand,)),
    "dd": (judge_dd,),
    "dcfldd": (judge_dd,),
    "mdadm": (judge_mdadm,),
    "hdparm": (judge_hdparm,),
    "umount": (judge_umount,),
    "btrfs": (judge_btrfs,),
    **dict.fromkeys(("mke2fs", "newfs", "newfs_hfs", "mkdosfs", "mkntfs"), (judge_mkfs,)),
}
