"""Who hears a hook, and with which words, where a seed leaves it to be read between its lines."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from anyhook import Engine, ToolResult, parse
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.dialects.wire.replies import decode_reply
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision

EDIT = {"file_path": "a.py"}
SHELL = {"command": "ls"}


def fired(folder: Path, event: str, hook: dict[str, Any], fields: dict[str, Any], **options: Any) -> Outcome:
    hooks = parse({"hooks": {event: [{"hooks": [hook]}]}}, "open-plugins")
    payload, _ = decode_payload(profile("open-plugins"), {"hook_event_name": event, "session_id": "s", **fields})
    return asyncio.run(Engine(hooks, project=folder, **options).fire(payload))


@pytest.mark.parametrize(("event", "fields"), [("AfterFileEdit", EDIT), ("AfterShellExecution", SHELL)])
def test_a_refusal_after_the_fact_is_feedback(event: str, fields: dict[str, Any], tmp_path: Path) -> None:
    exits = {"type": "command", "command": "echo unsafe >&2; exit 2"}
    outcome = fired(tmp_path, event, exits, fields)
    assert (outcome.effect, outcome.to_model) == (Effect.FEEDBACK, ("unsafe",))
    prompt = {"type": "prompt", "prompt": "Review the following change for security issues: $ARGUMENTS"}
    answer = {"ok": False, "reason": "SQL injection"}
    outcome = fired(tmp_path, event, prompt, fields, model=lambda _: answer)
    assert (outcome.effect, outcome.to_model) == (Effect.FEEDBACK, ("SQL injection",))


@pytest.mark.parametrize(
    ("event", "tool", "given"), [("AfterFileEdit", "Write", EDIT), ("AfterShellExecution", "Bash", SHELL)]
)
def test_a_session_has_that_refusal_as_feedback_on_the_call(
    event: str, tool: str, given: dict[str, Any], tmp_path: Path
) -> None:
    exits = {"hooks": [{"type": "command", "command": "echo unsafe >&2; exit 2"}]}
    engine = Engine(parse({"hooks": {event: [exits], "PostToolUse": [exits]}}, "open-plugins"), project=tmp_path)

    async def call() -> ToolResult:
        async with engine.session() as session:
            return await session.tool(tool, given, run=lambda _: "done")

    assert asyncio.run(call()).feedback == "unsafe\nunsafe"


@pytest.mark.parametrize(("decision", "reason"), [("block", "R"), (None, "A")])
def test_the_reason_is_that_of_the_decision(decision: str | None, reason: str) -> None:
    """A block counts beside a request to ask, and so does its reason (Agent SDK hooks spec, section 8)."""
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "A"}
    said = {"reason": "R", "hookSpecificOutput": specific} | ({"decision": decision} if decision else {})
    reply = decode_reply(bind_event(profile("agent-sdk"), "PreToolUse"), said)
    assert reply.decision is (Decision.DENY if decision else Decision.ASK)
    assert reply.reason == reason
