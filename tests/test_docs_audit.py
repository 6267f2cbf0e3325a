"""``docs/contributing/audit.md``: every row says what is true now and names tests that exist."""

from __future__ import annotations

import re

import pytest

from tests.checkout import ROOT
from tests.test_docs_seeds import NODE, functions

TEXT = (ROOT / "docs" / "contributing" / "audit.md").read_text(encoding="utf-8")
ROWS = [
    row for row in re.findall(r"^\| (.+) \| (.+) \| (.+) \| (.+) \|$", TEXT, re.MULTILINE) if row[0] != "requirement"
]
SESSION = re.compile(r"`(tests/cli/\w+\.txt)`")
STATES = ("works", "as the client", "deviates", "reported", "for people", "the call is blocked")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_is_true_now_and_what_guards_it(row: tuple[str, str, str, str]) -> None:
    _, then, now, guards = row
    assert then
    assert now.startswith(STATES)
    assert NODE.search(guards) or SESSION.search(guards)


@pytest.mark.parametrize(("file", "name"), sorted(set(NODE.findall(TEXT))))
def test_a_named_test_exists(file: str, name: str) -> None:
    assert name in functions(ROOT / file)


@pytest.mark.parametrize("session", sorted(set(SESSION.findall(TEXT))))
def test_a_named_session_exists(session: str) -> None:
    assert (ROOT / session).is_file()
