"""A text without the line breaks inside its words, and the way back from a place in it to the text itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from anyhook.lazy_pattern import LazyPattern

_SIGN = r"[A-Za-z0-9+/=_.~%@:$-]"
_BREAK = LazyPattern(
    rf"(?<={_SIGN})(?>[\"'][ \t]{{0,4}}+\+?+|[ \t]{{1,4}}\+|\\(?=\r?\n))?+[ \t]{{0,4}}+(?:\r?\n|\\r\\n|\\n)"
    rf"[ \t>|]{{0,32}}+[\"']?+(?={_SIGN})"
)
"""A line break between two signs that secrets are made of, with what a program, a shell or a mail writes around it."""


_WORD = LazyPattern(_SIGN + "++")


class JoinedLines:
    """The text with its words joined across line breaks."""

    def __init__(self, text: str, breaks: list[tuple[int, int]]) -> None:
        starts = [0, *(end for _, end in breaks)]
        ends = [*(start for start, _ in breaks), len(text)]
        self._starts = starts
        """Where each piece begins in the text."""
        self._places: list[int] = []
        """Where each piece begins here."""
        at = 0
        for start, end in zip(starts, ends, strict=True):
            self._places.append(at)
            at += end - start
        self.text = "".join(text[start:end] for start, end in zip(starts, ends, strict=True)) if breaks else text

    def begins_piece(self, at: int) -> bool:
        """Whether a line of the text begins here."""
        place = bisect_left(self._places, at)
        return place < len(self._places) and self._places[place] == at

    def pieces(self, first: int, last: int) -> list[tuple[int, int]]:
        """A stretch of this text as stretches that have no line break inside."""
        cuts = self._places[bisect_right(self._places, first) : bisect_left(self._places, last)]
        return list(zip((first, *cuts), (*cuts, last), strict=True))

    def lines_of(self, first: int, last: int, within: tuple[int, int]) -> tuple[int, int]:
        """A stretch with the rest of the lines that it begins and ends in, as far as that is within another stretch."""
        after = bisect_left(self._places, last)
        end = self._places[after] if after < len(self._places) else len(self.text)
        return max(within[0], self._places[bisect_right(self._places, first) - 1]), min(within[1], end)

    def original(self, first: int, last: int) -> tuple[int, int]:
        """Where a stretch of this text is in the text itself."""
        return self._place(bisect_right(self._places, first), first), self._place(bisect_left(self._places, last), last)

    def _place(self, piece: int, at: int) -> int:
        piece = max(piece - 1, 0)
        return self._starts[piece] + at - self._places[piece]


def joined_in_every_way(text: str) -> tuple[JoinedLines, ...]:
    """The text without any of its line breaks in words, and without every other one.

    Where a secret has one break, that joins its halves alone, and not the words in the lines around it.
    """
    breaks = [found.span() for found in _BREAK.finditer(text)]
    if not breaks:
        return ()
    return tuple(JoinedLines(text, some) for some in (breaks[::2], breaks[1::2], breaks) if some)


def replaced(text: str, spans: list[tuple[int, int]], replacement: str) -> tuple[str, int]:
    """The text with each of these stretches replaced, and how many there were; those that touch count once."""
    pieces: list[str] = []
    done, number = 0, 0
    for first, last in sorted(spans):
        if first >= done:
            pieces += [text[done:first], replacement]
            number += 1
        done = max(done, last)
    return ("".join((*pieces, text[done:])), number) if number else (text, 0)


def is_random(chunk: str) -> bool:
    """Whether a piece of a word may be a piece of a secret, rather than a word of people."""
    is_mixed = any(map(str.islower, chunk)) and any(map(str.isupper, chunk[1:]))
    return (is_mixed or any(map(str.isdigit, chunk))) and _WORD.fullmatch(chunk) is not None
