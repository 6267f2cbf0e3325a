"""Expectations: what a hook did against what its case says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.testing.cases.cases import Case, CaseFolder, Expected
from anyhook.testing.expectations import MAX_QUOTED_LENGTH, differences, judge, show_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
RUN = Run(exit_code=0, stdout='{"decision": "block"}', stderr="all is well")


def judged(
    run: Run | None = RUN, outcome: Outcome | None = None, prompts: tuple[str, ...] = (), **expected: Any
) -> list[str]:
    case = Case(name="n", event="stop", folder=CaseFolder(Path()), file=Path("c.yaml"), expected=Expected(**expected))
    found = outcome or Outcome(client="universal", event="Stop")
    return [failure.text for failure in judge(case, found, run, "it does not match", prompts)]


def shown(expected: Any, actual: Any) -> list[str]:
    return [str(difference) for difference in differences(expected, actual)]


@pytest.mark.parametrize(
    "expected",
    [
        {"exit_code": 0},
        {"stderr_contains": ("all", "well")},
        {"stdout_contains": ("decision",)},
        {"stdout_json": {"decision": "block"}},
        {"not_contains": ("ERROR",)},
        {"effect": Effect.PROCEED},
        {"matched": True},
        {},
    ],
)
def test_what_is_as_expected_is_no_failure(expected: dict[str, Any]) -> None:
    assert judged(**expected) == []


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ({"exit_code": 2}, "exit code: expected 2, got 0"),
        ({"stderr_contains": ("bad",)}, 'stderr does not have "bad"'),
        ({"stdout_contains": ("allow",)}, 'stdout does not have "allow"'),
        ({"stdout_json": {"decision": "allow"}}, "stdout JSON differs (- expected, + got)"),
        ({"not_contains": ("well",)}, 'stderr has "well", and must not'),
        ({"not_contains": ("decision",)}, 'stdout has "decision", and must not'),
        ({"effect": Effect.BLOCK}, "effect: expected block, got proceed"),
        ({"matched": False}, "the hook ran, but the case says that its group does not match"),
        ({"prompt_contains": ("tasks",)}, 'the prompt does not have "tasks": the prompt is empty'),
    ],
)
def test_every_deviation_is_one_failure(expected: dict[str, Any], text: str) -> None:
    assert judged(**expected) == [text]


def test_a_hook_that_did_not_run_fails_for_this_reason_alone() -> None:
    assert judged(None, exit_code=2, stderr_contains=("a",)) == ["the hook did not run: it does not match"]
    assert judged(None, matched=False) == []


def test_without_an_exit_code_the_reason_is_told() -> None:
    run = Run(status=Status.TIMED_OUT, reason="timed out")
    assert judged(run, exit_code=0) == ["exit code: expected 0, got none: timed out"]
    assert judged(run) == ["the hook timed out (if intended: expected.status: timed-out)"]
    assert judged(run, status=Status.TIMED_OUT) == []
    assert judged(run, status=Status.BLOCKED) == ["status: expected blocked, got timed-out"]


@pytest.mark.parametrize(("stdout", "text"), [("", "stdout is empty"), ("no JSON", 'stdout is not JSON: "no JSON"')])
def test_what_is_no_json_is_named(stdout: str, text: str) -> None:
    assert judged(Run(stdout=stdout), stdout_json={}) == [f"stdout JSON: {text}"]


def test_an_effect_comes_with_its_reason() -> None:
    outcome = Outcome(client="universal", event="Stop", effect=Effect.CONTINUE, reason="Tests first")
    assert judged(RUN, outcome, effect=Effect.PROCEED) == ["effect: expected proceed, got continue (Tests first)"]


def test_objects_may_have_more_keys_and_lists_may_not_have_more_items() -> None:
    assert shown({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}) == []
    assert shown([{"a": 1}], [{"a": 1, "b": 2}]) == []
    assert shown([1], [1, 2]) == ["expected [1], got [1,2]"]


def test_every_place_that_differs_is_named() -> None:
    expected = {"a": {"b": [1, 2]}, "c": True, "d": "x"}
    assert shown(expected, {"a": {"b": [1, 3]}, "c": 1}) == [
        "a.b.1: expected 2, got 3",
        "c: expected true, got 1",
        'd: expected "x", got nothing',
    ]


@given(JSON)
def test_everything_matches_itself(value: Any) -> None:
    assert list(differences(value, value)) == []


@given(JSON, JSON)
def test_no_difference_means_that_everything_expected_is_there(expected: Any, actual: Any) -> None:
    found = list(differences(expected, actual))
    if not found and not isinstance(expected, dict | list):
        assert expected == actual
    assert all(
        difference.actual is UNSET
        or difference.expected != difference.actual
        or isinstance(difference.expected, bool) != isinstance(difference.actual, bool)
        for difference in found
    )


def test_a_long_value_is_cut() -> None:
    assert len(show_value("x" * 1000)) == MAX_QUOTED_LENGTH + 1
