"""Tables come and go, and the rest of a TOML text stays as it is."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.sources.editing.json_edits import with_edits
from anyhook.sources.editing.toml_edits import append_tables, remove_table, replace_table
from anyhook.sources.parsing.parse_toml import parse_toml

AT = ("hooks", "Stop")
TEXT = '# mine\na = 1 # one\n\n[[hooks.Stop]]\nmatcher = "x" # why\n\n# about c\n[c]\nd = 2\n'


def appended(text: str, *tables: dict[str, Any]) -> str:
    return with_edits(text, append_tables(parse_toml(text), [(AT, table) for table in tables]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[[hooks.Stop]]\nb = 1\n"),
        ("a = 1", "a = 1\n\n[[hooks.Stop]]\nb = 1"),
        ("a = 1\n", "a = 1\n\n[[hooks.Stop]]\nb = 1\n"),
        ("a = 1\r\n# end\r\n", "a = 1\r\n# end\r\n\r\n[[hooks.Stop]]\r\nb = 1\r\n"),
    ],
)
def test_a_table_more(text: str, expected: str) -> None:
    assert appended(text, {"b": 1}) == expected


def test_keys_and_values_are_written_as_toml_wants_them() -> None:
    table = {
        "a b": 'x"y',
        "t": True,
        "n": 1.5,
        "l": ["a", "b"],
        "e": {"K": "v", "": 1},
        "hooks": [{"c": "d"}, {"c": "e"}],
    }
    assert tomllib.loads(appended("", table)) == {"hooks": {"Stop": [table]}}


def test_a_table_is_replaced_in_its_place() -> None:
    new = with_edits(TEXT, replace_table(parse_toml(TEXT), (*AT, 0), {"matcher": "y"}))
    assert new == TEXT.replace('"x"', '"y"')


def test_a_table_is_taken_out_with_its_lines() -> None:
    left = with_edits(TEXT, remove_table(parse_toml(TEXT), (*AT, 0)))
    assert left == "# mine\na = 1 # one\n\n# about c\n[c]\nd = 2\n"


names = st.sampled_from(["a", "b c", 'd"e', ""])
plain = st.booleans() | st.integers(-9, 9) | st.text("ab\"'\\\n#[]é", max_size=5)
tables = st.dictionaries(names, plain | st.lists(plain, max_size=2) | st.dictionaries(names, plain, max_size=2))


@given(st.sampled_from(["", "a = 1", TEXT, TEXT.replace("\n", "\r\n"), "[hooks]\n", "x = [\n 1,\n]\n\n\n"]), tables)
def test_what_is_appended_can_be_taken_out_again(text: str, table: dict[str, Any]) -> None:
    more = appended(text, table)
    assert more.startswith(text)
    document = parse_toml(more)
    newest = document.data["hooks"]["Stop"][-1]
    assert newest == table
    place = (*AT, len(document.data["hooks"]["Stop"]) - 1)
    assert with_edits(more, remove_table(document, place)).rstrip("\r\n") == text.rstrip("\r\n")
