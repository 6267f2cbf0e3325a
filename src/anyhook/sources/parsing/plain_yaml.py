"""Reads common YAML in a fraction of the time: block mappings and lists of simple scalars.

Whatever else a text has (flow style, comments behind values, anchors, several lines in one value, unusual numbers), it
is left to the full parser, whose result this one never differs from.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from anyhook.model.document import MAX_DEPTH, Pointer, Span

_SCALAR = (
    r"""(?P<double>"[^"\\]*")|(?P<single>'[^']*')|(?P<integer>0|-?[1-9][0-9]{0,15})|(?P<text>[A-Za-z/][^:#]*(?<! ))"""
)
_match_line = re.compile(
    r"(?P<indent> *)(?:(?P<dash>- +)|(?P<key>[A-Za-z$][A-Za-z0-9_.$-]{0,99}):(?: +(?=\S)|$))(?:" + _SCALAR + r")?"
).fullmatch
_is_blank = re.compile(r" *(?:#.*)?").fullmatch
_not_plain = re.compile(r"[^\n\x20-\x7e]").search
_WORDS = {"true": True, "false": False}
_NOT_TEXT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
"""Words that YAML, or an older YAML, does not take for text."""


class _Line(NamedTuple):
    indent: int
    start: int
    """Offset of its key or dash."""
    key: str | None
    """None: an item of a list."""
    value: Any
    at: tuple[int, int] | None
    """Offsets of the value; None: it is on the lines below."""


class _UnusualError(Exception):
    """Raised and caught inside: this text is for the full parser."""


def read_plain_yaml(text: str) -> tuple[dict[str, Any], dict[Pointer, Span]] | None:
    """The data and the places of all values, as the full parser gives them; None when the text is not plain enough."""
    if _not_plain(text):
        return None
    try:
        lines = _lines(text)
        if not lines or lines[0].key is None:
            return None
        reader = _PlainYamlReader(lines)
        data, _ = reader.block((), 0)
        return (data, reader.spans) if reader.at == len(lines) else None
    except _UnusualError:
        return None


def _lines(text: str) -> list[_Line]:
    lines = []
    start = 0
    for line in text.split("\n"):
        if not _is_blank(line):
            found = _match_line(line)
            if found is None:
                raise _UnusualError
            kind = found.lastgroup or ""
            is_open = kind in ("dash", "key", "indent")
            value = None if is_open else _value(kind, found[kind])
            at = None if is_open else (start + found.start(kind), start + found.end(kind))
            lines.append(_Line(len(found["indent"]), start + len(found["indent"]), found["key"], value, at))
        start += len(line) + 1
    return lines


def _value(kind: str, text: str) -> Any:
    if kind == "integer":
        return int(text)
    if kind != "text":
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    if text.lower() in _NOT_TEXT:
        raise _UnusualError
    return text


class _PlainYamlReader:
    """Puts lines together by their indentation."""

    def __init__(self, lines: list[_Line]) -> None:
        self.lines = lines
        self.at = 0
        self.spans: dict[Pointer, Span] = {}

    def block(self, pointer: Pointer, indent: int, key: int = -1) -> tuple[Any, int]:
        """The mapping or list whose lines have this indentation, and the offset at which it ends."""
        first = self.lines[self.at]
        if first.indent != indent or len(pointer) >= MAX_DEPTH:
            raise _UnusualError
        data, end = self._list(pointer, indent) if first.key is None else self._mapping(pointer, indent)
        self.spans[pointer] = Span(first.start, end, key)
        return data, end

    def _mapping(self, pointer: Pointer, indent: int) -> tuple[dict[str, Any], int]:
        data: dict[str, Any] = {}
        end = 0
        while (line := self._next(indent)) is not None and line.key is not None:
            if line.key in data:
                raise _UnusualError
            self.at += 1
            inner = (*pointer, line.key)
            if line.at is not None:
                data[line.key], end = line.value, line.at[1]
                self.spans[inner] = Span(*line.at, line.start)
            else:
                data[line.key], end = self.block(inner, self._indent_below(line), line.start)
        return data, end

    def _list(self, pointer: Pointer, indent: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        end = 0
        while (line := self._next(indent)) is not None and line.key is None:
            if line.at is None:
                raise _UnusualError
            self.at += 1
            self.spans[(*pointer, len(items))] = Span(*line.at)
            items.append(line.value)
            end = line.at[1]
        return items, end

    def _next(self, indent: int) -> _Line | None:
        """The next line if it belongs to a block of this indentation."""
        if self.at == len(self.lines) or self.lines[self.at].indent < indent:
            return None
        if self.lines[self.at].indent > indent:
            raise _UnusualError
        return self.lines[self.at]

    def _indent_below(self, line: _Line) -> int:
        """Where the value of a key begins that has none on its own line. A list may follow directly below its key."""
        if self.at == len(self.lines):
            raise _UnusualError
        below = self.lines[self.at]
        if below.indent > line.indent or (below.indent == line.indent and below.key is None):
            return below.indent
        raise _UnusualError
