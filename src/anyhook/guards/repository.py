"""Ask git about a project, without running a program that the project's own settings name.

A clone brings no settings, but an archive or a shared folder can have a ``.git/config``. What git would run to tell
what has changed is switched off: a file system monitor, hooks, filters (``filter.*.clean``), transports for objects
that are missing, and git in the folders of submodules, which have settings of their own. Replaced commits and grafts do
not count.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_OFF = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
"""No index is written, nothing is fetched, and no commit stands for another one."""
_FILTER_OFF = ("clean=", "smudge=", "process=", "required=false")


def ask_git(
    project: Path, environment: Mapping[str, str], seconds: float, *words: str, program: str = "git"
) -> bytes | None:
    """What git prints; None: it failed, took too long or is not installed."""
    try:
        done = subprocess.run(
            [program, *_OFF, *words],
            cwd=project,
            env={**environment, **_VARIABLES},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def filters_off(project: Path, environment: Mapping[str, str], seconds: float) -> list[str] | None:
    """Options that switch off the filters that settings name; None: they cannot be told, or not be switched off."""
    listed = ask_git(project, environment, seconds, "config", "--null", "--name-only", "--list")
    keys = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    filters = dict.fromkeys(key.rpartition(".")[0] for key in keys if key.startswith("filter."))
    if listed is None or any("=" in name for name in filters):  # git takes the rest of such a name for the value
        return None
    return [word for name in filters for setting in _FILTER_OFF for word in ("-c", f"{name}.{setting}")]


def uncommitted(project: Path, environment: Mapping[str, str], seconds: float, *options: str) -> bytes | None:
    """What ``git status --porcelain`` prints; None: it failed, or a filter cannot be switched off."""
    off = filters_off(project, environment, seconds)
    if off is None:
        return None
    return ask_git(project, environment, seconds, *off, "status", "--porcelain", "--ignore-submodules=dirty", *options)


def ask_together(
    project: str, environment: Mapping[str, str], seconds: float, *commands: Sequence[str], has_filters: bool
) -> list[str] | None:
    """What several commands of git print that run side by side; None: one failed, or all took too long."""
    end = time.monotonic() + seconds
    off = filters_off(Path(project), environment, seconds) if has_filters else []
    if off is None:
        return None
    started: list[subprocess.Popen[bytes]] = []
    try:
        for words in commands:
            started.append(_start(project, environment, [*off, *words]))  # noqa: PERF401  those that run are ended below
        printed = [one.communicate(timeout=max(end - time.monotonic(), 0))[0] for one in started]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    finally:
        for one in started:
            if one.poll() is None:
                one.kill()
            if one.stdout is not None:
                one.stdout.close()
            one.wait()
    failed = any(one.returncode for one in started)
    return None if failed else [text.decode("utf-8", "surrogateescape") for text in printed]


def _start(project: str, environment: Mapping[str, str], words: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["git", *_OFF, *words],
        cwd=project,
        env={**environment, **_VARIABLES},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
