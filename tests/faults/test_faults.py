"""Everything a command hook can do wrong, with real processes: the host gets its outcome, and nothing is left behind.

Every row is run in each of the three ways to run a command. Timeouts are short where the hook hangs, long elsewhere.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Command
from anyhook.model.outcome import Effect, Status
from anyhook.model.payload import PreToolUse
from tests.faults.stage import DOES_NOT_WAIT, LONG, PYTHON, WAITS_FOR_PIPE, Stage, ends, is_running

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("runner")]

# ------------------------------------------------------------------------------------------------- it takes too long


def test_hangs(stage: Stage) -> None:
    run = stage.time_out(f"echo $$ > leader; sleep {LONG}", "leader")
    assert (run.status, run.exit_code) == (Status.TIMED_OUT, None)
    assert not is_running(stage.pid("leader"))


def test_a_guard_that_takes_too_long_blocks_if_it_asks_to(stage: Stage) -> None:
    outcome = stage.fire(stage.engine(Command(command=f"sleep {LONG}", timeout_ms=300, fail_closed=True)))
    assert outcome.runs[0].status is Status.TIMED_OUT
    assert outcome.effect is Effect.BLOCK


def test_ignores_term(stage: Stage) -> None:
    command = f"trap '' TERM; echo $$ > leader; (echo $$; sleep {LONG}) & echo $! > child; wait; sleep {LONG}"
    run = stage.time_out(command, "leader", "child")
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))
    assert ends(stage.pid("child"))


def test_never_ends_and_never_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.time_out(f"echo $$ > leader; sleep {LONG}", "leader", text="x" * 5_000_000)
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))


def test_endless_output(stage: Stage) -> None:
    run = stage.time_out("echo $$ > leader; yes", "leader")
    assert run.status is Status.TIMED_OUT
    assert ends(stage.pid("leader"))


# -------------------------------------------------------------------------------------------- it leaves a child behind


def test_forks_a_child_that_holds_stdout(stage: Stage) -> None:
    answer = '{"systemMessage": "done"}'
    run = stage.run(f"sleep {LONG} & echo $! > child.outlives; echo '{answer}'")
    assert run.status is Status.ALLOWED
    assert run.reply is not None
    assert run.reply.message == "done"
    assert is_running(stage.pid("child.outlives"))  # a hook may start what it likes; it is just not waited for


def test_forks_a_child_that_holds_stdout_where_the_client_waits_for_it(stage: Stage) -> None:
    run = stage.time_out(f"sleep {LONG} & echo $! > child; echo hello", "child", client=WAITS_FOR_PIPE)
    assert profile(WAITS_FOR_PIPE).execution.waits_for_pipe
    assert run.status is Status.TIMED_OUT
    assert ends(stage.pid("child"))


OWN_SESSION = f"import os, time; os.setsid(); open('child.outlives', 'w').write(str(os.getpid())); time.sleep({LONG})"


@pytest.mark.parametrize("client", [DOES_NOT_WAIT, WAITS_FOR_PIPE])
def test_child_in_its_own_session_holds_the_pipes(stage: Stage, client: str) -> None:
    command = (
        f'{PYTHON} "{OWN_SESSION}" & until [ -s child.outlives ]; do sleep 0.01; done; echo $$ > leader; sleep {LONG}'
    )
    run = stage.time_out(command, "child.outlives", "leader", client=client)
    assert run.status is Status.TIMED_OUT
    assert not is_running(stage.pid("leader"))
    assert is_running(stage.pid("child.outlives"))


def test_child_that_never_stops_writing_does_not_keep_the_host_reading(stage: Stage) -> None:
    run = stage.run("yes & echo $! > child.outlives; echo $$ > leader; sleep 0.2")
    assert run.status is Status.ALLOWED
    assert ends(stage.pid("child.outlives"))  # its pipe is not read any more


# ----------------------------------------------------------------------------------------------- it does odd things


def test_never_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.run("echo seen >&2; exit 2", text="x" * 5_000_000)
    assert (run.status, run.reason) == (Status.BLOCKED, "seen")


def test_reads_5_mb_of_stdin(stage: Stage) -> None:
    run = stage.run("wc -c >&2; exit 2", text="x" * 5_000_000)
    assert run.status is Status.BLOCKED
    assert int(run.reason) > 5_000_000


def test_closes_stdout_early(stage: Stage) -> None:
    run = stage.run("exec >&-; sleep 0.1; echo no >&2; exit 2")
    assert (run.status, run.reason) == (Status.BLOCKED, "no")


def test_closes_everything_early(stage: Stage) -> None:
    run = stage.run("exec <&- >&- 2>&-; sleep 0.1; exit 0", client=WAITS_FOR_PIPE)
    assert run.status is Status.ALLOWED


def test_prints_5_mb_of_json(stage: Stage) -> None:
    program = "import json; print(json.dumps({'systemMessage': 'x' * 5_000_000}))"
    run = stage.run(f'{PYTHON} "{program}"')
    assert run.status is Status.ALLOWED
    assert run.reply is not None
    assert run.reply.message == "x" * 5_000_000


def test_invalid_utf_8(stage: Stage) -> None:
    run = stage.run(r"printf 'not \377\376 text' >&2; printf '\300\200'; exit 2")
    assert (run.status, run.reason) == (Status.BLOCKED, "not \ufffd\ufffd text")


def test_invalid_utf_8_in_json(stage: Stage) -> None:
    run = stage.run(r"""printf '{"systemMessage": "a\377b"}'""")
    assert run.reply is not None
    assert run.reply.message == "a\ufffdb"


def test_nul_bytes(stage: Stage) -> None:
    run = stage.run(r"printf 'a\000b' >&2; printf '\000'; exit 2")
    assert (run.status, run.reason) == (Status.BLOCKED, "a\0b")


# --------------------------------------------------------------------------------------------- it cannot be started


def test_nul_byte_in_the_command(stage: Stage) -> None:
    run = stage.run("echo \0")
    assert run.status is Status.FAILED_OPEN
    assert run.reason.endswith("embedded null byte")


def test_nul_byte_in_a_variable(stage: Stage) -> None:
    run = stage.run(Command(command="true", env={"A": "\0"}))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.endswith("embedded null byte")


def test_half_an_emoji_in_the_command(stage: Stage) -> None:
    assert stage.run("echo \ud83d").status is Status.FAILED_OPEN


def test_command_not_found(stage: Stage) -> None:
    run = stage.run("no-such-command-anywhere")
    assert (run.status, run.exit_code) == (Status.FAILED_OPEN, 127)


def test_command_without_a_shell_not_found(stage: Stage) -> None:
    run = stage.run(Command(command="no-such-command-anywhere", args=("x",)))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.endswith("No such file or directory: no-such-command-anywhere")


def test_a_guard_that_cannot_be_started_blocks_if_it_asks_to(stage: Stage) -> None:
    outcome = stage.fire(stage.engine(Command(command="no-such-command-anywhere", args=(), fail_closed=True)))
    assert outcome.runs[0].status is Status.FAILED_CLOSED
    assert outcome.effect is Effect.BLOCK


@pytest.mark.parametrize("in_shell", [True, False])
def test_not_executable(stage: Stage, in_shell: bool) -> None:
    script = stage.folder / "hook.sh"
    script.write_text("#!/bin/sh\nexit 2\n")
    script.chmod(0o644)
    run = stage.run(Command(command=str(script), args=None if in_shell else ()))
    assert run.status is Status.FAILED_OPEN
    assert run.exit_code == 126 if in_shell else "Permission denied" in run.reason


def test_shell_syntax_error(stage: Stage) -> None:
    # 2 is also the status that blocks: a broken guard fails closed in every client that has this contract.
    run = stage.run("if then ((")
    assert (run.status, run.exit_code) == (Status.BLOCKED, 2)
    assert "yntax" in run.reason


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_killed_by_signal(stage: Stage, number: signal.Signals) -> None:
    run = stage.run(f"kill -{number.value} $$")
    assert (run.status, run.exit_code) == (Status.FAILED_OPEN, -number)
    assert run.reason == f"ended by signal {number.value}"


def test_folder_that_vanished(stage: Stage) -> None:
    gone = stage.folder / "gone"
    engine = Engine(stage.engine("true").hooks, project=gone, home=stage.folder)
    payload = PreToolUse(tool_name="Bash", tool_input={}, cwd=str(gone))
    (run,) = asyncio.run(engine.fire(payload)).runs
    assert run.status is Status.FAILED_OPEN
    assert run.reason.endswith(f"No such file or directory: {gone}")


def test_environment_larger_than_the_kernel_allows(stage: Stage) -> None:
    run = stage.run(Command(command="true", env={f"A{number}": "x" * 100_000 for number in range(100)}))
    assert run.status is Status.FAILED_CLOSED
    assert "Argument list too long" in run.reason


def test_payload_that_cannot_be_written_as_json(stage: Stage) -> None:
    payload = PreToolUse(tool_name="Bash", tool_input={"command": object()})
    (run,) = asyncio.run(stage.engine("true").fire(payload)).runs
    assert run.status is Status.FAILED_CLOSED
    assert "cannot be written as JSON" in run.reason


def test_no_descriptors_left(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    run = stage.run("true")
    assert run.status is Status.FAILED_CLOSED
    assert run.reason.endswith("Too many open files")
