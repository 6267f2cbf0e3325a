"""Every command line in the README and the documents runs, and prints what is shown. ``documents.py`` has the notation.

``ANYHOOK_UPDATE_SCRIPTS=1`` writes what the commands really print into the pages instead.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from pathlib import Path

import click
import pytest

from anyhook.cli.main import cli
from tests.checkout import ROOT
from tests.cli.scripts import Result, matches
from tests.documents import Block, DocumentError, Step, blocks, has_remark, kept, pages, play, steady, unseen
from tests.effort import mostly_long

"""Blocks that may be left out, each with a reason in the page."""
UPDATE = os.environ.get("ANYHOOK_UPDATE_SCRIPTS") == "1"

linux = pytest.mark.skipif(sys.platform != "linux", reason="the pages show folders and messages of Linux")


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


PAGES = {page: blocks(page.read_text(encoding="utf-8"), shown(page)) for page in pages()}
WITH_COMMANDS = {page: found for page, found in PAGES.items() if any(block.has_commands for block in found)}
FIRST_READ = {ROOT / "README.md", *(ROOT / "docs" / "start").glob("*.md")}
NOT_RUN = [block for found in PAGES.values() for block in found if block.not_run is not None]


def complaint(step: Step, result: Result) -> str:
    """What is wrong with a command and its output; empty if nothing is."""
    if result.status == 3 or result.status >= 126 or (result.status and not step.output):
        return f"exit status {result.status}\n" + "\n".join(result.output)
    if not step.output and (has_remark(step.command) or step.start == 0):
        return ""
    if matches(steady(Result(result.status, step.output)), steady(result)):
        return ""
    actual = kept(step.output, result.output)
    return "\n".join(difflib.unified_diff(step.output, actual, "shown", "printed", lineterm=""))


def updated(page: Path, wrong: list[tuple[Step, Result]]) -> None:
    lines = page.read_text(encoding="utf-8").split("\n")
    for step, result in reversed(wrong):
        lines[step.start : step.end] = kept(step.output, result.output)
    page.write_text("\n".join(lines), encoding="utf-8")


@linux
@pytest.mark.parametrize("page", mostly_long(WITH_COMMANDS, short=FIRST_READ), ids=shown)
def test_the_commands_print_what_is_shown(page: Path) -> None:
    found: list[str] = []
    wrong: list[tuple[Step, Result]] = []
    for block, step, result in play(PAGES[page]):
        if told := complaint(step, result):
            found.append(f"{block.name}: $ {step.command}\n{told}")
            wrong += [(step, result)] if step.start else []
    if UPDATE and wrong:
        updated(page, wrong)
    if found:
        pytest.fail("\n\n".join([*found, "ANYHOOK_UPDATE_SCRIPTS=1 accepts this."]), pytrace=False)


@pytest.mark.parametrize("block", NOT_RUN, ids=lambda block: block.name)
def test_not_run(block: Block) -> None:
    """One line for each block that is left out: pytest -rs lists them."""
    assert block.not_run, f"{block.name} says no reason"
    pytest.skip(f"{block.first}: {block.not_run}")


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_command_is_in_a_fenced_block(page: Path) -> None:
    assert [f"{shown(page)}:{line}" for line in unseen(page.read_text(encoding="utf-8"))] == []


def test_pages_of_rules_have_no_comments() -> None:
    """``anyhook check --explain`` prints them."""
    assert [
        page.name for page in (ROOT / "docs" / "rules").glob("[A-Z][0-9]*.md") if "<!--" in page.read_text("utf-8")
    ] == []


# The notation


def played(text: str) -> list[tuple[str, str]]:
    found = blocks(text.replace("'''", "```"), "page.md")
    return [(step.command, complaint(step, result)) for _, step, result in play(found)]


@linux
def test_folder_and_variables_stay_from_block_to_block() -> None:
    text = """\
'''sh
mkdir sub
export GREETING='good day'
cd sub
'''
<!-- test: run echo hidden >file -->

