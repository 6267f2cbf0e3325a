"""A parsed configuration file: its data, and the position of every value in the text."""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Pointer = tuple[str | int, ...]

BYTE_ORDER_MARK = "\ufeff"
MAX_DEPTH = 100
"""Levels of nesting that a parser follows: far more than any configuration has, far below the recursion limit."""

_LINE_END = re.compile(r"\r\n|\n|\r")


class Format(enum.StrEnum):
    JSON = "json"
    TOML = "toml"
    FRONT_MATTER = "front matter"
    YAML = "yaml"
    PYTHON = "python"
    GUARDS = "guards"  # the tables [guards.NAME] and [[rule]] of anyhook.toml
    RULES = "rules"  # hooks/rules.yaml

    @property
    def is_own(self) -> bool:
        """Whether only anyhook has hook files of this format; no other client reads them."""
        return self in (Format.PYTHON, Format.GUARDS, Format.RULES)


class QuirkKind(enum.StrEnum):
    """A feature of a text that not every parser accepts, so that clients treat it differently."""

    COMMENT = "comment"
    TRAILING_COMMA = "trailing comma"
    BYTE_ORDER_MARK = "byte order mark"
    DUPLICATE_KEY = "duplicate key"
    BROKEN = "syntax error"
    LOST = "lost entry"  # the parser cannot make a hook from it; the text says why


class Quirk(Struct, frozen=True):
    """One occurrence. ``text`` names the key or says what was expected, ``fix`` says what to do."""

    kind: QuirkKind
    offset: int
    end: int
    text: str = ""
    pointer: Pointer = ()
    fix: str = ""
    code: str = ""
    """Of the problem that a lost entry is; empty: the usual one."""


class Span(Struct, frozen=True, gc=False):
    """Offsets of a value and, for a member of an object, of its key (-1: no key)."""

    start: int
    end: int
    key: int = -1


class Document(Struct, frozen=True):
    """``data`` is plain Python (None if the text cannot be parsed); ``quirks`` lists what not every parser accepts."""

    path: str
    text: str
    data: Any
    format: Format
    line_starts: tuple[int, ...]
    spans: Mapping[Pointer, Span]
    quirks: tuple[Quirk, ...] = ()

    @property
    def broken(self) -> Quirk | None:
        """Where and why the text cannot be parsed; None: it can."""
        return next((quirk for quirk in self.quirks if quirk.kind is QuirkKind.BROKEN), None)

    def span(self, pointer: Pointer) -> Span:
        """The span of a value, or of its nearest known parent."""
        while pointer not in self.spans and pointer:
            pointer = pointer[:-1]
        return self.spans.get(pointer, Span(0, 0))

    def line_column(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def position(self, pointer: Pointer) -> tuple[int, int]:
        """Line and column of a value; for a member of an object, those of its key."""
        span = self.span(pointer)
        return self.line_column(span.key if span.key >= 0 else span.start)


class BrokenTextError(Exception):
    """Raised and caught inside a parser: the text cannot be parsed; ``quirk`` says where and why."""

    def __init__(self, text: str, offset: int, end: int) -> None:
        super().__init__(text)
        self.quirk = Quirk(QuirkKind.BROKEN, offset, end, text)


def line_starts(text: str) -> tuple[int, ...]:
    """Offsets at which lines begin; CR LF, LF and a lone CR each end a line."""
    return (0, *(end.end() for end in _LINE_END.finditer(text)))


def json_pointer(pointer: Pointer) -> str:
    """A pointer as RFC 6901 text."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in pointer)


def parse_pointer(data: Any, text: str) -> Pointer:
    """The pointer for an RFC 6901 text; a decimal part is an index where the data has a list."""
    pointer: list[str | int] = []
    for part in text.split("/")[1:]:
        key: str | int = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and part.isdecimal():
            key = int(part)
        pointer.append(key)
        data = _child(data, key)
    return tuple(pointer)


def value_at(data: Any, pointer: Pointer) -> Any:
    """The value at this pointer in plain data; None if there is none."""
    for key in pointer:
        data = _child(data, key)
    return data


def _child(data: Any, key: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(str(key))
    return data[key] if isinstance(data, list) and isinstance(key, int) and key < len(data) else None
