"""A hook as a row of a table, and a problem as JSON."""

from __future__ import annotations

from typing import Any

from anyhook.cli.options import Display
from anyhook.editor.hook_rows import HookRow
from anyhook.model.problems import Problem
from anyhook.model.wording import format_limit


def row_cells(row: HookRow, show: Display) -> tuple[str, ...]:
    return (
        "" if row.order is None else str(row.order),
        row.native_event,
        row.matched(),
        row.hook(),
        format_limit(row.timeout_ms, row.timeout_is_default),
        row.state,
        f"{row.scope} {show.place(row.file, row.line)}",
    )


def problem_json(problem: Problem) -> dict[str, Any]:
    origin = problem.origin
    return {
        "code": problem.code,
        "severity": problem.severity,
        "client": origin.dialect,
        "file": origin.file,
        "line": origin.line,
        "column": origin.column,
        "pointer": origin.pointer,
        "text": problem.text,
        "fix": problem.fix,
    }
