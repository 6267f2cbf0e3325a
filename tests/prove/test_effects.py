"""Whether a step took effect, seen in the files of the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anyhook.prove.clients import driver
from anyhook.prove.effects import watch
from anyhook.prove.script import EditStep, WriteStep

UNTIDY = "one  \ntwo\nthree\t\n"


@pytest.mark.parametrize("written", [UNTIDY, "one\ntwo\nthree\n", "one\ntwo\nthree"])
def test_a_client_may_leave_blanks_at_the_ends_of_lines_out(tmp_path: Path, written: str) -> None:
    watched = watch(WriteStep("a.txt", UNTIDY), tmp_path)
    (tmp_path / "a.txt").write_text(written)
    assert watched.took_effect("File created successfully") is True


def test_another_text_is_not_what_the_step_says(tmp_path: Path) -> None:
    watched = watch(WriteStep("a.txt", UNTIDY), tmp_path)
    (tmp_path / "a.txt").write_text("one\n\ntwo\nthree\n")
    assert watched.took_effect("File created successfully") is False


def test_an_edit_without_blanks_at_the_ends_of_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("zero\nx\n")
    watched = watch(EditStep("a.txt", "x", UNTIDY), tmp_path)
    (tmp_path / "a.txt").write_text("zero\none\ntwo\nthree\n")
    assert watched.took_effect("The file has been updated") is True


def test_a_command_that_claude_code_refuses_itself_did_not_run() -> None:
    pattern = driver("claude-code").shell_ran
    refused = "Dangerous rm operation detected: '/'\n\nThis command would remove a critical system directory."
    assert re.search(pattern, refused) is None
    assert re.search(pattern, "Exit code 128\nfatal: not a git repository") is not None