'''console
$ echo "$GREETING"; pwd
good day
/home/you/project/sub
$ cat file ../notes.txt
hidden
cat: ../notes.txt: No such file or directory
$ false  # says nothing
'''
'''text notes.txt
hello
'''
'''console
$ cat ../notes.txt \\
>   file
hello
[..]en
'''
"""
    results = played(text)
    assert [told for command, told in results if "false" not in command] == [""] * 5
    assert [told for command, told in results if "false" in command] == ["exit status 1\n"]


@linux
def test_wrong_output_is_noticed() -> None:
    (_, told), (_, silent) = played("'''console\n$ echo one\ntwo\n$ echo three\n'''\n")
    assert told.splitlines()[-2:] == ["-two", "+one"]
    assert "+three" in silent


def test_times_may_differ_and_nothing_else() -> None:
    shown = Result(
        0, ("2026-11-16", "21:28:45 codex  block    354 ms 1 hook", "5 passed in 0.7 s", "  blocked  x  (18 ms)")
    )
    later = Result(
        0, ("2027-01-01", "03:00:00 codex  block      4 ms 1 hook", "5 passed in 12.0 s", "  blocked  x  (1 ms)")
    )
    assert steady(shown) == steady(later)
    assert kept(shown.output, [*later.output, "new"]) == [*shown.output, "new"]
    for line in ("write 5 for 5 s", "10ms", "3 hooks in 2 files"):
        assert steady(Result(0, (line,))).output == (line,)


@linux
def test_a_project_begins_again() -> None:
    text = """\
<!-- test: project examples/shop -->
'''console
$ ls .codex; touch new
hooks.json
'''
<!-- test: project -->
'''console
$ ls
'''
<!-- test: not run: needs a client -->
'''console
$ exit 126
'''
"""
    assert [told for _, told in played(text)] == ["", ""]


@linux
def test_keys_are_typed_on_a_terminal_and_what_needs_more_is_left_out() -> None:
    text = """\
<!-- test: keys q -->
'''sh
sh -c 'test -t 0 && stty -icanon && echo ready && test "$(head -c 1)" = q'
sh -c 'stty -icanon && echo ready && test "$(head -c 1)" = x'
'''
<!-- test: keys ^C -->
'''sh
sh -c 'echo ready; exec sleep 600'
'''
<!-- test: needs network -->
'''sh
exit 1
'''
"""
    assert [told.partition("\n")[0] for _, told in played(text)] == ["", "exit status 1", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- test: skip -->\n", "unknown comment"),
        ("<!-- test: run true -->\ntext\n", "right above a block"),
        ("```console\nanyhook\n```\n", "begins with a command"),
    ],
)
def test_mistakes_in_the_notation_are_refused(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        [block.steps() for block in blocks(text, "page.md")]


def test_commands_outside_of_a_fence_are_noticed() -> None:
    assert unseen("text\n\n    anyhook check\n    $ ls\n    {}\n\n```toml\n    anyhook check\n```\n") == [3, 4]
    assert unseen("```\n$ ls\nanyhook\n```\n```console\n$ ls\n```\n```text\n$ ls\n```\n") == [2, 9]


# Commands in sentences and tables


def named_commands(text: str) -> list[str]:
    """The commands in inline code, outside of fenced blocks."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [found.replace("\\|", "|") for found in re.findall(r"`(anyhook(?: [^`]+)?)`", prose)]


def mistake(command: str) -> str:
    """What of a command in a sentence does not exist: the command, or an option of it."""
    found: click.Command = cli
    context = click.Context(cli)
    words = re.split(r"[\s=]+", command)[1:]
    if words[:1] == ["exec"]:  # without click, so that it starts sooner; blocks run it
        return ""
    while words and isinstance(found, click.Group):
        if not re.fullmatch(r"[a-z-]+", words[0]) or words[0].startswith("-"):
            break
        inner = found.get_command(context, words[0])
        if inner is None:
            return words[0]
        found, words = inner, words[1:]
    known = {name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    options = [name for word in words[: words.index("--") if "--" in words else None] for name in OPTION.findall(word)]
    return next((option for option in options if option not in known), "")


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-[a-z](?![\w])")


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_commands_in_sentences_exist(page: Path) -> None:
    named = named_commands(page.read_text(encoding="utf-8"))
    assert {command: found for command in named if (found := mistake(command))} == {}


def test_mistakes_in_sentences_are_noticed() -> None:
    assert named_commands("`anyhook check --fix`, ``x`` and `anyhook`\n```\n`anyhook no`\n```\n") == [
        "anyhook check --fix",
        "anyhook",
    ]
    assert mistake("anyhook check --fix FILE") == mistake("anyhook record --client C -- claude --print") == ""
    assert mistake("anyhook chekc") == "chekc"
    assert mistake("anyhook check --mend") == "--mend"
