"""Takes out base64 that holds a secret; images, hashes and other base64 stay."""

from __future__ import annotations

import binascii

from anyhook.guards.secret_patterns import HIDDEN
from anyhook.lazy_pattern import LazyPattern
from anyhook.record.joined_lines import JoinedLines, joined_in_every_way, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    HoldsSecret = Callable[[str, bool], bool]
    """Whether a decoded text holds a secret; True: it is a text, and not by chance."""

_RUN = LazyPattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}+")
_URL_SAFE = str.maketrans("-_", "+/")
_READABLE = LazyPattern(r"[\t\n\r\x20-\x7e]{12,}+")
_WHOLE = 0.9
"""The share of what was decoded from which on a readable stretch is a text; and so is one of many characters."""
_MANY = 24


def hide_encoded(text: str, holds_secret: HoldsSecret) -> tuple[str, int]:
    """The text without base64 that holds a secret, also if it goes over several lines."""
    if _RUN.search(text) is None:
        return text, 0
    ways = (JoinedLines(text, []), *joined_in_every_way(text)[-1:])
    spans = [joined.original(*span) for joined in ways for span in _encoded_secrets(joined, holds_secret)]
    return replaced(text, spans, HIDDEN)


def _encoded_secrets(joined: JoinedLines, holds_secret: HoldsSecret) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(joined.text):
        if not (any(map(str.isupper, run[0])) and any(map(str.islower, run[0]))):
            continue
        for first, last in _secret_stretches(run[0], holds_secret):
            yield _whole_lines(joined, run.span(), run.start() + first, run.start() + last)


def _secret_stretches(run: str, holds_secret: HoldsSecret) -> list[tuple[int, int]]:
    """The parts of base64 that hold a secret. It may begin at any sign: a path or a word may be right before it."""
    plain = run.translate(_URL_SAFE)
    for offset in range(4):
        decoded = _decoded(plain[offset:])
        found = [
            (offset + start * 4 // 3, min(len(run), offset + -(-end * 4 // 3)))
            for start, end, text in _readable(decoded)
            if holds_secret(text, len(text) >= _MANY or end - start >= _WHOLE * len(decoded))
        ]
        if found:
            return found
    return []


def _decoded(plain: str) -> bytes:
    whole = len(plain) - (len(plain) % 4 == 1)
    try:
        return binascii.a2b_base64(plain[:whole] + "=" * (-whole % 4))
    except ValueError:
        return b""


def _readable(decoded: bytes) -> Iterator[tuple[int, int, str]]:
    """Where there is text in bytes, and the text: in ASCII, and in UTF-16 as PowerShell takes its commands."""
    text = decoded.decode("latin-1")
    for found in _READABLE.finditer(text):
        yield *found.span(), found[0]
    if text.count("\0") * 3 > len(text):
        for half in (text[::2], text[1::2]):
            for found in _READABLE.finditer(half):
                yield 2 * found.start(), min(len(text), 2 * found.end() + 1), found[0]


def _whole_lines(joined: JoinedLines, run: tuple[int, int], first: int, last: int) -> tuple[int, int]:
    """The lines of base64 that a stretch of it touches, with the signs that pad it."""
    first, last = joined.lines_of(first, last, run)
    while last < len(joined.text) and joined.text[last] == "=" and not joined.begins_piece(last):
        last += 1
    return first, last
