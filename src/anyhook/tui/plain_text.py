"""Text from files and hooks, shown literally."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text


def plain(text: str, style: str = "") -> Text:
    """The text with its line breaks, and with no character that could control the terminal."""
    text = text.expandtabs(4)
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)
    return Text(text, style)


def cut(text: str, style: str = "") -> Text:
    """The same in one line, cut with an ellipsis where a column is too narrow."""
    shown = plain(text.replace("\n", "⏎"), style)
    shown.no_wrap, shown.overflow = True, "ellipsis"
    return shown


def hanging(lead: Text, text: Text) -> Table:
    """A text behind its lead; where it is wrapped, the lines below begin under the text, not under the lead."""
    table = Table.grid()
    if lead:
        table.add_column(width=lead.cell_len, no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(*((lead, text) if lead else (text,)))
    return table
