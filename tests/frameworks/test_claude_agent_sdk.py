"""The callbacks that the Claude Agent SDK gets, called with what it hands over."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.model.hooks import HookSet
from tests.frameworks.scenario import engine_with_hooks, run_example

pytest.importorskip("claude_agent_sdk")

from anyhook.frameworks.claude_agent_sdk import callbacks_of

BASE = {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/work"}


def call(engine: Engine, event: str, **fields: Any) -> Any:
    [matcher] = callbacks_of(engine)[event]
    [callback] = matcher.hooks
    given: Any = {**BASE, "hook_event_name": event, **fields}
    return asyncio.run(callback(given, fields.get("tool_use_id"), {"signal": None}))  # type: ignore[arg-type]


def use(engine: Engine, command: str) -> Any:
    return call(engine, "PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t")


def test_a_call_is_refused_rewritten_or_left_alone() -> None:
    engine, fired = engine_with_hooks()
    refused = use(engine, "rm all")["hookSpecificOutput"]
    assert (refused["permissionDecision"], refused["permissionDecisionReason"]) == ("deny", "No rm.")
    assert use(engine, "original")["hookSpecificOutput"]["updatedInput"] == {"command": "changed"}
    assert use(engine, "ask me")["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert use(engine, "ls") == {}
    assert fired == ["PreToolUse"] * 4


def test_context_and_the_end() -> None:
    engine, _ = engine_with_hooks()
    prompt = call(engine, "UserPromptSubmit", prompt="Work.")
    assert prompt["hookSpecificOutput"]["additionalContext"] == "Be brief."
    assert call(engine, "UserPromptSubmit", prompt="Forbidden.") == {"decision": "block", "reason": "No such prompts."}
    stop = call(engine, "Stop", stop_hook_active=False, last_assistant_message="Done.")
    assert (stop["decision"], stop["reason"]) == ("block", "Test first.")


def test_the_rules_are_those_of_claude_code() -> None:
    with pytest.raises(ValueError, match="the engine has the rules of Codex"):
        callbacks_of(Engine(HookSet(dialect="codex")))


def test_the_example_of_the_page_runs() -> None:
    run_example("claude-agent-sdk")
