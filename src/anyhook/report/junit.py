"""JUnit's XML, which CI systems show: problems as tests that fail, and what every such report shares."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from anyhook.model.codes import CODES, Severity
from anyhook.report.data import path_from
from anyhook.report.entries import Entry, sentence_of

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What XML cannot have, and what would control a terminal on which a report is shown."""


def as_junit(
    entries: Sequence[Entry], files: Sequence[str], failing: Collection[Severity], base: Path | None = None
) -> bytes:
    """An entry is a test, which fails if its severity is ``failing``; a file without problems is a test that passed."""
    bad = {found.origin.file for entry in entries for found in entry.problems}
    tests = [_test(entry, failing, base) for entry in entries]
    tests += [_test_case("file", path_from(file, base), path_from(file, base), 0) for file in files if file not in bad]
    failures = sum(entry.severity in failing for entry in entries)
    return junit_xml("anyhook check", "problems", tests, {"tests": len(tests), "failures": failures})


def junit_xml(name: str, suite: str, tests: Sequence[Element], totals: Mapping[str, object]) -> bytes:
    """A report with one suite of tests."""
    numbers = {key: str(number) for key, number in totals.items()}
    suites = Element("testsuites", {"name": name, **numbers})
    SubElement(suites, "testsuite", {"name": suite, **numbers}).extend(tests)
    indent(suites)
    text: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _test(entry: Entry, failing: Collection[Severity], base: Path | None) -> Element:
    places = [(path_from(found.origin.file, base), found.origin.line) for found in entry.problems]
    listed = dict.fromkeys(f"{file}:{line}" if line else file for file, line in places)
    test = _test_case(f"{entry.code} {CODES[entry.code].name}", entry.text, *places[0])
    text = legal_text("\n".join([sentence_of(entry), *listed]))
    if entry.severity in failing:
        about = {"message": legal_text(entry.text), "type": entry.severity.value}
        SubElement(test, "failure", about).text = text
    else:
        SubElement(test, "system-out").text = text
    return test


def _test_case(kind: str, name: str, file: str, line: int) -> Element:
    attributes = {"classname": f"anyhook.{kind}", "name": name, "file": file, "line": str(line)}
    return Element("testcase", {key: legal_text(value) for key, value in attributes.items()})


def legal_text(text: str) -> str:
    """The text without what XML 1.0 cannot hold even escaped: control characters, lone surrogates."""
    return _NOT_IN_XML.sub("\ufffd", text)
