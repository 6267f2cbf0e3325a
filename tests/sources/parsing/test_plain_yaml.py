"""The quick YAML reader gives what the full parser gives, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.document import Format
from anyhook.sources.parsing.parse_front_matter import _parse, parse_yaml
from anyhook.sources.parsing.plain_yaml import read_plain_yaml

CASE = """\
# A comment.
name: pre-tool-block
hook-index: 0
sandbox: true

input:
  fixture: fixtures/write.json
  overrides:
    toolInput.file_path: "/etc/passwd"
expected:
  exit-code: 2
  stderr-contains:
  - 'protected path'
  - blocked
"""
FRAGMENTS = (
    "a: b", "a: 1", "a: -1", "a: 010", "a: 1.5", "a: true", "a: True", "a: yes", "a: null", "a: ~", "a:", "a: ''",
    'a: "b"', 'a: "b\\n"', "a: 'it''s'", "a: b: c", "a: b # c", "a: [1]", "a: {b: 1}", "a: &x b", "a: *x", "a: |",
    "a: >", "a: 2020-01-01", "a: .inf", "a: /etc", "a: b  ", "  a: b", "    b: c", "b:", "b: n/a", "- a", "  - b",
    "    - 1", "  - c: d", "-", "  -", "---", "...", "# c", "  # c", "", " ", "? a", "a: !x b", "a: b, c [d]", "a: @b",
    "\ta: b", "<<: a", "a : b", "é: ü", "c: é", "a: 0x1F", "a: 0o7", "a: 1e3", "a: 1_000", "plain", "  continued",
)  # fmt: skip


def full(text: str) -> tuple[Any, Any]:
    document = _parse(text, "", Format.YAML, 0, len(text))
    return document.data, list(document.spans.items())


def test_a_case_is_read_quickly_and_the_same() -> None:
    quick = read_plain_yaml(CASE)
    assert quick is not None
    assert (quick[0], list(quick[1].items())) == full(CASE)
    document = parse_yaml(CASE)
    assert document.position(("expected", "exit-code")) == (11, 3)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=8))
def test_whatever_is_read_quickly_is_what_the_full_parser_reads(lines: list[str]) -> None:
    text = "\n".join(lines)
    quick = read_plain_yaml(text)
    if quick is not None:
        document = _parse(text, "", Format.YAML, 0, len(text))
        assert (quick[0], list(quick[1].items()), ()) == (*full(text), document.quirks)


@pytest.mark.parametrize("text", ["a: [1]\n", "a: b # c\n", "a: |\n  b\n", "\ufeffa: b\n", "a: é\n", "a: 1\na: 2\n"])
def test_everything_else_is_read_by_the_full_parser(text: str) -> None:
    assert read_plain_yaml(text) is None
    assert parse_yaml(text).data is not None


def test_a_broken_file_has_a_quirk_with_its_place() -> None:
    document = parse_yaml("a: b\n  c: d\n")
    assert document.data is None
    assert document.line_column(document.quirks[0].offset)[0] == 2


def test_a_byte_order_mark_is_a_quirk() -> None:
    document = parse_yaml("\ufeffa: b\n")
    assert document.data == {"a": "b"}
    assert [quirk.kind for quirk in document.quirks] == ["byte order mark"]
