"""JSON as people write it: strict JSON, comments, trailing commas and duplicate keys, with the place of every value."""

from __future__ import annotations

import math
import re
from operator import attrgetter
from typing import Any

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
from anyhook.model.lazyjson import dump_json, load_json

_MAX_INTEGER_LENGTH = 4301
"""Sign and digits, as many as Python reads by default; more take quadratic time where that limit is switched off."""

_MAX_QUOTED_LENGTH = 40
"""Characters of the text that a message quotes at most."""

_SPACE = r"[ \t\n\r]*+"
_STRING_BODY = r'[^"\\\x00-\x1f]*+((?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+)'

_search_token = re.compile(r"[^ \t\n\r]").search
_match_string = re.compile(rf'"{_STRING_BODY}"').match
# Between plain tokens, which is nearly always, one match replaces the steps that look for comments and mistakes.
_match_plain_key = re.compile(rf'"([^"\\\x00-\x1f]*+)"{_SPACE}:{_SPACE}(?=[^ \t\n\r/])').match
_PLAIN_NEXT = {
    "}": re.compile(rf"{_SPACE}(?:(?=\}})|,{_SPACE}(?=[^ \t\n\r/}}]))").match,
    "]": re.compile(rf"{_SPACE}(?:(?=\])|,{_SPACE}(?=[^ \t\n\r/\]]))").match,
}
_NUMBER = LazyPattern(r"(-?(?:0|[1-9][0-9]*+))((?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+)(?![\w.+-])")
_WORD = LazyPattern(r"[\w.$+-]++")
# Patterns that few texts need are compiled when they are: a client waits for the import of this module.
_COMMENT = r"//[^\n\r]*+|/\*.*?\*/"
_FRAGMENT = r'"[^"\\\x00-\x1f]*+"?|[\w.$+-]++|.'

_OTHER_QUOTES = "'`\u2018\u2019\u201c\u201d"
_CONSTANTS = {"true": True, "false": False, "null": None}
_NOT_IN_JSON = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "nil": "null",
    "NaN": "null",
    "Infinity": "null",
    "-Infinity": "null",
}


def parse_json(text: str, path: str = "") -> Document:
    """Parses any text; what is not strict JSON is in the quirks, and ``data`` is None after a syntax error."""
    reader = _JsonReader(text)
    data, spans = None, reader.spans
    try:
        data = reader.read()
    except BrokenTextError as error:
        spans = {}
        reader.quirks.append(error.quirk)
    quirks = tuple(sorted(reader.quirks, key=attrgetter("offset")))
    return Document(path, text, data, Format.JSON, line_starts(text), spans, quirks)


