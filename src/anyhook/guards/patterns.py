"""Patterns of a user on texts of a model: whatever the text is, none keeps the process busy.

``re`` cannot be interrupted: while it backtracks no time limit counts, and other events wait.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

SECONDS = 1.0
"""How long a pattern that has to backtrack may take with one text; then it raises TimeoutError."""


def is_found(pattern: str, text: str) -> bool:
    """Whether a regular expression matches anywhere in a text."""
    return _tests(pattern)[0](text) is not None


def is_match(pattern: str, text: str) -> bool:
    """Whether a regular expression matches a whole text."""
    return _tests(pattern)[1](text) is not None


def replaced(pattern: str, by: str, text: str) -> str:
    """The text with every match replaced; ``by`` may name groups."""
    changed: str = _backtracking(pattern).sub(by, text, timeout=SECONDS)
    return changed


@lru_cache(maxsize=256)
def _tests(pattern: str) -> tuple[Callable[[str], Any], Callable[[str], Any]]:
    """Search and full match: in linear time where the pattern allows it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        linear = re2.compile(pattern, options)
    except re2.error:  # look-around and back references
        slow = _backtracking(pattern)
        return lambda text: slow.search(text, timeout=SECONDS), lambda text: slow.fullmatch(text, timeout=SECONDS)
    return lambda text: linear.search(_utf8(text)), lambda text: linear.fullmatch(_utf8(text))


@lru_cache(maxsize=256)
def _backtracking(pattern: str) -> Any:
    import regex  # unlike `re` it can be told to give up

    return regex.compile(pattern)


def _utf8(text: str) -> str:
    """The text as RE2 reads it, which takes no half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
