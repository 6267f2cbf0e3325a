"""The guard ``tests``: what the agent is told, how often, and when nothing is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.session import checks
from anyhook.guards.session.memory import GuardMemory, LostMemoryError, MemoryOfProcess
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import Stop

VARIABLES = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands of these tests are for a POSIX shell")


def asked(
    project: Path, command: str = "", memory: GuardMemory | None = None, stop: Stop | None = None, **settings: object
) -> Reply | None:
    given = {"command": command, **settings} if command else settings
    event = stop or Stop(session_id="s")
    memory = memory or MemoryOfProcess()
    return checks.judge(GuardCall(event=event, settings=given, project=project, environment=VARIABLES, memory=memory))


def reason(reply: Reply | None) -> str:
    assert reply is not None
    assert reply.decision is Decision.DENY
    return str(reply.reason)


def test_checks_that_pass_let_the_agent_end(tmp_path: Path) -> None:
    assert asked(tmp_path, "test -d .") is None


def test_the_agent_reads_the_end_of_what_fails(tmp_path: Path) -> None:
    command = "yes line | head -n 5000; echo LAST >&2; exit 3"
    said = reason(asked(tmp_path, command, message="Ask QA."))
    assert said.startswith(
        "The checks of this project fail: correct the cause, not the check. Ask QA. (round 1 of 3)\n"
    )
    assert f"{command}: exit status 3\n… " in said
    assert said.endswith("LAST")
    assert len(said) < 4300


def test_after_its_rounds_the_agent_may_end(tmp_path: Path) -> None:
    memory = MemoryOfProcess()
    assert ["(round" in reason(asked(tmp_path, "false", memory, rounds=2)) for _ in range(2)] == [True, True]
    last = asked(tmp_path, "false", memory, rounds=2)
    assert last is not None
    assert last.decision is None
    assert "still fail after 2 rounds" in str(last.message)
    assert "(round 1 of 2)" in reason(asked(tmp_path, "false", memory, rounds=2))
    new_turn = Stop(session_id="s", stop_hook_active=False)
    assert "(round 1 of 2)" in reason(asked(tmp_path, "false", memory, new_turn, rounds=2))


def test_a_command_that_cannot_start_or_end_is_reported(tmp_path: Path) -> None:
    assert "it could not be started: it was not found" in reason(asked(tmp_path, "no-such-program --all"))
    assert "it could not be started: No such file" in reason(asked(tmp_path / "gone", "true"))
    assert "it took longer than 1 s\nbegun" in reason(asked(tmp_path, "echo begun; sleep 600 & sleep 600", seconds=1))


def test_without_a_command_the_user_is_told(tmp_path: Path) -> None:
    reply = asked(tmp_path)
    assert reply is not None
    assert reply.decision is None
    assert "The tests guard has no command" in str(reply.message)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_has_passed_is_not_run_again(tmp_path: Path) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True, env=VARIABLES)
    runs, memory = tmp_path / "runs", MemoryOfProcess()
    command = f"echo run >> '{runs}'; test ! -e broken"

    def times() -> int:
        asked(project, command, memory)
        return runs.read_text().count("run")

    (project / "a.txt").write_text("1")
    assert [times(), times()] == [1, 1]
    (project / "a.txt").write_text("22")
    assert [times(), times()] == [2, 2]
    os.utime(project / "a.txt", (1, 1))
    assert times() == 3
    (project / "broken").touch()
    assert [times(), times()] == [4, 5]
    (project / "broken").unlink()
    command += "; true"
    assert [times(), times()] == [6, 6]


def test_what_a_project_has_is_detected(tmp_path: Path) -> None:
    def found() -> list[str]:
        return [each.command for each in checks.detect(tmp_path)]

    assert found() == []
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": 'echo "Error: no test specified"'}}))
    (tmp_path / "Makefile").write_text("TEST := 1\ntest := 2\nall: test\n")
    assert found() == []
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": "vitest"}}))
    (tmp_path / "Makefile").write_text("test: all\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "Cargo.toml").touch()
    (tmp_path / "go.mod").touch()
    assert found() == ["make test", "npm test", "python -m pytest -q", "cargo test", "go test ./..."]
    (tmp_path / "yarn.lock").touch()
    assert "yarn test" in found()


def test_the_defaults_are_those_that_are_shown() -> None:
    shown = {option.name: option.usual for option in GUARDS["tests"].options}
    assert (shown["rounds"], shown["seconds"]) == (checks.ROUNDS, checks.SECONDS)
    longest = profile(OWN).timeouts.maximum_ms("PreToolUse")
    assert longest is not None
    assert checks.MAX_SECONDS < GUARDS["tests"].timeout <= longest / 1000  # else its process would outlast the guard


def test_how_a_command_is_run(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("true\n")
    assert "it could not be started: it may not be run" in reason(asked(tmp_path, "./plain"))
    assert asked(tmp_path, 'test "$HOME" = /nonexistent && test -e plain') is None
    assert reason(asked(tmp_path, "exit 1")).endswith("(round 1 of 3)\nexit 1: exit status 1")
    exact = reason(asked(tmp_path, "head -c 4000 /dev/zero | tr '\\0' a; exit 1"))
    assert exact.endswith("exit status 1\n" + "a" * 4000)


def test_what_a_command_has_started_is_ended_too(tmp_path: Path) -> None:
    command = "sleep 600 & echo $! > pid; sleep 600"
    assert "it took longer than 1 s" in reason(asked(tmp_path, command, seconds=1))
    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    """A process that has ended and that no one waits for is a zombie, where its parent does not collect it."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


