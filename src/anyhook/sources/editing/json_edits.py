"""Small changes to a JSON text that keep everything else as it is: values, members and elements, parts of strings."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from anyhook.model.document import Document, Format, Pointer, Span, value_at
from anyhook.model.problems import Edit
from anyhook.sources.editing.json_style import Style, indent_at, style_around

_escape = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)", re.DOTALL).match
_line_break = re.compile(r"[\n\r]").search
_tokens_between = re.compile(r"//[^\n\r]*+|/\*.*?\*/|,", re.DOTALL).finditer
_blanks = re.compile(r"[ \t\n\r]*+").match


def is_editable(document: Document, pointer: Pointer) -> bool:
    """Whether the place of a value in the text is known exactly."""
    return document.format is Format.JSON and document.data is not None and pointer in document.spans


def with_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with these edits, which must not overlap."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join((*parts, text[at:]))


# ------------------------------------------------------------------------------------------------------ values and keys


def replace_value(document: Document, pointer: Pointer, value: Any) -> tuple[Edit, ...]:
    span = document.spans[pointer]
    return (Edit(span.start, span.end, json.dumps(value, ensure_ascii=False)),)


def rewrite_value(document: Document, pointer: Pointer, value: Any) -> tuple[Edit, ...]:
    """Replaces only those parts of a value that differ from the new one, each in the style of the old part."""
    old, span = value_at(document.data, pointer), document.spans[pointer]
    if type(old) is type(value) and old == value:
        return ()
    if isinstance(old, dict) and isinstance(value, dict) and old.keys() == value.keys():
        return tuple(edit for key in old for edit in rewrite_value(document, (*pointer, key), value[key]))
    if isinstance(old, list) and isinstance(value, list) and len(old) == len(value):
        return tuple(edit for at in range(len(old)) for edit in rewrite_value(document, (*pointer, at), value[at]))
    is_inline = isinstance(old, dict | list) and not _line_break(document.text, span.start, span.end)
    style, indent = style_around(document, span), indent_at(document.text, span.start)
    return (Edit(span.start, span.end, style.write(value, indent, is_inline=is_inline)),)


def rename_key(document: Document, pointer: Pointer, key: str) -> tuple[Edit, ...]:
    span = document.spans[pointer]
    return (Edit(span.key, _end_of_string(document.text, span.key), json.dumps(key, ensure_ascii=False)),)


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


# ------------------------------------------------------------------------------------------------ members and elements


class _Gap(NamedTuple):
    """The text between two children, or between a child and a bracket: blanks, comments, at most one comma."""

    comma: int
    """Where the comma is; -1: there is none."""
    blanks: int
    """Where the blanks at its end begin: behind the last comma or comment."""
    ends_comment: bool
    """These blanks end a comment that begins with //."""


class _Child(NamedTuple):
    """A member or element, with the text before and after it."""

    key: str | int
    start: int
    end: int
    before: _Gap
    after: _Gap


def _gap(text: str, start: int, end: int) -> _Gap:
    comma, blanks, ends_comment = -1, start, False
    for token in _tokens_between(text, start, end):
        if token[0] == "," and comma < 0:
            comma = token.start()
        blanks, ends_comment = token.end(), token[0].startswith("//")
    return _Gap(comma, blanks, ends_comment)


def _children(document: Document, pointer: Pointer) -> list[_Child]:
    """The members or elements of a value in the order of the text."""
    text, whole, value = document.text, document.spans[pointer], value_at(document.data, pointer)
    keys: Iterable[str | int] = value if isinstance(value, dict) else range(len(value))
    spans = sorted(((key, document.spans[(*pointer, key)]) for key in keys), key=lambda item: item[1].start)
    starts = [*(_first(span) for _, span in spans), whole.end - 1]
    before = _gap(text, whole.start + 1, starts[0])
    children = []
    for at, (key, span) in enumerate(spans):
        after = _gap(text, span.end, starts[at + 1])
        children.append(_Child(key, starts[at], span.end, before, after))
        before = after
    return children


def _first(span: Span) -> int:
    """Where a member with its key, or an element, begins."""
    return span.key if span.key >= 0 else span.start


def add_first_member(document: Document, pointer: Pointer, key: str, value: Any) -> tuple[Edit, ...]:
    """Puts a member in front of the others, in the style in which the first of them is written."""
    inside = document.spans[pointer].start + 1
    member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
    first = min((document.spans[(*pointer, key)].key for key in value_at(document.data, pointer)), default=None)
    if first is None:
        return (Edit(inside, inside, member),)
    gap = document.text[inside:first]
    return (Edit(first, first, f"{member},{gap if gap.strip() == '' and gap else ' '}"),)


def add_members(document: Document, pointer: Pointer, members: Sequence[tuple[str, Any]]) -> tuple[Edit, ...]:
    """Puts members behind the last one of an object, in its style."""
    return _add_items(document, pointer, members)


