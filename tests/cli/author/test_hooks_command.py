"""``anyhook hooks`` and ``anyhook new hook`` on a real terminal of 80 × 24."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyhook.extras import install_command
from tests.bridge.bridging import RUN
from tests.checkout import SOURCE
from tests.editor.projects import CLAUDE, CLAUDE_FILE, claude_project, make_project, read

pytest.importorskip("pty", reason="this system has no terminals of this kind")

from tests.cli import terminals
from tests.cli.terminals import Terminal


@contextmanager
def terminal(project: Path, *words: str, **variables: str) -> Iterator[Terminal]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent / "home"),
        "PYTHONPATH": str(SOURCE),
        "ANYHOOK_DAEMON": "0",
        "TERM": "xterm-256color",
        **variables,
    }
    with terminals.terminal([*RUN, *words], project, environment) as screen:
        yield screen


def test_the_screen_shows_hooks_and_q_ends_it(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    with terminal(roots.project, "hooks") as screen:
        screen.wait_for("missing.sh")
        screen.type("q")
        assert screen.end() == 0


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "vt100"}])
def test_no_colour_is_used_where_there_is_none(variables: dict[str, str], tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    with terminal(roots.project, "hooks", **variables) as screen:
        screen.wait_for("missing.sh")
        shown = re.findall(r"\x1b\[([\d;]*)m", screen.seen.decode(errors="replace"))
        codes = {code for sequence in shown for code in sequence.split(";")}
        assert "7" in codes  # the cursor is reversed
        assert codes <= {"", "0", "1", "2", "3", "4", "7"}  # and nothing has a colour
        screen.type("q")
        assert screen.end() == 0


def test_without_textual_it_says_what_to_install(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    hidden = "import sys, importlib.util as u; find = u.find_spec; "
    hidden += "u.find_spec = lambda name, *rest: None if name == 'textual' else find(name, *rest); "
    hidden += "from anyhook.cli.main import main; sys.exit(main(['hooks']))"
    result = subprocess.run(
        [sys.executable, "-P", "-c", hidden],
        cwd=roots.project,
        env={"PATH": os.environ["PATH"], "HOME": str(roots.home), "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 2
    assert result.stderr == f"anyhook: the screen needs Textual; install it: {install_command('tui')}\n"


def test_new_hook_asks_for_everything_and_shows_the_change_first(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    with terminal(roots.project, "new", "hook") as screen:
        screen.wait_for("number [1]: ")
        assert b"1  Claude Code  (has hooks here)" in screen.seen
        screen.type("\n")
        screen.wait_for("On which event of Claude Code?")
        screen.wait_for("number [1]: ")
        screen.type("Stop\n")
        screen.wait_for("What should run?")
        screen.wait_for("number [1]: ")
        screen.type("\n")
        screen.wait_for("The command to run: ")
        screen.type("make test\n")
        screen.wait_for("or type a number of seconds [the default of Claude Code: 600s]: ")
        screen.type("1\n")
        screen.wait_for("In which file?")
        screen.wait_for("number [1]: ")
        assert read(roots, CLAUDE_FILE) == CLAUDE
        screen.type("\n")
        screen.wait_for("Write this? [Y/n]: ")
        assert read(roots, CLAUDE_FILE) == CLAUDE
        screen.type("y\n")
        assert screen.end() == 0
    assert '"timeout": 1, "command": "make test"' in read(roots, CLAUDE_FILE)


def test_new_hook_writes_nothing_when_the_user_says_no(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    words = ("new", "hook", "-c", "claude-code", "-e", "Stop", "--command", "x", "--timeout", "3", "--scope", "project")
    with terminal(roots.project, *words) as screen:
        screen.wait_for("Write this? [Y/n]: ")
        screen.type("n\n")
        assert screen.end() == 2
    assert read(roots, CLAUDE_FILE) == CLAUDE
