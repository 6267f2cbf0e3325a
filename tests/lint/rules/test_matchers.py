"""Matchers that are ignored, invalid, foreign, or can never fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.lint.rules.matchers import alternatives
from anyhook.model.codes import Severity
from anyhook.model.problems import Problem
from tests.lint.projects import PLACES, TOOL_EVENTS, check, flat, found, groups, hook


def matcher_problems(folder: Path, client: str, matcher: str, event: str = "") -> list[Problem]:
    event = event or TOOL_EVENTS.get(client, "PreToolUse")
    if client in {"copilot-cli", "cursor"}:
        content = flat(event, {"type": "command", "command": "true", "matcher": matcher})
    else:
        content = groups(event, hook("true"), matcher=matcher)
    return [p for p in check(folder, {PLACES[client]: content}, client).problems if p.code.startswith("M")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bash", ("Bash",)),
        ("Edit|Write", ("Edit", "Write")),
        ("Edit, Write", ("Edit", "Write")),
        ("^(Edit|Write)$", ("Edit", "Write")),
        ("^Bash$|^mcp__.*", ("Bash", "mcp__.*")),
        ("(?:Edit)", ("Edit",)),
        ("a(b|c)d", ("a(b|c)d",)),
        ("Edit|Edit|", ("Edit",)),
    ],
)
def test_alternatives(text: str, expected: tuple[str, ...]) -> None:
    assert alternatives(text) == expected


FINE = [
    ("claude-code", "Bash"),
    ("claude-code", "Edit|Write|NotebookEdit"),
    ("claude-code", "*"),
    ("claude-code", ""),
    ("claude-code", ".*"),
    ("claude-code", "Task"),
    ("claude-code", "Agent"),
    ("claude-code", "mcp__github__create_pull_request"),
    ("claude-code", "mcp__.*__write.*"),
    ("claude-code", "mcp__github__(create|update)"),
    ("claude-code", "SomeToolOfTomorrow"),
    ("claude-code", "Notebook.*"),
    ("codex", "Edit|Write"),
    ("codex", "^(Bash|apply_patch)$"),
    ("codex", "mcp__files__read"),
    ("gemini-cli", "shell"),
    ("gemini-cli", "write_file|replace"),
    ("gemini-cli", "mcp_github_.*"),
    ("qwen-code", "Bash|Write|Edit"),
    ("copilot-cli", "bash|edit"),
    ("copilot-cli", ".*"),
    ("copilot-cli", "github-create_issue"),
    ("cursor", "Shell|Write|MCP:ctx_execute"),
    ("factory-droid", "Execute|Create|Edit"),
]


@pytest.mark.parametrize(("client", "matcher"), FINE)
def test_nothing_to_say(client: str, matcher: str, tmp_path: Path) -> None:
    assert matcher_problems(tmp_path, client, matcher) == []


def test_copilot_takes_claude_names_on_pascal_case_events(tmp_path: Path) -> None:
    assert matcher_problems(tmp_path, "copilot-cli", "Bash|Edit|Write", "PreToolUse") == []
    assert [p.code for p in matcher_problems(tmp_path, "copilot-cli", "Bash", "preToolUse")] == ["M006"]


@pytest.mark.parametrize(
    ("client", "matcher", "code"),
    [
        ("claude-code", "*Edit", "M001"),
        ("claude-code", "[", "M001"),
        ("claude-code", "(?i)bash", "M001"),
        ("codex", "(?!Bash)", "M001"),
        ("gemini-cli", "[", "M001"),
        ("copilot-cli", "*", "M001"),
        ("copilot-cli", "", "M001"),
        ("claude-code", "Bash(git commit:*)", "M002"),
        ("claude-code", "Write(src/**)", "M002"),
        ("claude-code", "src/app.ts", "M003"),
        ("claude-code", "/Bash/", "M003"),
        ("gemini-cli", "\\.py$", "M003"),
        ("claude-code", "bash", "M006"),
        ("claude-code", "Shell|run_command", "M006"),
        ("gemini-cli", "Bash", "M006"),
        ("gemini-cli", "^(Edit|Write)$", "M006"),
        ("cursor", "Bash", "M006"),
        ("factory-droid", "Bash", "M006"),
        ("codex", "exec_command", "M006"),
        ("claude-code", "Edit|apply_patch", "M007"),
        ("codex", "Edit|Write|MultiEdit", "M007"),
        ("cursor", "Edit|Write", "M007"),
        ("copilot-cli", "bash|Bash", "M007"),
        ("claude-code", "Edit|MultiEdit", "M008"),
        ("claude-code", "LS", "M008"),
        ("claude-code", "(\\w+)+", "M010"),
        ("claude-code", "mcp__(?:a|.*)*x", "M010"),
    ],
)
def test_what_is_wrong(client: str, matcher: str, code: str, tmp_path: Path) -> None:
    assert code in [p.code for p in matcher_problems(tmp_path, client, matcher)]


@pytest.mark.parametrize("matcher", ["^(Edit|Write)$", "Ed.t", "^Agent$"])
def test_patterns_of_codex_see_the_aliases_of_its_tools(matcher: str, tmp_path: Path) -> None:
    assert matcher_problems(tmp_path, "codex", matcher) == []


@pytest.mark.parametrize(
    ("client", "matcher"), [("codex", "(\\w+)+"), ("claude-code", "(?:[a-z]+_)+x"), ("claude-code", "a+b*")]
)
def test_patterns_that_are_not_slow(client: str, matcher: str, tmp_path: Path) -> None:
    assert "M010" not in [p.code for p in matcher_problems(tmp_path, client, matcher)]


def test_a_removed_tool_is_as_bad_as_what_it_leaves_open(tmp_path: Path) -> None:
    def severity(matcher: str) -> Severity:
        return next(p.severity for p in matcher_problems(tmp_path, "claude-code", matcher) if p.code == "M008")

    assert severity("Edit|MultiEdit") is Severity.NOTE
    assert severity("Write|MultiEdit") is Severity.WARNING
    assert severity("MultiEdit") is Severity.ERROR


def test_the_message_names_the_right_tool(tmp_path: Path) -> None:
    (problem,) = matcher_problems(tmp_path, "gemini-cli", "Bash")
    assert problem.text == "Gemini CLI has no tool called Bash, so the matcher never matches"
    assert problem.fix == "in Gemini CLI it is run_shell_command"
    (problem,) = matcher_problems(tmp_path, "claude-code", "bash")
    assert problem.fix == "in Claude Code it is Bash"


@pytest.mark.parametrize(
    ("client", "event", "matcher", "expected"),
    [
        ("claude-code", "Stop", "", ["M005"]),
        ("claude-code", "Stop", "*", ["M005"]),
        ("claude-code", "Stop", "done", ["M004"]),
        ("claude-code", "SessionStart", "startup|resume", []),
        ("claude-code", "SessionStart", "init", ["M009"]),
        ("claude-code", "SessionStart", "startup|init", ["M009"]),
        ("claude-code", "Notification", "context_window_80", ["M009"]),
        ("claude-code", "PreCompact", "auto", []),
        ("claude-code", "SubagentStop", "reviewer", []),
        ("claude-code", "FileChanged", ".envrc|a.txt", []),
        ("gemini-cli", "SessionStart", "startup", []),
        ("gemini-cli", "SessionStart", "startup|resume", ["M009"]),
        ("gemini-cli", "AfterAgent", "x", ["M004"]),
        ("copilot-cli", "sessionStart", "startup", ["M004"]),
        ("cursor", "beforeShellExecution", "curl|wget", []),
        ("cursor", "stop", "Stop", []),
        ("cursor", "stop", "done", ["M009"]),
    ],
)
def test_other_events(client: str, event: str, matcher: str, expected: list[str], tmp_path: Path) -> None:
    assert [p.code for p in matcher_problems(tmp_path, client, matcher, event)] == expected


def test_one_value_of_several_is_only_a_note(tmp_path: Path) -> None:
    (whole,) = matcher_problems(tmp_path, "claude-code", "init", "SessionStart")
    (one,) = matcher_problems(tmp_path, "claude-code", "startup|init", "SessionStart")
    assert (whole.severity, one.severity) == (Severity.ERROR, Severity.NOTE)


def test_vs_code_ignores_every_matcher(tmp_path: Path) -> None:
    content = flat("PreToolUse", hook("true", matcher="Bash"), version=None)
    problems = check(tmp_path, {".github/hooks/a.json": content}).problems
    assert [p.text for p in problems if p.code == "M004"] == [
        "VS Code ignores every matcher: the hook runs on every tool, not only on Bash"
    ]


def test_an_unknown_event_is_not_judged_twice(tmp_path: Path) -> None:
    problems = check(tmp_path, {PLACES["gemini-cli"]: groups("Stop", hook("true"), matcher="*")}).problems
    assert [p.code for p in problems] == ["E002"]


def test_a_pattern_that_matches_only_tools_of_others(tmp_path: Path) -> None:
    def matched(text: str) -> list[Problem]:
        return found(tmp_path, {PLACES["claude-code"]: groups("PreToolUse", hook("x"), matcher=text)}, "M006")

    assert matched("^run_shell_.*$")
    assert not matched("^(Bash|Edit).*")
    assert not matched("mcp__.*__run_shell_command")
    assert not matched("^MyOwnTool.*")