def test_rounds_are_counted_anew_after_success(tmp_path: Path) -> None:
    memory = MemoryOfProcess()
    assert "(round 1 of 3)" in reason(asked(tmp_path, "test -e fixed", memory))
    (tmp_path / "fixed").touch()
    assert asked(tmp_path, "test -e fixed", memory) is None
    (tmp_path / "fixed").unlink()
    assert "(round 1 of 3)" in reason(asked(tmp_path, "test -e fixed", memory))
    assert "(round 2 of 3)" in reason(asked(tmp_path, "test -e fixed", memory))
    going = Stop(session_id="s", stop_hook_active=True)
    assert "(round 3 of 3)" in reason(asked(tmp_path, "test -e fixed", memory, going))


def test_rounds_of_another_session_do_not_count(tmp_path: Path) -> None:
    memory = MemoryOfProcess()
    for session in ("s", "t"):
        assert "(round 1 of 3)" in reason(asked(tmp_path, "false", memory, Stop(session_id=session)))


class Forgetful(MemoryOfProcess):
    def add(self, session: str, entry: str) -> tuple[str, ...]:
        raise LostMemoryError("lost")


def test_without_a_memory_every_round_is_the_first(tmp_path: Path) -> None:
    memory = Forgetful()
    assert ["(round 1 of 1)" in reason(asked(tmp_path, "false", memory, rounds=1)) for _ in range(2)] == [True, True]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_counts_as_a_change(tmp_path: Path) -> None:
    """A commit, a mode and a file in a folder that is new; not a command that fails to run git."""
    project, runs, memory = tmp_path / "project", tmp_path / "runs", MemoryOfProcess()
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]

    def git(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=project, check=True, env=VARIABLES)

    def times() -> int:
        asked(project, f"echo run >> '{runs}'", memory)
        return runs.read_text().count("run")

    (project / "new").mkdir(parents=True)
    git("init", "-q")
    git("config", "status.showUntrackedFiles", "no")
    (project / "new/a.txt").write_text("1")
    assert [times(), times()] == [1, 1]
    (project / "new/b.txt").write_text("1")
    assert [times(), times()] == [2, 2]
    (project / "new/b.txt").chmod(0o700)
    assert [times(), times()] == [3, 3]
    git("add", ".")
    git("commit", "-q", "-m", "a")
    assert [times(), times()] == [4, 4]
    git("commit", "-q", "--allow-empty", "-m", "b")
    assert [times(), times()] == [5, 5]
    shutil.rmtree(project / ".git")
    assert [times(), times()] == [6, 7]


def test_how_git_is_asked(tmp_path: Path) -> None:
    """With the variables of the session, and without a lock that another git would wait for."""
    asks, git = tmp_path / "asks", tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho \"$GIT_OPTIONAL_LOCKS $PROJECT\" >> '{asks}'\n")
    git.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PROJECT": "shop"}
    event = Stop(session_id="s")
    assert (
        checks.judge(GuardCall(event=event, settings={"command": "true"}, project=tmp_path, environment=variables))
        is None
    )
    assert set(asks.read_text().splitlines()) == {"0 shop"}


@pytest.mark.parametrize(
    ("lock", "command"), [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun run")]
)
def test_the_package_manager_is_detected(lock: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": "vitest"}}))
    (tmp_path / lock).touch()
    assert [(each.command, each.file) for each in checks.detect(tmp_path)] == [(f"{command} test", "package.json")]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"scripts": {}}', '{"scripts": {"test": 7}}', "[" * 100_000])
def test_a_package_without_a_script_has_no_checks(text: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(text)
    assert list(checks.detect(tmp_path)) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    for name in ("Makefile", "package.json", "pyproject.toml"):
        os.mkfifo(tmp_path / name)
    assert list(checks.detect(tmp_path)) == []
