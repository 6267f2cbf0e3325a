"""Problems as plain data, for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from anyhook.model.codes import CODES
from anyhook.model.problems import Problem
from anyhook.report.entries import Entry, count_by_severity, entries_of


def as_data(entries: Sequence[Entry], base: Path | None = None) -> dict[str, Any]:
    """The problems and their number. Paths below ``base`` are relative to it."""
    return {
        "problems": [_entry_data(entry, base) for entry in entries],
        "counts": {severity.value: number for severity, number in count_by_severity(entries).items()},
    }


def problems_data(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [_entry_data(entry, None) for entry in entries_of(problems)]


def _entry_data(entry: Entry, base: Path | None) -> dict[str, Any]:
    return {
        "code": entry.code,
        "name": CODES[entry.code].name,
        "severity": entry.severity.value,
        "text": entry.text,
        "fix": entry.fix,
        "places": [_place_data(found, base) for found in entry.problems],
    }


def _place_data(found: Problem, base: Path | None) -> dict[str, Any]:
    origin = found.origin
    return {
        "file": path_from(origin.file, base),
        "line": origin.line,
        "column": origin.column,
        "pointer": origin.pointer,
        "client": origin.dialect,
        "scope": origin.scope.value,
        "about": found.about,
        "edits": [{"start": edit.start, "end": edit.end, "replacement": edit.replacement} for edit in found.edits],
    }


def path_from(file: str, base: Path | None) -> str:
    """A file with slashes, relative to a folder that it is in; empty if there is none."""
    path = Path(file)
    if base is not None and path.is_relative_to(base):
        path = path.relative_to(base)
    return path.as_posix() if file else ""
