"""Patterns of a user: what matches, in linear time and with backtracking alike."""

from __future__ import annotations

import pytest

from anyhook.guards.patterns import Replacement, TooLongError, is_found

LINEAR = r"rm\s+-\w+"
BACKTRACKING = r"(?!cargo)rm\s+-\w+"
"""Look-around: RE2 has none."""


@pytest.mark.parametrize("pattern", [LINEAR, BACKTRACKING])
def test_a_part_of_a_text_is_enough(pattern: str) -> None:
    assert is_found(pattern, "sudo rm -rf")
    assert not is_found(pattern, "rm build")


def test_every_match_is_replaced_and_groups_are_named() -> None:
    assert Replacement(r"(\w+)=(?P<value>\w+)", r"\g<value>=\1").apply("a=b c=d") == "b=a d=c"
    assert Replacement("x", "y").apply("a") == "a"
    assert Replacement("(a)|b", r"<\1\n\\>").apply("ab") == "<a\n\\><\n\\>"


@pytest.mark.parametrize(
    ("pattern", "by", "texts"),
    [
        ("", "y" * 60_000, ["x" * 1000]),
        ("", "y" * 60_000, ["x" * 20] * 100),
        ("x*", r"\g<0>" * 1000, ["x" * 100_000]),
        ("(?=(x*))", r"\1", ["x" * 100_000]),
        ("(?=(x*))", r"\1" * 5000, ["x" * 5000]),
    ],
)
def test_what_is_put_in_is_limited(pattern: str, by: str, texts: list[str]) -> None:
    replacement = Replacement(pattern, by)
    with pytest.raises(TooLongError):
        [replacement.apply(text) for text in texts]


@pytest.mark.parametrize("pattern", ["x.y", "(?!a)x.y"])
def test_half_a_surrogate_pair_is_one_character(pattern: str) -> None:
    assert is_found(pattern, "say x\ud800y")
    assert not is_found(pattern, "x\ud800\ud800y")


def test_a_pattern_that_backtracks_too_long_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        is_found(r"(?!y)(a|aa)+(a|aa)+$", "a" * 300 + "b")
