"""Results of cases for machines: plain data for JSON, and JUnit's XML. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from msgspec import to_builtins

from anyhook.model.outcome import Run
from anyhook.report.data import problems_data
from anyhook.report.junit import junit_xml, legal_text
from anyhook.testing.cases.cases import Case
from anyhook.testing.coverage import Coverage
from anyhook.testing.runner import CaseResult, CaseStatus


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
        "failures": to_builtins(result.failures),
        "problems": problems_data(result.problems),
        "run": None if result.run is None else _run_data(result.run),
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
        "tests": len(results),
        "failures": number[CaseStatus.FAILED],
        "errors": number[CaseStatus.BROKEN],
        "time": f"{seconds:.3f}",
    }
    return junit_xml("anyhook", "hooks", [_junit_case(result) for result in results], totals)


def _junit_case(result: CaseResult) -> Element:
    file, line = location_of(result)
    element = Element(
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
        SubElement(element, tag, {"message": legal_text(texts[0])}).text = legal_text("\n".join(texts))
    if result.run is not None:
        for tag, printed in (("system-out", result.run.stdout), ("system-err", result.run.stderr)):
            if printed:
                SubElement(element, tag).text = legal_text(printed)
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
