"""Changes to a TOML text that keep everything else as it is: tables such as [[hooks.Stop]] added, replaced, removed.

tomlkit only writes values here: with a table it removes the comment above the next one, and it mixes line ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anyhook.model.document import BYTE_ORDER_MARK, Document, Pointer, Span
from anyhook.model.problems import Edit

_line_end = re.compile(r"\r\n|\n").search
_bare_key = re.compile(r"[A-Za-z0-9_-]+").fullmatch
_blank_lines_before = re.compile(r"(?:^|(?<=\n))(?:[ \t]*\r?\n)+\Z").search


def append_tables(
    document: Document, tables: list[tuple[Pointer, Mapping[str, Any]]], *, array: bool = True
) -> tuple[Edit, ...]:
    """Writes each table at the end of the text, by default as the newest one of its array, behind an empty line."""
    text, newline = document.text, newline_of(document.text)
    is_empty = not text.removeprefix(BYTE_ORDER_MARK).strip()
    ends_line = is_empty or text.endswith("\n")
    written = (newline * 2).join(_table(pointer, table, newline, array=array) for pointer, table in tables)
    lead = "" if is_empty else newline if ends_line else newline * 2
    return (Edit(len(text), len(text), lead + written + (newline if ends_line else "")),)


def replace_table(document: Document, pointer: Pointer, table: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Writes one table of an array anew, in its place."""
    span = document.spans[pointer]
    return (Edit(span.start, span.end, _table(pointer[:-1], table, newline_of(document.text))),)


def remove_table(document: Document, pointer: Pointer) -> tuple[Edit, ...]:
    """Takes one table of an array out, with its lines and the empty ones that set it off."""
    return remove_lines(document.text, document.spans[pointer])


def remove_lines(text: str, span: Span) -> tuple[Edit, ...]:
    """Takes the lines of a span out, with the empty ones that set them off."""
    line_end = _line_end(text, span.end)
    end = line_end.end() if line_end else len(text)
    start = text.rfind("\n", 0, span.start) + 1
    empty = _blank_lines_before(text, 0, start)
    if empty and not text[end:].split("\n", 1)[0].strip():
        start = empty.start()
    return (Edit(start, end, ""),)


def newline_of(text: str) -> str:
    found = _line_end(text)
    return found[0] if found else "\n"


def _table(pointer: Pointer, table: Mapping[str, Any], newline: str, *, array: bool = True) -> str:
    """A table of the array at this place, or the table there, and behind it the arrays of tables in it."""
    inner = {key: value for key, value in table.items() if _is_array_of_tables(value)}
    name = ".".join(_key(str(part)) for part in pointer if isinstance(part, str))
    lines = [f"[[{name}]]" if array else f"[{name}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items() if key not in inner]
    blocks = [newline.join(lines)]
    blocks += [_table((*pointer, key), element, newline) for key, value in inner.items() for element in value]
    return (newline * 2).join(blocks)


def _is_array_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(element, dict) for element in value)


def _key(name: str) -> str:
    return name if _bare_key(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        members = ", ".join(f"{_key(key)} = {_value(member)}" for key, member in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_value(element) for element in value)}]"
    from tomlkit import item

    return str(item(value).as_string())
