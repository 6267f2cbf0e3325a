"""Takes out secrets of known form that a line break divides: a terminal, a mail or an editor has wrapped them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anyhook.guards.secret_patterns import HIDDEN, START, SecretPattern
from anyhook.lazy_pattern import LazyPattern
from anyhook.record.joined_lines import JoinedLines, is_random, joined_in_every_way, replaced
from anyhook.record.secret_names import has_known_form, looks_random

_MAX_LINES = 200
"""Lines over which one secret may go."""
_LEAST_REST = 5
_REST = LazyPattern(
    rf"(?<={HIDDEN})(?>[\"'][ \t]{{0,4}}+\+?+|[ \t]{{1,4}}\+|\\(?=\r?\n))?+[ \t]{{0,4}}+(?:\r?\n|\\r\\n|\\n)"
    r"[ \t>|]{0,32}+[\"']?+"
    r"([A-Za-z0-9+/_.~%-]{5,512}+={0,2}+)(?=[\"']?+[ \t]{0,4}+[,;+\\]?+(?:[\r\n]|\\[rn]|\Z))"
)
"""A line with one word, right after a line that ends with a secret."""
_CONTINUED = LazyPattern(rf"(?<={HIDDEN})\\\r?\n([A-Za-z0-9+/_.~%=-]{{1,512}}+)")
"""What a shell joins to a secret: nothing stands between the secret, the backslash and the rest."""


def hide_split(text: str, shapes: Sequence[SecretPattern]) -> tuple[str, int]:
    """The text without secrets that have a line break inside."""
    spans = [joined.original(*span) for joined in joined_in_every_way(text) for span in _spans(joined, shapes)]
    return replaced(text, spans, HIDDEN)


def _spans(joined: JoinedLines, shapes: Sequence[SecretPattern]) -> Iterator[tuple[int, int]]:
    lowered = joined.text.lower()
    for shape in shapes:
        if any(hint in lowered for hint in shape.hints):
            yield from _split(shape, joined)


def _split(shape: SecretPattern, joined: JoinedLines) -> Iterator[tuple[int, int]]:
    """The stretches of joined text that hold such a secret and have a line break inside."""
    has_start = shape.pattern.startswith(START)
    pattern = re.compile(shape.pattern.removeprefix(START))
    for found in pattern.finditer(joined.text):
        first, last = found.span()
        secret = found.end(1) if pattern.groups and found.end(1) >= 0 else first
        if secret >= last or (has_start and not _may_start(joined, first)):
            continue
        pieces = joined.pieces(secret, last)
        if len(pieces) == 1:
            continue
        end = next((end for end in _ends(joined.text, pieces) if pattern.match(joined.text, first, end)), 0)
        if end > pieces[0][1]:
            yield secret, end


def _may_start(joined: JoinedLines, at: int) -> bool:
    return at == 0 or not joined.text[at - 1].isalnum() or joined.begins_piece(at)


def _ends(text: str, pieces: list[tuple[int, int]]) -> Iterator[int]:
    """Where the secret may end: after the last piece that looks like one of a secret, else after the piece that follows
    it, if the first one does.
    """
    looks = [is_random(text[first:last]) for first, last in pieces[1:_MAX_LINES]]
    last = looks.index(False) if False in looks else len(looks)
    yield pieces[last][1]
    if last < len(looks) and is_random(text[slice(*pieces[0])]):
        yield pieces[last + 1][1]


def hide_rests(text: str) -> tuple[str, int]:
    """The text without the rest of a secret in the line after the one whose end was taken out."""
    if HIDDEN not in text:
        return text, 0
    spans = [
        found.span(1)
        for found in _REST.finditer(text)
        if looks_random(found[1], _LEAST_REST) and not has_known_form(found[1])
    ]
    spans += [found.span(1) for found in _CONTINUED.finditer(text)]
    return replaced(text, spans, HIDDEN)
