"""Every command line in the README and the documents runs, and prints what is shown. ``documents.py`` has the notation.

``ANYHOOK_UPDATE_SCRIPTS=1`` writes what the commands really print into the pages instead.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.cli.scripts import Result, in_notation, matches
from tests.documents import Block, DocumentError, Step, blocks, has_remark, pages, play, unseen

MOST_NOT_RUN = 12
"""Blocks that may be left out, each with a reason in the page."""
UPDATE = os.environ.get("ANYHOOK_UPDATE_SCRIPTS") == "1"


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


PAGES = {page: blocks(page.read_text(encoding="utf-8"), shown(page)) for page in pages()}
WITH_COMMANDS = {page: found for page, found in PAGES.items() if any(block.has_commands for block in found)}
NOT_RUN = [block for found in PAGES.values() for block in found if block.not_run is not None]


def complaint(step: Step, result: Result) -> str:
    """What is wrong with a command and its output; empty if nothing is."""
    if result.status == 3 or result.status >= 126 or (result.status and not step.output):
        return f"exit status {result.status}\n" + "\n".join(result.output)
    if not step.output and (has_remark(step.command) or step.start == 0):
        return ""
    expected = Result(result.status, step.output)
    if matches(expected, result):
        return ""
    actual = in_notation(expected, result)
    return "\n".join(difflib.unified_diff(step.output, actual.output, "shown", "printed", lineterm=""))


def updated(page: Path, wrong: list[tuple[Step, Result]]) -> None:
    lines = page.read_text(encoding="utf-8").split("\n")
    for step, result in reversed(wrong):
        lines[step.start : step.end] = in_notation(Result(result.status, step.output), result).output
    page.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="the documents are written for a POSIX shell")
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=shown)
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


def test_few_blocks_are_not_run() -> None:
    assert len(NOT_RUN) <= MOST_NOT_RUN, [block.name for block in NOT_RUN]


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_every_command_is_in_a_fenced_block(page: Path) -> None:
    assert [f"{shown(page)}:{line}" for line in unseen(page.read_text(encoding="utf-8"))] == []


# The notation


def played(text: str) -> list[tuple[str, str]]:
    found = blocks(text.replace("'''", "```"), "page.md")
    return [(step.command, complaint(step, result)) for _, step, result in play(found)]


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


def test_wrong_output_is_noticed() -> None:
    (_, told), (_, silent) = played("'''console\n$ echo one\ntwo\n$ echo three\n'''\n")
    assert told.splitlines()[-2:] == ["-two", "+one"]
    assert "+three" in silent


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
