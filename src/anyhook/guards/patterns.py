"""Patterns of a user on texts of a model: whatever the text is, none keeps the process busy.

``re`` cannot be interrupted: while it backtracks no time limit counts, and other events wait.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

SECONDS = 1.0
"""How long a pattern that has to backtrack may take with one text; then it raises TimeoutError."""

MAX_REPLACED_LENGTH = 8_000_000
"""Characters that a rule may put in place of its matches in one call."""


def is_found(pattern: str, text: str) -> bool:
    """Whether a regular expression matches anywhere in a text."""
    return _search(pattern)(text) is not None


class TooLongError(Exception):
    """What replaces the matches is too long."""


class Replacement:
    """Replaces the matches of a pattern in several texts; ``by`` may name groups.

    A pattern may match between any two characters, and groups may be long: what is put in is limited, for all of the
    texts together.
    """

    def __init__(self, pattern: str, by: str) -> None:
        self._pattern, self._by = _backtracking(pattern), by
        self._groups = by.count("\\")
        """How many groups it can name at most."""
        self._left = MAX_REPLACED_LENGTH

    def apply(self, text: str) -> str:
        """The text with every match replaced. TooLongError: that would be too much."""
        changed: str = self._pattern.sub(self._expand, text, timeout=SECONDS)
        return changed

    def _expand(self, match: Any) -> str:
        longest = max(len(group or "") for group in (match[0], *match.groups())) if self._groups else 0
        if self._groups * longest > MAX_REPLACED_LENGTH:
            raise TooLongError
        text: str = match.expand(self._by)
        self._left -= len(text)
        if self._left < 0:
            raise TooLongError
        return text


@lru_cache(maxsize=256)
def _search(pattern: str) -> Callable[[str], Any]:
    """Searches a text: in linear time where the pattern allows it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        linear = re2.compile(pattern, options)
    except re2.error:  # look-around and back references
        slow = _backtracking(pattern)
        return lambda text: slow.search(text, timeout=SECONDS)
    return lambda text: linear.search(_utf8(text))


@lru_cache(maxsize=256)
def _backtracking(pattern: str) -> Any:
    import regex  # unlike `re` it can be told to give up

    return regex.compile(pattern)


def _utf8(text: str) -> str:
    """The text as RE2 reads it, which takes no half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
