"""Limits of a process under which guards cannot be run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")

CHECKS = "from anyhook.doctor.limits import limit_problems; print(*(found.code for found in limit_problems()))"


def checks(before: str) -> str:
    """The problems of a Python that a shell has started, after a command in that shell."""
    words = ["/bin/sh", "-c", f'{before}; "$0" -c "$1"; :', sys.executable, CHECKS]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(("before", "found"), [("ulimit -n 256", ""), ("ulimit -n 40", "H018")])
def test_what_the_shell_leaves_is_reported(before: str, found: str) -> None:
    assert checks(before) == found


def test_a_parent_that_ignores_its_children_is_reported() -> None:
    ignore = "import signal, subprocess, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)"
    words = [sys.executable, "-c", f"{ignore}; subprocess.call(sys.argv[1:])", sys.executable, "-c", CHECKS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "H020"


def test_doctor_says_so(tmp_path: Path) -> None:
    words = ["/bin/sh", "-c", 'ulimit -n 40; "$0" -m anyhook doctor; :', sys.executable]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "a process may open only 40 files here" in done.stdout
