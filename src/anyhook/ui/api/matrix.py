"""*Matrix*: every test case as every client. It runs the hooks of the project, so they must be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.model.problems import UsageError
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.sources import disk
from anyhook.testing.cases.case_files import FOLDERS, find_package, read_suite
from anyhook.testing.matrix.play import Matrix, Row, default_clients, play_matrix
from anyhook.testing.matrix.report import (
    LEGEND,
    Look,
    cell_text,
    heading,
    look_of,
    mark_of,
    marks_in,
    remarks_on,
    summary,
    texts_on,
)
from anyhook.ui.jobs import JobProgress
from anyhook.ui.shown import Shown

TEST_VARIABLE = "HOOK_TEST"
"""How the names of variables begin that are only for hooks in test cases."""


class ClientHead(Struct, frozen=True):
    name: str
    heading: str
    title: str


class CellView(Struct, frozen=True):
    text: str
    mark: str
    look: str
    reasons: tuple[str, ...]


class RowView(Struct, frozen=True):
    case: str
    event: str
    effect: str
    cells: tuple[CellView, ...]
    """One for each client, in the order of the heads."""
    notes: tuple[tuple[str, str, str], ...]
    """Marks, looks and texts."""


class MatrixPage(Struct, frozen=True, kw_only=True):
    summary: str = ""
    clients: tuple[ClientHead, ...] = ()
    rows: tuple[RowView, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    broken: tuple[tuple[str, str], ...] = ()
    """Cases that could not run, and why."""
    refusal: str = ""
    """Why nothing was run; empty: it was."""


def play_project(shown: Shown, progress: JobProgress) -> MatrixPage:
    """The matrix of the package that the project belongs to, or why there is none."""
    try:
        root = find_package(shown.roots.project)
    except UsageError as error:
        return MatrixPage(refusal=str(error))
    _note_files(root)
    suite = read_suite(root)
    package = Project(structs.replace(shown.roots, project=root))  # its hooks run, wherever the page was opened
    trust = TrustedProject(package)
    if not trust.is_trusted:
        return MatrixPage(refusal=f"The matrix runs the hooks of the project: {trust.reason}")
    cases = suite.everything
    if names := sorted({name for case in suite.cases for name in unsafe_variables(case.folder.config.env)}):
        text = f"test-config.json sets variables for the hooks that could start a program: {', '.join(names)}"
        return MatrixPage(refusal=f"{text}. To play the cases anyway: anyhook matrix")
    progress.total = len(cases) * (len(default_clients()) + 1)
    return matrix_page(play_matrix(suite, cases, on_end=progress.advance))


def unsafe_variables(variables: Mapping[str, str]) -> Iterator[str]:
    """Those that could start a program, as PATH and BASH_ENV do: the file is no part of what was trusted.

    The universal hooks spec's example has HOOK_TEST, which no program but the hooks reads, and the usual PACKAGE_ROOT.
    """
    for name, value in variables.items():
        if not name.startswith(TEST_VARIABLE) and (name, value) != ("PACKAGE_ROOT", "."):
            yield name


def matrix_page(matrix: Matrix) -> MatrixPage:
    return MatrixPage(
        summary=summary(matrix),
        clients=tuple(ClientHead(name, heading(name), profile(name).title) for name in matrix.clients),
        rows=tuple(_row(matrix, row) for row in matrix.rows),
        legend=tuple((mark, LEGEND[mark]) for mark in marks_in(matrix)),
        broken=tuple((row.case.name, problem.text) for row in matrix.broken for problem in row.problems),
    )


def _row(matrix: Matrix, row: Row) -> RowView:
    cells = [row.cell(client) for client in matrix.clients]
    views = (
        CellView("", "", Look.SAME, ())
        if cell is None
        else CellView(cell_text(cell), mark_of(cell), look_of(row, cell), texts_on(cell))
        for cell in cells
    )
    notes = tuple((note.mark, note.look, str(note)) for note in remarks_on(row))
    return RowView(row.case.name, row.case.event, str(row.effect or ""), tuple(views), notes)


def _note_files(root: Path) -> None:
    """Look at the files of the tests, so that the snapshot has them; the check of trust looks at all others."""
    for tests in FOLDERS:
        folders = [root / tests]
        while folders:
            folder = folders.pop()
            for name in disk.names_in(folder):
                path = folder / name
                if disk.is_dir(path) and not disk.is_link(path):
                    folders.append(path)
                else:
                    disk.read_small_file(path, 0)
