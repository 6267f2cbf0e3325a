"""Problems as annotations of GitHub's workflows, one for each place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from anyhook.model.codes import CODES, Severity
from anyhook.report.data import path_from
from anyhook.report.entries import Entry, sentence_of

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def as_annotations(entries: Sequence[Entry], base: Path | None = None) -> Iterator[str]:
    """Workflow commands, a line each."""
    for found in (found for entry in entries for found in entry.problems):
        origin = found.origin
        properties = {"file": path_from(origin.file, base)} if origin.file else {}
        if origin.line > 0:
            properties |= {"line": str(origin.line), "col": str(max(origin.column, 1))}
        properties["title"] = f"{found.code} {CODES[found.code].name}"
        listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
        yield f"::{_LEVELS[found.severity]} {listed}::{_escape(sentence_of(found))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
