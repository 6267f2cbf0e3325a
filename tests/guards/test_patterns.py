"""Patterns of a user: what matches, in linear time and with backtracking alike."""

from __future__ import annotations

import pytest

from anyhook.guards.patterns import is_found, is_match, replaced

LINEAR = r"rm\s+-\w+"
BACKTRACKING = r"(?!cargo)rm\s+-\w+"
"""Look-around: RE2 has none."""


@pytest.mark.parametrize("pattern", [LINEAR, BACKTRACKING])
def test_a_part_of_a_text_and_a_whole_text(pattern: str) -> None:
    assert is_found(pattern, "sudo rm -rf")
    assert not is_found(pattern, "rm build")
    assert is_match(pattern, "rm -rf")
    assert not is_match(pattern, "sudo rm -rf")
    assert not is_match(pattern, "rm -rf /")


def test_every_match_is_replaced_and_groups_are_named() -> None:
    assert replaced(r"(\w+)=(?P<value>\w+)", r"\g<value>=\1", "a=b c=d") == "b=a d=c"
    assert replaced("x", "y", "a") == "a"


@pytest.mark.parametrize("pattern", ["x.y", "(?!a)x.y"])
def test_half_a_surrogate_pair_is_one_character(pattern: str) -> None:
    assert is_found(pattern, "say x\ud800y")
    assert is_match(pattern, "x\ud800y")
    assert not is_match(pattern, "x\ud800\ud800y")


def test_a_pattern_that_backtracks_too_long_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        is_match(r"(?!y)(a|aa)+(a|aa)+$", "a" * 300 + "b")
