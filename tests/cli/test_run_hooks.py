"""Hooks that continue after the answer: declared async, or announced by the hook; with and without a daemon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.serve.daemons import PYTHON_CLIENT, Stage, make_stage, wait_until
from tests.warm.commands import COLD

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the hooks are shell scripts")
FROM = ("--from", "claude-code")
ANSWERED = (90, b"", b"")
WITHOUT_FORK = "import os, sys; del os.fork; from anyhook.cli.exec_command import main; main(sys.argv[1:])"


class Slow(NamedTuple):
    """A hook that starts and then waits for a file before it ends."""

    stage: Stage
    name: str

    def file(self, mark: str) -> Path:
        return self.stage.top / f"{self.name}.{mark}"

    def action(self, first: str = "true", *, is_async: bool = False) -> dict[str, Any]:
        """The hook, with a shell command that it runs first."""
        lines = (
            "cat > /dev/null",
            first,
            f"touch {self.file('began')}",
            f"until test -e {self.file('go')}; do sleep 0.05; done",
            f"touch {self.file('done')}",
        )
        return {"type": "command", "command": "; ".join(lines), "async": is_async}

    def began(self) -> None:
        wait_until(self.file("began").exists)

    def finish(self) -> None:
        """Let the hook end; fails if it does not run any more."""
        self.file("go").touch()
        wait_until(self.file("done").exists)

    def is_gone(self) -> None:
        self.file("go").touch()
        with pytest.raises(AssertionError, match="it did not happen"):
            wait_until(self.file("done").exists, 0.5)


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        yield made


@pytest.fixture
def slow(stage: Stage) -> Slow:
    return Slow(stage, "slow")


def write(stage: Stage, *actions: dict[str, Any]) -> None:
    stage.write("../.claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": list(actions)}]}}))
    stage.trust()


def start_exec(stage: Stage) -> subprocess.Popen[bytes]:
    """Start exec like a client that may kill its whole process group."""
    process = subprocess.Popen(
        (*COLD, *stage.words(*FROM)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=stage.project,
        env=stage.environment,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(stage.payload())
    process.stdin.close()
    return process


def output_ends(process: subprocess.Popen[bytes]) -> None:
    """Reads the output to its end: nothing that exec started may hold it open."""
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.read() == b""
    process.wait()


KINDS = {"declared": ("true", True), "announced": ("""echo '{"async": true}'""", False)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_continues_after_exec_has_answered(kind: str, stage: Stage, slow: Slow) -> None:
    first, is_async = KINDS[kind]
    write(stage, slow.action(first, is_async=is_async))
    assert stage.ask_without(stage.payload(), *FROM) == ANSWERED  # returns when the output is closed, too
    slow.began()
    assert not slow.file("done").exists()
    slow.finish()


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_continues_in_the_daemon_which_waits_for_it(kind: str, stage: Stage, slow: Slow) -> None:
    first, is_async = KINDS[kind]
    write(stage, slow.action(first, is_async=is_async))
    with stage.daemon() as daemon:
        assert stage.ask(PYTHON_CLIENT, stage.payload(), *FROM) == ANSWERED
        assert not stage.fell_back()
        assert stage.status()["background"] == 1
        daemon.terminate()
        slow.file("go").touch()
    assert slow.file("done").exists()


def test_what_a_background_hook_says_is_no_part_of_the_answer(stage: Stage) -> None:
    """Not even if it ends before the others."""
    said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "late"}}
    quick = {"type": "command", "command": f"echo '{json.dumps(said)}'; touch {stage.top}/said", "async": True}
    waits = {"type": "command", "command": f"until test -e {stage.top}/said; do sleep 0.05; done; sleep 0.2"}
    write(stage, quick, waits)
    assert stage.ask_without(stage.payload(), *FROM) == ANSWERED


@pytest.mark.parametrize("kills", [os.kill, os.killpg])
def test_killing_exec_before_its_answer_ends_the_hooks_that_it_waits_for(kills: Any, stage: Stage, slow: Slow) -> None:
    background = Slow(stage, "background")
    write(stage, slow.action(), background.action(is_async=True))
    process = start_exec(stage)
    slow.began()
    background.began()
    kills(process.pid, signal.SIGKILL)
    output_ends(process)
    slow.is_gone()
    background.finish()


def test_killing_the_group_of_exec_after_its_answer_ends_no_hook(stage: Stage, slow: Slow) -> None:
    write(stage, slow.action(is_async=True))
    process = start_exec(stage)
    output_ends(process)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    slow.finish()


def test_without_fork_exec_ends_when_its_hooks_have_ended(stage: Stage, slow: Slow) -> None:
    """As on Windows: the output is closed before."""
    write(stage, slow.action(is_async=True))
    words = (sys.executable, "-P", "-c", WITHOUT_FORK, *stage.words(*FROM)[1:])
    environment = {**stage.environment}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=stage.project, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(stage.payload())
        process.stdin.close()
        assert process.stdout.read() == b""
        slow.began()
        assert process.poll() is None
        slow.finish()
        process.wait(60)


def test_a_large_answer_waits_for_a_slow_reader(stage: Stage, slow: Slow) -> None:
    rewrites = {"permissionDecision": "allow", "updatedInput": {"command": "x" * 300_000}}
    said = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **rewrites}}
    (stage.top / "said").write_text(json.dumps(said))
    write(stage, {"type": "command", "command": f"cat {stage.top}/said"}, slow.action(is_async=True))
    process = start_exec(stage)
    slow.began()
    slow.finish()  # its output is not read yet, and it has to be supervised nevertheless
    assert process.stdout is not None
    with process.stdout:
        assert len(process.stdout.read()) > 64 * 1024
    assert process.wait() == 90


def test_the_exit_status_counts_for_a_client_that_does_not_read(stage: Stage) -> None:
    write(stage, {"type": "command", "command": "echo no >&2; exit 2"})
    readable, writable = os.pipe()
    os.close(readable)
    try:
        process = subprocess.run(
            (*COLD, *stage.words(*FROM)),
            input=stage.payload(),
            stdout=writable,
            stderr=writable,
            cwd=stage.project,
            env=stage.environment,
        )
    finally:
        os.close(writable)
    assert process.returncode == 90
