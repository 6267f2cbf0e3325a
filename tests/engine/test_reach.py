"""Hooks that are loaded in vain are found out."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.dialects.places import FileKind
from anyhook.engine.reach import mark_unreachable
from anyhook.model.hooks import FateState
from tests.engine.test_plan import command, group, hooks_of


def fate_of(
    client: str, event: str, entry: dict[str, Any], kind: FileKind = FileKind.SETTINGS
) -> tuple[FateState, str]:
    hooks = mark_unreachable(hooks_of(client, {"version": 1, "hooks": {event: [entry]}}, kind))
    fate = hooks.rules[0].actions[0].fate
    return fate.state, fate.why


@pytest.mark.parametrize(
    ("client", "event", "matcher", "state"),
    [
        ("claude-code", "PreToolUse", "Bash", FateState.ACTIVE),
        ("claude-code", "PreToolUse", "Shell", FateState.NEVER),
        ("claude-code", "PreToolUse", "MultiEdit", FateState.NEVER),
        ("claude-code", "PreToolUse", "SomePluginTool", FateState.ACTIVE),
        ("claude-code", "PreToolUse", "Bash(git *)", FateState.NEVER),
        ("claude-code", "PreToolUse", "Bash(git)?", FateState.ACTIVE),
        ("claude-code", "PreToolUse", "Bash(", FateState.NEVER),
        ("claude-code", "SessionStart", "init", FateState.NEVER),
        ("claude-code", "SessionStart", "startup|resume", FateState.ACTIVE),
        ("gemini-cli", "BeforeTool", "Bash", FateState.ACTIVE),
        ("gemini-cli", "SessionStart", "startup|resume", FateState.NEVER),
        ("codex", "PreToolUse", "Edit|Write", FateState.ACTIVE),
        ("codex", "PreToolUse", "Read", FateState.NEVER),
        ("codex", "PreToolUse", "[", FateState.DROPPED),
        ("qwen-code", "PreToolUse", "Bash", FateState.ACTIVE),
    ],
)
def test_fate_of_a_matcher(client: str, event: str, matcher: str, state: FateState) -> None:
    assert fate_of(client, event, group(command("x"), matcher=matcher))[0] is state


def test_a_matcher_that_needs_backtracking_is_reported() -> None:
    hooks = mark_unreachable(
        hooks_of("claude-code", {"hooks": {"PreToolUse": [group(command("x"), matcher="^(?!mcp).*")]}})
    )
    assert [problem.code for problem in hooks.problems] == ["M010"]


def test_the_reason_names_what_the_client_has_instead() -> None:
    _, why = fate_of("claude-code", "SessionStart", group(command("x"), matcher="init"))
    assert why == "Claude Code sends only clear, compact, fork, resume, startup here"


@pytest.mark.parametrize(
    ("client", "event", "matcher", "state"),
    [
        ("gemini-cli", "BeforeTool", "Bash", FateState.NEVER),
        ("gemini-cli", "BeforeTool", "Bash|write_file", FateState.ACTIVE),
        ("gemini-cli", "BeforeTool", "Bash.*", FateState.ACTIVE),
        ("gemini-cli", "BeforeTool", "SomePluginTool", FateState.ACTIVE),
    ],
)
def test_for_people_a_pattern_of_names_counts_for_known_tools(
    client: str, event: str, matcher: str, state: FateState
) -> None:
    hooks = hooks_of(client, {"hooks": {event: [group(command("x"), matcher=matcher)]}}, FileKind.SETTINGS)
    marked = mark_unreachable(hooks, known_tools_only=True)
    assert marked.rules[0].actions[0].fate.state is state
