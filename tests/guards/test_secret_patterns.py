"""Every pattern hides the secrets of its table and leaves what looks like them, and none can make redaction slow.

How long a text takes is not measured with a clock. It is computed from the parsed patterns how many steps a match can
take where it fails, and counted how many calls the Python code makes for a text twice as long.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest

from anyhook.guards.secret_patterns import CONTEXTS, HIDDEN, PLACES, TOKENS, SecretPattern
from anyhook.lazy_pattern import LazyPattern
from anyhook.record import encoded_secrets, joined_lines, redact, secret_names, secret_values, split_secrets
from anyhook.record.own_patterns import MAX_STEPS, steps_to_fail
from anyhook.record.redact import Redactor
from tests.effort import mostly_long
from tests.guards.secret_tables import Row, look_alikes, secret_shapes

PATTERNS = (*CONTEXTS, *TOKENS, *PLACES)
BY_NAME = {pattern.name: pattern for pattern in PATTERNS}
SHAPES, LOOK_ALIKES = secret_shapes(), look_alikes()
REDACTOR = Redactor({})


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_pattern_hides_its_secrets_and_leaves_what_looks_like_them(name: str) -> None:
    shapes = [row for row in SHAPES if row.pattern == name]
    assert shapes, "no row in secret_shapes.jsonl"
    assert [row for row in shapes if _hidden(name, row.text) != (row.left, 1)] == []
    assert [row for row in shapes if _hidden(name, row.left) != (row.left, 0)] == []
    alike = [row.text for row in LOOK_ALIKES if row.pattern == name]
    assert alike, "no row in secret_look_alikes.jsonl"
    assert [text for text in alike if _hidden(name, text) != (text, 0)] == []


def _hidden(name: str, text: str) -> tuple[str, int]:
    return BY_NAME[name].hide(text, text.lower())


@pytest.mark.parametrize("pattern", TOKENS, ids=lambda pattern: pattern.name)
def test_no_pattern_before_it_finds_the_secrets_of_a_pattern(pattern: SecretPattern) -> None:
    before = PATTERNS[: PATTERNS.index(pattern)]
    texts = [row.text for row in SHAPES if row.pattern == pattern.name]
    assert [text for text in texts if any(other.hide(text, text.lower())[1] for other in before)] == []


@pytest.mark.parametrize("row", SHAPES, ids=lambda row: f"{row.pattern} {row.text[:20]}")
def test_a_redactor_hides_it_and_finds_nothing_more_the_second_time(row: Row) -> None:
    hidden, number = REDACTOR.text(row.text)
    assert (HIDDEN in hidden, number >= 1) == (True, True)
    assert REDACTOR.text(hidden) == (hidden, 0)


def test_every_row_is_about_a_pattern_and_every_hint_has_a_row() -> None:
    assert {row.pattern for row in (*SHAPES, *LOOK_ALIKES)} == set(BY_NAME)
    texts = {name: [row.text.lower() for row in SHAPES if row.pattern == name] for name in BY_NAME}
    unused = [
        (pattern.name, hint)
        for pattern in PATTERNS
        for hint in pattern.hints
        if hint not in " ".join(texts[pattern.name])
    ]
    assert unused == []


def test_names_are_unique() -> None:
    names = [pattern.name for pattern in PATTERNS]
    assert sorted(set(names)) == sorted(names)


def compiled() -> Iterable[tuple[str, str]]:
    for pattern in PATTERNS:
        yield pattern.name, pattern.pattern
    for module in (redact, secret_names, secret_values, joined_lines, split_secrets, encoded_secrets):
        for name, value in vars(module).items():
            if isinstance(value, LazyPattern):
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


PIECES = (
    "key", "key=", "password ", "password\n", "token: ", "TOKEN=\n", "<password>", "-----END PRIVATE KEY-----\n",
    "A" * 64 + "\n", "auth=", "login -p ", "X-Token: ", "token: |\n  a\n", "a.env\n", '"', "API_KEY", "password='",
    "_-.",
)  # fmt: skip
PIECES_OF_HIDDEN_FORMS = ("aGVsbG8gd29ybGQh", "QUJDREVGR0hJSktM\n", "Ab1\n", "a\\n", "sk-\n", "Ab+/", "ghp_\nA1")


@pytest.mark.parametrize("piece", mostly_long((*PIECES, *PIECES_OF_HIDDEN_FORMS), short=PIECES))
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
