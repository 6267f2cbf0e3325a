"""Shapes of settings: what they accept, and where a value is something else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects.settings.shapes import (
    ANYTHING,
    FLAG,
    LIST,
    NUMBER,
    TEXT,
    TEXTS,
    AnyOf,
    Anything,
    FixedText,
    Flag,
    ListOf,
    Misfit,
    Number,
    Object,
    Text,
    Tolerant,
    Value,
    any_of,
    list_of,
    map_of,
    misfit,
    object_of,
    one_of,
    tolerant,
)

KINDS = any_of(
    object_of({"kind": one_of("a"), "path": TEXT}, "kind path"),
    object_of({"kind": one_of("b"), "url": TEXT}, "kind url"),
)


@pytest.mark.parametrize(
    ("value", "shape", "expected"),
    [
        (5, TEXT, Misfit((), "text")),
        (None, TEXT, Misfit((), "text")),
        (True, NUMBER, Misfit((), "a number")),
        (1, FLAG, Misfit((), "true or false")),
        ("c", one_of("a b"), Misfit((), '"a" or "b"')),
        (["a", 5], TEXTS, Misfit((1,), "text")),
        ("a", LIST, Misfit((), "a list")),
        ([], list_of(TEXT, 1), Misfit((), "a list of at least 1")),
        (1.5, Number(whole=True), Misfit((), "a whole number")),
        (0, Number(whole=True, above=0), Misfit((), "a whole number above 0")),
        (2, Number(least=0, most=1), Misfit((), "a number from 0 up to 1")),
        ("x y", Text(r"^\w+$", "a name"), Misfit((), "a name")),
        ({"a": {"b": 5}}, map_of(map_of(TEXT)), Misfit(("a", "b"), "text")),
        ({"x y": 5}, map_of(NUMBER, Text(r"^\w+$", "a word")), Misfit(("x y",), "a word as its name")),
        ({}, object_of({"a": TEXT}, "a"), Misfit(("a",), "text", is_missing=True)),
        ({"b": 1}, object_of({"a": TEXT}, others=None), Misfit(("b",), "no such setting, only a")),
        (5, any_of(TEXT, TEXTS), Misfit((), "text or a list of text")),
        ({"kind": "b"}, KINDS, Misfit(("url",), "text", is_missing=True)),
        ({"kind": "b", "url": 5}, KINDS, Misfit(("url",), "text")),
        ({"kind": "c"}, KINDS, Misfit(("kind",), '"a" or "b"')),
        ({}, KINDS, Misfit(("kind",), '"a" or "b"', is_missing=True)),
        ({"a": 5}, tolerant(object_of({"a": TEXT}), "number"), Misfit(("a",), "text")),
        ("x", tolerant(NUMBER, "null"), Misfit((), "a number")),
    ],
)
def test_a_misfit_says_where_it_is_and_what_is_expected(value: Any, shape: Value, expected: Misfit) -> None:
    assert misfit(value, shape) == expected


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ({"a": 1, "b": [None]}, ANYTHING),
        ({"other": 5}, object_of({"a": TEXT})),
        ({"kind": "a", "path": "x"}, KINDS),
        (None, tolerant(FLAG, "null")),
        (2.0, Number(whole=True)),
        ({}, map_of(TEXT)),
    ],
)
def test_a_value_of_the_shape_is_no_misfit(value: Any, shape: Value) -> None:
    assert misfit(value, shape) is None


# ------------------------------------------------------------------------------------------------------- properties


def values_of(shape: Value) -> st.SearchStrategy[Any]:
    """Values of a shape."""
    match shape:
        case Anything():
            return st.none() | st.integers() | st.text(max_size=3) | st.lists(st.booleans(), max_size=2)
        case Text(pattern):
            return st.from_regex(pattern) if pattern else st.text(max_size=5)
        case Number():
            least = shape.least if shape.least is not None else shape.above if shape.above is not None else -(2**53) + 1
            most = shape.most if shape.most is not None else 2**53 - 1
            numbers: st.SearchStrategy[Any] = (
                st.integers(int(least), int(most)) if shape.whole else st.floats(least, most)
            )
            return numbers.filter(lambda number: shape.above is None or number > shape.above)
        case Flag():
            return st.booleans()
        case FixedText(texts):
            return st.sampled_from(texts)
        case ListOf(item):
            return st.lists(values_of(item), min_size=shape.least, max_size=shape.least + 2)
        case Object():
            return objects_of(shape)
        case AnyOf(choices):
            return st.one_of(*map(values_of, choices))
        case Tolerant(inner):
            return values_of(inner)


def objects_of(shape: Object) -> st.SearchStrategy[dict[str, Any]]:
    needed = {key: values_of(shape.members[key]) for key in shape.required if key in shape.members}
    needed |= {key: st.just("x") for key in shape.required - shape.members.keys()}
    possible = sorted(shape.members.keys() - shape.required)

    def chosen(keys: list[str]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({**needed, **{key: values_of(shape.members[key]) for key in keys}})

    named = st.lists(st.sampled_from(possible), max_size=4, unique=True).flatmap(chosen) if possible else chosen([])
    if shape.others is None:
        return named
    taken = shape.members.keys() | shape.required
    others = st.dictionaries(
        st.text(max_size=3).filter(lambda key: key not in taken), values_of(shape.others), max_size=1
    )
    return st.builds(lambda one, more: {**more, **one}, named, others)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "kind", "url"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON, st.sampled_from([TEXT, TEXTS, FLAG, KINDS, map_of(KINDS), tolerant(KINDS, "text list")]))
def test_any_value_gets_an_answer_that_names_a_place_in_it(value: Any, shape: Value) -> None:
    found = misfit(value, shape)
    if found is not None:
        for key in found.pointer[:-1] if found.is_missing else found.pointer:
            value = value[key]
        assert found.expected
