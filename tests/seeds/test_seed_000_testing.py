"""The universal hooks spec (seed 000), "Hook Testing": its config, its fixture and its two cases, unchanged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Suite
from anyhook.testing.cases.selection import select
from anyhook.testing.runner import CaseResult, CaseStatus, Runner
from tests.lint.projects import write

CONFIG = """\
{
  "version": 1,
  "timeout": 30,
  "env": {
    "HOOK_TEST": "true",
    "PACKAGE_ROOT": "."
  }
}
"""
FIXTURE = """\
{
  "hookEventName": "pre-tool-use",
  "toolName": "Write",
  "toolInput": {
    "file_path": "/src/app.ts",
    "content": "console.log('hello');"
  }
}
"""
BLOCK = """\
name: pre-tool-block-forbidden-path
description: Verify pre-tool-use hook blocks writes to protected directories
event: pre-tool-use
hook-index: 0
input:
  fixture: fixtures/pre-tool-use-write.json
  overrides:
    toolInput.file_path: "/etc/passwd"
expected:
  exit-code: 2
  stderr-contains:
    - "blocked"
    - "protected path"
  stdout-json:
    hookSpecificOutput:
      permissionDecision: deny
"""
FORMAT = """\
name: post-tool-format-success
description: Verify post-tool-use hook runs formatter without error
event: post-tool-use
hook-index: 0
input:
  fixture: fixtures/pre-tool-use-write.json
expected:
  exit-code: 0
  not-contains:
    - "ERROR"
"""
VALIDATE = """\
[ "$HOOK_TEST" = true ] || exit 5
case $(cat) in *'"/etc/'*)
  echo '{"hookSpecificOutput": {"hookEventName": "pre-tool-use", "permissionDecision": "deny"}}'
  echo "blocked: /etc is a protected path" >&2
  exit 2
