"""Edits change what they should and nothing else, whatever the file looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anyhook.model.document import Document, Pointer, QuirkKind, value_at
from anyhook.model.problems import Edit
from anyhook.sources.editing.json_edits import (
    add_elements,
    add_first_member,
    add_members,
    remove_children,
    remove_member,
    rename_key,
    replace_value,
    rewrite_value,
    string_offsets,
    with_edits,
    wrap_members,
)
from anyhook.sources.parsing.parse_json import parse_json
from tests.sources.editing.styled_json import objects, styled, values


def edited(text: str, edits: tuple[Edit, ...] | None) -> str:
    assert edits is not None
    return with_edits(text, edits)


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", '[\n  {\n    "a": 1\n  }\n]'),
        ("[1]", '[1, {"a": 1}]'),
        ("[1,2]", '[1,2,{"a": 1}]'),
        ('[{"a":1}]', '[{"a":1},{"a":1}]'),
        ('[\n  {"b": 2}\n]\n', '[\n  {"b": 2},\n  {"a": 1}\n]\n'),
        ("[\n\t{\n\t}\n]", '[\n\t{\n\t},\n\t{\n\t\t"a": 1\n\t}\n]'),
        ("[\r\n    1\r\n]", '[\r\n    1,\r\n    {\r\n      "a": 1\r\n    }\r\n]'),
        ("[\n  1, // one\n]", '[\n  1, // one\n  {\n    "a": 1\n  },\n]'),
        ("[\n  1 // one\n]", '[\n  1, // one\n  {\n    "a": 1\n  }\n]'),
        ("[ // none\n]", '[ // none\n  {\n    "a": 1\n  }\n]'),
        ('[{\n  "b": 2\n}]', '[{\n  "b": 2\n}, {\n  "a": 1\n}]'),
    ],
)
def test_an_element_more(text: str, expected: str) -> None:
    assert edited(text, add_elements(parse_json(text), (), [{"a": 1}])) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "new": [\n    1\n  ],\n  "more": 2\n}'),
        ('{"a": 1}', '{"a": 1, "new": [1], "more": 2}'),
        ('{"a":1}', '{"a":1,"new":[1],"more":2}'),
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "new": [\n        1\n    ],\n    "more": 2\n}\n'),
        ('{\n\t"a": {"b": 1},\n}', '{\n\t"a": {"b": 1},\n\t"new": [\n\t\t1\n\t],\n\t"more": 2,\n}'),
        (
            '{\n  // c\n  "a": {\n    "b": 1\n  }\n}',
            '{\n  // c\n  "a": {\n    "b": 1\n  },\n  "new": [\n    1\n  ],\n  "more": 2\n}',
        ),
    ],
)
def test_members_more(text: str, expected: str) -> None:
    assert edited(text, add_members(parse_json(text), (), [("new", [1]), ("more", 2)])) == expected


@pytest.mark.parametrize(
    ("text", "gone", "expected"),
    [
        ("[1, 2, 3]", {0}, "[2, 3]"),
        ("[1, 2, 3]", {0, 1}, "[3]"),
        ("[1, 2, 3]", {1}, "[1, 3]"),
        ("[1, 2, 3]", {1, 2}, "[1]"),
        ("[1, 2, 3]", {0, 1, 2}, "[]"),
        ("[1, 2, 3,]", {2}, "[1, 2,]"),
        ("[\n  1,\n  2,\n]", {0, 1}, "[]"),
        ("[\n  1, // one\n  2 // two\n]", {1}, "[\n  1 // one\n  // two\n]"),
        ("[\n  1, // one\n  2 // two\n]", {0}, "[ // one\n  2 // two\n]"),
        ("[ // why\n  1, 2]", {0}, "[ // why\n  2]"),
        ("[ // why\n  1]", {0}, "[ // why\n  ]"),
        ("[ // why\n  1,\n 2, 3]", {0, 1}, "[ // why\n 3]"),
    ],
)
def test_elements_less(text: str, gone: set[int], expected: str) -> None:
    assert edited(text, remove_children(parse_json(text), (), gone)) == expected


def test_a_rewritten_value_changes_only_where_it_differs() -> None:
    text = '[ {"a" : 1, /* c */ "b": [1,2], "c": {"x": 1}} ]'
    new = [{"a": 2, "b": [1, 3], "c": {"y": 1}}]
    assert edited(text, rewrite_value(parse_json(text), (), new)) == '[ {"a" : 2, /* c */ "b": [1,3], "c": {"y": 1}} ]'


def containers(document: Document) -> list[Pointer]:
    return sorted((p for p in document.spans if isinstance(value_at(document.data, p), dict | list)), key=str)


def comments(document: Document) -> list[int]:
    return [quirk.offset for quirk in document.quirks if quirk.kind is QuirkKind.COMMENT]


@given(styled(objects | st.lists(values, min_size=1, max_size=4)), values, st.data())
def test_what_is_added_can_be_taken_out_again(text: str, new: Any, data: st.DataObject) -> None:
    document = parse_json(text)
    at = data.draw(st.sampled_from(containers(document)))
    here = value_at(document.data, at)
    is_object = isinstance(here, dict)
    add = add_members(document, at, [("new", new)]) if is_object else add_elements(document, at, [new])
    added = with_edits(text, add)
    after = parse_json(added)
    assert value_at(after.data, at) == ({**here, "new": new} if is_object else [*here, new])
    back = with_edits(added, remove_children(after, at, {"new" if is_object else len(here)}))
    if here:
        assert back == text
    else:
        assert parse_json(back).data == document.data


@given(styled(objects | st.lists(values, min_size=1, max_size=5)), st.data())
def test_whatever_is_taken_out_the_rest_and_every_comment_beside_it_stay(text: str, data: st.DataObject) -> None:
    document = parse_json(text)
    places = [
        p for p in document.spans if value_at(document.data, p) and isinstance(value_at(document.data, p), dict | list)
    ]
    assume(places)
    at = data.draw(st.sampled_from(sorted(places, key=str)))
    here = value_at(document.data, at)
    keys: list[Any] = list(here) if isinstance(here, dict) else list(range(len(here)))
    gone = data.draw(st.sets(st.sampled_from(keys), min_size=1))
    result = parse_json(with_edits(text, remove_children(document, at, gone)))
    rest = {k: v for k, v in here.items() if k not in gone} if isinstance(here, dict) else None
    assert value_at(result.data, at) == (rest if rest is not None else [v for k, v in enumerate(here) if k not in gone])
    taken = [document.spans[(*at, key)] for key in gone]
    lost = [c for c in comments(document) if any((s.key if s.key >= 0 else s.start) <= c < s.end for s in taken)]
    assert len(comments(result)) == len(comments(document)) - len(lost)


@given(styled(values), values)
def test_a_rewritten_value_is_the_new_one(text: str, new: Any) -> None:
    assert parse_json(with_edits(text, rewrite_value(parse_json(text), (), new))).data == new
