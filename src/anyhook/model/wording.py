"""Words for messages: lists, and what a misspelled name could be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def join_and(words: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return _join(words, "and")


def join_or(words: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return _join(words, "or")


def _join(words: Iterable[str], last: str) -> str:
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def close_matches(word: str, choices: Iterable[str], *, limit: int = 1, similarity: float = 0.6) -> list[str]:
    """The choices that are spelled most like a word, the best first."""
    from difflib import get_close_matches  # only a mistake needs it

    return get_close_matches(word, list(choices), limit, similarity)


def did_you_mean(word: str, choices: Iterable[str], known: Sequence[str] = ()) -> str:
    """The end of a message about an unknown word: the closest choice, or else all that are ``known``."""
    choices = list(choices)
    close = close_matches(word, choices)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(known or choices)}"


def brief_line(text: str, limit: int = 160) -> str:
    """A text on one line, cut where it is too long to be read as a name."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def format_limit(milliseconds: int | None, is_default: bool) -> str:
    """A timeout as text; a default one in brackets."""
    if milliseconds is None:
        text = "none"
    elif milliseconds % 1000:
        text = f"{milliseconds}ms"
    else:
        text = f"{milliseconds // 1000}s"
    return f"({text})" if is_default else text


def in_lines(lines: Iterable[int], limit: int = 3) -> str:
    """``in line 3``, ``in lines 3, 7 and 9``, ``in lines 3, 7, 9 and 5 more``."""
    known = list(dict.fromkeys(lines))
    shown = [str(line) for line in known[:limit]]
    more = [f"{len(known) - limit} more"] if len(known) > limit else []
    return f"in line{'s' if len(known) > 1 else ''} {join_and((*shown, *more))}"
