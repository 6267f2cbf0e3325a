"""The report for machines: JSON, SARIF and GitHub's annotations."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from anyhook.lint.catalogue import page_text
from anyhook.lint.lint import Report
from anyhook.lint.report import as_annotations, as_data, as_sarif
from anyhook.model.codes import CODES, Severity
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Edit, problem
from tests.lint.projects import PLACES, check, groups, hook

ORIGIN = Origin("codex", Scope.PROJECT, "/repo/a b/.codex/hooks.json", "/hooks/Stop/0", 3, 5)
REPORT = Report(
    (
        problem("T001", ORIGIN, "100% wrong,\nreally: yes", "write 5", edits=(Edit(1, 3, "x"),)),
        problem("F005", Origin(file="/elsewhere/x.json"), "no such file"),
        problem("K002", ORIGIN, "unread", severity=Severity.NOTE),
    ),
    ("/repo/a b/.codex/hooks.json",),
    1,
)

# What SARIF 2.1.0 asks of the parts that are used here, from its schema of OASIS.
_MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
}
_POSITIVE = {"type": "integer", "minimum": 1}
_OFFSET = {"type": "integer", "minimum": 0}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "semanticVersion": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": _MESSAGE,
                                                "help": _MESSAGE,
                                                "helpUri": {"type": "string", "format": "uri"},
                                                "defaultConfiguration": {"properties": {"level": _LEVEL}},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": _OFFSET,
                                "level": _LEVEL,
                                "message": _MESSAGE,
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "properties": {
                                            "physicalLocation": {
                                                "additionalProperties": False,
                                                "properties": {
                                                    "artifactLocation": _ARTIFACT,
                                                    "region": {
                                                        "properties": {"startLine": _POSITIVE, "startColumn": _POSITIVE}
                                                    },
                                                },
                                            }
                                        }
                                    },
                                },
                                "fixes": {
                                    "type": "array",
                                    "items": {
                                        "required": ["artifactChanges"],
                                        "properties": {
                                            "description": _MESSAGE,
                                            "artifactChanges": {
                                                "minItems": 1,
                                                "items": {
                                                    "required": ["artifactLocation", "replacements"],
                                                    "properties": {
                                                        "artifactLocation": _ARTIFACT,
                                                        "replacements": {
                                                            "minItems": 1,
                                                            "items": {
                                                                "required": ["deletedRegion"],
                                                                "properties": {
                                                                    "deletedRegion": {
                                                                        "properties": {
                                                                            "charOffset": _OFFSET,
                                                                            "charLength": _OFFSET,
                                                                        }
                                                                    },
                                                                    "insertedContent": {
                                                                        "properties": {"text": {"type": "string"}}
                                                                    },
                                                                },
                                                            },
                                                        },
                                                    },
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def test_data() -> None:
    data = as_data(REPORT, Path("/repo"))
    json.dumps(data)
    first = data["problems"][0]
    assert first["code"] == "T001"
    assert first["name"] == "milliseconds-as-seconds"
    assert first["file"] == "a b/.codex/hooks.json"
    assert (first["line"], first["column"], first["pointer"]) == (3, 5, "/hooks/Stop/0")
    assert first["edits"] == [{"start": 1, "end": 3, "replacement": "x"}]
    assert data["problems"][1]["file"] == "/elsewhere/x.json"
    assert data["counts"] == {"error": 1, "warning": 1, "note": 1}
    assert (data["files"], data["hooks"]) == (["a b/.codex/hooks.json"], 1)


def test_sarif_is_sarif() -> None:
    log = as_sarif(REPORT, Path("/repo"))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(CODES)
    first, second, third = run["results"]
    assert rules[first["ruleIndex"]] == first["ruleId"] == "T001"
    assert (first["level"], second["level"], third["level"]) == ("warning", "error", "note")
    location = first["locations"][0]["physicalLocation"]
    assert location == {
        "artifactLocation": {"uri": "a%20b/.codex/hooks.json"},
        "region": {"startLine": 3, "startColumn": 5},
    }
    assert second["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "file:///elsewhere/x.json"}}
    assert first["fixes"][0]["artifactChanges"][0]["replacements"] == [
        {"deletedRegion": {"charOffset": 1, "charLength": 2}, "insertedContent": {"text": "x"}}
    ]
    assert "fixes" not in second


@pytest.mark.parametrize(
    ("file", "uri"),
    [("/r/a b.json", "file:///r/a%20b.json"), ("C:/r/a b.json", "file:///C:/r/a%20b.json"), ("a:b.json", "a%3Ab.json")],
)
def test_sarif_names_files_by_uris(file: str, uri: str) -> None:
    found = problem("F001", Origin("", Scope.USER, file), "not JSON")
    (result,) = as_sarif(Report((found,), ()))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_of_a_real_check(tmp_path: Path) -> None:
    files = {
        PLACES["claude-code"]: groups("PreToolUse", hook("bash $CLAUDE_PROJECT_DIR/a.sh", timeout=5000), matcher="bash")
    }
    report = check(tmp_path, files)
    jsonschema.validate(as_sarif(report, tmp_path), SARIF)
    assert len(report.problems) >= 4
    jsonschema.validate(as_sarif(Report((), ())), SARIF)


def test_annotations() -> None:
    first, second, third = as_annotations(REPORT, Path("/repo"))
    assert first == (
        "::warning file=a b/.codex/hooks.json,line=3,col=5,title=T001 milliseconds-as-seconds"
        "::100%25 wrong,%0Areally: yes. Write 5."
    )
    assert second == "::error file=/elsewhere/x.json,title=F005 unreadable-file::no such file."
    assert third.startswith("::notice ")


def test_annotations_escape_what_would_end_a_property() -> None:
    odd = Report((problem("K002", Origin(file="a,b:c%.json", line=1), "x"),), ())
    assert next(iter(as_annotations(odd))).startswith("::notice file=a%2Cb%3Ac%25.json,line=1,col=1,")


def test_every_rule_has_an_address_and_a_text(tmp_path: Path) -> None:
    sarif = as_sarif(check(tmp_path, {}))
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert all(rule["helpUri"].endswith(f"docs/rules/{rule['id']}.md") for rule in rules)
    assert all(page_text(rule["id"]).startswith(f"# {rule['id']} ") for rule in rules)
