"""Small changes to a JSON text that keep everything else as it is: members, wrappers, and parts of strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from anyhook.check.checked_file import value_at
from anyhook.model.document import Document, Format, Pointer
from anyhook.model.problems import Edit

_escape = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)", re.DOTALL).match


def is_editable(document: Document, pointer: Pointer) -> bool:
    """Whether the place of a value in the text is known exactly."""
    return document.format is Format.JSON and document.data is not None and pointer in document.spans


def replace_value(document: Document, pointer: Pointer, value: Any) -> tuple[Edit, ...]:
    span = document.spans[pointer]
    return (Edit(span.start, span.end, json.dumps(value, ensure_ascii=False)),)


def rename_key(document: Document, pointer: Pointer, key: str) -> tuple[Edit, ...]:
    span = document.spans[pointer]
    return (Edit(span.key, _end_of_string(document.text, span.key), json.dumps(key, ensure_ascii=False)),)


def add_first_member(document: Document, pointer: Pointer, key: str, value: Any) -> tuple[Edit, ...]:
    """Puts a member in front of the others, in the style in which the first of them is written."""
    span = document.spans[pointer]
    inside = span.start + 1
    member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
    first = _first_key(document, pointer)
    if first is None:
        return (Edit(inside, inside, member),)
    gap = document.text[inside:first]
    return (Edit(first, first, f"{member},{gap if gap.strip() == '' and gap else ' '}"),)


def remove_member(document: Document, pointer: Pointer) -> tuple[Edit, ...] | None:
    """Takes a member out with its comma and the blanks before it; None when comments stand in the way."""
    text, span = document.text, document.spans[pointer]
    parent = pointer[:-1]
    start, end = span.key, span.end
    siblings = [document.spans[(*parent, key)] for key in value_at(document.data, parent)]
    before = max((other.end for other in siblings if other.end <= start), default=document.spans[parent].start + 1)
    after = min((other.key for other in siblings if other.key >= end), default=document.spans[parent].end - 1)
    if text[before:start].strip() not in {"", ","} or text[end:after].strip() not in {"", ","}:
        return None
    if any(other.key >= end for other in siblings):
        return (Edit(start, after, ""),)
    if any(other.end <= start for other in siblings):
        return (Edit(before, end, ""),)
    return (Edit(start, end, ""),)


def wrap_members(document: Document, pointers: Iterable[Pointer], key: str) -> tuple[Edit, ...] | None:
    """Puts neighbouring members into an object of their own; None when they are not neighbours."""
    spans = sorted((document.spans[pointer] for pointer in pointers), key=lambda span: span.key)
    first, last = spans[0], spans[-1]
    inside = [
        span for pointer, span in document.spans.items() if len(pointer) == 1 and first.key <= span.key < last.end
    ]
    if len(inside) != len(spans):
        return None
    text = document.text
    line_start = text.rfind("\n", 0, first.key) + 1
    lead = text[line_start : first.key]
    if lead.strip() or "\n" not in text[first.key : last.end]:
        return Edit(first.key, first.key, f"{json.dumps(key)}: {{"), Edit(last.end, last.end, "}")
    indents = [
        Edit(at + 1, at + 1, lead)
        for at in _line_ends(text, first.key, last.end)
        if text[at + 1 : at + 2] not in {"\n", "\r"}
    ]
    newline = "\r\n" if "\r\n" in text else "\n"
    opening = Edit(first.key, first.key, f"{json.dumps(key)}: {{{newline}{lead}{lead}")
    return opening, *indents, Edit(last.end, last.end, f"{newline}{lead}}}")


def _line_ends(text: str, start: int, end: int) -> list[int]:
    return [found.start() for found in re.compile(r"\n").finditer(text, start, end)]


def _first_key(document: Document, pointer: Pointer) -> int | None:
    members = value_at(document.data, pointer)
    return min((document.spans[(*pointer, key)].key for key in members), default=None)


def _end_of_string(text: str, start: int) -> int:
    at = start + 1
    while text[at] != '"':
        found = _escape(text, at)
        at = found.end() if found else at + 1
    return at + 1


def string_offsets(document: Document, pointer: Pointer) -> list[int]:
    """For every character of a string value, and for its end, the offset in the file at which it is written."""
    text, at = document.text, document.spans[pointer].start + 1
    offsets = []
    while text[at] != '"':
        offsets.append(at)
        found = _escape(text, at)
        if found is None:
            at += 1
        elif re.match(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", text[at : at + 12]):
            at += 12  # two escapes that are one character
        else:
            at = found.end()
    return [*offsets, at]
