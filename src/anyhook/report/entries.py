"""Problems as they are shown and counted: one sentence about several places is one entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from anyhook.model.codes import CODES, Severity
from anyhook.model.problems import Problem

_ORDER = tuple(Severity)


class Entry(Struct, frozen=True):
    """Problems that differ only in their places, or that one file has many of; at least one."""

    problems: tuple[Problem, ...]

    @property
    def code(self) -> str:
        return self.problems[0].code

    @property
    def severity(self) -> Severity:
        return self.problems[0].severity

    @property
    def text(self) -> str:
        first = self.problems[0].text
        return first if all(found.text == first for found in self.problems) else f"{first}; likewise elsewhere here"

    @property
    def fix(self) -> str:
        return self.problems[0].fix

    @property
    def is_repairable(self) -> bool:
        return any(found.edits for found in self.problems)


def entries_of(problems: Iterable[Problem]) -> tuple[Entry, ...]:
    """The worst first; otherwise in the order of the problems."""
    groups: dict[tuple[str, Severity, str, str], dict[Problem, None]] = {}
    for found in problems:
        is_per_file = CODES[found.code].is_per_file
        same = (found.origin.file, "") if is_per_file else (found.text, found.fix)
        groups.setdefault((found.code, found.severity, *same), {})[found] = None
    entries = (Entry(tuple(same)) for same in groups.values())
    return tuple(sorted(entries, key=lambda entry: _ORDER.index(entry.severity)))


def errors_among(problems: Iterable[Problem]) -> list[Problem]:
    return [found for found in problems if found.severity is Severity.ERROR]


def count_by_severity(entries: Sequence[Entry]) -> dict[Severity, int]:
    return {severity: sum(entry.severity is severity for entry in entries) for severity in Severity}


def counts_in_words(entries: Sequence[Entry]) -> str:
    """``2 errors, 1 note``; empty: there is nothing to count."""
    counts = count_by_severity(entries)
    return ", ".join(f"{number} {kind}{'' if number == 1 else 's'}" for kind, number in counts.items() if number)


def sentence_of(entry: Entry | Problem) -> str:
    """The text and the remedy as sentences."""
    fix = f" {entry.fix[:1].upper()}{entry.fix[1:]}." if entry.fix else ""
    return f"{entry.text}.{fix}"
