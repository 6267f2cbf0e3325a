"""Patterns of secrets that users add in ``anyhook.toml``: found and checked.

The process that records loads nothing but :mod:`re`, so a pattern must not be able to make a match slow: how many steps
a start can take before it fails is computed from the parsed pattern.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anyhook.model.origin import Scope
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.sources.settings import PROJECTS_TABLES, TABLES, OwnPattern, Settings, read_settings

MAX_STEPS = 250_000
"""That one start of a pattern may take before it fails."""
_ENDLESS = float("inf")
_parser: Any = vars(re)["_parser"]


def own_patterns(project: Path | None) -> tuple[str, ...]:
    """The patterns of the user and of the project. UsageError names the file and line of one that cannot be used."""
    settings = read_settings(project, os.environ)
    if broken := next(pattern_problems(settings), None):
        raise UsageError(f"{broken.origin}: {broken.text}; {broken.fix}")
    return tuple(pattern.text for pattern in settings.redact.patterns)


def pattern_problems(settings: Settings) -> Iterator[Problem]:
    """Why it is not known what must not be stored: a file that cannot be read, wrong settings, unusable patterns."""
    yield from filter(_hides_patterns, settings.problems)
    for pattern in settings.redact.patterns:
        if why := _unusable(pattern):
            text = f"{pattern.text!r} cannot be used to redact: {why}"
            yield problem("K007", pattern.origin, text, "correct the pattern")


def _hides_patterns(found: Problem) -> bool:
    """Whether a mistake can be in what the user has set about stored texts; a project has only its patterns to set."""
    table = found.origin.pointer.partition("/")[2].partition("/")[0]
    if not table:
        return found.code != "K007"  # the file as a whole
    if table == "redact" or found.origin.scope is not Scope.USER:
        return table == "redact"
    return table == "journal" or table not in (*TABLES, *PROJECTS_TABLES)


def _unusable(pattern: OwnPattern) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern.text)
        steps = steps_to_fail(pattern.text)
    except (re.error, RecursionError, OverflowError) as error:
        return f"it is not a valid regular expression ({error})"
    if compiled.search(""):
        return "it matches the empty text, and so everywhere"
    if compiled.search("<redacted>"):
        return "it matches <redacted>"
    if steps > MAX_STEPS:
        return "it can take very long; write bounds for repetitions, such as {8,64} instead of +, and nest none"
    return ""


class _Cost:
    """How many ways a part can match at one place, and how many steps they take at most."""

    def __init__(self, ways: float, steps: float) -> None:
        self.ways, self.steps = ways, steps


def steps_to_fail(pattern: str) -> float:
    """The most steps that a match from one start can take before it fails."""
    return _cost(_parser.parse(pattern), is_end=True).steps


def _cost(items: Any, *, is_end: bool) -> _Cost:
    """The cost of a match that fails. A repetition at the very end does not fail: it takes what it has read."""
    ways, steps = 1.0, 0.0
    for i, (kind, argument) in enumerate(items):
        part = _cost_of(str(kind), argument, is_end=is_end and all(map(_can_be_empty, items[i + 1 :])))
        steps += ways * part.steps
        ways *= part.ways
    return _Cost(ways, steps)


def _can_be_empty(item: Any) -> bool:
    """Whether what follows a repetition cannot fail."""
    return str(item[0]).endswith("REPEAT") and item[1][0] == 0


def _cost_of(kind: str, argument: Any, *, is_end: bool) -> _Cost:
    if kind == "SUBPATTERN":
        return _cost(argument[3], is_end=is_end)
    if kind in {"ASSERT", "ASSERT_NOT"}:
        return _Cost(1, _cost(argument[1], is_end=False).steps)
    if kind == "ATOMIC_GROUP":
        return _Cost(1, _cost(argument, is_end=is_end).steps)
    if kind == "BRANCH":
        parts = [_cost(branch, is_end=is_end) for branch in argument[1]]
        return _Cost(sum(part.ways for part in parts), sum(part.steps for part in parts))
    if kind.endswith("REPEAT"):
        return _cost_of_repeat(kind, *argument, is_end=is_end)
    return _Cost(1, 1)


def _cost_of_repeat(kind: str, least: int, most: int, body: Any, *, is_end: bool) -> _Cost:
    inner = _cost(body, is_end=is_end and most == 1)
    number = _ENDLESS if most == _parser.MAXREPEAT else most
    if is_end and (number == _ENDLESS or least == 0):
        return _Cost(1, (least + 1) * inner.steps)
    if kind == "POSSESSIVE_REPEAT":
        return _Cost(1, number * inner.steps)
    ways = inner.ways if inner.ways == 1 or number == 1 else inner.ways ** min(number, 64.0)  # each time any of them
    return _Cost((number - least + 1) * ways, number * inner.steps * ways)
