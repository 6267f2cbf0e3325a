"""States in the cases of a new package what other clients do otherwise, so that ``anyhook matrix`` finds them passing.

The hooks of one client, converted for another, may have another effect there (Copilot CLI does not block on Stop by
exit status 2). Which ones do is found out by playing the new package once, in a folder of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from anyhook.dialects.clients import OWN
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.play import CellStatus, Row, play_matrix
from anyhook.testing.scaffold.new_files import NewFile, write_new_files
from anyhook.testing.scaffold.scaffold import Scaffold


def with_differences(scaffold: Scaffold) -> Scaffold:
    """A new package with every difference stated in its cases. This runs the hooks of the package."""
    if scaffold.client == OWN:
        return scaffold  # its cases state what differs when it is deployed
    with TemporaryDirectory(prefix="anyhook-init-") as folder:
        root = Path(folder).resolve()
        write_new_files(root, scaffold.files)
        suite = read_suite(root)
        rows = {row.case.file: row for row in play_matrix(suite, suite.everything).rows}
        files = tuple(_stated(file, rows.get(root / file.path)) for file in scaffold.files)
    return structs.replace(scaffold, files=files)


def _stated(file: NewFile, row: Row | None) -> NewFile:
    lines = {} if row is None else dict(_lines(row))
    if not lines:
        return file
    replaced = tuple(f"    {client}: " for client in lines)  # what the template states of these clients
    text = "".join(line for line in file.text.splitlines(keepends=True) if not line.startswith(replaced))
    # Clients are the last key of what a case of the template expects, if it has any.
    head = text if "\n  clients:\n" in text else f"{text}  clients:\n"
    return structs.replace(file, text=head + "".join(lines.values()))


def _lines(row: Row) -> Iterator[tuple[str, str]]:
    for cell in row.cells:
        if cell.status is CellStatus.UNKNOWN:
            yield cell.client, f"    {cell.client}: {cell.effect} # {cell.reason}\n"