def add_elements(document: Document, pointer: Pointer, elements: Sequence[Any]) -> tuple[Edit, ...]:
    """Puts elements behind the last one of an array, in its style."""
    return _add_items(document, pointer, [(None, element) for element in elements])


def _add_items(document: Document, pointer: Pointer, items: Sequence[tuple[str | None, Any]]) -> tuple[Edit, ...]:
    text, style = document.text, style_around(document, document.spans[pointer])
    children = _children(document, pointer)
    if not children:
        return (_fill(text, document.spans[pointer], style, items),)
    last = children[-1]
    blanks, indent = text[last.before.blanks : last.start], indent_at(text, last.start)
    on_own_line = bool(_line_break(blanks))
    is_inline = not on_own_line
    if last.end - last.start > 2 and isinstance(last.key, int):  # elements are written alike, members need not be
        is_inline = not _line_break(text, last.start, last.end)
    if on_own_line or last.after.ends_comment:
        blanks = style.newline + indent
    elif len(children) == 1 or last.before.ends_comment:
        blanks = style.after_comma
    pieces = [blanks + style.write_item(key, value, indent, is_inline=is_inline) for key, value in items]
    if last.after.comma >= 0:  # a comma behind the last one is the custom of this file
        return (Edit(last.after.blanks, last.after.blanks, "".join(f"{piece}," for piece in pieces)),)
    if last.after.blanks == last.end:
        return (Edit(last.end, last.end, "".join(f",{piece}" for piece in pieces)),)
    return Edit(last.end, last.end, ","), Edit(last.after.blanks, last.after.blanks, ",".join(pieces))


def _fill(text: str, whole: Span, style: Style, items: Sequence[tuple[str | None, Any]]) -> Edit:
    """Writes the first children of an empty object or array, behind the comments that may be in it."""
    tail, outer = _gap(text, whole.start + 1, whole.end - 1).blanks, indent_at(text, whole.start)
    if style.is_inline:
        written = (style.write_item(key, value, outer, is_inline=True) for key, value in items)
        return Edit(tail, whole.end - 1, f",{style.after_comma}".join(written))
    inner = outer + style.unit
    pieces = [style.newline + inner + style.write_item(key, value, inner, is_inline=False) for key, value in items]
    return Edit(tail, whole.end - 1, ",".join(pieces) + style.newline + outer)


def remove_member(document: Document, pointer: Pointer) -> tuple[Edit, ...] | None:
    """Takes a member out with its comma and the blanks before it; None when there are comments between them."""
    text, (*_, key) = document.text, pointer
    children = _children(document, pointer[:-1])
    at = next(at for at, child in enumerate(children) if child.key == key)
    before = children[at - 1].end if at else document.spans[pointer[:-1]].start + 1
    around = text[before : children[at].start] + text[children[at].end : children[at].after.blanks]
    return None if around.strip(" \t\n\r,") else remove_children(document, pointer[:-1], {key})


def remove_children(document: Document, pointer: Pointer, keys: Collection[str | int]) -> tuple[Edit, ...]:
    """Takes members or elements out with their commas and the blanks before them. Comments beside them stay."""
    text, whole = document.text, document.spans[pointer]
    children = _children(document, pointer)
    staying = [at for at, child in enumerate(children) if child.key not in keys]
    first, last = (staying[0], staying[-1]) if staying else (len(children), -1)
    if not staying and not _has_comments(text, whole, children):
        return (Edit(whole.start + 1, whole.end - 1, ""),)
    has_last_comma = children[-1].after.comma >= 0
    cuts: list[tuple[int, int]] = []
    in_comment = False
    for at, child in enumerate(children):
        in_comment = child.before.ends_comment or (in_comment and child.before.blanks == child.before.comma + 1)
        if child.key not in keys:
            in_comment = False
            continue
        comma = (child.after if at < last or has_last_comma else child.before).comma
        if comma >= 0:
            cuts.append((comma, comma + 1))
        rest = _end_of_blanks(text, child.end)
        if rest == child.after.comma:
            rest = _end_of_blanks(text, rest + 1)
        shares_line = not _line_break(text, child.end, rest)
        leads_line = at < first and not _line_break(text, child.before.blanks, child.start)
        if shares_line and (in_comment or (leads_line and at < last)):  # what follows needs the blanks before
            cuts.append((child.start, rest))
            in_comment = False
        else:
            cuts.append((child.before.blanks, child.end))
    return tuple(Edit(start, end, "") for start, end in _joined(cuts))


def _has_comments(text: str, whole: Span, children: Sequence[_Child]) -> bool:
    """Whether there are comments between the children or around them."""
    ends = [whole.start + 1, *(child.end for child in children)]
    starts = [*(child.start for child in children), whole.end - 1]
    return any(text[end:start].strip(" \t\n\r,") for end, start in zip(ends, starts, strict=True))


def _end_of_blanks(text: str, at: int) -> int:
    found = _blanks(text, at)
    return found.end() if found else at


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same ranges, those that overlap made into one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


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
