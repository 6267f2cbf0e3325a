"""Outputs of hooks: seed 003 section 4, and what the clients have besides."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest

from anyhook.model.events import BY_NAME
from anyhook.model.output import (
    AnySpecificOutput,
    AsyncOutput,
    Decision,
    HookOutput,
    PermissionDecision,
    PermissionRequestOutput,
    PostToolUseOutput,
    PreToolUseOutput,
    Reply,
    SessionStartOutput,
    SpecificOutput,
    StopOutput,
    SyncOutput,
    UserPromptSubmitOutput,
    to_json,
)

EXAMPLES: list[tuple[HookOutput, dict[str, Any]]] = [
    (SyncOutput(), {}),
    (SyncOutput(continue_=False, stop_reason="enough"), {"continue": False, "stopReason": "enough"}),
    (SyncOutput(decision="block", reason="no"), {"decision": "block", "reason": "no"}),
    (SyncOutput(suppress_output=True, system_message="hi"), {"suppressOutput": True, "systemMessage": "hi"}),
    (AsyncOutput(), {"async": True}),
    (AsyncOutput(async_timeout=1.5), {"async": True, "asyncTimeout": 1.5}),
    (
        SyncOutput(
            hook_specific=PreToolUseOutput(
                permission_decision="deny",
                permission_decision_reason="Destructive command blocked",
                updated_input={"files": ["src/safe.ts"]},
                additional_context="Current environment: production",
            )
        ),
        {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "Destructive command blocked",
                "updatedInput": {"files": ["src/safe.ts"]},
                "additionalContext": "Current environment: production",
            }
        },
    ),
    (
        SyncOutput(hook_specific=PostToolUseOutput(updated_mcp_tool_output="")),
        {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedMCPToolOutput": ""}},
    ),
    (
        SyncOutput(
            hook_specific=PermissionRequestOutput(
                decision=PermissionDecision(behavior="deny", message="no", interrupt=True)
            )
        ),
        {
            "hookSpecificOutput": {
                "hookEventName": "PermissionRequest",
                "decision": {"behavior": "deny", "message": "no", "interrupt": True},
            }
        },
    ),
    (
        SyncOutput(hook_specific=StopOutput(decision="block", reason="Run test suite before finishing")),
        {
            "hookSpecificOutput": {
                "hookEventName": "Stop",
                "decision": "block",
                "reason": "Run test suite before finishing",
            }
        },
    ),
    (
        SyncOutput(hook_specific=SessionStartOutput(watch_paths=("a", "b"))),
        {"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": ["a", "b"]}},
    ),
    (
        SyncOutput(hook_specific=UserPromptSubmitOutput()),
        {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit"}},
    ),
]


@pytest.mark.parametrize(("output", "plain"), EXAMPLES)
def test_json_of_an_output(output: HookOutput, plain: dict[str, Any]) -> None:
    assert to_json(output) == plain
    assert msgspec.convert(plain, type(output)) == output


def test_every_specific_output_is_named_after_an_event() -> None:
    classes: tuple[type[SpecificOutput], ...] = typing.get_args(AnySpecificOutput)
    tags = [cls.__struct_config__.tag for cls in classes]
    assert len(set(tags)) == len(tags)
    assert set(tags) <= BY_NAME.keys()
    seed = "PreToolUse PostToolUse PostToolUseFailure SessionStart SubagentStart Setup Notification UserPromptSubmit"
    assert {*seed.split(), "PermissionRequest"} <= set(tags)


@pytest.mark.parametrize(
    "plain",
    [
        {"continue": "no"},
        {"decision": "deny"},
        {"hookSpecificOutput": {"permissionDecision": "deny"}},
        {"hookSpecificOutput": {"hookEventName": "Nonsense"}},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "maybe"}},
        b"[]",
        b"{",
    ],
)
def test_a_wrong_value_is_an_error(plain: dict[str, Any] | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        msgspec.convert(plain, SyncOutput)


def test_what_refuses() -> None:
    assert {decision for decision in Decision if decision.is_refusal} == {Decision.DENY, Decision.BLOCK}


def test_an_empty_reply_says_nothing() -> None:
    reply = Reply()
    assert (reply.decision, reply.reason, reply.stop, reply.context, dict(reply.other)) == (None, None, None, None, {})
