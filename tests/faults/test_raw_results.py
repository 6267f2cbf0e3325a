"""What is known of a command that ran: all it printed up to the cap, its status, and that it is gone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest

from anyhook.engine.executors import command as executors
from anyhook.engine.executors.process import Limits, RawResult, run_process
from tests.faults.stage import LONG, SOON, TIMEOUTS_MS, Stage, appears, ends

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("runner")]


def raw(command: str, limits: Limits, stdin: bytes = b"") -> RawResult:
    async def run() -> RawResult:
        argv = ["/bin/sh", "-c", command]
        running = executors.run_process(argv, stdin, dict(os.environ), None, limits)
        return await asyncio.wait_for(running, SOON)

    return asyncio.run(run())


def test_output_over_the_cap_is_thrown_away() -> None:
    result = raw("head -c 300000 /dev/zero; head -c 70000 /dev/zero >&2", Limits(timeout=SOON, kept_bytes=100_000))
    assert (len(result.stdout), len(result.stderr)) == (100_000, 70_000)


def test_nothing_is_kept_under_a_cap_of_zero() -> None:
    result = raw("echo hello", Limits(timeout=SOON, kept_bytes=0))
    assert result.stdout == b""


def test_everything_printed_before_the_end_is_there() -> None:
    for size in (1, 65_536, 65_537, 1_000_000):
        assert len(raw(f"head -c {size} /dev/zero", Limits(timeout=SOON)).stdout) == size


def test_input_and_output_may_both_be_larger_than_a_pipe() -> None:
    sent = os.urandom(3_000_000)
    assert raw("cat", Limits(timeout=SOON), sent).stdout == sent


def test_no_time_at_all() -> None:
    result = raw(f"sleep {LONG}", Limits(timeout=0))
    assert (result.timed_out, result.exit_code) == (True, None)


def test_a_command_gets_term_and_time_to_clean_up(stage: Stage) -> None:
    ready, trace = stage.folder / "ready", stage.folder / "trace"
    command = f"trap 'echo cleaned > {trace}; exit 0' TERM; touch {ready}; sleep {LONG} & wait"
    for timeout_ms in TIMEOUTS_MS:
        result = raw(command, Limits(timeout=timeout_ms / 1000, grace=SOON / 2))
        assert result.timed_out
        if ready.exists():  # else the machine was too busy to start it in that time
            break
    assert trace.read_text() == "cleaned\n"


STOLEN_STATUS = """
import asyncio, os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from anyhook.engine.executors.process import Limits, run_process
result = asyncio.run(run_process(["/bin/sh", "-c", "exit 2"], b"", dict(os.environ), None, Limits(timeout=120)))
print(result.exit_code, result.error)
"""


def test_a_status_that_the_host_throws_away_is_not_taken_for_success(runner: str) -> None:
    if runner != "pidfd":
        pytest.skip("asyncio and Popen read such a status as 255 or 0")
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", STOLEN_STATUS], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout == "None another part of this program took its exit status, or the program ignores SIGCHLD\n", (
        done.stderr
    )


def test_abandoned_without_an_event_loop(stage: Stage, runner: str) -> None:
    """A host that drops its event loop in the middle cannot be told to wait; the process is ended all the same."""
    if runner == "portable":
        pytest.skip("asyncio's own transports warn of the closed loop")
    command = ["/bin/sh", "-c", f"echo $$ > leader; sleep {LONG}"]
    loop = asyncio.new_event_loop()
    running = run_process(command, b"", dict(os.environ), str(stage.folder), Limits())

    async def step() -> None:
        running.send(None)  # starts it and waits for its end
        await appears(stage.folder / "leader")

    threads = threading.active_count()
    loop.run_until_complete(step())
    running.close()
    loop.close()
    assert ends(stage.pid("leader"))
    while threading.active_count() > threads:  # a thread waits for the process, since the loop no longer can
        time.sleep(0.01)
