"""A process that is stopped is not stuck; one that computes without end is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from anyhook.serve.daemon import STUCK_SECONDS
from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, make_stage

pytestmark = pytest.mark.long

if os.name != "posix":
    pytest.skip("signals of a POSIX system", allow_module_level=True)

LIMIT = 0.4
WATCHED = f"""\
import asyncio, re, signal, sys
from anyhook.serve.watchdog import watched

async def main():
    async with watched({LIMIT}):
        print("ready", flush=True)
        if sys.argv[1] == "stuck":
            re.match(r"(a+)+b", "a" * 200)
        await asyncio.to_thread(sys.stdin.readline)

for number in sys.argv[2:]:
    signal.signal(int(number), signal.SIG_IGN)
asyncio.run(main())
print("over", flush=True)
"""


def start(*words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        (sys.executable, "-c", WATCHED, *words),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def stop_for(pid: int, seconds: float) -> None:
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)


def test_a_process_that_was_stopped_for_long_goes_on() -> None:
    process = start("waits")
    for _ in range(3):
        stop_for(process.pid, 2.5 * LIMIT)
    out, err = process.communicate("\n", timeout=SOON)
    assert (process.returncode, out) == (0, "over\n"), err


@pytest.mark.parametrize("ignored", [(), (str(int(signal.SIGPROF)),)])
def test_a_process_that_holds_the_interpreter_lock_ends(ignored: tuple[str, ...]) -> None:
    process = start("stuck", *ignored)
    _, err = process.communicate(timeout=SOON)
    assert process.returncode == -signal.SIGPROF
    assert "most recent call first" in err


def test_a_daemon_that_was_stopped_for_long_answers() -> None:
    with make_stage() as stage:
        stage.trust()
        with stage.daemon() as daemon:
            _ask(stage)
            stop_for(daemon.pid, STUCK_SECONDS + 1)
            stage.status()
            _ask(stage)
            assert daemon.poll() is None


def _ask(stage: Stage) -> None:
    asked = stage.ask(PYTHON_CLIENT, stage.payload("forbidden"))
    assert b"not that" in asked.stdout, asked
