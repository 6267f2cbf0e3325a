"""Every ``*.txt`` beside this file is a test of the command line; ``scripts.py`` says how they are written.

The rest tests that runner.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.scripts import Result, ScriptError, diff, matches, parse, run, updated

SCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script(path: Path, tmp_path: Path) -> None:
    script = parse(path.read_text(encoding="utf-8"), path.name)
    results = run(script, tmp_path)
    if os.environ.get("ANYHOOK_UPDATE_SCRIPTS") == "1":
        path.write_text(updated(script, results), encoding="utf-8", newline="\n")
    elif difference := diff(script, results):
        pytest.fail(f"{difference}\n\nANYHOOK_UPDATE_SCRIPTS=1 accepts this.", pytrace=False)


def text(block: str) -> str:
    return dedent(block).removeprefix("\n")


# Reading


def test_commands_statuses_outputs_and_sections_are_told_apart() -> None:
    script = parse(
        text("""
        # What this is about.

        $ first
        ? 2
        one

        two

        # About the second command.
        $ second 'a b'
        $ third
        #!/bin/sh

        -- a.json --
        {}
        -- ~/b.sh (755) --
        exit
        """)
    )
    assert [(step.command, step.expected) for step in script.steps] == [
        ("first", Result(2, ("one", "", "two"))),
        ("second 'a b'", Result(0, ())),
        ("third", Result(0, ("#!/bin/sh",))),
    ]
    assert script.sections == (("a.json", "{}\n", None), ("~/b.sh", "exit\n", 0o755))


def test_comment_lines_are_output_unless_a_blank_line_and_a_command_enclose_them() -> None:
    script = parse("$ cat notes\n# Title\n$ true\n\n# Not about a command\n")
    assert [step.expected.output for step in script.steps] == [("# Title",), ("", "# Not about a command")]


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("# nothing\n", "no line starts with"),
        ("stray\n$ true\n", "s.txt:1: only comments"),
        ("$ true\n\n-- ../x --\n", r"s.txt:3: \.\./x is outside"),
        ("$ true\n\n-- /etc/x --\n", "outside"),
        ("$ true\n\n-- x --\n-- x --\n", "same path"),
    ],
)
def test_mistakes_in_a_script_are_refused(script: str, complaint: str) -> None:
    with pytest.raises(ScriptError, match=complaint):
        parse(script, "s.txt")


# Running


def ran(script: str, folder: Path) -> list[Result]:
    return run(parse(text(script)), folder)


def test_files_and_folders_are_where_the_script_says(tmp_path: Path) -> None:
    results = ran(
        """
        $ cat sub/a.txt
        $ cat $HOME/.rc
        $ python -c "import os; print(os.getcwd(), os.path.expanduser('~'))"
        $ ./tool.sh

        -- sub/a.txt --
        in work
        -- ~/.rc --
        in home
        -- tool.sh (755) --
        #!/bin/sh
        exit 3
        """,
        tmp_path,
    )
    assert results == [
        Result(0, ("in work",)),
        Result(0, ("in home",)),
        Result(0, ("$WORK $HOME",)),
        Result(3, ()),
    ]
    assert stat.S_IMODE((tmp_path / "work" / "tool.sh").stat().st_mode) == 0o755


def test_environment_input_and_order_of_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAKED", "1")
    results = ran(
        """
        $ GREETING='good day' python env.py
        $ cat < env.py
        $ cat
        $ python order.py

        -- env.py --
        import os; print(os.environ["GREETING"], os.environ.get("LEAKED"), os.environ["COLUMNS"])
        -- order.py --
        import sys; print("1"); print("2", file=sys.stderr); print("3")
        """,
        tmp_path,
    )
    assert results[0] == Result(0, ("good day None 100",))
    assert results[1].output[0].startswith("import os; print(")
    assert results[2:] == [Result(0, ()), Result(0, ("1", "2", "3"))]


def test_death_by_signal_has_the_status_that_a_shell_reports(tmp_path: Path) -> None:
    assert ran("""$ sh -c 'kill -TERM $$'""", tmp_path) == [Result(143, ())]


# Comparing


@pytest.mark.parametrize(
    ("expected", "actual", "is_match"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a", "a\nb", False),
        ("a\nb", "a", False),
        ("...", "", True),
        ("a\n...", "a\nb\nc", True),
        ("...\nc", "a\nb\nc", True),
        ("...\nb\n...\nd\n...", "a\nb\nb\nc\nd", True),
        ("...\nb\nc", "b\nx\nb\nc", True),
        ("...\nb\nc", "b\nc\nx", False),
        ("x [..] y", "x 1.2 (3) y", True),
        ("x [..] y", "x y", False),
        ("[..].json:[..]", "a.json:3", True),
        ("[..].json", "a_json", False),
    ],
)
def test_wildcards(expected: str, actual: str, is_match: bool) -> None:
    def result(lines: str) -> Result:
        return Result(0, tuple(lines.split("\n")) if lines else ())

    assert matches(result(expected), result(actual)) is is_match


def test_status_counts() -> None:
    assert not matches(Result(0, ("...",)), Result(1, ()))


def test_diff_shows_only_what_differs() -> None:
    script = parse("$ good\n...\n\n$ bad\nsame\ntook [..] ms\nold\n", "s.txt")
    results = [Result(0, ("anything",)), Result(2, ("same", "took 5 ms", "new"))]
    assert diff(script, results).splitlines() == [
        "--- s.txt (expected)",
        "+++ s.txt (actual)",
        "@@ -2,7 +2,8 @@",
        " ...",
        " ",
        " $ bad",
        "+? 2",
        " same",
        " took [..] ms",
        "-old",
        "+new",
        " ",
    ]
    assert diff(script, [Result(0, ()), Result(0, ("same", "took 1 ms", "old"))]) == ""


def test_update_rewrites_only_what_differs() -> None:
    before = text("""
        # About.
        $ good
        ...
        $ bad
        ? 1
        took [..] ms
        old

        # Comment.
        $ quiet
        -- file --
        old
        """)
    results = [Result(0, ("x",)), Result(0, ("took 5 ms", "$ new")), Result(0, ("loud",))]
    assert updated(parse(before), results) == text("""
        # About.
        $ good
        ...
        $ bad
        took [..] ms
        [..] new

        # Comment.
        $ quiet
        loud

        -- file --
        old
        """)


AWKWARD = st.sampled_from(["", "$ x", "...", "? 1", "# x", "-- x --", "-- x (755) --", "[..]", "a [..] b", "\\", "  "])
LINES = st.lists(AWKWARD | st.text(st.characters(exclude_characters="\n", codec="utf-8")), max_size=6)


@given(
    before=LINES.filter(lambda lines: not any(line.startswith("--") for line in lines)),
    first=LINES,
    second=LINES,
    status=st.integers(0, 255),
)
def test_update_makes_any_output_the_expected_one(
    before: list[str], first: list[str], second: list[str], status: int
) -> None:
    """Whatever two commands print, the updated script is read back, expects just that, and stays as it is."""

    def result(lines: list[str]) -> Result:
        return Result(status, tidied("\n".join(lines)))

    script = parse("\n".join(["$ one", *before, "$ last", "", "-- f --", "x", ""]))
    results = [result(first if step.command == "one" else second) for step in script.steps]
    after = parse(updated(script, results))
    assert [step.command for step in after.steps] == [step.command for step in script.steps]
    assert after.sections == script.sections
    assert diff(after, results) == ""
    assert updated(after, results) == "\n".join(after.lines)


def tidied(output: str) -> tuple[str, ...]:
    """As the runner gives it: without blanks at the end."""
    lines = [line.rstrip() for line in output.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)
