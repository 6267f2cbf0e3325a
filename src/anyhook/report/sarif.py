"""Problems as a log of SARIF 2.1.0.

A result of SARIF with several locations is one mistake that needs a change at each of them, so every place is a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import quote

from anyhook import __version__
from anyhook.model.codes import CODES
from anyhook.model.problems import Problem
from anyhook.report.data import path_from
from anyhook.report.entries import Entry, sentence_of
from anyhook.report.rule_pages import address_of, page_of

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(entries: Sequence[Entry], base: Path | None = None) -> dict[str, Any]:
    """A log with one run. Every rule is listed, so that a viewer can explain a code that was not found, too."""
    driver = {"name": "anyhook", "semanticVersion": __version__, "rules": [_rule(code) for code in CODES]}
    numbers = {code: number for number, code in enumerate(CODES)}
    results = [_result(found, numbers[found.code], base) for entry in entries for found in entry.problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "name": known.name,
        "shortDescription": {"text": known.summary},
        "helpUri": address_of(code),
        "help": {"text": f"{known.summary}. See {page_of(code)}."},
        "defaultConfiguration": {"level": known.severity.value},
    }


def _result(found: Problem, number: int, base: Path | None) -> dict[str, Any]:
    artifact = {"uri": _uri(found.origin.file, base)}
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": number,
        "level": found.severity.value,
        "message": {"text": sentence_of(found)},
    }
    if found.origin.file:
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, **_region(found)}}]
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
    shown = path_from(file, base)
    if PureWindowsPath(shown).is_absolute():
        return f"file:///{quote(shown, safe='/:')}"
    return f"file://{quote(shown)}" if shown.startswith("/") else quote(shown)
