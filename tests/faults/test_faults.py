"""Everything a command hook can do wrong, with real processes: the host gets its outcome, and nothing is left behind.

Every row is run in each of the three ways to run a command. Times are only upper bounds that show that nothing hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.profile import Order
from anyhook.engine import executors
from anyhook.engine.engine import AT_ONCE, Engine
from anyhook.engine.process import Limits, RawResult, run_process
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.model.payload import PreToolUse

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the hooks are shell commands"),
    pytest.mark.usefixtures("runner"),
]

LONG = 60
"""Seconds that a hook would take if nobody ended it."""
SOON = 20.0
"""Seconds within which everything must be over, however busy the machine is."""
PYTHON = f"{sys.executable} -S -E -c"
WAITS_FOR_PIPE = "qwen-code"
DOES_NOT_WAIT = "claude-code"


class Stage:
    """A project folder in which hooks leave their process numbers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def engine(self, *commands: str | Command, client: str = DOES_NOT_WAIT, timeout_ms: int = 300) -> Engine:
        actions = [c if isinstance(c, Command) else Command(command=c, timeout_ms=timeout_ms) for c in commands]
        rule = Rule(event="PreToolUse", native_event="PreToolUse", actions=tuple(actions))
        return Engine(HookSet(dialect=client, rules=(rule,)), project=self.folder, home=self.folder)

    def payload(self, text: str = "ls") -> PreToolUse:
        return PreToolUse(tool_name="Bash", tool_input={"command": text}, session_id="s", cwd=str(self.folder))

    def fire(self, engine: Engine, text: str = "ls") -> Outcome:
        async def fire() -> Outcome:
            return await asyncio.wait_for(engine.fire(self.payload(text)), SOON)

        return asyncio.run(fire())

    def run(self, command: str | Command, text: str = "ls", **more: Any) -> Run:
        (run,) = self.fire(self.engine(command, **more), text).runs
        return run

    def pid(self, name: str) -> int:
        return int((self.folder / name).read_text())


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    yield Stage(tmp_path)
    for left in tmp_path.glob("*.outlives"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(left.read_text()), signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Whether a process is there and not just waiting for its parent to take notice of its end."""
    status = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return not Path("/proc/self").exists() or status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def ends(pid: int) -> bool:
    """Whether a process that was sent a signal ends, which takes the kernel a moment."""
    deadline = time.monotonic() + SOON
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


async def appears(file: Path) -> None:
    async with asyncio.timeout(SOON):
        while not file.exists() or not file.read_text().strip():
            await asyncio.sleep(0.01)


# ------------------------------------------------------------------------------------------------- it takes too long


def test_hangs(stage: Stage) -> None:
    run = stage.run(f"echo $$ > leader; sleep {LONG}")
    assert (run.status, run.exit_code) == (Status.TIMED_OUT, None)
    assert not is_running(stage.pid("leader"))


def test_a_time_out_blocks_where_the_client_says_so(stage: Stage) -> None:
    outcome = stage.fire(stage.engine(f"sleep {LONG}", client="agent-sdk"))
    assert outcome.runs[0].status is Status.TIMED_OUT
    assert outcome.effect is Effect.BLOCK


def test_ignores_term(stage: Stage) -> None:
    run = stage.run(f"trap '' TERM; echo $$ > leader; (echo $$; sleep {LONG}) & echo $! > child; wait; sleep {LONG}")
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))
    assert ends(stage.pid("child"))


def test_gets_term_and_time_to_clean_up(stage: Stage) -> None:
    run = stage.run(f"trap 'echo cleaned > trace; exit 0' TERM; echo $$ > leader; sleep {LONG} & wait")
    assert run.status is Status.TIMED_OUT
    assert (stage.folder / "trace").read_text() == "cleaned\n"


def test_never_ends_and_never_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.run(f"echo $$ > leader; sleep {LONG}", text="x" * 5_000_000)
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))


def test_endless_output(stage: Stage) -> None:
    run = stage.run("echo $$ > leader; yes")
    assert run.status is Status.TIMED_OUT
    assert ends(stage.pid("leader"))


# -------------------------------------------------------------------------------------------- it leaves a child behind


def test_forks_a_child_that_holds_stdout(stage: Stage) -> None:
    answer = '{"systemMessage": "done"}'
    run = stage.run(f"sleep {LONG} & echo $! > child.outlives; echo '{answer}'", timeout_ms=10_000)
    assert run.status is Status.ALLOWED
    assert run.reply is not None
    assert run.reply.message == "done"
    assert is_running(stage.pid("child.outlives"))  # a hook may start what it likes; it is just not waited for


def test_forks_a_child_that_holds_stdout_where_the_client_waits_for_it(stage: Stage) -> None:
    run = stage.run(f"sleep {LONG} & echo $! > child; echo hello", client=WAITS_FOR_PIPE)
    assert profile(WAITS_FOR_PIPE).execution.waits_for_pipe
    assert run.status is Status.TIMED_OUT
    assert ends(stage.pid("child"))


OWN_SESSION = f"import os, time; os.setsid(); open('child.outlives', 'w').write(str(os.getpid())); time.sleep({LONG})"


@pytest.mark.parametrize("client", [DOES_NOT_WAIT, WAITS_FOR_PIPE])
def test_child_in_its_own_session_holds_the_pipes(stage: Stage, client: str) -> None:
    command = f'{PYTHON} "{OWN_SESSION}" & until [ -s child.outlives ]; do sleep 0.01; done; echo $$ > leader; sleep 60'
    run = stage.run(command, client=client, timeout_ms=2_000)
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))
    assert is_running(stage.pid("child.outlives"))


def test_child_that_never_stops_writing_does_not_keep_the_host_reading(stage: Stage) -> None:
    run = stage.run("yes & echo $! > child.outlives; echo $$ > leader; sleep 0.2", timeout_ms=20_000)
    assert run.status is Status.ALLOWED
    assert ends(stage.pid("child.outlives"))  # nobody reads its pipe any more


# ----------------------------------------------------------------------------------------------- it does odd things


def test_never_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.run("echo seen >&2; exit 2", text="x" * 5_000_000, timeout_ms=20_000)
    assert (run.status, run.reason) == (Status.BLOCKED, "seen")


def test_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.run("wc -c >&2; exit 2", text="x" * 5_000_000, timeout_ms=20_000)
    assert run.status is Status.BLOCKED
    assert int(run.reason) > 5_000_000


def test_closes_stdout_early(stage: Stage) -> None:
    run = stage.run("exec >&-; sleep 0.1; echo no >&2; exit 2", timeout_ms=20_000)
    assert (run.status, run.reason) == (Status.BLOCKED, "no")


def test_closes_everything_early(stage: Stage) -> None:
    run = stage.run("exec <&- >&- 2>&-; sleep 0.1; exit 0", timeout_ms=20_000, client=WAITS_FOR_PIPE)
    assert run.status is Status.ALLOWED


def test_prints_5_mb_of_json(stage: Stage) -> None:
    program = "import json; print(json.dumps({'systemMessage': 'x' * 5_000_000}))"
    run = stage.run(f'{PYTHON} "{program}"', timeout_ms=20_000)
    assert run.status is Status.ALLOWED
    assert run.reply is not None
    assert run.reply.message == "x" * 5_000_000


def test_invalid_utf_8(stage: Stage) -> None:
    run = stage.run(r"printf 'not \377\376 text' >&2; printf '\300\200'; exit 2", timeout_ms=20_000)
    assert (run.status, run.reason) == (Status.BLOCKED, "not \ufffd\ufffd text")


def test_invalid_utf_8_in_json(stage: Stage) -> None:
    run = stage.run(r"""printf '{"systemMessage": "a\377b"}'""", timeout_ms=20_000)
    assert run.reply is not None
    assert run.reply.message == "a\ufffdb"


def test_nul_bytes(stage: Stage) -> None:
    run = stage.run(r"printf 'a\000b' >&2; printf '\000'; exit 2", timeout_ms=20_000)
    assert (run.status, run.reason) == (Status.BLOCKED, "a\0b")


# --------------------------------------------------------------------------------------------- it cannot be started


def test_nul_byte_in_the_command(stage: Stage) -> None:
    run = stage.run("echo \0")
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "could not be started: embedded null byte")


def test_nul_byte_in_a_variable(stage: Stage) -> None:
    run = stage.run(Command(command="true", env={"A": "\0"}))
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "could not be started: embedded null byte")


def test_half_an_emoji_in_the_command(stage: Stage) -> None:
    assert stage.run("echo \ud83d").status is Status.FAILED_OPEN


def test_command_not_found(stage: Stage) -> None:
    run = stage.run("no-such-command-anywhere", timeout_ms=20_000)
    assert (run.status, run.exit_code) == (Status.FAILED_OPEN, 127)


def test_command_without_a_shell_not_found(stage: Stage) -> None:
    run = stage.run(Command(command="no-such-command-anywhere", args=("x",)))
    assert run.status is Status.FAILED_OPEN
    assert run.reason == "could not be started: No such file or directory: no-such-command-anywhere"


def test_a_guard_that_cannot_be_started_blocks_if_it_asks_to(stage: Stage) -> None:
    outcome = stage.fire(stage.engine(Command(command="no-such-command-anywhere", args=(), fail_closed=True)))
    assert outcome.runs[0].status is Status.FAILED_CLOSED
    assert outcome.effect is Effect.BLOCK


@pytest.mark.parametrize("in_shell", [True, False])
def test_not_executable(stage: Stage, in_shell: bool) -> None:
    script = stage.folder / "hook.sh"
    script.write_text("#!/bin/sh\nexit 2\n")
    script.chmod(0o644)
    run = stage.run(Command(command=str(script), args=None if in_shell else (), timeout_ms=20_000))
    assert run.status is Status.FAILED_OPEN
    assert run.exit_code == 126 if in_shell else "Permission denied" in run.reason


def test_shell_syntax_error(stage: Stage) -> None:
    # 2 is also the status that blocks: a broken guard fails closed in every client that has this contract.
    run = stage.run("if then ((", timeout_ms=20_000)
    assert (run.status, run.exit_code) == (Status.BLOCKED, 2)
    assert "yntax" in run.reason


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_killed_by_signal(stage: Stage, number: signal.Signals) -> None:
    run = stage.run(f"kill -{number.value} $$", timeout_ms=20_000)
    assert (run.status, run.exit_code) == (Status.FAILED_OPEN, -number)
    assert run.reason == f"ended by signal {number.value}"


def test_folder_that_vanished(stage: Stage) -> None:
    gone = stage.folder / "gone"
    engine = Engine(stage.engine("true").hooks, project=gone, home=stage.folder)
    payload = PreToolUse(tool_name="Bash", tool_input={}, cwd=str(gone))
    (run,) = asyncio.run(engine.fire(payload)).runs
    assert run.status is Status.FAILED_OPEN
    assert run.reason == f"could not be started: No such file or directory: {gone}"


def test_environment_larger_than_the_kernel_allows(stage: Stage) -> None:
    run = stage.run(Command(command="true", env={f"A{number}": "x" * 100_000 for number in range(100)}))
    assert run.status is Status.FAILED_OPEN
    assert "Argument list too long" in run.reason


def test_payload_that_cannot_be_written_as_json(stage: Stage) -> None:
    payload = PreToolUse(tool_name="Bash", tool_input={"command": object()})
    (run,) = asyncio.run(stage.engine("true").fire(payload)).runs
    assert run.status is Status.FAILED_OPEN
    assert "cannot be written as JSON" in run.reason


def test_no_descriptors_left(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    run = stage.run("true")
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "could not be started: Too many open files")


# -------------------------------------------------------------------------------------------------------- the host


def test_200_hooks_at_once(stage: Stage) -> None:
    hooks = [f"echo {number} >&2; exit {2 if number == 150 else 0}" for number in range(200)]
    outcome = stage.fire(stage.engine(*hooks, timeout_ms=60_000))
    assert len(outcome.runs) == 200
    assert {run.exit_code for run in outcome.runs} == {0, 2}
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "150")


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "copilot-vscode"])
def test_host_cancelled_in_the_middle(stage: Stage, client: str) -> None:
    engine = stage.engine(
        f"sleep {LONG} & echo $! > child; echo $$ > one; wait",
        f"trap '' TERM; echo $$ > two; sleep {LONG}; sleep {LONG}",
        client=client,
        timeout_ms=60_000,
    )

    started = ("one",) if profile(client).execution.order is Order.SEQUENTIAL else ("one", "two")

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload("x" * 5_000_000)))
        for name in started:
            await appears(stage.folder / name)
            assert is_running(stage.pid(name))
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)
        for name in started:
            assert not is_running(stage.pid(name))

    asyncio.run(host())
    assert ends(stage.pid("child"))


@pytest.mark.parametrize("steps", range(12))
def test_host_cancelled_at_any_step(stage: Stage, steps: int) -> None:
    engine = stage.engine(f"echo $$ > leader; sleep {LONG}", timeout_ms=60_000)

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload()))
        for _ in range(steps):
            await asyncio.sleep(0)
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)

    asyncio.run(host())
    time.sleep(0.05)
    leader = stage.folder / "leader"
    assert not leader.exists() or not leader.read_text() or not is_running(stage.pid("leader"))


def test_host_cancels_twice(stage: Stage) -> None:
    engine = stage.engine(f"echo $$ > leader; sleep {LONG}", timeout_ms=60_000)

    async def host() -> None:
        event = asyncio.create_task(engine.fire(stage.payload()))
        await appears(stage.folder / "leader")
        event.cancel()
        await asyncio.sleep(0)
        event.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(event, SOON)

    asyncio.run(host())
    assert ends(stage.pid("leader"))


def test_background_hooks_end_with_the_engine(stage: Stage) -> None:
    engine = stage.engine(f"""echo '{{"async": true}}'; echo $$ > leader; sleep {LONG}""", timeout_ms=60_000)

    async def host() -> Outcome:
        outcome = await asyncio.wait_for(engine.fire(stage.payload()), SOON)
        await appears(stage.folder / "leader")
        assert is_running(stage.pid("leader"))
        await asyncio.wait_for(engine.close(), SOON)
        return outcome

    assert asyncio.run(host()).runs[0].reason == "runs in the background"
    assert not is_running(stage.pid("leader"))


STALL = 0.050
CALM = 0.200


async def longest_stall(meanwhile: Callable[[], Any]) -> float:
    """The longest time for which something else in the event loop was kept waiting."""
    work = asyncio.ensure_future(meanwhile())
    longest, last = 0.0, time.perf_counter()
    while not work.done():
        await asyncio.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    await work
    return longest


BUSY: dict[str, tuple[str, int, int]] = {
    "a hook that hangs": (f"sleep {LONG}", 1, 0),
    "a hook that prints 5 MB": ("head -c 5000000 /dev/zero", 1, 0),
    "a hook that prints without end": ("yes", 1, 0),
    "a hook that reads 20 MB": ("cat >/dev/null", 1, 20_000_000),
    "as many hooks as run at once": ("true", AT_ONCE, 0),
}


@pytest.mark.parametrize("what", BUSY)
def test_event_loop_of_the_host_stays_responsive(stage: Stage, what: str) -> None:
    command, hooks, size = BUSY[what]
    engine = stage.engine(*(f"{command} # {number}" for number in range(hooks)), timeout_ms=500)
    payload = stage.payload("x" * size)

    async def excess() -> float:
        calm = await longest_stall(lambda: asyncio.sleep(CALM))
        return await longest_stall(lambda: engine.fire(payload)) - calm

    attempts = []
    for _ in range(8):  # on a busy machine a stall may be somebody else's; one calm attempt proves the point
        attempts.append(asyncio.run(excess()))
        if attempts[-1] < STALL:
            return
    pytest.fail(f"the event loop stood still for {min(attempts) * 1000:.0f} ms")


# ---------------------------------------------------------------------------------------------- the raw result itself


def raw(command: str, limits: Limits, stdin: bytes = b"") -> RawResult:
    async def run() -> RawResult:
        argv = ["/bin/sh", "-c", command]
        running = executors.run_process(argv, stdin, dict(os.environ), None, limits)  # type: ignore[attr-defined]
        return await asyncio.wait_for(running, SOON)

    return asyncio.run(run())


def test_output_over_the_cap_is_counted_and_thrown_away() -> None:
    result = raw("head -c 300000 /dev/zero; head -c 70000 /dev/zero >&2", Limits(timeout=SOON, kept_bytes=100_000))
    assert (len(result.stdout), len(result.stderr)) == (100_000, 70_000)
    assert result.lost_bytes == 200_000


def test_nothing_is_kept_under_a_cap_of_zero() -> None:
    result = raw("echo hello", Limits(timeout=SOON, kept_bytes=0))
    assert (result.stdout, result.lost_bytes) == (b"", 6)


def test_everything_printed_before_the_end_is_there() -> None:
    for size in (1, 65_536, 65_537, 1_000_000):
        assert len(raw(f"head -c {size} /dev/zero", Limits(timeout=SOON)).stdout) == size


def test_input_and_output_may_both_be_larger_than_a_pipe() -> None:
    sent = os.urandom(3_000_000)
    assert raw("cat", Limits(timeout=SOON), sent).stdout == sent


def test_no_time_at_all() -> None:
    result = raw(f"sleep {LONG}", Limits(timeout=0))
    assert (result.timed_out, result.exit_code) == (True, None)


STOLEN_STATUS = """
import asyncio, os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from anyhook.engine.process import Limits, run_process
result = asyncio.run(run_process(["/bin/sh", "-c", "exit 2"], b"", dict(os.environ), None, Limits(timeout=20)))
print(result.exit_code, result.error)
"""


def test_a_status_that_the_host_throws_away_is_not_taken_for_success(runner: str) -> None:
    if runner != "pidfd":
        pytest.skip("asyncio and Popen read such a status as 255 or 0")
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", STOLEN_STATUS], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout == "None another part of this program took its exit status\n", done.stderr


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
