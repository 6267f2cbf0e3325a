"""Edits change what they should and nothing else, whatever the file looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anyhook.check.fix import apply_edits
from anyhook.check.json_edits import (
    add_first_member,
    remove_member,
    rename_key,
    replace_value,
    string_offsets,
    wrap_members,
)
from anyhook.model.origin import Origin
from anyhook.model.problems import Edit, problem
from anyhook.sources.parse_json import parse_json


def edited(text: str, edits: tuple[Edit, ...] | None) -> str:
    assert edits is not None
    result, gone = apply_edits(text, [problem("C001", Origin(), "", edits=edits)])
    assert gone
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', '{"new": 0, "a": 1}'),
        ("{}", '{"new": 0}'),
        ('{\n  "a": 1\n}', '{\n  "new": 0,\n  "a": 1\n}'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"new": 0,\r\n\t"a": 1\r\n}'),
        ('{ /* c */ "a": 1}', '{ /* c */ "new": 0, "a": 1}'),
    ],
)
def test_a_first_member(text: str, expected: str) -> None:
    assert edited(text, add_first_member(parse_json(text), (), "new", 0)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"x": 1}', "{}"),
        ('{"x": 1, "b": 2}', '{"b": 2}'),
        ('{"a": 0, "x": 1, "b": 2}', '{"a": 0, "b": 2}'),
        ('{"a": 0, "x": 1}', '{"a": 0}'),
        ('{\n  "a": 0,\n  "x": 1\n}', '{\n  "a": 0\n}'),
        ('{\n  "x": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'),
    ],
)
def test_a_member_less(text: str, expected: str) -> None:
    assert edited(text, remove_member(parse_json(text), ("x",))) == expected


def test_a_member_with_a_comment_beside_it_stays() -> None:
    text = '{"a": 0, /* why */ "x": 1}'
    assert remove_member(parse_json(text), ("x",)) is None


def test_members_in_an_object_of_their_own() -> None:
    text = '{\n  "v": 1,\n  "a": [\n    1\n  ],\n  "b": 2\n}\n'
    wrapped = edited(text, wrap_members(parse_json(text), [("a",), ("b",)], "hooks"))
    assert wrapped == '{\n  "v": 1,\n  "hooks": {\n    "a": [\n      1\n    ],\n    "b": 2\n  }\n}\n'
    assert wrap_members(parse_json('{"a": 1, "v": 0, "b": 2}'), [("a",), ("b",)], "hooks") is None
    assert edited('{"a": 1}', wrap_members(parse_json('{"a": 1}'), [("a",)], "h")) == '{"h": {"a": 1}}'


def test_a_key_and_a_value() -> None:
    text = '{"ti\\u006deout": 5, "b": "x"}'
    document = parse_json(text)
    assert edited(text, rename_key(document, ("timeout",), "t")) == '{"t": 5, "b": "x"}'
    assert edited(text, replace_value(document, ("b",), "ü")) == '{"ti\\u006deout": 5, "b": "ü"}'


@given(st.text(max_size=40), st.booleans())
def test_every_character_of_a_string_is_found_again(value: str, ascii_only: bool) -> None:
    text = json.dumps([value], ensure_ascii=ascii_only)
    document = parse_json(text)
    assume(document.data == [value])  # a lone half of a pair may be read as another character
    offsets = string_offsets(document, (0,))
    assert len(offsets) == len(value) + 1
    for index, char in enumerate(value):
        assert json.loads(f'"{text[offsets[index] : offsets[index + 1]]}"') == char


members = st.dictionaries(st.sampled_from(["a", "b", "x", "y", "ä"]), st.integers() | st.text(max_size=5), min_size=1)


@given(members, st.sampled_from([None, 2, "\t"]), st.data())
def test_edits_change_one_member_and_nothing_else(value: dict[str, Any], indent: Any, data: st.DataObject) -> None:
    text = json.dumps(value, indent=indent)
    document = parse_json(text)
    key = data.draw(st.sampled_from(sorted(value)))
    assert json.loads(edited(text, remove_member(document, (key,)))) == {k: v for k, v in value.items() if k != key}
    added = json.loads(edited(text, add_first_member(document, (), "new", [1])))
    assert list(added.items()) == [("new", [1]), *value.items()]
    assert json.loads(edited(text, replace_value(document, (key,), None))) == {**value, key: None}
    renamed = json.loads(edited(text, rename_key(document, (key,), "z")))
    assert renamed == {("z" if k == key else k): v for k, v in value.items()}
    assert json.loads(edited(text, wrap_members(document, [(k,) for k in value], "hooks"))) == {"hooks": value}
