"""*Problems*: what ``anyhook doctor`` finds, which is what ``anyhook check`` finds and what is wrong on this machine.

The page *Hooks* shows a part of the same examination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from anyhook.doctor.activity import activity_of
from anyhook.doctor.examine import Diagnosis, examine
from anyhook.model.codes import CODES
from anyhook.model.outcome import Effect
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.project.project import Project
from anyhook.record.recorded import without_bodies
from anyhook.record.store.query import Checkout, HookActivity, NumberedRow, RowFilter, hook_activity, wanted_rows
from anyhook.report.data import as_data
from anyhook.report.entries import entries_of
from anyhook.report.rule_pages import page_text
from anyhook.ui.jobs import JobProgress
from anyhook.ui.shown import Shown

COUNTED_ROWS = 50_000
"""The newest rows of the journal, of which the figures are made."""
REFUSALS = frozenset({Effect.BLOCK, Effect.STOP})
LISTED_REFUSALS = 5
_STEPS = 3


class Examined(Struct, frozen=True, kw_only=True):
    """A project and its journal, looked at once."""

    checkout: Checkout
    diagnosis: Diagnosis
    activity: tuple[HookActivity, ...]
    """What each hook has done in all projects: those of the user run everywhere."""
    here: frozenset[tuple[str, str]]
    """The hooks that have run in this project, as the journal knows them: by file and place."""
    counted: int
    """The rows of which the activity was made."""
    is_counted_fully: bool
    newest: tuple[NumberedRow, ...]
    """The newest events of this project in which a tool or a turn was refused, and the newest of each client."""
    journal_error: str


def examine_project(shown: Shown, progress: JobProgress) -> Examined:
    """Everything that the pages *Hooks* and *Problems* show. No hook is run."""
    progress.total = _STEPS
    environment = shown.roots.environment
    project = Project(shown.roots)
    progress.advance()
    numbered, error = _rows(shown)
    checkout = shown.checkout
    rows = [checkout.renamed(row.event) for row in numbered]
    own = RowFilter(below=str(shown.roots.project), repositories=checkout.names)
    activity = activity_of([row for row in rows if row.project == str(shown.roots.project)])
    progress.advance()
    diagnosis = examine(project, environment, activity)
    progress.advance()
    return Examined(
        checkout=checkout,
        diagnosis=diagnosis,
        activity=hook_activity(rows),
        here=frozenset((done.known_as, done.pointer) for done in hook_activity(filter(own.matches, rows))),
        counted=len(rows),
        is_counted_fully=len(rows) < COUNTED_ROWS,
        newest=tuple(_newest(numbered, own)),
        journal_error=error,
    )


def problems_page(examined: Examined) -> dict[str, Any]:
    found = examined.diagnosis
    return {**as_data(entries_of(found.problems)), "files": found.files, "hooks": found.written}


def rule_page(code: str) -> str:
    """The page of a rule. UsageError: there is no such rule."""
    if code not in CODES:
        raise UsageError(f"there is no rule {code}")
    return page_text(code)


def _newest(rows: Sequence[NumberedRow], wanted: RowFilter) -> Iterator[NumberedRow]:
    clients: set[str] = set()
    refused = 0
    for row in rows:
        event = row.event
        if event.simulation or not event.was_answered or not wanted.matches(event):
            continue
        if event.effect in REFUSALS and refused < LISTED_REFUSALS:
            refused += 1
            yield row
        elif event.client not in clients:
            yield row
        clients.add(event.client)


def _rows(shown: Shown) -> tuple[list[NumberedRow], str]:
    """The newest rows without their payloads, and why the journal cannot be read."""
    try:
        with shown.rows() as source:
            stored = source.rows_before(source.last_number() + 1, COUNTED_ROWS)
            found = (row for row in wanted_rows(stored, RowFilter(), with_bodies=False) if not row.event.note)
            return [NumberedRow(row.number, without_bodies(row.event)) for row in found], ""
    except AnyhookError as error:
        return [], str(error)
