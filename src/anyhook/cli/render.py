"""Output: tables, JSON and the console. The only module that uses rich.

On a terminal, tables are wrapped to its width and coloured. In a pipe or a file they are plain text, aligned, with one
line for each row, so that ``grep`` and ``diff`` find everything.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TextIO

from anyhook.model.safe_json import escape_control_bytes

if TYPE_CHECKING:
    from rich.console import Console

    from anyhook.cli.options import Display
    from anyhook.model.problems import Problem
    from anyhook.report.entries import Entry

_GAP = "  "
_MIN_COLUMN_WIDTH = 12
_PROBLEM_INDENT = 14
"""The column of a problem's text, after its severity and code."""
SEVERITIES = {"error": "bold red", "warning": "yellow", "note": "dim"}


class Column(NamedTuple):
    """A column of a table."""

    header: str
    style: str = ""
    """A rich style for its cells, such as ``cyan`` or ``bold red``."""
    flexible: bool = False
    """Whether its cells are wrapped when the terminal is too narrow for the whole table."""


def printable(text: str, *, keep: str = "") -> str:
    """The text with control and invisible characters escaped, so that no file can control the terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode("ascii") for char in text
    )


def has_colour(stream: TextIO) -> bool:
    """Whether to colour output to a stream: NO_COLOR decides, then FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def console(stream: TextIO | None = None) -> Console:
    """A rich console (by default on stdout) that prints text literally and never wraps it in a pipe."""
    from rich.console import Console

    stream = stream or sys.stdout
    colour = has_colour(stream)
    forced = colour and not (stream.isatty() and os.environ.get("TERM") != "dumb")
    return Console(
        file=stream,
        force_terminal=colour,
        color_system=("standard" if forced else "auto") if colour else None,
        no_color=not colour,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=not stream.isatty(),
    )


def is_narrow() -> bool:
    """Whether stdout is a terminal that is too narrow for a table with many columns."""
    return sys.stdout.isatty() and shutil.get_terminal_size().columns < 110


def hanging(text: str, indent: int, start: int | None = None) -> str:
    """The text, printable, wrapped on a terminal so that further lines start at the indent.

    ``start``: the column in which the first line starts, if it is another one.
    """
    text = printable(text)
    if not sys.stdout.isatty():
        return text
    width = max(shutil.get_terminal_size().columns - indent, 30)
    used = 0 if start is None else start - indent
    return f"\n{' ' * indent}".join(wrapped(text, width, used))


def wrapped(text: str, width: int, used: int = 0) -> list[str]:
    """The text in lines of this width, broken at blanks, and in a longer word after a slash.

    ``used``: how much of the first line is taken.
    """
    lines, line, left = [], "", width - used
    for gap, word in re.findall(r"( *)([^ ]+)", text):
        if _width(line + gap + word) <= left:
            line += gap + word
            continue
        if line or used:
            lines.append(line)
            line, left, used = "", width, 0
        for piece in _pieces(word, width):
            if _width(line + piece) > left:
                lines.append(line)
                line = ""
            line += piece
    return [*lines, line]


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in parts of at most this width: the folders of a path, or what there is space for."""
    if _width(word) <= width:
        yield word
        return
    for part in re.findall(r"[^/]*/|[^/]+", word):
        for start in range(0, len(part), width):
            yield part[start : start + width]


def print_problems(
    problems: Iterable[Problem], show: Display, *, stream: TextIO | None = None, indent: int = 0
) -> tuple[Entry, ...]:
    """Print each sentence once, with its places and the remedy below; give back what was printed."""
    from anyhook.report.entries import entries_of
    from anyhook.report.text import as_text

    entries, out = entries_of(problems), console(stream)
    margin, column = " " * indent, indent + _PROBLEM_INDENT
    for entry in as_text(entries, show.place, show.text):
        out.print(f"{margin}{entry.severity:<8}", style=SEVERITIES[entry.severity], end="")
        out.print(f"{entry.code}  ", style="cyan", end="")
        out.print(hanging(entry.sentence, column))
        for place in entry.places:
            out.print(f"{'':{column}}{hanging(place, column)}", style="bold")
        if entry.remedy:
            out.print(f"{'':{column}}{hanging(entry.remedy, column)}", style="dim")
    return entries


def print_json(data: object) -> None:
    """Print anything that msgspec can encode as indented JSON, keys in their own order, always as UTF-8."""
    import msgspec

    try:
        encoded = msgspec.json.format(msgspec.json.encode(data), indent=2)
    except UnicodeEncodeError:  # a file name that is not UTF-8
        import json

        encoded = json.dumps(msgspec.to_builtins(data), indent=2).encode("ascii")
    sys.stdout.flush()
    sys.stdout.buffer.write(escape_control_bytes(encoded) + b"\n")
    sys.stdout.buffer.flush()


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[str]], *, stream: TextIO | None = None) -> None:
    """Print rows under a header, in a pipe one line each; a line break or tab inside a cell is ``\\n`` or ``\\t``."""
    stream = stream or sys.stdout
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    lines = [[head.header for head in heads], *([printable(cell) for cell in row] for row in rows)]
    full = [max(map(_width, cells)) for cells in zip(*lines, strict=True)]
    widths = full.copy()
    if stream.isatty():
        _shrink(widths, heads, shutil.get_terminal_size().columns)
    wraps = [width < most for width, most in zip(widths, full, strict=True)]
    lines = [_padded(part, widths) for line in lines for part in _parts(line, widths, wraps)]

    if not has_colour(stream):
        stream.writelines("".join(line).rstrip() + "\n" for line in lines)
        return
    from rich.text import Text

    text = Text()
    for number, line in enumerate(lines):
        for cell, head in zip(line, heads, strict=True):
            text.append(cell, "bold" if number == 0 else head.style)
        text.append("\n")
    console(stream).print(text, end="", soft_wrap=True)


def _shrink(widths: list[int], columns: Sequence[Column], available: int) -> None:
    """Shorten the widest flexible column until the table is narrow enough or no column can be shortened."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - available
    flexible = [index for index, column in enumerate(columns) if column.flexible]
    while excess > 0 and flexible:
        widest = max(flexible, key=widths.__getitem__)
        if widths[widest] <= _MIN_COLUMN_WIDTH:
            return
        widths[widest] -= 1
        excess -= 1


def _parts(cells: Sequence[str], widths: Sequence[int], wraps: Sequence[bool]) -> Iterator[Sequence[str]]:
    """A row as the lines that it takes when the cells of some columns are wrapped."""
    columns = [wrapped(c, width) if wraps_it else [c] for c, width, wraps_it in zip(cells, widths, wraps, strict=True)]
    return zip_longest(*columns, fillvalue="")


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Cells of exactly these widths, with the gap between them."""
    filled = [cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
    return [*(cell + _GAP for cell in filled[:-1]), filled[-1].rstrip()]


def _width(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
