"""``anyhook matrix``: runs every test case as every client, and shows where they differ and why."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    WholeNumber,
    clients_option,
    count,
    json_option,
    path_argument,
    source_option,
)
from anyhook.cli.progress import Progress
from anyhook.cli.render import console, hanging, print_json, printable
from anyhook.model.problems import UsageError
from anyhook.testing.cases.case_files import find_package, read_suite
from anyhook.testing.cases.cases import BrokenCase, Case, Suite
from anyhook.testing.cases.selection import select
from anyhook.testing.matrix.page import as_html
from anyhook.testing.matrix.play import Cell, Matrix, Row, default_clients, play_matrix
from anyhook.testing.matrix.report import (
    LEGEND,
    Look,
    as_data,
    as_markdown,
    cell_text,
    example_of_statement,
    has_weaker,
    heading,
    look_of,
    marks_in,
    remarks_on,
    summary,
)

_EPILOG = """\b
Examples:
  anyhook matrix                                  every case, in every client
  anyhook matrix --client codex,gemini            in these two, and the client that the hooks are written for
  anyhook matrix --case 'guard-*' --markdown      for a comment on a pull request
  anyhook matrix --html > matrix.html             as a web page

\b
Exit status:
  0 no unknown difference, 1 an unknown difference (or a stated one is gone), 2 a case could not run

State a known difference in its case; "anyhook test --matrix" fails on all others:
  expected: {effect: block, clients: {codex: proceed}}

