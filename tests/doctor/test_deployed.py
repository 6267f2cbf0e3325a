"""The doctor on deployed packages and real daemons: trust, entries, versions, and what ``--fix`` repairs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.doctor.repairs import repair
from tests.checkout import SOURCE
from tests.doctor.machines import SCRIPT, Machine, healthy_machine, names_of
from tests.serve.daemons import wait_until

HOOKS = {"pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q x; true"}]}]}
OLDER = "import sys, anyhook; anyhook.__version__ = '0.0.1'; from anyhook.cli.start import main; sys.exit(main())"


def anyhook(machine: Machine, *words: str, payload: object = None) -> None:
    environment = {**machine.environment, "PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "ANYHOOK_DAEMON": "0"}
    subprocess.run(
        [sys.executable, "-P", "-m", "anyhook", *words],
        cwd=machine.project,
        env=environment,
        check=payload is None,  # exec exits with the status that blocks
        capture_output=True,
        input=json.dumps(payload).encode(),
    )


def fire(machine: Machine) -> None:
    """A shell command of Codex, as its deployed entry sends it."""
    call = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"}
    payload = {**call, "hook_event_name": "PreToolUse", "cwd": str(machine.project)}
    anyhook(machine, "exec", "--client", "codex", "--event", "PreToolUse", payload=payload)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """In a short folder, because it may hold a socket; with a package that Codex runs and that is trusted."""
    top = Path(tempfile.mkdtemp(prefix="ahd"))
    try:
        machine = healthy_machine(top)
        monkeypatch.setenv("ANYHOOK_STATE_DIR", machine.environment["ANYHOOK_STATE_DIR"])
        shutil.rmtree(machine.project / ".claude")
        machine.install_client("codex")
        for name in ("anyhook", "anyhook-client"):
            machine.install_program(name)
        machine.write("hooks/hooks.json", {"version": 1, "hooks": HOOKS})
        anyhook(machine, "deploy", "--client", "codex", "--yes")
        yield machine
    finally:
        shutil.rmtree(top)


def test_a_deployed_and_trusted_package_is_healthy(machine: Machine) -> None:
    assert machine.problems() == set()


def test_hooks_that_changed_are_not_trusted(machine: Machine) -> None:
    changed = {"pre-tool-use": [{"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}]}
    machine.write("hooks/hooks.json", {"version": 1, "hooks": changed})
    assert "not-trusted" in machine.problems()


def test_trust_that_was_revoked(machine: Machine) -> None:
    anyhook(machine, "trust", "--revoke")
    assert machine.problems() == {"not-trusted"}


def test_entries_that_are_out_of_date(machine: Machine) -> None:
    stop = {"stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    machine.write("hooks/hooks.json", {"version": 1, "hooks": {**HOOKS, **stop}})
    assert "out-of-date" in machine.problems()


def test_when_a_hook_last_fired_and_with_what_effect(machine: Machine) -> None:
    before = machine.examine()
    [hook] = before.hooks
    assert (before.activity.of(hook), hook.loaded) == (None, "active")
    fire(machine)
    after = machine.examine()
    [hook] = after.hooks
    run = after.activity.of(hook)
    assert run is not None
    assert (hook.hook.name, run.last_effect) == ("grep -q x; true", "proceed")
    assert run.last_at > "2026"


def test_a_client_whose_events_never_arrive(machine: Machine) -> None:
    days_ago = time.time() - 3 * 86400
    os.utime(machine.project / ".codex" / "hooks.json", (days_ago, days_ago))
    assert machine.problems() == {"never-fired"}
    fire(machine)
    assert machine.problems() == set()


@pytest.mark.parametrize(
    ("command", "timeout", "expected"),
    [("exit 1", 10, {"hook-failed"}), ("until false; do /bin/sleep 0.2; done", 3, {"hook-failed", "slow-hooks"})],
)
def test_hooks_that_fail_or_are_slow(command: str, timeout: int, expected: set[str], machine: Machine) -> None:
    hook = {"type": "command", "command": command, "timeout": timeout}
    machine.write("hooks/hooks.json", {"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}})
    anyhook(machine, "deploy", "--client", "codex", "--yes")
    fire(machine)
    assert machine.problems() == expected


@pytest.mark.parametrize("program", ["anyhook", "anyhook-client"])
def test_entries_that_cannot_start_anyhook(program: str, machine: Machine) -> None:
    (machine.programs / program).unlink()
    assert machine.problems() == {"anyhook-not-found"}


@pytest.mark.skipif(os.name != "posix", reason="there is no daemon")
def test_a_daemon_of_another_release(machine: Machine) -> None:
    environment = {**machine.environment, "PYTHONPATH": str(SOURCE)}
    folder = find_runtime_folder(environment)
    words = [sys.executable, "-P", "-c", OLDER, "daemon", "start", "--foreground"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
        try:
            wait_until(lambda: ask_daemon(folder, "status") is not None)
            diagnosis = machine.examine()
        finally:
            daemon.terminate()
    assert names_of(diagnosis) == {"stale-daemon", "always-succeeds"}
    assert (diagnosis.daemon.is_running, diagnosis.daemon.version) == (True, "0.0.1")


def test_repairs(tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    script = machine.write("tools/guard.sh", SCRIPT, 0o640)
    command = "$CLAUDE_PROJECT_DIR/tools/guard.sh"
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": command, "timeout": 10}]}
    settings = machine.write(".claude/settings.json", {"hooks": {"PreToolUse": [group]}})
    assert machine.problems() == {"unquoted-root", "script-not-executable"}
    done = list(repair(machine.roots, machine.examine(), machine.environment))
    assert [text.split(": ")[1].split()[0] for text in done] == ["made", "repaired"]
    assert machine.problems() == set()
    assert script.stat().st_mode & 0o777 == 0o750
    assert json.dumps(f'"{command}"') in settings.read_text()
