"""What a function of one project could change for all others: the daemon compares it after every call."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from operator import is_
from typing import Any

_SIGNALS = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE, signal.SIGHUP)
_LIMITS = ("RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC")
_MODULES = (
    "asyncio.subprocess", "builtins", "hashlib", "io", "json", "msgspec", "msgspec.json", "os", "pathlib", "posixpath",
    "re", "shutil", "socket", "subprocess", "tempfile", "threading", "time",
)  # fmt: skip
_ALSO = "anyhook."


def allow_more_files() -> int | None:
    """Let this process open as many files as the system lets it; returns the former limit, for the hooks it starts.

    None, and nothing changes, where a limit cannot be given to hooks alone: some programs take long with a high one,
    because they close all descriptors that there could be.
    """
    if sys.platform != "linux":
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        return None
    return soft


class ProcessState:
    """The state of this process when it was made."""

    def __init__(self) -> None:
        self._facts = dict(_facts())
        self._members = tuple(_members())

    def change(self) -> str:
        """The first thing that has changed since; empty: nothing."""
        for name, value in _facts():
            if self._facts[name] != value:
                return name
        for module, names, members in self._members:
            now = vars(sys.modules.get(module, os))
            same = [*map(is_, map(now.get, names), members)]
            if False in same:
                return f"{module}.{names[same.index(False)]}"
        return ""


def _facts() -> Iterator[tuple[str, Any]]:
    umask = os.umask(0o077)
    os.umask(umask)
    yield "umask", umask
    yield "environment", dict(os.environ)
    try:
        yield "working folder", os.getcwd()  # noqa: PTH109
    except OSError:
        yield "working folder", None
    for number in _SIGNALS:
        yield number.name, signal.getsignal(number)
    for name in _LIMITS:
        with suppress(AttributeError, ValueError, OSError):
            yield name, resource.getrlimit(getattr(resource, name))


def _members() -> Iterator[tuple[str, tuple[str, ...], tuple[object, ...]]]:
    """The functions and classes of the modules that decide and run, loaded if nothing has needed them yet."""
    for name in _MODULES:
        import_module(name)
    for module in [name for name in sys.modules if name in _MODULES or name.startswith(_ALSO)]:
        members = {name: member for name, member in vars(sys.modules[module]).items() if callable(member)}
        yield module, tuple(members), tuple(members.values())