esac
"""
HOOKS = {
    "version": 1,
    "hooks": {
        "pre-tool-use": [
            {
                "matcher": "Write|Edit",
                "hooks": [
                    {"type": "command", "command": "bash ${PACKAGE_ROOT}/hooks/scripts/validate.sh", "timeout": 30}
                ],
            }
        ],
        "post-tool-use": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "echo formatted ${file}"}]}
        ],
    },
}


OTHER_JSON = "stdout JSON differs (- expected, + got)"
DECISION = "hookSpecificOutput.permissionDecision"
WORDS = ("blocked", "protected path")


def package(
    folder: Path, script: str = VALIDATE, block: str = BLOCK, formatting: str = "echo formatted ${file}"
) -> Suite:
    """The folder of the spec, with a script that behaves as the cases expect."""
    hooks = json.dumps(HOOKS).replace("echo formatted ${file}", formatting)
    write(
        folder,
        {
            "hooks/hooks.json": hooks,
            "hooks/scripts/validate.sh": script,
            "hooks/tests/test-config.json": CONFIG,
            "hooks/tests/fixtures/pre-tool-use-write.json": FIXTURE,
            "hooks/tests/cases/01-pre-tool-block.yaml": block,
            "hooks/tests/cases/02-post-tool-format.yaml": FORMAT,
        },
    )
    return read_suite(folder)


def results(suite: Suite) -> list[CaseResult]:
    with Runner(suite) as runner:
        return list(runner.run_all(suite.everything))


def failures(result: CaseResult) -> list[str]:
    found = [str(difference) for failure in result.failures for difference in failure.differences]
    return [failure.text for failure in result.failures] + found


def test_the_cases_of_the_document_run_as_they_are_written(tmp_path: Path) -> None:
    block, formatted = results(package(tmp_path))
    assert (block.state, block.failures, block.problems) == (CaseStatus.PASSED, (), ())
    assert (formatted.state, formatted.failures, formatted.problems) == (CaseStatus.PASSED, (), ())
    assert formatted.run is not None
    assert formatted.run.stdout == "formatted /src/app.ts\n"


def test_these_are_the_texts_of_the_document() -> None:
    """Their digests, taken from the document: a test that is changed to pass no longer has them."""
    digests = [hashlib.sha256(text.encode()).hexdigest()[:12] for text in (CONFIG, FIXTURE, BLOCK, FORMAT)]
    assert digests == ["43fd2f76d6e2", "2b8488fa2ca6", "7f1844b5c117", "ca6e0eff9398"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("exit 2", "exit 1", ["exit code: expected 2, got 1"]),
        ("protected path", "path", ['stderr does not have "protected path"']),
        (">&2", ">/dev/null", [f'stderr does not have "{word}": stderr is empty' for word in WORDS]),
        (
            '"permissionDecision": "deny"',
            '"permissionDecision": "allow"',
            [OTHER_JSON, f'{DECISION}: expected "deny", got "allow"'],
        ),
        (', "permissionDecision": "deny"', "", [OTHER_JSON, f'{DECISION}: expected "deny", got nothing']),
    ],
)
def test_a_single_deviation_of_the_guard_is_told(tmp_path: Path, old: str, new: str, expected: list[str]) -> None:
    assert old in VALIDATE
    block, formatted = results(package(tmp_path, VALIDATE.replace(old, new)))
    assert (block.state, failures(block)) == (CaseStatus.FAILED, expected)
    assert formatted.state is CaseStatus.PASSED


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo ERROR", ['stdout has "ERROR", and must not']),
        ("echo ERROR >&2", ['stderr has "ERROR", and must not']),
        ("exit 3", ["exit code: expected 0, got 3"]),
    ],
)
def test_a_single_deviation_of_the_formatter_is_told(tmp_path: Path, command: str, expected: list[str]) -> None:
    block, formatted = results(package(tmp_path, formatting=command))
    assert block.state is CaseStatus.PASSED
    assert (formatted.state, failures(formatted)) == (CaseStatus.FAILED, expected)


def test_a_failure_has_the_line_of_what_was_expected(tmp_path: Path) -> None:
    block, _ = results(package(tmp_path, VALIDATE.replace("exit 2", "exit 1")))
    assert [failure.line for failure in block.failures] == [BLOCK.splitlines().index("  exit-code: 2") + 1]


def test_the_config_gives_a_timeout_and_variables(tmp_path: Path) -> None:
    """`timeout`: Max seconds per test case. Default `30`. `env`: Environment variables injected during test runs."""
    suite = package(tmp_path)
    assert suite.cases[0].seconds == 30
    write(tmp_path, {"hooks/tests/test-config.json": {"version": 1, "timeout": 90, "env": {"HOOK_TEST": "false"}}})
    suite = read_suite(tmp_path)
    assert suite.cases[0].seconds == 90
    assert "exit code: expected 2, got 5" in failures(results(suite)[0])


@pytest.mark.parametrize("line", ["name: Forbidden Path", f"name: {'a' * 65}"])
def test_a_name_is_short_and_plain(tmp_path: Path, line: str) -> None:
    """`[a-z0-9-]`, max 64 chars."""
    block, formatted = results(package(tmp_path, block=BLOCK.replace("name: pre-tool-block-forbidden-path", line)))
    assert block.state is CaseStatus.BROKEN
    assert block.problems[0].text == '"name" must be 1 to 64 of a-z, 0-9 and -'
    assert formatted.state is CaseStatus.PASSED


def test_a_case_needs_a_name_and_an_event_only(tmp_path: Path) -> None:
    """The file is valid; but a case that would pass whatever the hook does is reported when it runs."""
    suite = package(
        tmp_path, block="name: a\nevent: pre-tool-use\ninput: {overrides: {toolName: Write, toolInput: {}}}\n"
    )
    assert suite.broken == ()
    block, _ = results(suite)
    assert block.state is CaseStatus.BROKEN
    assert "expects nothing" in block.problems[0].text


def test_cases_are_chosen_by_file_and_by_event(tmp_path: Path) -> None:
    """aam test --hooks --case 01-pre-tool-block; aam test --hooks --event pre-tool-use"""
    suite = package(tmp_path)
    assert [case.name for case in select(suite.everything, patterns=["01-pre-tool-block"])] == [BLOCK.split()[1]]
    assert [case.name for case in select(suite.everything, event="pre-tool-use")] == [BLOCK.split()[1]]
