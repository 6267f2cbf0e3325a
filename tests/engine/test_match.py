"""Matchers fit what the real clients were seen to fit (``conformance/recordings/*/semantics.md``)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import NAMES, profile
from anyhook.dialects.events import native_name
from anyhook.engine.match import Form, compile_matcher, compile_pattern, matcher_for, seen_tool
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule


def matches(client: str, matcher: str | None, value: str, event: str = "PreToolUse", native: str = "") -> bool:
    facts = profile(client)
    rule = Rule(event=event, native_event=native or native_name(event, client) or event, matcher=matcher)
    return matcher_for(facts, rule).matches(*seen_tool(facts.variant(rule.native_event).matching, value))


CLAUDE_FIRES = [
    "Bash", "Bash|Edit", "Bash,Edit", "Bash, Edit", "Bash | Edit", " Bash ", "Bash|", "bash|Bash", "*", "", None,
    ".*", ".", "^", "$", "B.*", "^B", "h$", "^Bash$", "Bas?", "Bash*", "Bash+", "Bas[h]", "[A-Z]ash", "a.h", r"\w+",
    "(Bash|Edit)", r"Bash\b", "Bash.?", "X|B.*", "Bash()",
]  # fmt: skip
CLAUDE_SILENT = [
    "bash", "BASH", "Ba", "ash", "B", "Write|Edit", "Bash_x", "Bash-tool", "   ", ",", "|", "Bash(echo *)",
    "Bash(echo:*)", "(?i)bash", "/Bash/", "!Write", "Bash;Edit", r"Bash\\\|Edit", "mcp__.*", "[", "(", "*Bash", "?",
    "**",
]  # fmt: skip


@pytest.mark.parametrize("matcher", CLAUDE_FIRES)
def test_claude_code_fires(matcher: str | None) -> None:
    assert matches("claude-code", matcher, "Bash")


@pytest.mark.parametrize("matcher", CLAUDE_SILENT)
def test_claude_code_stays_silent(matcher: str) -> None:
    assert not matches("claude-code", matcher, "Bash")


@pytest.mark.parametrize(
    ("client", "matcher", "tool", "fires"),
    [
        ("claude-code", "mcp__*", "mcp__probe__echo", True),
        ("claude-code", "mcp__probe", "mcp__probe__echo", False),
        ("claude-code", "Task", "Agent", True),
        ("claude-code", "MultiEdit", "Edit", False),
        ("codex", "as.", "Bash", True),
        ("codex", "B*", "apply_patch", True),
        ("codex", "Bash | Edit", "Bash", False),
        ("codex", "Bash,Edit", "Bash", False),
        ("codex", "(?i)bash", "Bash", True),
        ("codex", "Write", "apply_patch", True),
        ("codex", "MultiEdit", "apply_patch", False),
        ("codex", "shell", "Bash", False),
        ("gemini-cli", "shell", "run_shell_command", True),
        ("gemini-cli", "Bash", "run_shell_command", False),
        ("gemini-cli", "a | b", "a", False),
        ("gemini-cli", "[", "[", True),
        ("qwen-code", "Bash", "run_shell_command", True),
        ("qwen-code", "Bash | Edit", "run_shell_command", True),
        ("qwen-code", "shell", "run_shell_command", True),
        ("qwen-code", "[", "run_shell_command", False),
        ("copilot-cli", "bash", "bash", True),
        ("copilot-cli", "bash|", "bash", True),
        ("copilot-cli", "b.*", "bash", True),
        ("copilot-cli", "Bash", "bash", False),
        ("copilot-cli", "ba", "bash", False),
        ("copilot-cli", "*", "bash", False),
        ("copilot-cli", "", "bash", False),
        ("copilot-vscode", "Write", "run_in_terminal", True),
    ],
)
def test_other_clients_as_recorded(client: str, matcher: str, tool: str, fires: bool) -> None:
    assert matches(client, matcher, tool) is fires


@pytest.mark.parametrize(
    ("matcher", "fires"),
    [
        ("bash", True), ("Bash", True), ("bash|edit", True), ("Write|Bash", True), ("*", True), (".*", True),
        ("bash|", True), ("b.*", False), ("^bash$", False), ("", False),
    ],
)  # fmt: skip
def test_copilot_treats_pascal_case_events_like_claude(matcher: str, fires: bool) -> None:
    assert matches("copilot-cli", matcher, "bash", native="PreToolUse") is fires


@pytest.mark.parametrize(
    ("client", "event", "matcher", "value", "fires"),
    [
        ("claude-code", "SessionStart", "startup", "startup", True),
        ("claude-code", "SessionStart", "start", "startup", False),
        ("claude-code", "Stop", "zzz", "", True),
        ("codex", "SessionStart", "start", "startup", False),
        ("codex", "UserPromptSubmit", "[", "", True),
        ("gemini-cli", "SessionStart", "startup|resume", "startup", False),
        ("qwen-code", "SessionStart", "start", "startup", True),
        ("qwen-code", "PreCompact", "aut", "auto", True),
    ],
)
def test_lifecycle_events_as_recorded(client: str, event: str, matcher: str, value: str, fires: bool) -> None:
    assert matches(client, matcher, value, event) is fires


def test_a_matcher_that_does_not_fit_says_how_it_was_read() -> None:
    mode = profile("claude-code").matching.mode
    exact = compile_matcher("Bash", Subject.TOOL, mode)
    assert exact.why_not("Shell") == "matcher 'Bash' is an exact name here and the tool name is 'Shell'"
    invalid = compile_matcher("Bash(", Subject.TOOL, mode)
    assert invalid.form is Form.INVALID
    assert "not a valid pattern" in invalid.why_not("Bash")


def test_a_pattern_that_only_backtracking_can_run_is_marked() -> None:
    mode = profile("claude-code").matching.mode
    assert compile_matcher("^(?!mcp).*", Subject.TOOL, mode).backtracks
    assert not compile_matcher("^mcp.*", Subject.TOOL, mode).backtracks


def test_a_pattern_that_takes_too_long_is_given_up_and_fits() -> None:
    mode = profile("claude-code").matching.mode
    matcher = compile_matcher(r"^(?!x)(a+)+$", Subject.TOOL, mode)
    assert matcher.backtracks
    assert matcher.matches("a" * 20)
    assert not matcher.matches("xaaa")
    assert matcher.matches("a" * 500_000 + "!")  # hours on any machine, so the hook runs


@given(st.sampled_from(NAMES), st.text(max_size=30), st.text(max_size=30))
def test_no_matcher_text_breaks_any_client(client: str, text: str, value: str) -> None:
    facts = profile(client)
    matcher = compile_matcher(text, Subject.TOOL, facts.matching.mode)
    if matcher.matches(value) is False:
        assert repr(text) in matcher.why_not(value)


@given(st.text("aB1_|", max_size=6), st.text("aB1_|", max_size=4))
def test_plain_words_fit_what_the_same_pattern_fits(text: str, value: str) -> None:
    pattern, _ = compile_pattern(text, profile("universal").matching.mode_for("PreToolUse"))
    assert bool(pattern.search(value)) == bool(re.search(text, value))
    assert bool(pattern.fullmatch(value)) == bool(re.fullmatch(text, value))


@pytest.mark.parametrize("client", ["universal", "open-plugins", "code-agent"])
def test_the_specifications_do_not_limit_patterns_to_one_engine(client: str) -> None:
    rule = Rule(event="PreToolUse", native_event=native_name("PreToolUse", client) or "", matcher="^(?!Read)")
    matcher = matcher_for(profile(client), rule)
    assert (matcher.form, matcher.backtracks) == (Form.PATTERN, True)
    assert matcher.matches("Bash")
    assert not matcher.matches("Read")
