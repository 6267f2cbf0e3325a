"""``anyhook hooks`` and ``anyhook new hook`` on a real terminal of 80 × 24."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from anyhook.extras import install_command
from tests.checkout import SOURCE
from tests.editor.projects import CLAUDE, CLAUDE_FILE, claude_project, make_project, read

pytest.importorskip("pty", reason="this system has no terminals of this kind")

from tests.cli import terminals
from tests.cli.terminals import Terminal
from tests.warm.commands import COLD


@contextmanager
def terminal(project: Path, *words: str, program: Sequence[str] = COLD, **variables: str) -> Iterator[Terminal]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent / "home"),
        "PYTHONPATH": str(SOURCE),
        "ANYHOOK_DAEMON": "0",
        "TERM": "xterm-256color",
        **variables,
    }
    with terminals.terminal([*program, *words], project, environment) as screen:
        yield screen


def test_the_screen_shows_hooks_and_q_ends_it(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    with terminal(roots.project, "hooks") as screen:
        screen.wait_for("missing.sh")
        screen.type("q")
        assert screen.end() == 0


@pytest.mark.long
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


FAULTS = {
    "key": "HooksScreen.action_help = fail",
    "thread": "screen.take_overview = fail",
    "start": "HooksScreen.compose = fail",
    "worker's call": "HooksScreen._fill_table = fail",
}
"""Where the screen can fail, and how a test makes it fail there."""


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bug_ends_the_screen_with_a_report_and_one_line(fault: str, tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    program = "import sys; import anyhook.tui.hooks_screen as screen; from anyhook.cli.main import main\n"
    program += "HooksScreen = screen.HooksScreen\n"
    program += "def fail(*_): secret = 'do not print'; return 1 / 0\n"
    program += f"{FAULTS[fault]}; sys.exit(main(['hooks']))"
    with terminal(roots.project, program=(sys.executable, "-P", "-c", program)) as screen:
        if fault == "key":
            screen.wait_for("missing.sh")
            os.write(screen.controller, b"?")
        assert screen.end() == 3
        seen = screen.seen.decode(errors="replace")
    _, is_restored, after = seen.rpartition("\x1b[?1049l")  # the terminal's usual screen is back
    assert is_restored
    line = re.search(r"anyhook: internal error: ZeroDivisionError: division by zero; details in (\S+); please", after)
    assert line, after
    assert "Traceback" not in seen
    assert "do not print" not in seen
    assert "in fail" in Path(line[1]).read_text(encoding="utf-8")


@pytest.mark.long
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


@pytest.mark.long
def test_new_hook_writes_nothing_when_the_user_says_no(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    words = ("new", "hook", "-c", "claude-code", "-e", "Stop", "--command", "x", "--timeout", "3", "--scope", "project")
    with terminal(roots.project, *words) as screen:
        screen.wait_for("Write this? [Y/n]: ")
        screen.type("n\n")
        assert screen.end() == 2
    assert read(roots, CLAUDE_FILE) == CLAUDE


@pytest.mark.long
def test_new_hook_explains_odd_answers_and_asks_again(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    with terminal(roots.project, "new", "hook", "--timeout", "3") as screen:
        screen.wait_for("number [1]: ")
        screen.type("99\n")
        screen.wait_for("the numbers are 1 to ")
        screen.wait_for("number [1]: ")
        screen.type("no-such-client\n")
        screen.wait_for("'no-such-client' is not one of these: ")
        screen.wait_for("number [1]: ")
        screen.type("Claude Code\n")
        screen.wait_for("On which event of Claude Code?")
        screen.wait_for("number [1]: ")
        screen.type("PreToolUse\n")
        screen.wait_for("or type a matcher")
        screen.type("0\n")
        screen.wait_for("the numbers are 1 to ")
        screen.wait_for("[1]: ")
        screen.type("\n")
        screen.wait_for("What should run?")
        screen.wait_for("number [1]: ")
        screen.type("\n")
        screen.wait_for("The command to run: ")
        screen.type("\n")
        screen.wait_for("The command to run: write something")
        screen.wait_for("The command to run: ")
        screen.type("make test\n")
        screen.wait_for("In which file?")
        screen.wait_for("number [1]: ")
        screen.type("elsewhere.json\n")
        screen.wait_for("'elsewhere.json' is not one of these: ")
        screen.wait_for("number [1]: ")
        screen.type(".claude/settings.json\n")
        screen.wait_for("Write this? [Y/n]: ")
        screen.type("perhaps\n")
        screen.wait_for("Error: invalid input")
        screen.wait_for("Write this? [Y/n]: ")
        screen.type("\n")
        assert screen.end() == 0
        assert "Traceback" not in screen.seen.decode()
    assert '"make test"' in read(roots, CLAUDE_FILE)


@pytest.mark.long
@pytest.mark.parametrize("key", ["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("last", [(), ("-c", "claude-code", "-e", "Stop", "--command", "x", "--timeout", "3")])
def test_new_hook_that_is_interrupted_writes_nothing_and_says_so(
    key: str, last: tuple[str, ...], tmp_path: Path
) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    with terminal(roots.project, "new", "hook", *last) as screen:
        screen.wait_for("number [1]: ")
        assert screen.type_until_end("\x03" if key == "Ctrl-C" else "\x04") == 130
        assert screen.seen.decode().split()[-2:] == ["nothing", "written"]
    assert read(roots, CLAUDE_FILE) == CLAUDE


@pytest.mark.long
def test_new_hook_opens_the_editor_at_the_new_hook(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE})
    words = ("-c", "claude-code", "-e", "PreToolUse", "-m", "Edit", "--command", "make format", "--timeout", "3")
    editor = tmp_path / "vi"
    editor.write_text('#!/bin/sh\necho "editor $1 ${2##*/}"\n')
    editor.chmod(0o755)
    with terminal(roots.project, "new", "hook", *words, "--scope", "project", "--edit", VISUAL=str(editor)) as screen:
        screen.wait_for("Write this? [Y/n]: ")
        screen.type("\n")
        assert screen.end() == 0
        line = re.search(r"editor \+(\d+) settings\.json", screen.seen.decode())
        assert line
    entry = read(roots, CLAUDE_FILE).splitlines()[int(line[1]) - 1 :]
    assert entry[0].strip() == "{"
    assert '"make format"' in "".join(entry[:5])
