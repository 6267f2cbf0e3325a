"""How many processes and how much disk a run may use. For the first process of a namespace.

A hook, or a command that a guard should have blocked, may start itself again and again, or write without end. Limits of
``setrlimit(2)`` do not help: that of processes does not bind root, that of files is for each file. A control group
would, but it has to be given to a user first. So the first process looks now and then, and ends the namespace.
"""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

_GIGABYTE = 1 << 30


class Quota(Struct, frozen=True):
    """What a run may use. Clients use some 20 processes, and less than a gigabyte."""

    processes: int = 1000
    bytes_on_disk: int = 4 * _GIGABYTE


class WatchedRun(Struct, frozen=True):
    """A run, and what was there when it began."""

    folder: Path
    """The only folder in which the run can write."""
    free: int
    used: int
    quota: Quota

    def excess(self) -> str:
        """What the run has too much of, for people; empty: nothing."""
        if count_processes() > self.quota.processes:
            return f"more than {self.quota.processes:,} processes"
        # Others write on the same disk, so less space is a reason to look, which takes longer.
        limit = self.quota.bytes_on_disk
        if self.free - _free(self.folder) > limit and disk_usage(self.folder) - self.used > limit:
            return f"more than {limit / _GIGABYTE:.3g} GB on disk"
        return ""


def watch(folder: Path, quota: Quota) -> WatchedRun:
    """Begin to watch a run."""
    return WatchedRun(folder, _free(folder), disk_usage(folder), quota)


def count_processes() -> int:
    """The processes of this namespace. Some containers show those outside in ``/proc``, too."""
    own = Path("/proc/self/ns/pid").readlink()
    return sum(_namespace(process) == own for process in Path("/proc").glob("[0-9]*"))


def _namespace(process: Path) -> Path | None:
    try:
        return (process / "ns/pid").readlink()
    except OSError:  # it has ended, or it belongs to someone else
        return None


def disk_usage(folder: Path) -> int:
    """The bytes that the files below a folder take on disk; files may come and go meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(parent, name).lstat().st_blocks * 512
            except OSError:
                continue
    return total


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
