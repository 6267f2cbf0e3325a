"""How a JSON text is written: line ends, indentation and blanks, so that what is added looks like the rest."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from anyhook.model.document import Document, Span

_line_end = re.compile(r"\r\n|\n|\r").search
_blanks = re.compile(r"[ \t]*+").match
_first_colon = re.compile(r'":([ \t]*+)').search
_indented = re.compile(r"[\[{][ \t]*+[\r\n]++([ \t]*+)(?=[\"\[{])").search
_half_pair = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JSON can only write as an escape."""


class Style(Struct, frozen=True):
    newline: str = "\n"
    unit: str = "  "
    """One level of indentation."""
    after_colon: str = " "
    after_comma: str = " "
    """Blanks behind a comma within one line."""
    is_inline: bool = False
    """The whole text is one line."""

    def write(self, value: Any, indent: str, *, is_inline: bool) -> str:
        """A value whose first line is already indented by ``indent``."""
        separators = (f",{self.after_comma}" if is_inline else ",", f":{self.after_colon}")
        text = json.dumps(value, ensure_ascii=False, indent=None if is_inline else self.unit, separators=separators)
        text = text if is_inline else text.replace("\n", self.newline + indent)
        return _half_pair.sub(lambda half: f"\\u{ord(half[0]):04x}", text)

    def write_item(self, key: str | None, value: Any, indent: str, *, is_inline: bool) -> str:
        """A member of an object, or an element of an array when it has no key."""
        written = self.write(value, indent, is_inline=is_inline)
        return written if key is None else f"{json.dumps(key, ensure_ascii=False)}:{self.after_colon}{written}"


def style_around(document: Document, span: Span) -> Style:
    """The style of the text, with the line ends of this part of it where they differ."""
    text = document.text
    root = document.spans[()]
    newline = _line_end(text, span.start, span.end) or _line_end(text)
    is_inline = bool(document.data) and not _line_end(text, root.start, root.end)
    colon = _first_colon(text)
    after_colon = colon[1] if colon else " "
    return Style(
        newline=newline[0] if newline else "\n",
        unit=_unit(text),
        after_colon=after_colon,
        after_comma="" if is_inline and not after_colon else " ",
        is_inline=is_inline,
    )


def _unit(text: str) -> str:
    """One level of indentation: by how much the first value is deeper than the line of its bracket, which need not be
    the first line, because a comment may be before the first member."""
    first = _indented(text)
    return first[1].removeprefix(indent_at(text, first.start())) if first else "  "


def indent_at(text: str, offset: int) -> str:
    """The blanks at the start of the line that an offset is in."""
    line_start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    found = _blanks(text, line_start, offset)
    return found[0] if found else ""
