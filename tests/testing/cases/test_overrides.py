"""Overrides: values put on top of a fixture by dotted paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.testing.cases.overrides import OverrideError, apply_overrides, parse_path, show_path

KEYS = st.lists(st.text(min_size=1, max_size=6) | st.sampled_from(["a.b", '"', "'", "\\", "0", "a"]), min_size=1)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
FIXTURE = {"toolInput": {"edits": [{"text": "a"}, {"text": "b"}], "path": "/src", "a.b": 1}, "none": None}


def put(path: str, value: Any, data: dict[str, Any] | None = None) -> dict[str, Any]:
    return apply_overrides(FIXTURE if data is None else data, {path: value})


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("toolInput.file_path", ("toolInput", "file_path")),
        ("edits.0.text", ("edits", "0", "text")),
        ('toolInput."a.b"', ("toolInput", "a.b")),
        ("toolInput.'a.b'.c", ("toolInput", "a.b", "c")),
        ('"say \\"hi\\""', ('say "hi"',)),
        ('""', ("",)),
    ],
)
def test_a_path_is_keys_with_dots_between_them(text: str, path: tuple[str, ...]) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a..b", "a key is missing"),
        ("a.", "a key is missing"),
        ("", "a key is missing"),
        ('"a', "a quote is open"),
        ('"a"b', "comes a dot"),
    ],
)
def test_what_is_no_path_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_path(text)


@given(KEYS)
def test_every_path_can_be_written(keys: list[str]) -> None:
    assert parse_path(show_path(keys)) == tuple(keys)


def test_a_value_is_replaced() -> None:
    assert put("toolInput.path", "/etc")["toolInput"]["path"] == "/etc"
    assert put("toolInput.edits.1.text", "c")["toolInput"]["edits"] == [{"text": "a"}, {"text": "c"}]
    assert put('toolInput."a.b"', 2)["toolInput"]["a.b"] == 2
    assert put("toolInput", None)["toolInput"] is None


def test_the_next_index_adds_an_item() -> None:
    assert put("toolInput.edits.2", "c")["toolInput"]["edits"][2] == "c"


def test_a_missing_branch_is_made() -> None:
    assert put("a.b.c", 1, {}) == {"a": {"b": {"c": 1}}}
    assert put("edits.0.text", "x", {}) == {"edits": [{"text": "x"}]}
    assert put("none.a", 1)["none"] == {"a": 1}


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("toolInput.path.name", r"toolInput\.path is the text '/src', which has no name in it"),
        ('toolInput."a.b".c', r'toolInput\."a\.b" is the number 1'),
        ("toolInput.edits.first", "is a list; its items are numbered, and first is no number"),
        ("toolInput.edits.5", "has 2 items, so 5 would leave a hole"),
        ("toolInput.edits.01", "01 is no number"),
    ],
)
def test_an_override_that_leads_nowhere_says_why(path: str, why: str) -> None:
    with pytest.raises(OverrideError, match=why):
        put(path, 1)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=3), KEYS, JSON)
def test_the_value_is_there_and_the_data_stay_as_they_were(data: dict[str, Any], keys: list[str], value: Any) -> None:
    before = repr(data)
    try:
        found: Any = apply_overrides(data, {show_path(keys): value})
    except OverrideError:
        found = None
    assert repr(data) == before
    if found is not None:
        for key in keys:
            found = found[int(key)] if isinstance(found, list) else found[key]
        assert found == value


def test_later_overrides_see_earlier_ones() -> None:
    overrides = {"a": {"b": 1}, "a.c": 2}
    assert apply_overrides({}, overrides) == {"a": {"b": 1, "c": 2}}
