"""The text that matchers are compared with, on every event."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import structs

from anyhook.dialects.translation.subjects import subject_of
from anyhook.model.events import BY_NAME, Subject
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import (
    PAYLOADS,
    AfterFileEdit,
    BeforeShellExecution,
    ConfigChange,
    Elicitation,
    FileChanged,
    InstructionsLoaded,
    Notification,
    PreCompact,
    PreModelSwitch,
    PreToolUse,
    SessionEnd,
    SessionStart,
    StopFailure,
    SubagentStart,
    UserPromptExpansion,
    UserPromptSubmit,
)
from anyhook.model.payload_base import Payload


def call(**tool_input: Any) -> PreToolUse:
    return PreToolUse(tool_name="Tool", tool_input=tool_input)


@pytest.mark.parametrize(
    ("payload", "subject", "expected"),
    [
        (call(), Subject.TOOL, "Tool"),
        (call(command="git push"), Subject.COMMAND, "git push"),
        (call(file_path="/a/b.py"), Subject.FILE_PATH, "/a/b.py"),
        (call(filePath="/a/b.py"), Subject.FILE_PATH, "/a/b.py"),
        (call(path="/a/b.py"), Subject.FILE_NAME, "b.py"),
        (call(path="C:\\a\\b.py"), Subject.FILE_NAME, "b.py"),
        (call(command=["git"]), Subject.COMMAND, None),
        (PreToolUse(tool_name="Tool", tool_input="text"), Subject.COMMAND, None),
        (BeforeShellExecution(command="ls"), Subject.COMMAND, "ls"),
        (AfterFileEdit(file_path="/a/b.py"), Subject.FILE_PATH, "/a/b.py"),
        (FileChanged(file_path="/w/.envrc"), Subject.FILE_NAME, ".envrc"),
        (SessionStart(source="startup"), Subject.SOURCE, "startup"),
        (ConfigChange(source="skills"), Subject.SOURCE, "skills"),
        (SessionEnd(reason="clear"), Subject.REASON, "clear"),
        (PreCompact(trigger="auto"), Subject.TRIGGER, "auto"),
        (SubagentStart(agent_type="Plan"), Subject.AGENT_TYPE, "Plan"),
        (SubagentStart(agent_name="Plan"), Subject.AGENT_TYPE, "Plan"),
        (Notification(notification_type="idle"), Subject.NOTIFICATION, "idle"),
        (StopFailure(error="rate_limit"), Subject.ERROR, "rate_limit"),
        (StopFailure(error={"message": "x"}), Subject.ERROR, None),
        (InstructionsLoaded(load_reason="include"), Subject.LOAD_REASON, "include"),
        (UserPromptExpansion(command_name="hello"), Subject.COMMAND_NAME, "hello"),
        (Elicitation(mcp_server_name="probe"), Subject.MCP_SERVER, "probe"),
        (PreModelSwitch(from_model="a", to_model="b"), Subject.MODEL, "b"),
        (UserPromptSubmit(prompt="hi"), Subject.NOTHING, None),
        (UserPromptSubmit(prompt="hi"), Subject.TOOL, None),
        (SessionStart(), Subject.SOURCE, None),
        (SessionStart(source=None), Subject.SOURCE, None),
        (Payload(event="Unheard"), Subject.TOOL, None),
    ],
)
def test_subject(payload: Payload, subject: Subject, expected: str | None) -> None:
    assert subject_of(payload, subject) == expected


@pytest.mark.parametrize("event", BY_NAME)
def test_the_subject_of_every_event_is_a_field_of_its_class(event: str) -> None:
    subject = BY_NAME[event].subject
    payload = msgspec.convert(
        dict.fromkeys((field.name for field in structs.fields(PAYLOADS[event]) if field.required), "x"),
        PAYLOADS[event],
        dec_hook=lambda kind, value: LazyJson.of(value),
    )
    names = {"tool_name", "file_path", "command", "source", "reason", "trigger", "agent_type", "notification_type"}
    names |= {"error", "load_reason", "command_name", "mcp_server_name", "to_model"}
    filled = structs.replace(payload, **{name: "value" for name in names if name in payload.__struct_fields__})
    assert (subject_of(filled, subject) is None) == (subject is Subject.NOTHING)
