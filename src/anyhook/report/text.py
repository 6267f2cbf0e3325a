"""Problems for people: a sentence, its places and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from anyhook.model.problems import Problem
from anyhook.report.entries import Entry

MAX_PLACES = 5
"""Places of one entry that are listed; of more, the number is told."""


class TextEntry(Struct, frozen=True):
    severity: str
    code: str
    sentence: str
    places: tuple[str, ...]
    remedy: str


def as_text(
    entries: Sequence[Entry], place: Callable[[str, int], str], shorten: Callable[[str], str]
) -> Iterator[TextEntry]:
    """``place`` writes a file and a line, ``shorten`` the paths in a text, as the reader knows them."""
    for entry in entries:
        places = list(dict.fromkeys(filter(None, (_place(found, place) for found in entry.problems))))
        if (left := len(places) - MAX_PLACES) > 1:  # a line that says "1 more" could say where
            places[MAX_PLACES:] = [f"and {left} more places"]
        yield TextEntry(entry.severity.value, entry.code, shorten(entry.text), tuple(places), shorten(entry.fix))


def _place(found: Problem, place: Callable[[str, int], str]) -> str:
    """Empty: the problem is about no file, or about the whole folder."""
    where = place(found.origin.file, found.origin.line) if found.origin.file else ""
    return ": ".join(part for part in (where if where != "." else "", found.about) if part)
