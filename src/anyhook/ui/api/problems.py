"""*Problems*: what ``anyhook check`` finds in the hook files and ``anyhook doctor`` on this machine.

The page *Hooks* shows a part of the same examination.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, structs

from anyhook.dialects.clients import OWN
from anyhook.doctor.activity import Activity, activity_of, examined_hooks_of
from anyhook.doctor.examine import examine, hooks_here
from anyhook.doctor.findings import ExaminedHook, HealthFinding
from anyhook.lint.catalogue import page_text
from anyhook.lint.lint import check_paths
from anyhook.model.codes import CODES
from anyhook.model.problems import AnyhookError, Problem, UsageError
from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.query import HookActivity, RowFilter, hook_activity, wanted_rows
from anyhook.sources.installed_release import used_releases
from anyhook.sources.inventory import ClientHooks
from anyhook.ui.jobs import JobProgress
from anyhook.ui.shown import Shown

COUNTED_ROWS = 50_000
"""The newest rows of the journal, of which the figures are made."""
_STEPS = 4


class ProblemView(Struct, frozen=True, kw_only=True):
    """A problem in a file, or with this machine."""

    code: str
    severity: str
    text: str
    fix: str
    client: str
    file: str
    line: int
    column: int
    pointer: str
    has_page: bool
    """Whether the code is a rule of the linter, which has a page."""


class Examined(Struct, frozen=True, kw_only=True):
    """A project and its journal, looked at once."""

    hooks: tuple[ExaminedHook, ...]
    activity: tuple[HookActivity, ...]
    counted: int
    """The rows of which the activity was made."""
    is_counted_fully: bool
    problems: tuple[ProblemView, ...]
    files: int
    journal_error: str


class ProblemsPage(Struct, frozen=True, kw_only=True):
    problems: tuple[ProblemView, ...]
    files: int
    hooks: int


def examine_project(shown: Shown, progress: JobProgress) -> Examined:
    """Everything that the pages *Hooks* and *Problems* show. No hook is run."""
    progress.total = _STEPS
    environment = shown.roots.environment
    inventory = hooks_here(shown.roots)
    progress.advance()
    rows, error = _rows(shown)
    activity = activity_of([row for row in rows if row.project == str(shown.roots.project)])
    progress.advance()
    diagnosis = examine(shown.roots, environment, inventory, activity)
    progress.advance()
    report = check_paths([shown.roots.project], shown.roots, installed=used_releases(environment))
    progress.advance()
    in_files = [_problem(found) for found in report.problems]
    on_machine = [_finding(found) for found in diagnosis.findings if found.check not in CODES]
    return Examined(
        hooks=(*diagnosis.hooks, *_undeployed(inventory.clients, diagnosis.hooks, activity)),
        activity=hook_activity(rows),
        counted=len(rows),
        is_counted_fully=len(rows) < COUNTED_ROWS,
        problems=(*on_machine, *in_files),
        files=len(report.files),
        journal_error=error,
    )


def problems_page(examined: Examined) -> ProblemsPage:
    return ProblemsPage(problems=examined.problems, files=examined.files, hooks=len(examined.hooks))


def rule_page(code: str) -> str:
    """The page of a rule of the linter. UsageError: there is no such rule."""
    if code not in CODES:
        raise UsageError(f"there is no rule {code}")
    return page_text(code)


def _rows(shown: Shown) -> tuple[list[RecordedEvent], str]:
    """The newest rows without their payloads, and why the journal cannot be read."""
    try:
        with shown.rows() as source:
            stored = source.rows_before(source.last_number() + 1, COUNTED_ROWS)
            found = (row.event for row in wanted_rows(stored, RowFilter()) if not row.event.note)
            return [structs.replace(event, payload=UNSET) for event in found], ""
    except AnyhookError as error:
        return [], str(error)


def _undeployed(
    clients: Sequence[ClientHooks], known: tuple[ExaminedHook, ...], activity: Activity
) -> tuple[ExaminedHook, ...]:
    """The hooks of a package that no client runs."""
    behind = {(hook.file, hook.pointer) for hook in known}
    own = [client for client in clients if client.dialect == OWN]
    found = [hook for client in own for hook in examined_hooks_of(client, activity)]
    return tuple(hook for hook in found if (hook.file, hook.pointer) not in behind)


def _problem(found: Problem) -> ProblemView:
    origin = found.origin
    return ProblemView(
        code=found.code,
        severity=found.severity.value,
        text=found.text,
        fix=found.fix,
        client=origin.dialect,
        file=origin.file,
        line=origin.line,
        column=origin.column,
        pointer=origin.pointer,
        has_page=True,
    )


def _finding(found: HealthFinding) -> ProblemView:
    return ProblemView(
        code=found.check,
        severity=found.severity.value,
        text=found.text,
        fix=found.remedy,
        client=found.client,
        file=found.file,
        line=found.line,
        column=0,
        pointer="",
        has_page=False,
    )
