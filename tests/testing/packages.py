"""Small packages with hooks and test cases: files in, results out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Suite
from anyhook.testing.runner import CaseResult, Runner
from tests.lint.projects import hook, write

WRITE = {
    "hookEventName": "pre-tool-use",
    "toolName": "Write",
    "toolInput": {"file_path": "/src/app.ts", "content": "console.log('hello');"},
}
"""The fixture payload of the universal hooks spec."""


def group(*commands: str, matcher: str | None = None, **more: Any) -> dict[str, Any]:
    """A group of command hooks."""
    found = {} if matcher is None else {"matcher": matcher}
    return {**found, "hooks": [hook(command, **more) for command in commands]}


def package(folder: Path, events: Mapping[str, Any], cases: Mapping[str, Any], **files: Any) -> Suite:
    """The suite of a package with these universal hooks, cases by their file's stem, and the spec's fixture."""
    write(
        folder,
        {
            "hooks/hooks.json": {"version": 1, "hooks": dict(events)},
            "hooks/tests/fixtures/write.json": WRITE,
            **{f"hooks/tests/cases/{stem}.yaml": content for stem, content in cases.items()},
            **files,
        },
    )
    return read_suite(folder)


def case(event: str = "pre-tool-use", **keys: Any) -> dict[str, Any]:
    """A case with the spec's fixture; JSON is YAML, too. An underscore in a key becomes a hyphen.

    It expects that the hook runs, unless other expectations are given.
    """
    found = {key.replace("_", "-"): value for key, value in keys.items()}
    common = {"input": {"fixture": "fixtures/write.json"}, "expected": {"matched": True}}
    return {"name": "case", "event": event, **common, **found}


def run(suite: Suite, client: str | None = None) -> list[CaseResult]:
    with Runner(suite, client=client) as runner:
        return list(runner.run_all(suite.everything, jobs=2))


def run_one(folder: Path, groups: Any, tested: Mapping[str, Any], **files: Any) -> CaseResult:
    """The result of one case in a package with these groups for its event."""
    event = str(tested["event"])
    [result] = run(
        package(folder, {event: groups if isinstance(groups, list) else [groups]}, {"case": tested}, **files)
    )
    return result


def texts(result: CaseResult) -> list[str]:
    """What is wrong with a result."""
    return [failure.text for failure in result.failures] + [problem.text for problem in result.problems]
