"""Timeouts in the wrong unit, and those that the client does not allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.entries.command_entries import EntryOptions, entry_line
from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, check, found, groups, guard, hook


def timeout_problems(folder: Path, client: str, timeout: Any) -> list[tuple[str, Severity, bool]]:
    problems = check(folder, guard(client, "true", timeout=timeout)).problems
    return [(p.code, p.severity, bool(p.edits)) for p in problems if p.code.startswith("T")]


@pytest.mark.parametrize(
    ("client", "timeout", "expected"),
    [
        ("claude-code", 30, []),
        ("claude-code", 600, []),
        ("claude-code", 1800, []),
        ("claude-code", 3600, []),
        ("claude-code", 1000, [("T001", Severity.WARNING, True)]),
        ("claude-code", 30000, [("T001", Severity.WARNING, True)]),
        ("claude-code", 1500, []),
        ("claude-code", 2500, [("T001", Severity.WARNING, False)]),
        ("claude-code", 10**400, []),
        ("codex", 5000, [("T001", Severity.WARNING, True)]),
        ("cursor", 10000, [("T001", Severity.WARNING, True)]),
        ("gemini-cli", 30000, []),
        ("gemini-cli", 1000, []),
        ("gemini-cli", 30, [("T002", Severity.ERROR, True)]),
        ("gemini-cli", 300, [("T002", Severity.WARNING, False)]),
        ("qwen-code", 10, [("T002", Severity.NOTE, False)]),
        ("qwen-code", 10000, []),
        ("windsurf", 30, [("T003", Severity.WARNING, False)]),
    ],
)
def test_units(client: str, timeout: int, expected: list[tuple[str, Severity, bool]], tmp_path: Path) -> None:
    assert timeout_problems(tmp_path, client, timeout) == expected


def test_the_message_says_how_long_it_really_is(tmp_path: Path) -> None:
    (problem,) = (p for p in check(tmp_path, guard("claude-code", "true", timeout=5000)).problems if p.code == "T001")
    assert problem.text == "5000 counts as seconds in Claude Code, which is 83.3 minutes"
    assert problem.fix == "write 5 for 5 s"


def test_a_limit_of_the_client(tmp_path: Path) -> None:
    files = {PLACES["codex"]: groups("SessionEnd", hook("true", timeout=30))}
    (problem,) = (p for p in check(tmp_path, files).problems if p.code == "T004")
    assert problem.text == "Codex allows 3 s on SessionEnd, not 30 s"


def test_a_timeout_in_an_entry_that_is_lost_anyway(tmp_path: Path) -> None:
    files = {".github/hooks/a.json": {"events": ["preToolUse"], "bash": "./a.sh", "timeout_seconds": 5}}
    assert "T003" in {p.code for p in check(tmp_path, files).problems}


def test_an_entry_of_anyhook_that_another_client_ends_at_once(tmp_path: Path) -> None:
    entry = hook(entry_line(profile("claude-code"), "PreToolUse", EntryOptions()), timeout=15)
    files = {PLACES["claude-code"]: groups("PreToolUse", entry)}
    (problem,) = found(tmp_path, files, "T002", "code-agent")
    assert problem.text == "15 counts as milliseconds in Code Agent, so it ends the entry before anyhook answers"
    assert not problem.edits  # it would be hours in Claude Code
    assert not found(tmp_path, files, "T002", "claude-code")
