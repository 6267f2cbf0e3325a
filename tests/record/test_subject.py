"""What an event was about is one line without secrets, the same for the same call in every client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.record.store.redact_rows import RowRedactor
from anyhook.record.subject import MAX_SUBJECT, raw_subject
from tests.record.store.journals import row


def subject(client: str, event: str, /, **sent: Any) -> str:
    payload = decode_payload(profile(client), json.dumps(sent).encode(), event)[0]
    return stored(raw_subject(payload, client))


def stored(raw: str) -> str:
    return RowRedactor().clean(row(subject=raw), {}).subject


@pytest.mark.parametrize(
    ("client", "event", "sent"),
    [
        ("claude-code", "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~", "timeout": 5}}),
        ("claude-code", "PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}),
        ("codex", "PreToolUse", {"tool_name": "shell", "tool_input": {"command": ["rm", "-rf", "~"]}}),
        ("cursor", "beforeShellExecution", {"command": "rm -rf ~"}),
        ("windsurf", "pre_run_command", {"tool_info": {"command_line": "rm -rf ~", "cwd": "/"}}),
        ("copilot-cli", "preToolUse", {"toolName": "bash", "toolArgs": {"command": "rm -rf ~"}}),
        ("gemini-cli", "BeforeTool", {"tool_name": "run_shell_command", "tool_input": {"command": "rm -rf ~"}}),
    ],
)
def test_a_command_in_every_client(client: str, event: str, sent: dict[str, Any]) -> None:
    assert subject(client, event, **sent) == "rm -rf ~"


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Write", {"file_path": "/src/shop/lib/a.py", "content": "x"}, "lib/a.py"),
        ("Read", {"file_path": "/etc/hosts"}, "/etc/hosts"),
        ("WebFetch", {"url": "https://example.com/a", "prompt": "x"}, "https://example.com/a"),
        ("Grep", {"pattern": "TODO", "path": "src"}, "pattern=TODO path=src"),
        ("mcp__github__create_issue", {"owner": "a", "title": "Fix it"}, "github/create_issue owner=a title=Fix it"),
        ("mcp__db__run", {"command": "drop"}, "db/run drop"),
        ("mcp__memory__clear", {}, "memory/clear"),
        ("ExitPlanMode", {"plan": "First tests"}, "First tests"),
        ("Bash", {"command": "a\n\x1b]0;b"}, "a\\n\\x1b]0;b"),
        ("Bash", {}, ""),
        ("Bash", "odd", "odd"),
    ],
)
def test_calls_of_tools(tool: str, given: Any, expected: str) -> None:
    assert subject("claude-code", "PreToolUse", cwd="/src/shop", tool_name=tool, tool_input=given) == expected


def test_a_patch_is_about_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+1\n*** End Patch"
    assert subject("codex", "PreToolUse", tool_name="apply_patch", tool_input={"command": patch}) == "a.py b.py"


def test_events_without_a_tool() -> None:
    assert subject("claude-code", "UserPromptSubmit", prompt="Fix the login\nplease") == "Fix the login\\nplease"
    assert subject("claude-code", "SessionStart", source="startup") == "startup"
    assert subject("claude-code", "Stop", last_assistant_message="I am done") == ""


def test_it_is_redacted_before_it_is_cut() -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    long = stored(f"curl -H 'Authorization: Bearer {secret}' {'x' * 150} {secret} {'y ' * 9000}")
    assert len(long) <= MAX_SUBJECT
    assert long.endswith("…")
    assert "ghp_" not in long
    assert stored(long) == long
