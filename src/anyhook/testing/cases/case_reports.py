"""Results of cases for machines: plain data for JSON, and JUnit's XML. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from msgspec import UNSET, to_builtins

from anyhook.model.outcome import Run
from anyhook.model.problems import Problem
from anyhook.testing.cases.cases import Case
from anyhook.testing.coverage import Coverage
from anyhook.testing.expectations import Failure, Mismatch
from anyhook.testing.runner import CaseResult, CaseStatus

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def location_of(result: CaseResult) -> tuple[Path, int]:
    """The file and line to look at first: of the expectation that failed, or of the mistake in the case."""
    if result.failures:
        return result.case.file, result.failures[0].line
    if result.problems and result.problems[0].origin.file:
        origin = result.problems[0].origin
        return Path(origin.file), origin.line
    return result.case.file, result.case.line("name") if isinstance(result.case, Case) else 0


def counts(results: Sequence[CaseResult]) -> Counter[CaseStatus]:
    return Counter(result.state for result in results)


# --- JSON


def as_data(results: Sequence[CaseResult], seconds: float, coverage: Coverage | None = None) -> dict[str, Any]:
    """All results of a run of cases."""
    number = counts(results)
    data: dict[str, Any] = {
        "passed": number[CaseStatus.PASSED],
        "failed": number[CaseStatus.FAILED],
        "could_not_run": number[CaseStatus.BROKEN],
        "seconds": round(seconds, 3),
        "cases": [_case_data(result) for result in results],
    }
    return data if coverage is None else {**data, "coverage": coverage_data(coverage)}


def coverage_data(coverage: Coverage) -> dict[str, Any]:
    seen, possible = coverage.endings
    return {
        "outcomes": {"seen": seen, "possible": possible},
        "events_without_a_case": list(coverage.missed_events),
        "hooks": [
            {
                "client": hook.client,
                "event": hook.event,
                "hook_index": hook.group,
                "action_index": hook.action,
                "hook": hook.summary,
                "file": hook.origin.file,
                "line": hook.origin.line,
                "seen": list(hook.seen),
                "missing": list(hook.missing),
            }
            for hook in coverage.hooks
        ],
    }


def _case_data(result: CaseResult) -> dict[str, Any]:
    file, line = location_of(result)
    outcome = result.outcome
    return {
        "name": result.case.name,
        "file": str(file),
        "line": line,
        "event": result.case.event,
        "client": result.client,
        "state": result.state,
        "seconds": round(result.duration, 4),
        "effect": None if outcome is None else outcome.effect,
        "reason": "" if outcome is None else outcome.reason,
        "failures": [_failure_data(failure) for failure in result.failures],
        "problems": [_problem_data(problem) for problem in result.problems],
        "run": None if result.run is None else _run_data(result.run),
    }


def _failure_data(failure: Failure) -> dict[str, Any]:
    return {
        "key": failure.key,
        "line": failure.line,
        "text": failure.text,
        "expected": failure.expected,
        "actual": failure.actual,
        "differences": [_difference_data(difference) for difference in failure.differences],
    }


def _difference_data(difference: Mismatch) -> dict[str, Any]:
    data = {"path": difference.path, "expected": difference.expected}
    return data if difference.actual is UNSET else {**data, "actual": difference.actual}


def _problem_data(problem: Problem) -> dict[str, Any]:
    origin = problem.origin
    return {
        "code": problem.code,
        "file": origin.file,
        "line": origin.line,
        "text": problem.text,
        "fix": problem.fix,
    }


def _run_data(run: Run) -> dict[str, Any]:
    return {
        "hook": run.summary,
        "file": run.origin.file,
        "line": run.origin.line,
        "status": run.status,
        "reason": run.reason,
        "exit_code": run.exit_code,
        "stdout": run.stdout,
        "stderr": run.stderr,
        "milliseconds": round(run.duration_ms, 1),
        "answer": to_builtins(run.reply, enc_hook=str) if run.reply is not None else None,
    }


# --- JUnit


def as_junit(results: Sequence[CaseResult], seconds: float) -> bytes:
    """The XML that CI systems read."""
    number = counts(results)
    totals = {
        "name": "anyhook",
        "tests": str(len(results)),
        "failures": str(number[CaseStatus.FAILED]),
        "errors": str(number[CaseStatus.BROKEN]),
        "time": f"{seconds:.3f}",
    }
    suites = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(suites, "testsuite", {**totals, "name": "hooks"})
    for result in results:
        suite.append(_junit_case(result))
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _junit_case(result: CaseResult) -> ElementTree.Element:
    file, line = location_of(result)
    element = ElementTree.Element(
        "testcase",
        {
            "classname": legal_text(f"hooks.{result.case.event or result.case.file.stem}"),
            "name": legal_text(result.case.name),
            "file": legal_text(str(file)),
            "line": str(line),
            "time": f"{result.duration:.3f}",
        },
    )
    texts = explain(result)
    if texts:
        tag = "failure" if result.state is CaseStatus.FAILED else "error"
        ElementTree.SubElement(element, tag, {"message": legal_text(texts[0])}).text = legal_text("\n".join(texts))
    if result.run is not None:
        for tag, printed in (("system-out", result.run.stdout), ("system-err", result.run.stderr)):
            if printed:
                ElementTree.SubElement(element, tag).text = legal_text(printed)
    return element


def explain(result: CaseResult) -> list[str]:
    """What is wrong with a result, a line for each expectation, path or problem; empty when it passed."""
    lines: list[str] = []
    for failure in result.failures:
        lines.append(failure.text)
        lines += [f"  {difference}" for difference in failure.differences]
    for problem in result.problems:
        lines.append(problem.text)
        if problem.fix:
            lines.append(f"  {problem.fix}")
    return lines


def legal_text(text: str) -> str:
    """The text without what XML 1.0 cannot hold even escaped: control characters, lone surrogates."""
    return _NOT_IN_XML.sub("\ufffd", text)
