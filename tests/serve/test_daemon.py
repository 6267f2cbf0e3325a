"""The daemon: what it caches, what it notices, and how it starts and ends."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyhook.daemon_socket import ask
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.serve.control import stop_daemon
from tests.later import RUN_LATER
from tests.serve.daemons import PYTHON_CLIENT, SOON, Ran, Stage, make_stage, wait_until
from tests.warm.commands import COLD, WARM

TEXTS = st.text(max_size=30)
PAYLOADS = st.dictionaries(
    st.sampled_from(["session_id", "hook_event_name", "tool_name", "tool_input", "prompt", "stop_hook_active", "x"]),
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        TEXTS,
        st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "Bash", "Write"]),
        st.dictionaries(TEXTS, TEXTS, max_size=3),
    ),
)


def decisions(stage: Stage, client: tuple[str, ...], command: str = "forbidden") -> bytes:
    """What the client's user or model reads about a command, answered by the daemon."""
    asked = stage.ask(client, stage.payload(command))
    assert not stage.fell_back()
    return asked.stdout + asked.stderr


def test_a_changed_hook_file_counts_at_once(stage: Stage, client: tuple[str, ...]) -> None:
    with stage.daemon():
        assert b"not that" in decisions(stage, client)
        stage.write("other.sh", "#!/bin/sh\ncat > /dev/null\necho another rule >&2\nexit 2\n")
        stage.write_hooks({"pre-tool-use": [stage.rule("other.sh")]})
        assert b"trust" in decisions(stage, client)
        stage.trust()
        assert b"another rule" in decisions(stage, client)


def test_a_changed_script_needs_trust_again(stage: Stage, client: tuple[str, ...]) -> None:
    with stage.daemon():
        assert b"not that" in decisions(stage, client)
        stage.write("guard.sh", "#!/bin/sh\ntouch ran\n")
        assert b"changed since it was trusted" in decisions(stage, client)
        assert not (stage.project / "ran").exists()


def test_a_script_that_is_changed_in_secret_is_found_out(stage: Stage, client: tuple[str, ...]) -> None:
    """Once the files are old enough to be kept: another content with the same size and time of modification."""
    script = stage.project / "hooks/guard.sh"
    facts = script.stat()
    with stage.daemon(run=RUN_LATER):
        for _ in range(2):
            assert b"not that" in decisions(stage, client)
        script.write_bytes(b"touch ran".ljust(facts.st_size))
        os.utime(script, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        assert b"changed since it was trusted" in decisions(stage, client)
        assert not (stage.project / "ran").exists()


def test_hooks_that_appear_are_found(stage: Stage, client: tuple[str, ...]) -> None:
    (stage.project / "hooks").rename(stage.project / "away")
    with stage.daemon():
        assert b"anyhook trust" in decisions(stage, client)  # a guard that was trusted is gone
        (stage.project / "away").rename(stage.project / "hooks")
        assert b"not that" in decisions(stage, client)


def test_a_broken_hook_file_is_reported_and_the_last_good_one_is_not_used(
    stage: Stage, client: tuple[str, ...]
) -> None:
    with stage.daemon():
        assert b"not that" in decisions(stage, client)
        stage.write("hooks.json", "{ garbage")
        said = decisions(stage, client)
        assert b"hooks.json" in said
        assert b"not that" not in said
        closed = stage.ask(client, stage.payload(), "--fail", "closed")
        assert not stage.fell_back()
    assert closed == stage.ask_without(stage.payload(), "--fail", "closed")
    assert b"deny" in closed.stdout


def test_a_project_that_is_deleted_is_answered(stage: Stage) -> None:
    with stage.daemon():
        package = ("--package", str(stage.project))
        assert stage.ask(PYTHON_CLIENT, stage.payload(), *package).status == 90
        subprocess.run(["rm", "-r", stage.project], check=True)
        asked = stage.ask(PYTHON_CLIENT, stage.payload(), *package)
        assert not stage.fell_back()
    assert asked == stage.ask_without(stage.payload(), *package)
    assert b"anyhook trust" in asked.stdout


def test_python_functions_run_in_the_daemon(stage: Stage, client: tuple[str, ...]) -> None:
    source = """\
import os
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def guard(event):
    return deny(f"by process {os.getpid()}")
"""
    stage.write("rules.py", source)
    stage.write_hooks({})
    with stage.daemon() as daemon:
        assert b"by process" not in decisions(stage, client)  # not trusted yet
        stage.trust()
        assert f"by process {daemon.pid}".encode() in decisions(stage, client)


def test_a_hook_that_sleeps_delays_nobody(stage: Stage, client: tuple[str, ...]) -> None:
    with stage.daemon(), ThreadPoolExecutor(1) as pool:
        slow = pool.submit(stage.ask, client, stage.payload("sleepy"))
        wait_until(lambda: stage.status()["running"] == 1)
        try:
            assert b"not that" in decisions(stage, client)
            assert not slow.done()
        finally:
            stage.gate.touch()
        assert slow.result().status == 90


def test_hooks_of_a_client_that_goes_away_are_ended(stage: Stage) -> None:
    stage.write("guard.sh", '#!/bin/sh\necho $$ > "$PIDFILE"\nsleep 60\n')
    stage.trust()
    pid = stage.top / "pid"
    with stage.daemon():
        words = (*PYTHON_CLIENT, *COLD, *stage.words())
        environment = {**stage.environment, "PIDFILE": str(pid)}
        asking = subprocess.Popen(words, stdin=subprocess.PIPE, cwd=stage.project, env=environment)
        assert asking.stdin is not None
        with asking.stdin:
            asking.stdin.write(stage.payload())
        wait_until(lambda: pid.exists() and pid.read_text().strip())
        asking.kill()
        asking.wait()
        wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())
        wait_until(lambda: stage.status()["running"] == 0)