class _JsonReader:
    """Recursive descent over one text. Methods take the offset of a token; most return the offset behind it, too."""

    __slots__ = ("quirks", "spans", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: dict[Pointer, Span] = {}
        self.quirks: list[Quirk] = []

    def read(self) -> Any:
        at = self._skip(self._after_byte_order_mark())
        if at == len(self.text):
            raise BrokenTextError("the file has only comments" if "/" in self.text else "the file is empty", 0, at)
        value, end = self._value(at, (), -1)
        at = self._skip(end)
        if at < len(self.text):
            raise BrokenTextError("text after the end of the JSON value", at, len(self.text))
        return value

    def _after_byte_order_mark(self) -> int:
        if not self.text.startswith(BYTE_ORDER_MARK):
            return 0
        self.quirks.append(Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1))
        return 1

    def _skip(self, at: int) -> int:
        """The offset of the next token, behind white space and comments."""
        text = self.text
        while token := _search_token(text, at):
            at = token.start()
            if token[0] != "/":
                return at
            comment = re.compile(_COMMENT, re.DOTALL).match(text, at)
            if comment is None:
                if text.startswith("/*", at):
                    raise BrokenTextError("unterminated comment: '*/' is missing", at, len(text))
                return at
            self.quirks.append(Quirk(QuirkKind.COMMENT, at, comment.end()))
            at = comment.end()
        return len(text)

    def _value(self, at: int, pointer: Pointer, key: int) -> tuple[Any, int]:
        value: Any
        match self.text[at : at + 1]:
            case '"':
                value, end = self._string(at)
            case "{":
                value, end = self._object(at, pointer)
            case "[":
                value, end = self._array(at, pointer)
            case _:
                value, end = self._scalar(at)
        self.spans[pointer] = Span(at, end, key)
        return value, end

    def _object(self, start: int, pointer: Pointer) -> tuple[dict[str, Any], int]:
        self._check_depth(start, pointer)
        text = self.text
        members: dict[str, Any] = {}
        at = self._skip(start + 1)
        while text[at : at + 1] != "}":
            key, value_at = self._key(at)
            member = (*pointer, key)
            if key in members:
                self._lose(member, members[key])
            members[key], end = self._value(value_at, member, at)
            at = self._next(end, "}", member)
        return members, at + 1

    def _array(self, start: int, pointer: Pointer) -> tuple[list[Any], int]:
        self._check_depth(start, pointer)
        text = self.text
        items: list[Any] = []
        at = self._skip(start + 1)
        while text[at : at + 1] != "]":
            item = (*pointer, len(items))
            value, end = self._value(at, item, -1)
            items.append(value)
            at = self._next(end, "]", item)
        return items, at + 1

    def _check_depth(self, at: int, pointer: Pointer) -> None:
        if len(pointer) >= MAX_DEPTH:
            raise BrokenTextError(f"nested deeper than {MAX_DEPTH} levels", at, at + 1)

    def _key(self, at: int) -> tuple[str, int]:
        """A key, and the offset of its value."""
        plain = _match_plain_key(self.text, at)
        if plain:
            return plain[1], plain.end()
        if not self.text.startswith('"', at):
            raise _no_key(self.text, at)
        key, end = self._string(at)
        colon = self._skip(end)
        if not self.text.startswith(":", colon):
            raise _unexpected(self.text, colon, f"expected ':' after the key {_quoted(key)}")
        return key, self._skip(colon + 1)

    def _next(self, end: int, closer: str, part: Pointer) -> int:
        """The offset of what follows the comma behind ``part`` or, when ``part`` is the last one, of the closer."""
        plain = _PLAIN_NEXT[closer](self.text, end)
        if plain:
            return plain.end()
        at = self._skip(end)
        if self.text.startswith(closer, at):
            return at
        if not self.text.startswith(",", at):
            raise _no_separator(self.text, at, end, closer, part[-1])
        following = self._skip(at + 1)
        if self.text.startswith(closer, following):
            self.quirks.append(Quirk(QuirkKind.TRAILING_COMMA, at, at + 1, pointer=part[:-1]))
        return following

    def _string(self, at: int) -> tuple[str, int]:
        string = _match_string(self.text, at)
        if string is None:
            raise _no_string(self.text, at)
        end = string.end()
        return (_unescaped(string[0]) if string[1] else self.text[at + 1 : end - 1]), end

    def _scalar(self, at: int) -> tuple[Any, int]:
        number = _NUMBER.match(self.text, at)
        if number:
            return _to_number(number), number.end()
        word = _WORD.match(self.text, at)
        if word and word[0] in _CONSTANTS:
            return _CONSTANTS[word[0]], word.end()
        raise _no_value(self.text, at)

    def _lose(self, pointer: Pointer, value: Any) -> None:
        """Reports a member whose key comes again, and forgets where its parts were."""
        span = self.spans[pointer]
        self.quirks.append(Quirk(QuirkKind.DUPLICATE_KEY, span.key, span.end, str(pointer[-1]), pointer))
        self._forget(pointer, value)

    def _forget(self, pointer: Pointer, value: Any) -> None:
        del self.spans[pointer]
        if isinstance(value, dict):
            for key, child in value.items():
                self._forget((*pointer, key), child)
        elif isinstance(value, list):
            for index, child in enumerate(value):
                self._forget((*pointer, index), child)


