"""What a matrix has to say, and its forms for other places than a terminal: plain data for JSON, Markdown. Pure.

The page is in :mod:`anyhook.testing.matrix.page`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from anyhook.dialects import nicknames
from anyhook.dialects import profile as profile_of
from anyhook.model.outcome import strictness
from anyhook.testing.matrix.carrying import Missing
from anyhook.testing.matrix.play import Cell, CellStatus, Matrix, Row

_SHORT: Mapping[Missing, str] = {Missing.EVENT: "no event", Missing.HOOK: "lost", Missing.RESULT: "error"}
MARKS: Mapping[CellStatus, str] = {
    CellStatus.SAME: "",
    CellStatus.KNOWN: "*",
    CellStatus.UNKNOWN: "!",
    CellStatus.STALE: "?",
    CellStatus.UNPLAYED: "!",
}
LESS_HEARD = "~"
ONLY_DEPLOYED = "^"
LEGEND: Mapping[str, str] = {
    "!": "differs, and the case does not say so",
    "*": "differs, as the case says",
    "?": "the case says that it differs, and it does not",
    LESS_HEARD: "the same effect, but something is lost",
    ONLY_DEPLOYED: "the same effect with anyhook deploy, but not with deploy --native",
}


class Look(enum.StrEnum):
    """What a difference means for whoever relies on the hook; each has one colour wherever a matrix is shown."""

    SAME = "same"
    WEAKER = "weaker"
    """The hook does less than it should, or the case could not tell: red, also where the case says so."""
    STRICTER = "stricter"
    LESSER = "lesser"
    """The same effect, and something else is lost."""


class MatrixNote(Struct, frozen=True):
    """What there is to say of a case in some clients."""

    mark: str
    look: Look
    clients: tuple[str, ...]
    """Their titles."""
    text: str
    fails: bool = False

    def __str__(self) -> str:
        return f"{', '.join(self.clients)}: {self.text}"


def heading(client: str) -> str:
    """A client's name at the top of a column: the shortest that people use for it."""
    return min((nick for nick, name in nicknames().items() if name == client and nick in name), key=len, default=client)


def cell_text(cell: Cell | None) -> str:
    """The text of a cell: the effect, with a mark where it differs."""
    if cell is None:
        return ""
    word = _SHORT[cell.missing] if cell.missing else str(cell.effect)
    return word + mark_of(cell)


def mark_of(cell: Cell) -> str:
    return MARKS[cell.status] or (ONLY_DEPLOYED if cell.native_reason else LESS_HEARD if cell.unheard else "")


def look_of(row: Row, cell: Cell | None) -> Look:
    if cell is None:
        return Look.SAME
    if cell.status in (CellStatus.UNKNOWN, CellStatus.KNOWN):
        is_weaker = cell.missing is not None or strictness(cell.effect) < strictness(row.effect)
        return Look.WEAKER if is_weaker else Look.STRICTER
    if cell.status is not CellStatus.SAME:
        return Look.WEAKER
    return Look.LESSER if mark_of(cell) else Look.SAME


def has_weaker(matrix: Matrix) -> bool:
    """Whether a hook does less in some client than it should, intended or not."""
    return any(look_of(row, cell) is Look.WEAKER for row in matrix.rows for cell in row.cells)


def remarks_on(row: Row) -> tuple[MatrixNote, ...]:
    """The reasons for a row's differences, each once, with the clients that it holds for."""
    clients: dict[tuple[str, Look, str, bool], list[str]] = {}
    for cell in row.cells:
        for text in texts_on(cell):
            key = (mark_of(cell), look_of(row, cell), text, cell.status.fails)
            clients.setdefault(key, []).append(profile_of(cell.client).title)
    found = [MatrixNote(mark, look, tuple(names), text, fails) for (mark, look, text, fails), names in clients.items()]
    return tuple(sorted(found, key=lambda remark: list(LEGEND).index(remark.mark)))


def texts_on(cell: Cell) -> tuple[str, ...]:
    """What there is to say of a cell."""
    if cell.status is not CellStatus.SAME:
        return (cell.reason,)
    return (cell.native_reason,) if cell.native_reason else cell.unheard


def marks_in(matrix: Matrix) -> tuple[str, ...]:
    """The marks that a legend has to explain."""
    used = {mark_of(cell) for row in matrix.rows for cell in row.cells}
    return tuple(mark for mark in LEGEND if mark in used)