def test_background_hooks_go_on_after_the_answer(stage: Stage, client: tuple[str, ...]) -> None:
    done = stage.top / "done"
    stage.write("later.sh", f"#!/bin/sh\ncat > /dev/null\nsleep 0.3\ntouch {done}\n")
    action = {"type": "command", "command": "hooks/later.sh", "async": True}
    (stage.project / ".claude").mkdir()
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [action]}]}})
    (stage.project / ".claude/settings.json").write_text(text)
    stage.trust()
    with stage.daemon():
        assert stage.ask(client, stage.payload(), "--from", "claude-code").status == 90
        assert not stage.fell_back()
        wait_until(done.exists)


def test_a_stop_finishes_what_runs(stage: Stage) -> None:
    stops = f"while [ -e {stage.place.socket} ]; do sleep 0.05; done"
    stage.write("guard.sh", f"#!/bin/sh\ncat > /dev/null\n{stops}\necho finished >&2\nexit 2\n")
    stage.trust()
    with stage.daemon() as daemon, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(stage.ask, PYTHON_CLIENT, stage.payload())
        wait_until(lambda: stage.status()["running"] == 1)
        assert stage.run((*WARM, "daemon", "stop")).stdout == b"The daemon has stopped.\n"
        assert b"finished" in asked.result().stdout + asked.result().stderr
        assert not stage.fell_back()
        assert daemon.wait() == 0
    assert not stage.place.socket.exists()


def test_two_daemons_started_at_once_leave_one(stage: Stage) -> None:
    words = (*COLD, "daemon", "start", "--foreground")
    started = [
        subprocess.Popen(words, env=stage.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    try:
        wait_until(lambda: sum(process.poll() is None for process in started) == 1)
        (left,) = [process for process in started if process.poll() is None]
        assert {process.returncode for process in started if process is not left} == {2}
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
        assert stage.status()["pid"] == left.pid
    finally:
        for process in started:
            process.terminate()
            process.communicate()


def test_it_ends_when_there_is_nothing_to_do(stage: Stage) -> None:
    with stage.daemon("--idle", "0.005") as daemon:
        assert daemon.wait(timeout=SOON) == 0
    assert "nothing to do" in stage.place.log.read_text()


def test_it_ends_when_its_socket_is_replaced(stage: Stage) -> None:
    with stage.daemon("--idle", "0.05") as daemon:
        stage.place.socket.unlink()
        stage.place.socket.write_text("not a socket")
        assert daemon.wait(timeout=SOON) == 0
    assert stage.place.socket.read_text() == "not a socket"
    with stage.daemon():
        assert stat.S_ISSOCK(stage.place.socket.stat().st_mode)


def test_only_its_user_can_reach_it(stage: Stage) -> None:
    with stage.daemon():
        assert stat.S_IMODE(stage.place.path.stat().st_mode) == 0o700
        assert stat.S_IMODE(stage.place.socket.stat().st_mode) == 0o600


def test_the_log_has_no_payload_and_no_secret(stage: Stage, client: tuple[str, ...]) -> None:
    with stage.daemon():
        stage.ask(client, stage.payload("forbidden w0rd"), SECRET="s3cret", API_KEY="s3cret")
        printed = stage.run((*WARM, "daemon", "logs")).stdout.decode()
    assert "answered" in printed
    assert all(json.loads(line)["what"] for line in printed.splitlines())
    assert "s3cret" not in printed
    assert "w0rd" not in printed
    assert "forbidden" not in printed


def test_the_commands_say_what_they_did(stage: Stage) -> None:
    def run(*words: str) -> Ran:
        return stage.run((*WARM, "daemon", *words))

    assert run("status") == (1, b"No daemon is running.\n", b"")
    assert run("stop") == (1, b"No daemon is running.\n", b"")
    try:
        assert run("start") == (0, b"The daemon is running.\n", b"")
        assert run("start") == (0, b"The daemon was already running.\n", b"")
        first = json.loads(run("status", "--json").stdout)
        assert first["running"]
        assert run("restart") == (0, b"The daemon is running.\n", b"")
        assert json.loads(run("status", "--json").stdout)["daemon"]["pid"] != first["daemon"]["pid"]
    finally:
        assert run("stop").stdout == b"The daemon has stopped.\n"


def test_a_daemon_that_hangs_is_replaced(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask, "CONTROL_TIMEOUT_SECONDS", 0.2)
    with stage.daemon() as daemon:
        os.kill(daemon.pid, signal.SIGSTOP)
        assert stop_daemon(stage.place, wait=0.3)
        assert daemon.wait() == -signal.SIGKILL


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(payload=PAYLOADS, client=st.sampled_from(["claude-code", "codex", "gemini-cli", "copilot-cli"]))
def test_any_payload_gets_the_bytes_that_exec_prints(shared: Stage, payload: dict[str, object], client: str) -> None:
    data = json.dumps(payload).encode()
    words = ("exec", "--client", client, "--answered", "90")
    asked = shared.run((*PYTHON_CLIENT, str(shared.top / "anyhook"), *words), data)
    assert not shared.fell_back()
    assert asked == shared.run((*WARM, *words), data)


@pytest.fixture(scope="module")
def shared() -> Iterator[Stage]:
    with make_stage() as stage:
        stage.trust()
        with stage.daemon():
            yield stage
