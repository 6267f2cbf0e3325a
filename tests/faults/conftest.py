"""Whatever a hook does, no descriptor and no child process may be left when its test has ended."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.engine.executors import command as executors
from anyhook.engine.executors import process_portable
from tests.faults.stage import Stage

DESCRIPTORS = Path("/proc/self/fd")
TASKS = Path("/proc/self/task")

if sys.platform == "win32":
    collect_ignore_glob = ["test_*.py"]  # their hooks are shell commands


@pytest.fixture(params=["pidfd", "thread", "portable"])
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The three ways in which commands are run: Linux's, that of other Unixes, and the one for Windows."""
    way: str = request.param
    if way == "pidfd" and not hasattr(os, "pidfd_open"):
        pytest.skip("this system has no pidfd")
    if way == "thread":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    if way == "portable":
        monkeypatch.setattr(executors, "run_process", process_portable.run_process)
    return way


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before, children = _descriptors(), _children()
    yield
    gc.collect()
    assert _descriptors() <= before, "a descriptor is left open"
    assert _children() <= children, "a child is left, dead or alive"


def _descriptors() -> int:
    return len(list(DESCRIPTORS.iterdir())) if DESCRIPTORS.exists() else 0


def _children() -> frozenset[str]:
    """The children of every thread of this process; a test before this one may have started tests/warm."""
    return frozenset(pid for lists in TASKS.glob("*/children") for pid in lists.read_text().split())


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    yield Stage(tmp_path)
    for left in tmp_path.glob("*.outlives"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(left.read_text()), signal.SIGKILL)