def _unescaped(literal: str) -> str:
    try:
        return str(load_json(literal.encode()))
    except UnicodeEncodeError:  # beside the escapes it has half of a surrogate pair, unescaped
        import json

        return str(json.loads(literal))


def _to_number(literal: re.Match[str]) -> int | float:
    try:
        if not literal[2] and len(literal[1]) <= _MAX_INTEGER_LENGTH:
            return int(literal[1])
        number = float(literal[0]) if literal[2] else math.inf
    except ValueError:  # the process has a lower limit of digits
        number = math.inf
    if math.isinf(number):
        raise BrokenTextError("number out of range", *literal.span())
    return number


def _no_value(text: str, at: int) -> BrokenTextError:
    word = _WORD.match(text, at)
    if word is None:
        return _unexpected(text, at, "expected a value")
    shown = _shortened(word[0])
    if word[0] in _NOT_IN_JSON:
        why = f"{shown} is not JSON: write {_NOT_IN_JSON[word[0]]}"
    elif word[0][0] in "+-.0123456789":
        why = f"{shown} is not a JSON number"
    else:
        why = f"expected a value, found {shown}: strings need double quotes"
    return BrokenTextError(why, *word.span())


def _no_key(text: str, at: int) -> BrokenTextError:
    word = _WORD.match(text, at)
    if word is None:
        return _unexpected(text, at, "expected a key or '}'")
    return BrokenTextError(f"the key {_shortened(word[0])} needs double quotes", *word.span())


def _no_separator(text: str, at: int, end: int, closer: str, part: str | int) -> BrokenTextError:
    place = f"the value of {_quoted(part)}" if isinstance(part, str) else f"item {part + 1} of the array"
    hint = ""
    if at == end and text[end - 1] == '"' and _WORD.match(text, at):
        hint = r": a double quote inside a string is written \""
    elif text.startswith(('"', "{", "["), at):
        hint = ": a comma is missing"
    return _unexpected(text, at, f"expected ',' or '{closer}' after {place}", hint)


def _no_string(text: str, at: int) -> BrokenTextError:
    """What is wrong with the string that opens here: the first thing in it that JSON forbids."""
    body = re.compile(_STRING_BODY).match(text, at + 1)
    stop = body.end() if body else at + 1
    char, escaped = text[stop : stop + 1], text[stop + 1 : stop + 2]
    if not char or (char == "\\" and not escaped):
        return BrokenTextError("unterminated string", at, len(text))
    if char in "\n\r":
        return BrokenTextError("line break inside a string: end the string before it, or write \\n", stop, stop + 1)
    if char != "\\":
        return BrokenTextError(f"control character inside a string: write \\u{ord(char):04x}", stop, stop + 1)
    if escaped == "u":
        return BrokenTextError("\\u needs four hexadecimal digits", stop, stop + 2)
    why = f"\\{_shortened(escaped)} is not an escape in JSON: a backslash in a string is written twice"
    return BrokenTextError(why, stop, stop + 2)


def _unexpected(text: str, at: int, expected: str, hint: str = "") -> BrokenTextError:
    found = re.compile(_FRAGMENT, re.DOTALL).match(text, at)
    if found is None:
        return BrokenTextError(f"{expected}, but the file ends", at, at)
    if found[0] in _OTHER_QUOTES:
        hint = ": strings need double quotes"
    elif found[0] == "#":
        hint = ": a comment starts with //"
    shown = _shortened(found[0])
    if not shown.startswith('"'):
        shown = f"'{shown}'"
    return BrokenTextError(f"{expected}, found {shown}{hint}", *found.span())


def _quoted(key: str) -> str:
    return _shortened(dump_json(key).decode())


def _shortened(fragment: str) -> str:
    """A part of the text as a message shows it: never long, and harmless to a terminal."""
    if len(fragment) > _MAX_QUOTED_LENGTH:
        fragment = fragment[:_MAX_QUOTED_LENGTH] + "…"
    return fragment if fragment.isprintable() else ascii(fragment)[1:-1]
