"""Cuts texts and JSON to a size, and says in them what was left out. Pure.

What is left out is counted in characters. A text that was cut ends with a mark; cutting it again changes nothing. A
client waits for a process that imports this, so it imports nothing but :mod:`re`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_NAME = 1_000
"""Characters of a name: a session, a tool, a file, a key of an object."""
MAX_REASON = 16_000
"""Characters of what one hook has said."""
MAX_BODY = 200_000
"""Characters of a payload or an answer, names and punctuation included."""
_MARK = 60
"""Characters that are kept free for a mark."""
_SHORT = 200
"""A value of at most so many characters is kept before longer ones beside it."""
_PUNCTUATION = 4
_MAX_TOKEN = 512
_END_OF_TOKEN = re.compile(r"[^A-Za-z0-9+/=_.~%@:\\-]")


def cut_text(text: str, limit: int) -> tuple[str, int]:
    """The beginning of a text that is longer than the limit, and how many characters of it were left out.

    It is cut before a word, because half a secret would not be recognised as one.
    """
    if len(text) <= limit:
        return text, 0
    end = max(limit - _MARK, 0)
    word = text[max(end - _MAX_TOKEN, 0) : end]
    if (last := next(_END_OF_TOKEN.finditer(word[::-1]), None)) is not None:
        end -= last.start()
    return text[:end] + _mark(len(text) - end), len(text) - end


def _mark(number: int, what: str = "characters") -> str:
    return f"… [{number:,} {what} left out]"


def cut_value(value: Any, limit: int = MAX_BODY) -> tuple[Any, int]:
    """JSON of at most this size, and how many characters were left out. Raises RecursionError."""
    if _size(value, limit) <= limit:
        return value, 0
    cutter = _Cutter(limit)
    return cutter.cut(value), cutter.left_out


def _size(value: Any, limit: float) -> int:
    """The characters of a value; once it has more than the limit, at least so many."""
    total, waiting = 0, [value]
    while waiting and total <= limit:
        one = waiting.pop()
        total += _PUNCTUATION
        if isinstance(one, str):
            total += len(one)
        elif isinstance(one, dict):
            total += sum(map(len, one))
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, int):
            total += one.bit_length() // 3
    return total


class _Cutter:
    """Cuts one value: short texts before long ones, and none to more than a quarter of the limit."""

    def __init__(self, limit: int) -> None:
        self.left_out = 0
        self._most = limit // 4
        self._room = limit * 9 // 10

    def cut(self, value: Any) -> Any:
        self._room -= _PUNCTUATION
        if isinstance(value, str):
            return self._text(value, max(min(self._most, self._room), _MARK))
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list | tuple):
            return self._list(value)
        if isinstance(value, int):
            self._room -= value.bit_length() // 3
        return value

    def _text(self, text: str, limit: int) -> str:
        kept, left_out = cut_text(text, limit)
        self._room -= len(kept)
        self.left_out += left_out
        return kept

    def _object(self, members: dict[str, Any]) -> dict[str, Any]:
        kept: dict[str, tuple[str, Any]] = {}
        for key in sorted(members, key=lambda key: _is_long(members[key])):  # stable: else in their order
            if self._room <= 0:
                break
            kept[key] = self._text(key, MAX_NAME), self.cut(members[key])
        found: dict[str, Any] = {}
        for key in members:
            if key in kept:
                name, value = kept[key]
                while name in found:
                    name += "'"
                found[name] = value
        if dropped := [key for key in members if key not in kept]:
            self.left_out += sum(len(key) + _size(members[key], float("inf")) for key in dropped)
            found["…"] = _mark(len(dropped), "members")
        return found

    def _list(self, items: list[Any] | tuple[Any, ...]) -> list[Any]:
        kept: list[Any] = []
        for item in items:
            if self._room <= 0:
                break
            kept.append(self.cut(item))
        if number := len(items) - len(kept):
            self.left_out += sum(_size(item, float("inf")) for item in items[len(kept) :])
            kept.append(_mark(number, "values"))
        return kept


def _is_long(value: Any) -> bool:
    return isinstance(value, dict | list | tuple) or (isinstance(value, str) and len(value) > _SHORT)
