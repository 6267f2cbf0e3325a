"""The anyhook under test, as tests start it: in a fork of a warm process where there are forks, else in a new one."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.checkout import ROOT, SOURCE
from tests.warm import front

COLD = (sys.executable, "-P", "-m", "anyhook")
"""Starts a new interpreter: for what only that shows."""
WARM = ("anyhook",)
"""Runs in a fork where that can stand in for a new interpreter."""
HAS_FORKS = sys.platform == "linux"
_REPLAYED = {"PYTHONPATH": str(SOURCE), "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
"""Of the variables that an interpreter reads when it starts, those that make no difference to a fork."""


def run_program(
    program: Sequence[str],
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``WARM``, ``COLD`` or another program to its end."""
    if program != WARM or not can_fork(env):
        words = (*(COLD if program == WARM else program), *words)
        return subprocess.run(words, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=timeout)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        streams = (given.fileno(), out.fileno(), err.fileno())
        status = run_warm(words, cwd=cwd, env=env, streams=streams, timeout=timeout)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([*COLD, *words], status, out.read(), err.read())


def can_fork(env: Mapping[str, str]) -> bool:
    """Whether a fork can stand in for an interpreter that starts with these variables."""
    return HAS_FORKS and all(_REPLAYED.get(name) == env[name] for name in env if name.startswith("PYTHON"))


def run_warm(
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    streams: tuple[int, int, int],
    timeout: float | None = None,
) -> int:
    """Run one command in a fork with these streams; its exit status, negative for a signal."""
    status = front.run_in_fork(_address(), words, environment=env, cwd=str(cwd), streams=streams, timeout=timeout)
    return os.waitstatus_to_exitcode(status)


def warm_words() -> tuple[str, ...]:
    """The words of a program that runs its arguments in a fork: for shells and other parents than the test."""
    return (sys.executable, "-I", "-S", front.__file__, _address()) if HAS_FORKS else COLD


@cache
def _address() -> str:
    """Starts the process that forks; it ends with this one."""
    folder = tempfile.mkdtemp(prefix="ahw")
    address = f"{folder}/socket"
    server = subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", "-m", "tests.warm.server", address],
        env={"PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": os.pathsep.join((str(SOURCE), str(ROOT)))},
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        server.communicate()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address
