"""A report for machines: plain data for JSON, SARIF 2.1.0, and annotations for GitHub's workflows; pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import quote

from anyhook import __version__
from anyhook.lint.catalogue import address_of, page_of
from anyhook.lint.lint import Report
from anyhook.model.codes import CODES, Severity
from anyhook.model.problems import Problem

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_data(report: Report, base: Path | None = None) -> dict[str, Any]:
    """The report as JSON has it. Paths below ``base`` are relative to it."""
    return {
        "problems": [problem_data(found, base) for found in report.problems],
        "files": [_shown(file, base) for file in report.files],
        "hooks": report.hooks,
        "counts": {severity.value: report.count(severity) for severity in Severity},
    }


def problem_data(found: Problem, base: Path | None = None) -> dict[str, Any]:
    origin = found.origin
    return {
        "code": found.code,
        "name": CODES[found.code].name,
        "severity": found.severity.value,
        "file": _shown(origin.file, base),
        "line": origin.line,
        "column": origin.column,
        "pointer": origin.pointer,
        "client": origin.dialect,
        "scope": origin.scope.value,
        "text": found.text,
        "fix": found.fix,
        "edits": [{"start": edit.start, "end": edit.end, "replacement": edit.replacement} for edit in found.edits],
    }


def _shown(file: str, base: Path | None) -> str:
    path = Path(file)
    if base is not None and path.is_relative_to(base):
        path = path.relative_to(base)
    return path.as_posix()


# ---------------------------------------------------------------------------------------------------------------- SARIF


def as_sarif(report: Report, base: Path | None = None) -> dict[str, Any]:
    """A SARIF log with one run. Every rule is listed, so that a viewer can explain a code that was not found, too."""
    rules = {code: index for index, code in enumerate(CODES)}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "anyhook",
                        "semanticVersion": __version__,
                        "rules": [_sarif_rule(code) for code in CODES],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(found, rules[found.code], base) for found in report.problems],
            }
        ],
    }


def _sarif_rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "name": known.name,
        "shortDescription": {"text": known.summary},
        "helpUri": address_of(code),
        "help": {"text": f"{known.summary}. See {page_of(code)}."},
        "defaultConfiguration": {"level": known.severity.value},
    }


def _sarif_result(found: Problem, index: int, base: Path | None) -> dict[str, Any]:
    artifact = {"uri": _uri(found.origin.file, base)}
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": index,
        "level": found.severity.value,
        "message": {"text": _sentence(found)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, **_region(found)}}],
    }
    if found.edits:
        replacements = [
            {
                "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                "insertedContent": {"text": edit.replacement},
            }
            for edit in found.edits
        ]
        changes = [{"artifactLocation": artifact, "replacements": replacements}]
        result["fixes"] = [{"description": {"text": found.fix or "repair"}, "artifactChanges": changes}]
    return result


def _region(found: Problem) -> dict[str, Any]:
    origin = found.origin
    if origin.line < 1:
        return {}
    return {"region": {"startLine": origin.line, "startColumn": max(origin.column, 1)}}


def _uri(file: str, base: Path | None) -> str:
    shown = _shown(file, base)
    if PureWindowsPath(shown).is_absolute():
        return f"file:///{quote(shown, safe='/:')}"
    return f"file://{quote(shown)}" if shown.startswith("/") else quote(shown)


def _sentence(found: Problem) -> str:
    return f"{found.text}. {found.fix[:1].upper()}{found.fix[1:]}." if found.fix else f"{found.text}."


# ------------------------------------------------------------------------------------------------- GitHub's annotations

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def as_annotations(report: Report, base: Path | None = None) -> Iterator[str]:
    """Workflow commands, one line for each problem."""
    for found in report.problems:
        properties = {"file": _shown(found.origin.file, base)}
        if found.origin.line > 0:
            properties["line"] = str(found.origin.line)
            properties["col"] = str(max(found.origin.column, 1))
        properties["title"] = f"{found.code} {CODES[found.code].name}"
        listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
        yield f"::{_LEVELS[found.severity]} {listed}::{_escape(_sentence(found))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
