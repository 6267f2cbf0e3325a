"""Problems as text, JSON, SARIF, GitHub's annotations and JUnit's XML."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from anyhook.model.codes import CODES, Severity
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Edit, Problem, problem
from anyhook.report.data import as_data
from anyhook.report.entries import Entry, counts_in_words, entries_of
from anyhook.report.github import as_annotations
from anyhook.report.junit import as_junit
from anyhook.report.rule_pages import page_text
from anyhook.report.sarif import as_sarif
from anyhook.report.text import MAX_PLACES, TextEntry, as_text
from tests.lint.projects import PLACES, check, groups, hook

ORIGIN = Origin("codex", Scope.PROJECT, "/repo/a b/.codex/hooks.json", "/hooks/Stop/0", 3, 5)
HOOKS = "/repo/a b/.codex/hooks.json"
REPORT = entries_of(
    (
        problem("K002", ORIGIN, "unread", severity=Severity.NOTE),
        problem("T001", ORIGIN, "100% wrong,\nreally: yes", "write 5", edits=(Edit(1, 3, "x"),)),
        problem("F005", Origin(file="/elsewhere/x.json"), "no such file"),
    )
)


def repeated(number: int, *, text: str = "unread", about: str = "") -> list[Problem]:
    origins = (Origin("codex", Scope.PROJECT, "hooks.json", line=line) for line in range(1, number + 1))
    return [problem("K002", origin, text, about=about) for origin in origins]


def plain(entries: tuple[Entry, ...]) -> list[TextEntry]:
    return list(as_text(entries, lambda file, line: f"{file}:{line}" if line else file, str))


def test_one_sentence_about_several_places_is_one_entry() -> None:
    found = [*repeated(2), *repeated(1, text="another"), problem("F005", Origin(file="x"), "gone")]
    entries = entries_of([*found, found[0]])
    assert [(entry.code, entry.text, len(entry.problems)) for entry in entries] == [
        ("F005", "gone", 1),
        ("K002", "unread", 2),
        ("K002", "another", 1),
    ]
    assert counts_in_words(entries) == "1 error, 2 notes"
    assert counts_in_words(()) == ""
    assert entries_of([]) == ()


def test_a_problem_has_the_same_sentence_only_with_the_same_severity_and_remedy() -> None:
    origin = Origin(file="x")
    one, two = problem("K002", origin, "unread", "a"), problem("K002", origin, "unread", "b")
    three = problem("K002", origin, "unread", "a", severity=Severity.ERROR)
    assert [entry.problems for entry in entries_of([one, two, three])] == [(three,), (one,), (two,)]


@pytest.mark.parametrize(
    ("number", "shown", "last"),
    [(1, 1, "hooks.json:1"), (6, 6, "hooks.json:6"), (7, 6, "and 2 more places"), (99, 6, "and 94 more places")],
)
def test_text_lists_some_places_and_the_number_of_the_rest(number: int, shown: int, last: str) -> None:
    (entry,) = plain(entries_of(repeated(number)))
    assert len(entry.places) == shown
    assert entry.places[-1] == last
    assert entry.places[: min(number, MAX_PLACES)] == tuple(f"hooks.json:{n}" for n in range(1, min(number, 5) + 1))


def test_text_says_which_hook_is_there_and_each_place_once() -> None:
    (entry,) = plain(entries_of(repeated(1, about="Stop ./a.sh")))
    assert entry.places == ("hooks.json:1: Stop ./a.sh",)
    twice = [problem("K002", Origin(client, file="x", line=2), "unread") for client in ("codex", "cursor")]
    (entry,) = plain(entries_of(twice))
    assert entry.places == ("x:2",)
    (entry,) = plain(entries_of([problem("K002", Origin(), "of no file", "do it")]))
    assert (entry.places, entry.remedy) == ((), "do it")


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
    lost, first, _ = data["problems"]
    assert (first["code"], first["name"], first["fix"]) == ("T001", "milliseconds-as-seconds", "write 5")
    (place,) = first["places"]
    assert place == {
        "file": "a b/.codex/hooks.json",
        "line": 3,
        "column": 5,
        "pointer": "/hooks/Stop/0",
        "client": "codex",
        "scope": "project",
        "about": "",
        "edits": [{"start": 1, "end": 3, "replacement": "x"}],
    }
    assert lost["places"][0]["file"] == "/elsewhere/x.json"
    assert data["counts"] == {"error": 1, "warning": 1, "note": 1}
    (entry,) = as_data(entries_of(repeated(10)))["problems"]
    assert [place["line"] for place in entry["places"]] == list(range(1, 11))


def test_sarif_is_sarif() -> None:
    log = as_sarif(REPORT, Path("/repo"))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(CODES)
    second, first, third = run["results"]
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
    (result,) = as_sarif(entries_of([found]))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_of_a_real_check(tmp_path: Path) -> None:
    files = {
        PLACES["claude-code"]: groups("PreToolUse", hook("bash $CLAUDE_PROJECT_DIR/a.sh", timeout=5000), matcher="bash")
    }
    report = check(tmp_path, files)
    jsonschema.validate(as_sarif(entries_of(report.problems), tmp_path), SARIF)
    assert len(report.problems) >= 4
    jsonschema.validate(as_sarif(()), SARIF)


def test_a_result_of_sarif_has_one_place_or_none() -> None:
    results = as_sarif(entries_of([*repeated(2), problem("F005", Origin(), "of no file")]))["runs"][0]["results"]
    assert [len(result.get("locations", ())) for result in results] == [0, 1, 1]


def test_annotations() -> None:
    second, first, third = as_annotations(REPORT, Path("/repo"))
    assert first == (
        "::warning file=a b/.codex/hooks.json,line=3,col=5,title=T001 milliseconds-as-seconds"
        "::100%25 wrong,%0Areally: yes. Write 5."
    )
    assert second == "::error file=/elsewhere/x.json,title=F005 unreadable-file::no such file."
    assert third.startswith("::notice ")


def test_annotations_escape_what_would_end_a_property() -> None:
    odd = entries_of([problem("K002", Origin(file="a,b:c%.json", line=1), "x")])
    assert next(iter(as_annotations(odd))).startswith("::notice file=a%2Cb%3Ac%25.json,line=1,col=1,")


def test_an_annotation_for_each_place() -> None:
    lines = list(as_annotations(entries_of([*repeated(3), problem("F005", Origin(), "of no file")])))
    assert lines[0] == "::error title=F005 unreadable-file::of no file."
    assert [line.split(",")[1] for line in lines[1:]] == ["line=1", "line=2", "line=3"]


def test_junit() -> None:
    failing = {Severity.ERROR, Severity.WARNING}
    suites = ElementTree.fromstring(as_junit(REPORT, [HOOKS, "/repo/fine.json"], failing, Path("/repo")))
    assert (suites.get("tests"), suites.get("failures")) == ("4", "2")
    lost, wrong, note, fine = suites.iter("testcase")
    assert lost.attrib == {
        "classname": "anyhook.F005 unreadable-file",
        "name": "no such file",
        "file": "/elsewhere/x.json",
        "line": "0",
    }
    (failure,) = wrong
    assert (failure.tag, failure.get("type")) == ("failure", "warning")
    assert failure.text == "100% wrong,\nreally: yes. Write 5.\na b/.codex/hooks.json:3"
    assert [element.tag for element in note] == ["system-out"]
    assert (fine.get("classname"), fine.get("name"), len(fine)) == ("anyhook.file", "fine.json", 0)
    strict = ElementTree.fromstring(as_junit(REPORT, [], set(Severity)))
    assert strict.get("failures") == "3"


def test_every_rule_has_an_address_and_a_text() -> None:
    rules = as_sarif(())["runs"][0]["tool"]["driver"]["rules"]
    assert all(rule["helpUri"].endswith(f"docs/rules/{rule['id']}.md") for rule in rules)
    assert all(page_text(rule["id"]).startswith(f"# {rule['id']} ") for rule in rules)
