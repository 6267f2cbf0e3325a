"""Lists and suggestions in messages."""

from __future__ import annotations

import pytest

from anyhook.dialects import find_client, unknown_client_text
from anyhook.model.wording import close_matches, did_you_mean, join_and, join_or


@pytest.mark.parametrize(
    ("words", "joined"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"), (iter("abc"), "a, b and c")],
)
def test_words_are_joined(words: list[str], joined: str) -> None:
    assert join_and(words) == joined


def test_alternatives_are_joined() -> None:
    assert join_or(["a", "b", "c"]) == "a, b or c"


def test_a_misspelled_word_gets_its_closest_choice() -> None:
    assert close_matches("lst", ["list", "last", "other"], limit=2) == ["list", "last"]
    assert did_you_mean("lst", ["list", "other"]) == "did you mean list?"
    assert did_you_mean("x", ["list", "other"]) == "known are list, other"
    assert did_you_mean("x", ["list", "other"], ["list"]) == "known are list"


@pytest.mark.parametrize(
    ("name", "client"), [("codex", "codex"), ("Claude", "claude-code"), ("CODEX", "codex"), ("emacs", None)]
)
def test_a_client_is_found_by_its_names(name: str, client: str | None) -> None:
    assert find_client(name) == client


def test_an_unknown_client_gets_a_suggestion() -> None:
    assert unknown_client_text("claud") == "there is no client 'claud'; did you mean claude?"
    assert unknown_client_text("emacs").startswith("there is no client 'emacs'; known are claude-code, ")
