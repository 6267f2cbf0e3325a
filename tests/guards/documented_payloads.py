"""What clients without recordings of their own send, by their documents (conformance/fact-sheets), as JSON bytes.

By client: the native event of a moment, and its payload. ``SHELL``, ``FILE`` and ``TEXT`` are put in by the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Sent = tuple[str, Mapping[str, Any]]

_CURSOR = {"conversation_id": "c", "generation_id": "g", "cursor_version": "2.1", "workspace_roots": ["PROJECT"]}
_DROID = {"session_id": "s", "transcript_path": "/t", "cwd": "PROJECT", "permission_mode": "auto-low"}
_HANDS = {"session_id": "s", "working_dir": "PROJECT", "tool_name": None, "tool_input": None, "message": None}
_KIRO = {"session_id": "s", "cwd": "PROJECT"}
_WIND = {"trajectory_id": "t", "execution_id": "e", "timestamp": "2026-01-01T00:00:00Z"}
_CODE = {"timestamp": "2026-01-01T00:00:00Z", "session_id": "s", "transcript_path": "/t", "cwd": "PROJECT"}
_AGY = {"conversationId": "c", "workspacePaths": ["PROJECT"]}
_MASTRA = {"session_id": "s", "cwd": "PROJECT"}


def _hooked(common: Mapping[str, Any], event: str, **more: Any) -> Sent:
    return event, {**common, "hook_event_name": event, **more}


def _hands(event: str, **more: Any) -> Sent:
    return event, {**_HANDS, "event_type": event, **more}


def _wind(event: str, **info: Any) -> Sent:
    return event, {**_WIND, "agent_action_name": event, "tool_info": info}


PAYLOADS: Mapping[str, Mapping[str, Sent]] = {
    "antigravity": {  # as measured by others: the sources are named in its module
        "shell": ("PreToolUse", {**_AGY, "toolCall": {"name": "run_command", "args": {"CommandLine": "SHELL"}}}),
        "write": (
            "PreToolUse",
            {**_AGY, "toolCall": {"name": "write_to_file", "args": {"TargetFile": "FILE", "CodeContent": "TEXT"}}},
        ),
        "written": (
            "PostToolUse",
            {**_AGY, "toolCall": {"name": "write_to_file", "args": {"TargetFile": "FILE", "CodeContent": "TEXT"}}},
        ),
        "start": ("SessionStart", _AGY),
        "stop": ("Stop", _AGY),
    },
    "mastra-code": {
        "shell": _hooked(_MASTRA, "PreToolUse", tool_name="execute_command", tool_input={"command": "SHELL"}),
        "write": _hooked(_MASTRA, "PreToolUse", tool_name="write_file", tool_input={"path": "FILE", "content": "TEXT"}),
        "prompt": _hooked(_MASTRA, "UserPromptSubmit", user_message="TEXT"),
        "written": _hooked(
            _MASTRA, "PostToolUse", tool_name="write_file", tool_input={"path": "FILE", "content": "TEXT"},
            tool_output="ok",
        ),
        "start": _hooked(_MASTRA, "SessionStart"),
        "stop": _hooked(_MASTRA, "Stop", assistant_message="done", stop_reason="complete"),
    },
    "cursor": {
        "shell": _hooked(_CURSOR, "preToolUse", tool_name="Shell", tool_input={"command": "SHELL"}, cwd="PROJECT"),
        "write": _hooked(_CURSOR, "preToolUse", tool_name="Write", tool_input={"file_path": "FILE", "content": "TEXT"}),
        "prompt": _hooked(_CURSOR, "beforeSubmitPrompt", prompt="TEXT", attachments=[]),
        "written": _hooked(
            _CURSOR, "postToolUse", tool_name="Write", tool_input={"file_path": "FILE", "content": "TEXT"},
            tool_output='"ok"',
        ),
        "start": _hooked(_CURSOR, "sessionStart", session_id="s", is_background_agent=False),
        "stop": _hooked(_CURSOR, "stop", status="completed", loop_count=0),
    },
    "copilot-vscode": {
        "shell": _hooked(_CODE, "PreToolUse", tool_name="run_in_terminal", tool_input={"command": "SHELL"}),
        "write": _hooked(
            _CODE, "PreToolUse", tool_name="create_file", tool_input={"filePath": "FILE", "content": "TEXT"}
        ),
        "prompt": _hooked(_CODE, "UserPromptSubmit", prompt="TEXT"),
        "written": _hooked(
            _CODE, "PostToolUse", tool_name="create_file", tool_input={"filePath": "FILE", "content": "TEXT"},
            tool_response="ok",
        ),
        "start": _hooked(_CODE, "SessionStart", source="new"),
        "stop": _hooked(_CODE, "Stop", stop_hook_active=False),
    },
    "factory-droid": {
        "shell": _hooked(_DROID, "PreToolUse", tool_name="Execute", tool_input={"command": "SHELL"}),
        "write": _hooked(
            _DROID, "PreToolUse", tool_name="Create", tool_input={"file_path": "FILE", "content": "TEXT"}
        ),
        "prompt": _hooked(_DROID, "UserPromptSubmit", prompt="TEXT", has_images=False),
        "written": _hooked(
            _DROID, "PostToolUse", tool_name="Create", tool_input={"file_path": "FILE", "content": "TEXT"},
            tool_response="ok",
        ),
        "start": _hooked(_DROID, "SessionStart", source="startup"),
        "stop": _hooked(_DROID, "Stop", stop_hook_active=False, tool_execution_count=1),
        "waits": _hooked(_DROID, "Notification", message="TEXT", notification_type="idle"),
    },
    "kiro": {
        "shell": _hooked(_KIRO, "PreToolUse", tool_name="execute_bash", tool_input={"command": "SHELL"}),
        "write": _hooked(_KIRO, "PreToolUse", tool_name="fs_write", tool_input={"path": "FILE", "file_text": "TEXT"}),
        "prompt": _hooked(_KIRO, "UserPromptSubmit", prompt="TEXT"),
        "written": _hooked(
            _KIRO, "PostToolUse", tool_name="fs_write", tool_input={"path": "FILE", "file_text": "TEXT"},
            tool_response={},
        ),
        "start": _hooked(_KIRO, "SessionStart"),
        "stop": _hooked(_KIRO, "Stop", assistant_response="done"),
    },
    "openhands": {
        "shell": _hands("PreToolUse", tool_name="terminal", tool_input={"command": "SHELL", "is_input": False}),
        "write": _hands(
            "PreToolUse", tool_name="file_editor",
            tool_input={"command": "create", "path": "FILE", "file_text": "TEXT"},
        ),
        "prompt": _hands("UserPromptSubmit", message="TEXT"),
        "written": _hands(
            "PostToolUse", tool_name="file_editor",
            tool_input={"command": "create", "path": "FILE", "file_text": "TEXT"}, tool_response={},
        ),
        "start": _hands("SessionStart"),
        "stop": _hands("Stop", metadata={"reason": "done"}),
    },
    "windsurf": {
        "shell": _wind("pre_run_command", command_line="SHELL", cwd="PROJECT"),
        "write": _wind("pre_write_code", file_path="FILE", edits=[{"old_string": "", "new_string": "TEXT"}]),
        "prompt": _wind("pre_user_prompt", user_prompt="TEXT"),
        "written": _wind("post_write_code", file_path="FILE", edits=[{"old_string": "", "new_string": "TEXT"}]),
    },
}  # fmt: skip
