"""The doctor finds each planted fault, and says nothing about a healthy project."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.doctor.examine import examine
from anyhook.project.project import Project
from tests.doctor.machines import SCRIPT, Machine, claude_settings, healthy_machine, names_of

Plant = Callable[[Machine], object]
SETTINGS = ".claude/settings.json"
PACKAGE = {
    "version": 1,
    "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q x"}]}]},
}


def settings(**changes: object) -> Plant:
    return lambda machine: machine.write(SETTINGS, claude_settings(**changes))  # type: ignore[arg-type]


def no_program(name: str) -> Plant:
    return lambda machine: (machine.programs / name).unlink()


def script(text: str, mode: int = 0o755) -> Plant:
    return lambda machine: machine.write("tools/guard.sh", text, mode)


def codex(entry: object) -> Plant:
    def plant(machine: Machine) -> None:
        machine.install_client("codex")
        machine.write(".codex/hooks.json", {"hooks": {"PreToolUse": [entry]}})

    return plant


def dead_daemon(machine: Machine) -> None:
    """What a daemon leaves that was killed."""
    path = find_runtime_folder(machine.environment).socket
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))


def with_switch(machine: Machine) -> None:
    machine.write(SETTINGS, {**claude_settings(), "disableAllHooks": True})


def second_reader(machine: Machine) -> None:
    machine.install_client("copilot-cli")


def newer(machine: Machine) -> None:
    (machine.programs / "claude").unlink()
    (machine.top / "lib").rename(machine.top / "old")
    machine.install_client("claude-code", "99.0.0")


def older(machine: Machine) -> None:
    (machine.programs / "claude").unlink()
    (machine.top / "lib").rename(machine.top / "old")
    machine.install_client("claude-code", "0.1.0")


def needing(program: str) -> Plant:
    return settings(command=f"{program} --check")


FAULTS: dict[str, tuple[Plant, str]] = {
    "jq is missing, which the script calls": (no_program("jq"), "missing-program"),
    "the interpreter of the first line is missing": (no_program("bash"), "missing-program"),
    "node is missing, which the command starts": (needing("node"), "missing-program"),
    "npx is missing": (needing("npx"), "missing-program"),
    "the program of an argument list is missing": (settings(command="deno", args=["run", "x"]), "missing-program"),
    "powershell is missing, which the hook names as its shell": (
        settings(command="x", shell="powershell"),
        "missing-program",
    ),
    "the script is not executable": (script(SCRIPT, 0o644), "script-not-executable"),
    "the script has the line ends of Windows": (script(SCRIPT.replace("\n", "\r\n")), "windows-line-ends"),
    "the script is deleted": (lambda machine: (machine.project / "tools/guard.sh").unlink(), "script-missing"),
    "the script has no first line": (script(SCRIPT.partition("\n")[2]), "script-without-shebang"),
    "the script is not valid shell": (script("#!/usr/bin/env bash\nif true\n"), "not-valid-shell"),
    "the matcher is in the wrong case": (settings(matcher="bash"), "tool-never-seen"),
    "the matcher names another client's tool": (settings(matcher="run_shell_command"), "tool-never-seen"),
    "the event does not exist": (settings(event="PreToolUze"), "unknown-event"),
    "the timeout is in milliseconds": (settings(timeout=10000), "milliseconds-as-seconds"),
    "a switch disables all hooks": (with_switch, "hook-disabled"),
    "a bad entry makes Codex drop the file": (codex({"matcher": 5, "hooks": []}), "wrong-type"),
    "the file is not JSON": (lambda machine: machine.write(SETTINGS, '{"hooks": '), "syntax-error"),
    "two clients read one file": (second_reader, "shared-file"),
    "the client is newer than measured": (newer, "newer-client"),
    "the client is older than measured": (older, "older-client"),
    "the package is not deployed": (lambda machine: machine.write("hooks/hooks.json", PACKAGE), "not-deployed"),
    "a daemon was killed": (dead_daemon, "dead-daemon"),
}


def test_a_healthy_project_is_healthy(tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    diagnosis = machine.examine()
    assert diagnosis.is_healthy
    assert machine.problems() == set()
    assert [(client.name, client.active) for client in diagnosis.clients] == [("claude-code", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "refuse() {\n  echo no >&2; exit 2\n}\n[ -e x ] || refuse\n",
        "function refuse { exit 2; }\nrefuse\n",
        "command -v no-such-tool >/dev/null || exit 0\nno-such-tool x\n",
        '"$TOOL" x; ./tools/own.sh\n',
    ],
)
def test_what_a_script_defines_or_looks_for_is_not_missing(text: str, tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    machine.write("tools/guard.sh", f"#!/usr/bin/env bash\n{text}", 0o755)
    assert "missing-program" not in machine.problems()


@pytest.mark.parametrize(
    ("shell", "is_found"), [("/usr/bin/fish", True), ("/bin/rbash", True), ("/bin/yash", False), ("", False)]
)
def test_a_shell_that_cannot_run_hooks(shell: str, is_found: bool, tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    codex({"hooks": [{"type": "command", "command": "true"}]})(machine)
    diagnosis = examine(Project(machine.roots), {**machine.environment, "SHELL": shell})
    assert ("login-shell" in names_of(diagnosis)) is is_found


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    plant, expected = FAULTS[fault]
    plant(machine)
    diagnosis = machine.examine()
    assert expected in names_of(diagnosis), diagnosis.problems
    assert all(found.fix for found in diagnosis.problems)


def test_what_npx_fetches_need_not_be_on_the_path(tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    (machine.programs / "npx").symlink_to("/bin/sh")
    script("#!/usr/bin/env bash\nnpx prettier --check . >&2 || exit 2\n")(machine)
    found = examine(Project(machine.roots), machine.environment).problems
    assert [problem.text for problem in found if problem.code == "H001"] == []


def test_a_hook_that_is_switched_off_needs_no_program(tmp_path: Path) -> None:
    machine = healthy_machine(tmp_path)
    entry = claude_settings(command="no-such-program")
    for off, codes in ((False, ["H001"]), (True, [])):
        machine.write(SETTINGS, {**entry, "disableAllHooks": off})
        found = examine(Project(machine.roots), machine.environment).problems
        assert [problem.code for problem in found if problem.code == "H001"] == codes
