"""Reports of cases for machines: JSON and JUnit's XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from anyhook.model.lazyjson import dump_json
from anyhook.testing.cases.case_reports import as_data, as_junit
from anyhook.testing.coverage import measure
from anyhook.testing.runner import CaseResult, Runner
from tests.testing.packages import case, group, package

SAYS = """printf '{"decision": "no"}'; printf 'bell \\007 and \\377' >&2"""


@pytest.fixture
def results(tmp_path: Path) -> list[CaseResult]:
    cases: dict[str, Any] = {
        "1": case(name="good"),
        "2": case(name="bad", expected={"stdout-json": {"decision": "block", "more": 1}}),
        "3": case(name="broken", hook_index=3),
    }
    suite = package(tmp_path, {"pre-tool-use": [group(SAYS)]}, cases)
    with Runner(suite) as runner:
        return list(runner.run_all(suite.cases))


def test_the_data_say_everything(results: list[CaseResult]) -> None:
    data = json.loads(dump_json(as_data(results, 1.5)))
    assert (data["passed"], data["failed"], data["could_not_run"], data["seconds"]) == (1, 1, 1, 1.5)
    good, bad, broken = data["cases"]
    assert (good["state"], good["effect"], good["client"]) == ("passed", "proceed", "universal")
    assert good["run"]["exit_code"] == 0
    assert bad["failures"][0]["differences"][1] == {"path": "more", "expected": 1}
    assert bad["line"] == bad["failures"][0]["line"] > 1
    assert broken["problems"][0]["text"].startswith("there is no group 3")


def test_the_data_have_the_coverage_if_asked(results: list[CaseResult]) -> None:
    coverage = measure([], results)
    assert as_data(results, 0, coverage)["coverage"]["hooks"] == []


def test_junit_is_valid_whatever_a_hook_prints(results: list[CaseResult]) -> None:
    root = ElementTree.fromstring(as_junit(results, 0.25))
    assert root.attrib == {"name": "anyhook", "tests": "3", "failures": "1", "errors": "1", "time": "0.250"}
    good, bad, broken = root.iter("testcase")
    assert good.find("failure") is None
    assert good.findtext("system-err") == "bell \ufffd and \ufffd"
    failure = bad.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "stdout JSON differs (- expected, + got)"
    assert "more: expected 1, got nothing" in (failure.text or "")
    assert broken.find("error") is not None
    assert bad.attrib["classname"] == "hooks.pre-tool-use"
