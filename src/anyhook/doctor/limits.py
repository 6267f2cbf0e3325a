"""What the program that started anyhook leaves it: how many files it may open, and whether it hears of children."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem

if sys.platform != "win32":
    import resource
    import signal

ENOUGH_FILES = 64
"""Files that ``anyhook exec`` may open at once: it needs about twenty, and a hook has files of its own."""
_REFUSED = "anyhook cannot start hooks, and an entry then refuses or allows by its fail mode"


def limit_problems(proc: Path = Path("/proc")) -> Iterator[Problem]:
    """Limits under which guards cannot be run, and a parent that ignores SIGCHLD."""
    if sys.platform == "win32":
        return
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= files < ENOUGH_FILES:
        text = f"a process may open only {files} files here; without a free one {_REFUSED}"
        yield problem("H018", Origin(), text, "ulimit -n 1024, or a higher limit where the client is started")
    processes, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if processes >= 0 and os.geteuid() and (left := processes - _own_processes(proc)) < ENOUGH_FILES:
        text = f"you may start only {max(left, 0)} more processes here; without a free one {_REFUSED}"
        yield problem("H019", Origin(), text, "end some, or raise the limit: ulimit -u")
    if _ignores_children(proc / str(os.getppid()) / "status"):
        text = (
            "the program that started anyhook ignores SIGCHLD; anyhook undoes that for itself and its hooks, "
            "but other programs that are started from there can lose exit statuses, and a refusal with them"
        )
        yield problem("H020", Origin(), text, "start clients from another program or shell")


def _own_processes(proc: Path) -> int:
    """How many processes this user has, threads not counted; 0 where there is no /proc."""
    count = 0
    for folder in proc.glob("[0-9]*"):
        try:
            count += folder.stat().st_uid == os.geteuid()
        except OSError:  # it has ended
            continue
    return count


def _ignores_children(status: Path) -> bool:
    """Whether a process ignores SIGCHLD, by its ``status`` in /proc; False where there is none."""
    try:
        lines = status.read_text(errors="replace").splitlines()
    except OSError:
        return False
    ignored = next((line.split()[1] for line in lines if line.startswith("SigIgn:")), "0")
    return bool(int(ignored, 16) >> (signal.SIGCHLD - 1) & 1)
