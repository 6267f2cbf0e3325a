"""Every pattern finds its example, and none can make redaction slow.

How long a text takes is not measured with a clock. It is computed from the parsed patterns how many steps a match can
take where it fails, and counted how many calls the Python code makes for a text twice as long.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from anyhook.guards.secret_patterns import CONTEXTS, HIDDEN, PLACES, TOKENS, SecretPattern
from anyhook.record import redact, secret_names, secret_values
from anyhook.record.own_patterns import MAX_STEPS, steps_to_fail
from anyhook.record.redact import Redactor

PATTERNS = (*CONTEXTS, *TOKENS, *PLACES)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_a_pattern_finds_its_example_and_has_a_hint_of_it(pattern: SecretPattern) -> None:
    hidden, number = pattern.hide(pattern.example, pattern.example.lower())
    assert number == 1
    assert HIDDEN in hidden


def test_names_are_unique() -> None:
    names = [pattern.name for pattern in PATTERNS]
    assert sorted(set(names)) == sorted(names)


def compiled() -> Iterable[tuple[str, str]]:
    for pattern in PATTERNS:
        yield pattern.name, pattern.pattern
    for module in (redact, secret_names, secret_values):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield name, value.pattern


SCANNERS = {"_ENV_LINE", "_RANDOM", "_KNOWN_FORMS", "_HARMLESS_SETTING", "_PARTS", "_NETRC"}
"""Bounded by other means: they start only at the start of a line, or are given one short value, or their alternatives
exclude each other."""


@pytest.mark.parametrize(("name", "pattern"), [each for each in compiled() if each[0] not in SCANNERS])
def test_a_match_that_fails_takes_a_bounded_number_of_steps(name: str, pattern: str) -> None:
    assert steps_to_fail(pattern) < MAX_STEPS, name


@pytest.mark.parametrize(
    "pattern",
    [r"a+b", r"(?:a*)*b", r"(?:a{1,20}){1,20}b", r"(?:a|a){1,30}b", r"a{1,999}a{1,999}b", r"a++b", r"a+(?=b)"],
)
def test_a_slow_pattern_is_found(pattern: str) -> None:
    assert steps_to_fail(pattern) >= MAX_STEPS


@pytest.mark.parametrize(
    "piece",
    ["key", "key=", "password ", "password\n", "token: ", "TOKEN=\n", "<password>", "-----END PRIVATE KEY-----\n", "A" * 64 + "\n",  # noqa: E501
     "auth=", "login -p ", "X-Token: ", "token: |\n  a\n", "a.env\n", '"', "API_KEY", "password='", "_-."],
)  # fmt: skip
def test_twice_the_text_takes_twice_the_calls(piece: str) -> None:
    redactor = Redactor({})
    short, long = (_calls(redactor, (piece * length)[:length]) for length in (8_000, 16_000))
    assert long < 2.5 * short + 200


def _calls(redactor: Redactor, text: str) -> int:
    """How many functions are called to redact a text."""
    number = 0

    def count(_frame: Any, what: str, _argument: Any) -> None:
        nonlocal number
        number += what in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        redactor.text(text)
    finally:
        sys.setprofile(before)
    return number
