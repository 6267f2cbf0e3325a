"""A row has a limit; what is cut says so, is still JSON of the same kind, and holds no half secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Effect
from anyhook.record.cut import MAX_BODY, MAX_NAME, MAX_REASON, cut_text, cut_value
from anyhook.record.limit_rows import MAX_HOOKS, limited_row
from anyhook.record.recorded import Happened
from tests.record.store.journals import hook, row

HUGE = "x y" * 2_500_000
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(max_size=30), inside),
    max_leaves=40,
)


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


@given(VALUES, st.integers(400, 2_000))
def test_a_value_that_is_cut_is_small_and_says_so(value: Any, limit: int) -> None:
    kept, left_out = cut_value(value, limit)
    if left_out:
        assert "left out]" in json.dumps(kept)
        assert type(kept) is type(value)
    else:
        assert kept == value


@pytest.mark.parametrize(
    "value",
    [
        HUGE,
        {"tool_input": {"command": HUGE}, "tool_name": "Bash", "session_id": "s"},
        {"content": [HUGE] * 3, "tool_name": "Bash", "session_id": "s"},
        {"many": ["a few words"] * 1_000_000, "tool_name": "Bash", "session_id": "s"},
        {"tool_name": "Bash", "session_id": "s", **{f"key {number}": number for number in range(200_000)}},
        {HUGE: 1, "tool_name": "Bash", "session_id": "s"},
        [[HUGE, [HUGE, [HUGE, [HUGE, [HUGE, [HUGE]]]]]]],
    ],
    ids=["text", "command", "list", "many values", "many members", "key", "nested"],
)
def test_a_large_value_is_cut(value: Any) -> None:
    kept, left_out = cut_value(value)
    assert size(kept) <= MAX_BODY * 1.2
    assert left_out > 1_000_000
    assert "left out]" in json.dumps(kept)
    assert cut_value(kept) == (kept, 0)
    if isinstance(value, dict):
        assert (kept["tool_name"], kept["session_id"]) == ("Bash", "s")


def test_a_text_says_how_much_was_left_out() -> None:
    kept, left_out = cut_text("word " * 1000, 500)
    assert (len(kept) <= 500, left_out) == (True, 5000 - kept.index("…"))
    assert kept.endswith(f"word … [{left_out:,} characters left out]")
    assert cut_text(kept, 500) == (kept, 0)
    assert cut_text("x" * 500, 500) == ("x" * 500, 0)


@pytest.mark.parametrize("before", ["", " ", '"', "a=", "\n"])
@pytest.mark.parametrize("start", range(300, 520, 7))
def test_no_half_token_is_left(start: int, before: str) -> None:
    token = "sk-" + "Ab1" * 40
    kept, _ = cut_text("," * start + before + token + " " + "y " * 500, 500)
    assert token in kept or "sk-Ab" not in kept


def test_a_row_of_7_mb_is_stored_in_less_than_one() -> None:
    large = row(
        payload={"tool_input": {"command": HUGE}},
        answer={"reason": HUGE},
        session=HUGE,
        tool=HUGE,
        project=HUGE,
        outcome=Happened(Effect.BLOCK, HUGE, decided_by=HUGE),
        hooks=(hook(HUGE, reason=HUGE, file=HUGE), *(hook(reason=HUGE) for _ in range(20))),
    )
    cut = limited_row(large)
    assert len(dump_json(cut)) < 1_000_000
    assert cut.cut > 7 * len(HUGE)
    assert limited_row(cut) == cut
    assert cut.outcome is not None
    assert (len(cut.session) <= MAX_NAME, len(cut.outcome.reason) <= MAX_REASON) == (True, True)


def test_a_usual_row_stays_as_it_is() -> None:
    usual = row(payload={"a": "b" * 10_000}, answer=[1, None, 2.5], outcome=Happened(Effect.BLOCK, "no " * 1000))
    assert limited_row(usual) == usual


def test_a_body_that_is_nested_too_deep_is_left_out() -> None:
    value: Any = "x" * MAX_BODY
    for _ in range(100_000):
        value = [value]
    assert limited_row(row(payload=value)).payload is UNSET


def test_of_very_many_hooks_those_that_ran_are_kept() -> None:
    hooks = (*(hook(f"h{number}", "skipped") for number in range(3 * MAX_HOOKS)), hook("ran"))
    cut = limited_row(row(hooks=hooks))
    assert len(cut.hooks) == MAX_HOOKS
    assert cut.hooks[0].hook == "ran"
    assert cut.hooks[-1].hook == f"… [{2 * MAX_HOOKS + 2:,} hooks left out]"
    assert limited_row(cut) == cut