This RUNS the hooks of the project, once for each client. Use it only with hooks that you trust. They get an empty home
folder and few variables, and no model is called.
"""
_HEADING = "CASE"
_NAME_WIDTH = 28
"""The widest column of case names on a terminal."""
_GAP = 2


@click.command("matrix", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients (repeatable).  [default: all]", ClientRelease())
@click.option(
    "--case", "patterns", multiple=True, metavar="PATTERN", help="Only cases with this name or file; * is a wildcard."
)
@source_option("Test this client's hooks, if several clients have some.")
@click.option("--jobs", "-j", type=WholeNumber(min=1), metavar="N", help="Cases at once.  [default: processors]")
@click.option("--native", is_flag=True, help="Compare converted hooks, as deploy --native writes them.")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--html", is_flag=True, help="Print a web page, complete in one file.")
@json_option
def command(
    path: Path,
    clients: tuple[str, ...],
    patterns: tuple[str, ...],
    source: str | None,
    jobs: int | None,
    native: bool,
    markdown: bool,
    html: bool,
    as_json: bool,
) -> int:
    """Run the test cases of the package in PATH as every client would, and show where they differ.

    Universal hooks are compared as anyhook deploy brings them to a client, the hooks of a client's own file (and with
    --native all hooks) as if they were converted for it. The first column is the client that the hooks are written for.
    """
    if markdown + html + as_json > 1:
        raise UsageError("--json, --markdown and --html exclude each other")
    if not path.exists():
        raise UsageError(f"{path}: this file or folder does not exist")
    path = Path(os.path.normpath(path.absolute()))  # from inside the package, PATH may be ..
    suite = read_suite(find_package(path))
    everything = [case for case in suite.everything if path.is_dir() or case.file == path]
    cases = select(everything, patterns=patterns)
    if not cases:
        raise UsageError(f"no case matches; there are {count(len(everything), 'case')} in {suite.root}")
    matrix = _play(suite, cases, clients, source, jobs, native)
    if as_json:
        print_json(as_data(matrix))
    elif markdown:
        click.echo(as_markdown(matrix), nl=False)
    elif html:
        click.echo(as_html(matrix), nl=False)
    else:
        _print_table(matrix)
        print_remarks(matrix)
    return status_of(matrix)


def show_surprises(suite: Suite, cases: Sequence[Case | BrokenCase], client: str | None, jobs: int | None) -> int:
    """Run cases as every client for ``anyhook test``, print the unknown differences, and return the exit status."""
    matrix = _play(suite, cases, (), client, jobs)
    console().print()
    print_remarks(matrix, only_failures=True)
    return status_of(matrix)


def _play(
    suite: Suite,
    cases: Sequence[Case | BrokenCase],
    clients: tuple[str, ...],
    client: str | None,
    jobs: int | None,
    native: bool = False,
) -> Matrix:
    """Play the matrix, with the number of finished cells on a terminal."""
    progress = Progress(len(cases) * (len(clients or default_clients()) + 1), "cells")
    try:
        return play_matrix(suite, cases, clients, client=client, jobs=jobs, native=native, on_end=progress.advance)
    finally:
        progress.clear()


def status_of(matrix: Matrix) -> int:
    """The exit status of a matrix."""
    return 2 if matrix.could_not_run else 1 if matrix.differs else 0


def print_remarks(matrix: Matrix, *, only_failures: bool = False) -> None:
    """Print the reason for every difference, case by case, and a summary."""
    out, show = console(), Display(Path.home())
    for broken in () if only_failures else matrix.broken:  # otherwise they are already printed
        out.print(printable(f"{broken.case.name}: could not run"), style="bold red")
        for problem in broken.problems:
            _say(f"{show.place(problem.origin.file, problem.origin.line)}: {problem.text}")
        out.print()
    for row in matrix.rows:
        remarks = [remark for remark in remarks_on(row) if remark.fails or not only_failures]
        if remarks:
            out.print(printable(f"{row.case.name}: {row.effect}"), style="bold")
            for remark in remarks:
                _say(f"{remark.mark} {remark}", style=_style(remark.look, fails=remark.fails))
            out.print()
    if example := example_of_statement(matrix):
        out.print(printable(f"State an intended difference in its case; in {example}"), style="dim")
    bad = matrix.could_not_run or matrix.differs
    out.print(summary(matrix), style=f"bold {'red' if bad else 'yellow' if has_weaker(matrix) else 'green'}")


def _style(look: Look, *, fails: bool) -> str:
    """A hook that does less than it should is red, whether its case says so or not."""
    colour = {"same": "green", "weaker": "red", "stricter": "yellow", "lesser": "cyan"}[look]
    return f"bold {colour}" if fails else colour


def _say(text: str, *, style: str = "") -> None:

    console().print(f"  {hanging(text, 4)}", style=style)


# ---------------------------------------------------------------------------------------------------------- the table


def _print_table(matrix: Matrix) -> None:
    """Print the effects, on a terminal in as many blocks of columns as it needs; in a pipe, in one."""
    out = console()
    if not matrix.rows:
        return
    for block in _blocks(matrix):
        _print_block(matrix, block)
        out.print()
    marks = marks_in(matrix)
    for mark in marks:
        out.print(f"{mark} {LEGEND[mark]}", style="dim")
    if marks:
        out.print()


def _blocks(matrix: Matrix) -> list[Sequence[str]]:
    """The clients of each block; the client that the hooks are written for is in all of them."""
    if not sys.stdout.isatty():
        return [matrix.clients]
    first, *others = matrix.clients
    columns = shutil.get_terminal_size().columns + _GAP  # none after the last column
    available = columns - _name_width(matrix) - _column_width(matrix, first)
    blocks: list[list[str]] = [[first]]
    left = available
    for client in others:
        width = _column_width(matrix, client)
        if left < width and len(blocks[-1]) > 1:
            blocks.append([first])
            left = available
        blocks[-1].append(client)
        left -= width
    return list(blocks)


def _name_width(matrix: Matrix) -> int:
    longest = max(len(_HEADING), *(len(row.case.name) for row in matrix.rows))
    return (min(longest, _NAME_WIDTH) if sys.stdout.isatty() else longest) + _GAP


def _column_width(matrix: Matrix, client: str) -> int:

    return max(len(heading(client)), *(len(cell_text(row.cell(client))) for row in matrix.rows)) + _GAP


def _print_block(matrix: Matrix, clients: Sequence[str]) -> None:

    out = console()
    width = _name_width(matrix)
    widths = [_column_width(matrix, client) for client in clients]
    heads = "".join(heading(client).ljust(size) for client, size in zip(clients, widths, strict=True))
    out.print(f"{_HEADING:<{width}}{heads}".rstrip(), style="bold")
    for row in matrix.rows:
        out.print(f"{_cut(row.case.name, width - _GAP):<{width}}", end="")
        cells = [row.cell(client) for client in clients]
        for place, (cell, size) in enumerate(zip(cells, widths, strict=True)):
            text = cell_text(cell)
            out.print(text if place == len(cells) - 1 else text.ljust(size), style=_cell_style(row, cell), end="")
        out.print()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _cell_style(row: Row, cell: Cell | None) -> str:

    return "" if cell is None else _style(look_of(row, cell), fails=cell.status.fails)
