"""TOML with the place of every table and key: tomllib reads the data, a scan of the statements finds the places."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from anyhook.lazy_pattern import LazyPattern
from anyhook.model.document import (
    BYTE_ORDER_MARK,
    MAX_DEPTH,
    BrokenTextError,
    Document,
    Format,
    Pointer,
    Quirk,
    QuirkKind,
    Span,
    line_starts,
)

_BASIC = r'"(?:[^"\\\n]++|\\.)*+"'
_LITERAL = r"'[^'\n]*+'"
# One or two quotes are part of a multi-line string, even right before the three that end it.
_MULTI_BASIC = r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'
_MULTI_LITERAL = r"'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"

_statement_start = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+(\[{0,2})").match
_key_part = re.compile(rf"[ \t]*+([A-Za-z0-9_-]++|{_BASIC}|{_LITERAL})[ \t]*+(\.?+)").match
_header_end = re.compile(r"\]{1,2}").match
_equals = re.compile(r"=[ \t]*+").match
_value_tokens = re.compile(
    rf"{_MULTI_BASIC}|{_MULTI_LITERAL}|{_BASIC}|{_LITERAL}|#[^\n]*+|[\[\]{{}}\n]|[^\s\[\]{{}}\"'#]++", re.DOTALL
).finditer
_deep_key = re.compile(
    rf"(?:^[ \t]*+\[{{0,2}}|[{{,])[ \t]*+(?:(?:[A-Za-z0-9_-]++|{_BASIC}|{_LITERAL})[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}",
    re.MULTILINE,
).search
"""A key of so many parts, for which tomllib needs quadratic time and memory."""
_ERROR_PLACE = LazyPattern(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class _Key(NamedTuple):
    name: str
    offset: int


class _Statement(NamedTuple):
    """``[table]`` (one bracket), ``[[array of tables]]`` (two) or ``key = value`` (none)."""

    brackets: int
    keys: list[_Key]
    start: int
    end: int


def parse_toml(text: str, path: str = "") -> Document:
    """Parses any text; after a syntax error ``data`` is None and a quirk says what tomllib did not understand."""
    quirks: list[Quirk] = []
    source = text
    if text.startswith(BYTE_ORDER_MARK):
        quirks.append(Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1))
        source = " " + text[1:]
    data, spans = None, {}
    try:
        data = _load(source)
        spans = _spans(source)
    except BrokenTextError as error:
        quirks.append(error.quirk)
    return Document(path, text, data, Format.TOML, line_starts(text), spans, tuple(quirks))


def _load(text: str) -> dict[str, Any]:
    too_deep = BrokenTextError(f"nested deeper than {MAX_DEPTH} levels", 0, len(text))
    if _deep_key(text):
        raise too_deep
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(text, str(error)) from None
    except ValueError:  # Python's limit of digits; tomllib checks everything else itself
        raise BrokenTextError("number out of range", 0, len(text)) from None
    except RecursionError:
        raise too_deep from None
    if _is_deep(data):
        raise too_deep
    return data


def _broken(text: str, message: str) -> BrokenTextError:
    place = _ERROR_PLACE.search(message)
    offset = len(text)
    if place and place[1]:
        # Counted by LF alone, as tomllib does and Document.line_starts does not.
        lines_before = text.split("\n", int(place[1]) - 1)[:-1]
        offset = min(sum(len(line) + 1 for line in lines_before) + int(place[2]) - 1, len(text))
    why = message[: place.start()] if place else message
    return BrokenTextError(why, offset, min(offset + 1, len(text)))


def _is_deep(data: dict[str, Any]) -> bool:
    level: list[Any] = [data]
    for _ in range(MAX_DEPTH):
        parts = (part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole))
        level = [part for part in parts if isinstance(part, dict | list)]
    return bool(level)


def _spans(text: str) -> dict[Pointer, Span]:
    """A table's span runs from where it is first named to the end of the last statement in it."""
    starts: dict[Pointer, tuple[int, int]] = {(): (0, -1)}
    ends: dict[Pointer, int] = {}
    lengths: dict[Pointer, int] = {}
    table: Pointer = ()
    for brackets, keys, start, end in _statements(text):
        pointer = () if brackets else table
        for key in keys:
            pointer = (*_newest(pointer, lengths), key.name)
            starts.setdefault(pointer, (start if key is keys[-1] else key.offset, key.offset))
        if brackets == 2:
            lengths[pointer] = lengths.get(pointer, 0) + 1
            pointer = _newest(pointer, lengths)
            starts[pointer] = (start, -1)
        if brackets:
            table = pointer
        ends.update((pointer[:length], end) for length in range(len(pointer) + 1))
    ends[()] = len(text)
    return {pointer: Span(start, ends[pointer], key) for pointer, (start, key) in starts.items()}


class Header(NamedTuple):
    """``[table]`` or ``[[table]]``: its name, its own place, and where the last statement of its section ends."""

    keys: tuple[str, ...]
    span: Span
    section_end: int


def headers(text: str) -> Iterator[Header]:
    """The headers of a valid text, in order."""
    current: Header | None = None
    for brackets, keys, start, end in _statements(text):
        if brackets:
            if current is not None:
                yield current
            current = Header(tuple(key.name for key in keys), Span(start, end), end)
        elif current is not None:
            current = current._replace(section_end=end)
    if current is not None:
        yield current


def _newest(pointer: Pointer, lengths: dict[Pointer, int]) -> Pointer:
    """The table that a name refers to: of an array of tables it is the newest one."""
    return (*pointer, lengths[pointer] - 1) if pointer in lengths else pointer


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of a valid text."""
    at = 0
    while opening := _statement_start(text, at):
        brackets = len(opening[1])
        keys, at = _keys(text, opening.end())
        if not keys:
            return
        start = opening.start(1) if brackets else _after(_equals, text, at)
        at = _after(_header_end, text, at) if brackets else _value_end(text, start)
        yield _Statement(brackets, keys, start, at)


def _keys(text: str, at: int) -> tuple[list[_Key], int]:
    """The parts of a dotted key, and the offset behind it."""
    keys = []
    while part := _key_part(text, at):
        keys.append(_Key(_name(part[1]), part.start(1)))
        at = part.end()
        if not part[2]:
            break
    return keys, at


def _name(literal: str) -> str:
    if "\\" in literal and literal.startswith('"'):
        return str(tomllib.loads(f"name = {literal}")["name"])
    return literal[1:-1] if literal[0] in "\"'" else literal


def _value_end(text: str, at: int) -> int:
    depth = 0
    for token in _value_tokens(text, at):
        kind = token[0][0]
        if depth == 0 and kind in "#\n":
            break
        depth += (kind in "[{") - (kind in "]}")
        at = token.end()
    return at


def _after(match: Callable[[str, int], re.Match[str] | None], text: str, at: int) -> int:
    found = match(text, at)
    return found.end() if found else at
