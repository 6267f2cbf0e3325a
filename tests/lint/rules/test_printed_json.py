"""Members of objects that commands print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.lint.rules.answers import json_members


def test_members_of_an_object() -> None:
    text = '{"decision": "block", "x": {"y": {"z": true}}, "list": [{"no": 1}], "n": $COUNT, "r": "$WHY"}'
    assert json_members(text) == {
        ("decision",): "block",
        ("x",): "",
        ("x", "y"): "",
        ("x", "y", "z"): "true",
        ("list",): "",
        ("n",): "$COUNT",
        ("r",): "$WHY",
    }


@pytest.mark.parametrize("text", ["", "plain", "[1]", '"a": 1', "{", "}{", "{{{{"])
def test_what_is_no_object(text: str) -> None:
    assert json_members(text) == {}


@given(st.text(alphabet=st.sampled_from(list('{}[]":,ab $\\\n')), max_size=80))
def test_no_text_breaks_the_reading_of_members(text: str) -> None:
    for path in json_members(text):
        assert path
