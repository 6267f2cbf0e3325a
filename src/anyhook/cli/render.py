"""Output: tables, JSON and the console. The only module that uses rich.

On a terminal, tables are cut to its width and coloured. In a pipe or a file they are plain text, aligned and complete,
so that ``grep`` and ``diff`` find everything.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from rich.console import Console

    from anyhook.model.problems import Problem

_GAP = "  "
_ELLIPSIS = "…"
_MIN_COLUMN_WIDTH = 8
_PROBLEM_INDENT = 25
"""The column of a problem's text, after its line, severity and code."""
_SEVERITIES = {"error": "bold red", "warning": "yellow", "note": "dim"}


class Column(NamedTuple):
    """A column of a table."""

    header: str
    style: str = ""
    """A rich style for its cells, such as ``cyan`` or ``bold red``."""
    flexible: bool = False
    """Whether its cells may be cut when the terminal is too narrow for the whole table."""


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


def hanging(text: str, indent: int) -> str:
    """The text, printable, wrapped on a terminal so that further lines start at the indent."""
    text = printable(text)
    if not sys.stdout.isatty():
        return text
    import textwrap

    width = max(shutil.get_terminal_size().columns - indent, 30)
    return f"\n{' ' * indent}".join(textwrap.wrap(text, width, break_on_hyphens=False)) or text


def print_problem(problem: Problem) -> None:
    """A problem of a file that was named before: line and column, severity, code and text, and the remedy below it."""
    origin, out = problem.origin, console()
    place = f"{origin.line}:{origin.column}" if origin.line else "-"
    out.print(f"  {place:>7}  ", style="dim", end="")
    out.print(f"{problem.severity:<8}", style=_SEVERITIES[problem.severity], end="")
    out.print(f"{problem.code}  ", style="cyan", end="")
    out.print(hanging(problem.text, _PROBLEM_INDENT))
    if problem.fix:
        out.print(f"{'':{_PROBLEM_INDENT}}{hanging(problem.fix, _PROBLEM_INDENT)}", style="dim")


def print_json(data: object) -> None:
    """Print anything that msgspec can encode as indented JSON, keys in their own order, always as UTF-8."""
    import msgspec

    try:
        encoded = msgspec.json.format(msgspec.json.encode(data), indent=2)
    except UnicodeEncodeError:  # a file name that is not UTF-8
        import json

        encoded = json.dumps(msgspec.to_builtins(data), indent=2).encode("ascii")
    sys.stdout.flush()
    sys.stdout.buffer.write(encoded + b"\n")
    sys.stdout.buffer.flush()


def table(columns: Sequence[Column | str], rows: Iterable[Sequence[str]], *, stream: TextIO | None = None) -> None:
    """Print rows under a header, one line each; line breaks and tabs inside a cell are shown as ``\\n`` and ``\\t``."""
    stream = stream or sys.stdout
    heads = [Column(column) if isinstance(column, str) else column for column in columns]
    lines = [[head.header for head in heads], *([printable(cell) for cell in row] for row in rows)]
    widths = [max(map(_width, cells)) for cells in zip(*lines, strict=True)]
    if stream.isatty():
        _shrink(widths, heads, shutil.get_terminal_size().columns)
    lines = [_padded(line, widths) for line in lines]

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


def _padded(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Cells of exactly these widths, cut with an ellipsis where they are longer, with the gap between them."""
    fitted = [_fitted(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return [*(cell + _GAP for cell in fitted[:-1]), fitted[-1].rstrip()]


def _width(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _fitted(text: str, width: int) -> str:
    """The text in exactly this width."""
    if text.isascii() and len(text) <= width:
        return text.ljust(width)
    from rich.cells import set_cell_size

    return set_cell_size(text, width) if _width(text) <= width else set_cell_size(text, width - 1) + _ELLIPSIS
