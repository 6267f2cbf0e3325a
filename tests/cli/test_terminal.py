"""What commands do on a terminal and not in a pipe: ask for the payload, show progress."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from anyhook.model.wording import brief_line
from tests.bridge.bridging import make_package
from tests.checkout import SOURCE
from tests.testing.packages import case, group, package
from tests.warm.commands import COLD

pytestmark = pytest.mark.long

pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
termios = pytest.importorskip("termios")

FIRE = ("fire", "--client", "universal", "--event", "pre-tool-use")
PAYLOAD = {"toolName": "Bash", "toolInput": {"command": "echo DANGER"}}


def environment(folder: Path) -> dict[str, str]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(SOURCE), "ANYHOOK_DAEMON": "0"}


def on_terminal(folder: Path, *words: str, typed: bytes = b"") -> tuple[str, str]:
    """What a command prints to stdout, which is a pipe, and to the terminal, which is its stdin and stderr."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*COLD, *words],
        cwd=folder / "project",
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment(folder),
    ) as process:
        os.close(terminal)
        os.write(controller, typed)
        assert process.stdout is not None
        printed = process.stdout.read().decode()
        shown = b""
        try:
            while piece := os.read(controller, 4096):
                shown += piece
        except OSError:  # how Linux reports that the other end is closed
            pass
        process.wait(timeout=60)
    os.close(controller)
    return printed, shown.decode()


def test_fire_asks_for_the_payload_on_a_terminal(tmp_path: Path) -> None:
    make_package(tmp_path / "project")
    typed = json.dumps(PAYLOAD).encode() + b"\n\x04"
    printed, shown = on_terminal(tmp_path, *FIRE, typed=typed)
    assert "Type the payload of pre-tool-use as a JSON object, then Ctrl-D on a line of its own." in shown
    assert "The client blocks it: guard: no DANGER here" in printed


def test_fire_does_not_ask_in_a_pipe(tmp_path: Path) -> None:
    folder = make_package(tmp_path / "project")
    done = subprocess.run(
        [*COLD, *FIRE], cwd=folder, env=environment(tmp_path), input=json.dumps(PAYLOAD).encode(), capture_output=True
    )
    assert done.returncode == 0
    [note] = done.stderr.splitlines()  # nothing else is said
    assert b"not trusted yet" in note


def test_matrix_shows_its_progress_on_a_terminal_only(tmp_path: Path) -> None:
    cases = {name: case(name=name, expected={"effect": "proceed"}) for name in ("one", "two")}
    package(tmp_path / "project", {"pre-tool-use": [group("sleep 1")]}, cases)
    words = ("matrix", "--client", "codex", "--jobs", "1")
    printed, shown = on_terminal(tmp_path, *words)
    assert " of 4 cells" in shown
    assert shown.endswith("\r")  # the line is cleared
    assert "2 cases in 2 clients" in printed
    done = subprocess.run([*COLD, *words], cwd=tmp_path / "project", env=environment(tmp_path), capture_output=True)
    assert (done.stdout.decode(), done.stderr) == (printed, b"")


@pytest.mark.parametrize("words", [("clients",), ("clients", "--help"), ("--help",)], ids=" ".join)
def test_a_terminal_of_80_columns_is_wide_enough(words: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        (*COLD, *words), env=environment(tmp_path) | {"COLUMNS": "80"}, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    assert "\\n" not in done.stdout


def shown_in(width: int, folder: Path, *words: str, **more: str) -> list[str]:
    """The lines that a command prints on a terminal of this width, without colours."""
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (40, width))
    variables = {**environment(folder), "TERM": "xterm", "NO_COLOR": "1", **more}
    with subprocess.Popen(
        [*COLD, *words],
        cwd=folder / "project",
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env=variables,
    ) as process:
        os.close(terminal)
        shown = b""
        try:
            while piece := os.read(controller, 4096):
                shown += piece
        except OSError:
            pass
        process.wait(timeout=60)
    os.close(controller)
    return shown.decode().replace("\r\n", "\n").split("\n")


def deployed_project(folder: Path) -> None:
    """A package with a long command line, deployed to clients that read each other's files, with a blocked call."""
    project = folder / "project"
    command = 'python3 "${PACKAGE_ROOT}/hooks/scripts/formatting/strip_trailing_blanks_from_lines.py"'
    package(project, {"post-tool-use": [group(command)]}, {})
    (project / "anyhook.toml").write_text("[guards.shell]\nfamilies = { publishing = 'ask' }\n[guards.budget]\n")
    for words, given in (
        (("deploy", "--yes", "--client", "claude-code,cursor,copilot-cli"), None),
        (("exec", "--client", "claude-code", "--event", "PreToolUse"), "rm -rf /"),
    ):
        call = json.dumps({"session_id": "1", "tool_name": "Bash", "tool_input": {"command": given}})
        subprocess.run([*COLD, *words], cwd=project, env=environment(folder), input=call.encode(), capture_output=True)


COMMANDS = ("", "doctor", "add", "add shell --show", "log --stats", "log", "list", "clients", "check")


@pytest.mark.parametrize("width", [80, 120])
def test_lines_are_wrapped_to_the_width_of_the_terminal_and_nothing_is_cut(tmp_path: Path, width: int) -> None:
    deployed_project(tmp_path)
    entries = json.loads((tmp_path / "project" / ".claude" / "settings.json").read_text("utf-8"))["hooks"]
    hooks = [hook for groups in entries.values() for group in groups for hook in group["hooks"]]
    names = [brief_line(hook["command"]) for hook in hooks]
    for command in COMMANDS:
        lines = shown_in(width, tmp_path, *command.split())
        assert not [line for line in lines if len(line) > width], command
        cut = [cell for line in lines for cell in re.split("  +", line) if "…" in cell]
        # The name of a hook is cut where it is too long to be read as one; `list` alone shows such a hook.
        allowed = names if command == "list" else []
        assert [cell for cell in cut if not any(name.endswith(cell) for name in allowed)] == [], command