def example_of_statement(matrix: Matrix) -> str:
    """How a case says that the first unknown difference is intended; empty: no difference can be intended."""
    for row in matrix.rows:
        own = row.cell(row.client)
        if own is not None and own.status.fails:
            continue  # the case expects something else of its own client: it is the case that is wrong
        for cell in row.cells:
            if cell.status is CellStatus.UNKNOWN:
                client = cell.client.partition("@")[0]
                return f"'{row.case.name}': expected.clients: {{{client}: {cell.effect}}}"
    return ""


def summary(matrix: Matrix) -> str:
    """One line: what was played and how many differences there are."""
    counts = {
        "unknown difference": matrix.count(CellStatus.UNKNOWN),
        "known difference": matrix.count(CellStatus.KNOWN),
        "outdated difference": matrix.count(CellStatus.STALE),
        "case that could not run": matrix.count(CellStatus.UNPLAYED) + len(matrix.broken),
    }
    parts = [_plural(number, noun) for noun, number in counts.items() if number]
    found = ", ".join(parts) or "no differences"
    return f"{_plural(len(matrix.rows), 'case')} in {_plural(len(matrix.clients), 'client')}: {found}"


def _plural(number: int, noun: str) -> str:
    first, space, rest = noun.partition(" that ")
    return f"{number} {first}{'' if number == 1 else 's'}{space}{rest}"


# ----------------------------------------------------------------------------------------------------------------- JSON


def as_data(matrix: Matrix) -> dict[str, Any]:
    """The matrix as JSON has it."""
    return {
        "clients": list(matrix.clients),
        "cases": [_row_data(row) for row in matrix.rows],
        "broken": [
            {"name": row.case.name, "problems": [f"{problem.origin}: {problem.text}" for problem in row.problems]}
            for row in matrix.broken
        ],
        "counts": {status.value: matrix.count(status) for status in CellStatus},
    }


def _row_data(row: Row) -> dict[str, Any]:
    return {
        "name": row.case.name,
        "event": row.case.event,
        "client": row.client,
        "effect": row.effect,
        "clients": {cell.client: _cell_data(cell) for cell in row.cells},
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    runs = cell.outcome.runs if cell.outcome else ()
    return {
        "effect": cell.effect,
        "tool_runs": cell.tool_runs,
        "native": cell.native,
        "deployed": cell.deployed,
        "native_reason": cell.native_reason,
        "standing": cell.status,
        "missing": cell.missing,
        "reason": cell.reason,
        "unheard": list(cell.unheard),
        "losses": list(cell.losses),
        "runs": [
            {"status": run.status, "exit_code": run.exit_code, "stdout": run.stdout, "stderr": run.stderr}
            for run in runs
        ],
    }


# ------------------------------------------------------------------------------------------------------------- Markdown


def as_markdown(matrix: Matrix) -> str:
    """The matrix for a README or a comment on a pull request."""
    lines = [
        _line("case", *map(heading, matrix.clients)),
        _line("---", *("---" for _ in matrix.clients)),
        *(_line(_code(row.case.name), *_markdown_cells(matrix, row)) for row in matrix.rows),
        "",
    ]
    lines += [f"`{mark}` {LEGEND[mark]}  " for mark in marks_in(matrix)]
    for row in matrix.rows:
        remarks = remarks_on(row)
        if remarks:
            lines += ["", f"**{_code(row.case.name)}** ({expected(row)})", ""]
            lines += [f"- `{remark.mark}` {_plain(str(remark))}" for remark in remarks]
    for broken in matrix.broken:
        lines += ["", f"**{_code(broken.case.name)}** could not run", ""]
        lines += [f"- {_plain(problem.text)}" for problem in broken.problems]
    return "\n".join([*lines, "", f"{summary(matrix)}.", ""])


def _markdown_cells(matrix: Matrix, row: Row) -> Iterator[str]:
    for client in matrix.clients:
        cell = row.cell(client)
        text = cell_text(cell).replace("*", "\\*").replace("~", "\\~")
        yield f"**{text}**" if cell is not None and cell.status.fails else text


def expected(row: Row) -> str:
    """What the clients are compared with."""
    return f"{row.effect} in {profile_of(row.client).title}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    return f"`{text}`"


def _plain(text: str) -> str:
    """Text that Markdown does not take for anything else."""
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]<>#|~" else sign for sign in " ".join(text.split()))
