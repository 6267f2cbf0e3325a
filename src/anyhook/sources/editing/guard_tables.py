"""Guards in the text of ``anyhook.toml``: tables are added, levels set, tables removed; nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from anyhook.model.document import Document, Pointer, Span
from anyhook.model.problems import AnyhookError, Edit
from anyhook.sources.editing.json_edits import with_edits
from anyhook.sources.editing.toml_edits import append_tables, newline_of, remove_lines
from anyhook.sources.load import unbroken
from anyhook.sources.parsing.parse_toml import headers, parse_toml


def guards_in(text: str, path: str = "") -> Mapping[str, Any]:
    """The tables of guards by name. AnyhookError: the text is not TOML."""
    data = _parsed(text, path).data
    tables = data.get("guards", {})
    if not isinstance(tables, dict):
        raise AnyhookError(f"{path}: guards must be a table\nwrite [guards.shell]")
    return tables


def with_guard(text: str, name: str, level: str | None, path: str = "") -> str:
    """The text with a table for a guard, which has this level if one is given."""
    document = _parsed(text, path)
    if name not in guards_in(text, path):
        return with_edits(
            text, append_tables(document, [(("guards", name), {"level": level} if level else {})], array=False)
        )
    if level is None:
        return text
    place: Pointer = ("guards", name)
    if span := document.spans.get((*place, "level")):
        return with_edits(text, (Edit(span.start, span.end, f'"{level}"'),))
    header = next((found.span for found in headers(text) if found.keys == place), None)
    if header is None:
        line, _ = document.position(place)
        raise AnyhookError(f"{path}:{line}: the guard is written within another table\nset its level there")
    after = _line_end(text, header.end)
    return with_edits(text, (Edit(after, after, f'{newline_of(text)}level = "{level}"'),))


def without_guard(text: str, name: str, path: str = "") -> str:
    """The text without the tables of a guard, and without the empty lines that set them off."""
    document = _parsed(text, path)
    spans = tuple(_sections(text, ("guards", name)))
    if not spans and (span := document.spans.get(("guards", name))):  # shell = {...} or shell.level = ... in [guards]
        spans = (Span(span.start if span.key < 0 else span.key, span.end),)
    for span in reversed(spans):
        text = with_edits(text, remove_lines(text, span))
    return text


def _sections(text: str, place: Pointer) -> Iterator[Span]:
    """Each run of tables at or below a place."""
    found: Span | None = None
    for header in headers(text):
        if header.keys[: len(place)] == place:
            found = Span(found.start if found else header.span.start, header.section_end)
        elif found is not None:
            yield found
            found = None
    if found is not None:
        yield found


def _line_end(text: str, at: int) -> int:
    found = re.compile(r"\r?\n|\Z").search(text, at)
    return found.start() if found else len(text)


def _parsed(text: str, path: str) -> Document:
    return unbroken(parse_toml(text, path))
