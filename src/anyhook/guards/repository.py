"""Ask git about a project, without running a program that the project's own settings name.

A clone brings no settings, but an archive or a shared folder can have a ``.git/config``. What git would run to tell
what has changed is switched off: a file system monitor, hooks, filters (``filter.*.clean``), transports for objects
that are missing, and git in the folders of submodules, which have settings of their own. Replaced commits and grafts do
not count.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

OFF = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
"""No index is written, nothing is fetched, and no commit stands for another one."""
FILTER_OFF = ("clean=", "smudge=", "process=", "required=false")


def ask_git(
    project: Path, environment: Mapping[str, str], seconds: float, *words: str, program: str = "git"
) -> bytes | None:
    """What git prints; None: it failed, took too long or is not installed."""
    try:
        done = subprocess.run(
            [program, *OFF, *words],
            cwd=project,
            env={**environment, **VARIABLES},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def uncommitted(project: Path, environment: Mapping[str, str], seconds: float, *options: str) -> bytes | None:
    """What ``git status --porcelain`` prints; None: it failed, or a filter cannot be switched off."""
    listed = ask_git(project, environment, seconds, "config", "--null", "--name-only", "--list")
    keys = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    filters = dict.fromkeys(key.rpartition(".")[0] for key in keys if key.startswith("filter."))
    if listed is None or any("=" in name for name in filters):  # git takes the rest of such a name for the value
        return None
    off = [word for name in filters for setting in FILTER_OFF for word in ("-c", f"{name}.{setting}")]
    return ask_git(project, environment, seconds, *off, "status", "--porcelain", "--ignore-submodules=dirty", *options)
