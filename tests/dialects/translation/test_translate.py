"""An event as another client sends it, and an answer as the client that asked hears it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event, bind_payload
from anyhook.dialects.events import native_name
from anyhook.dialects.translation.tools import tools_of_kind
from anyhook.dialects.translation.translate import translate_payload, translate_reply
from anyhook.dialects.vocabulary import KINDS
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.model.events import EVENTS
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import (
    PAYLOADS,
    AfterShellExecution,
    BeforeFileEdit,
    BeforeMCPExecution,
    BeforeShellExecution,
    PostToolUse,
    PreToolUse,
    SessionStart,
    Stop,
    ToolPayload,
)
from anyhook.model.payload_base import Payload

CLAUDE = "claude-code"


def sent(payload: Payload, to: str, source: str = CLAUDE) -> dict[str, Any]:
    """The JSON that the other client sends."""
    translated = translate_payload(payload, profile(source), profile(to)).payload
    assert translated is not None
    return encode_payload(bind_payload(profile(to), translated), translated)


def bash(command: str = "ls") -> PreToolUse:
    return PreToolUse(tool_name="Bash", tool_input={"command": command}, session_id="s", cwd="/project")


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("codex", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ("gemini-cli", {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}),
        ("copilot-cli", {"toolName": "bash", "toolArgs": {"command": "ls"}, "sessionId": "s"}),
        ("cursor", {"hook_event_name": "preToolUse", "tool_name": "Shell", "conversation_id": "s"}),
        ("universal", {"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": "ls"}}),
        ("windsurf", {"agent_action_name": "pre_run_command", "tool_info": {"command_line": "ls", "cwd": "/project"}}),
        ("openhands", {"event_type": "PreToolUse", "tool_name": "terminal", "working_dir": "/project"}),
        ("factory-droid", {"tool_name": "Execute"}),
        ("kiro", {"tool_name": "execute_bash"}),
        ("antigravity", {"toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}}),
    ],
)
def test_a_shell_command_has_the_names_of_the_other_client(to: str, expected: Mapping[str, Any]) -> None:
    assert expected.items() <= sent(bash(), to).items()


def test_inputs_have_the_other_client_s_names() -> None:
    edit = PreToolUse(tool_name="Edit", tool_input={"file_path": "a.py", "old_string": "x", "new_string": "y"})
    assert sent(edit, "copilot-vscode")["tool_input"] == {"filePath": "a.py", "oldString": "x", "newString": "y"}
    assert sent(edit, "copilot-cli")["toolArgs"] == {"path": "a.py", "old_str": "x", "new_str": "y"}
    assert sent(edit, "openhands")["tool_input"]["command"] == "str_replace"


def test_codex_is_given_a_patch_and_gives_one_back() -> None:
    write = PreToolUse(tool_name="Write", tool_input={"file_path": "a.py", "content": "one\ntwo"})
    patch = sent(write, "codex")["tool_input"]["command"]
    assert patch.splitlines() == ["*** Begin Patch", "*** Add File: a.py", "+one", "+two", "*** End Patch"]
    payload, _ = decode_payload(profile("codex"), sent(write, "codex"))
    assert sent(payload, "claude-code", "codex")["tool_input"] == {"file_path": "a.py", "content": "one\ntwo"}
    assert sent(payload, "gemini-cli", "codex")["tool_name"] == "write_file"


def test_a_client_that_calls_its_tools_otherwise_in_one_face_is_understood() -> None:
    payload, _ = decode_payload(
        profile("copilot-cli"),
        {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}},
    )
    assert sent(payload, "gemini-cli", "copilot-cli")["tool_name"] == "run_shell_command"


@pytest.mark.parametrize(
    ("tool", "tool_input", "event"),
    [
        ("Bash", {"command": "ls"}, "pre_run_command"),
        ("Read", {"file_path": "a"}, "pre_read_code"),
        ("Write", {"file_path": "a", "content": "b"}, "pre_write_code"),
        ("Edit", {"file_path": "a", "old_string": "b", "new_string": "c"}, "pre_write_code"),
        ("mcp__memory__store", {"key": "k"}, "pre_mcp_tool_use"),
    ],
)
def test_the_kind_of_the_tool_chooses_the_event(tool: str, tool_input: dict[str, Any], event: str) -> None:
    payload = PreToolUse(tool_name=tool, tool_input=tool_input)
    assert sent(payload, "windsurf")["agent_action_name"] == event


def test_an_mcp_tool_has_server_and_tool_apart_where_the_client_has_it_so() -> None:
    payload = PreToolUse(tool_name="mcp__memory__store", tool_input={"key": "k"})
    info = sent(payload, "windsurf")["tool_info"]
    assert info == {"mcp_tool_name": "store", "mcp_server_name": "memory", "mcp_tool_arguments": {"key": "k"}}
    back = BeforeMCPExecution(tool_name="store", mcp_server_name="memory", tool_input={"key": "k"})
    assert sent(back, CLAUDE, "windsurf")["tool_name"] == "mcp__memory__store"
    assert sent(payload, "copilot-cli")["toolName"] == "memory-store"


def test_an_event_of_one_kind_of_tools_becomes_a_tool_call() -> None:
    shell = sent(BeforeShellExecution(command="ls"), CLAUDE, "windsurf")
    assert (shell["hook_event_name"], shell["tool_name"], shell["tool_input"]) == (
        "PreToolUse", "Bash", {"command": "ls"},
    )  # fmt: skip
    edit = BeforeFileEdit(file_path="a", edits=[{"old_string": "x", "new_string": "y"}])
    assert sent(edit, CLAUDE, "windsurf")["tool_input"] == {"file_path": "a", "old_string": "x", "new_string": "y"}
    new = BeforeFileEdit(file_path="a", edits=[{"old_string": "", "new_string": "y"}])
    assert sent(new, CLAUDE, "windsurf")["tool_name"] == "Write"
    after = sent(AfterShellExecution(command="ls", output="a b"), CLAUDE, "cursor")
    assert after["tool_response"] == "a b"


def test_what_the_other_client_never_sends_is_nothing_or_a_loss() -> None:
    target = profile("windsurf")
    for payload in (Stop(stop_hook_active=False), SessionStart(source="startup")):
        translated = translate_payload(payload, profile(CLAUDE), target)
        assert translated.payload is None
        assert "Windsurf has no event like" in translated.losses[0]
    agent = PreToolUse(tool_name="Agent", tool_input={"prompt": "go"})
    assert translate_payload(agent, profile(CLAUDE), target).payload is None
    unknown = translate_payload(PreToolUse(tool_name="Zap", tool_input={}), profile(CLAUDE), profile("gemini-cli"))
    assert unknown.payload is not None
    assert unknown.losses == ("Gemini CLI has no tool that Claude Code's Zap corresponds to",)
    read = translate_payload(PreToolUse(tool_name="Read", tool_input={}), profile(CLAUDE), profile("codex"))
    assert read.losses


def test_fields_that_only_one_client_sends_are_named() -> None:
    data = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "new_in_2027": 1}
    payload, _ = decode_payload(profile(CLAUDE), data)
    translated = translate_payload(payload, profile(CLAUDE), profile("gemini-cli"))
    assert translated.losses == ("only Claude Code sends new_in_2027",)
    assert "new_in_2027" not in sent(payload, "gemini-cli")


def test_the_same_client_gets_the_same_payload() -> None:
    payload = bash()
    assert translate_payload(payload, profile(CLAUDE), profile(CLAUDE)).payload is payload


# --- for all


@given(st.sampled_from(EVENTS), st.sampled_from(NAMES), st.sampled_from(NAMES), st.data())
def test_every_event_translates_or_says_why_not(event: Any, source: str, target: str, data: st.DataObject) -> None:
    assume(native_name(event.name, source) and source != target)
    cls = PAYLOADS[event.name]
    fields: dict[str, Any] = {"prompt": "hello", "command": "ls", "teammate_name": "t", "task_id": "1"}
    kind = data.draw(st.sampled_from(KINDS))
    names = tools_of_kind(kind, source) or ("Bash",)
    fields |= {"task_subject": "s", "tool_name": names[0], "tool_input": {"command": "ls", "file_path": "a"}}
    payload = cls(**{name: value for name, value in fields.items() if name in cls.__struct_fields__})
    translated = translate_payload(payload, profile(source), profile(target))
    if translated.payload is None:
        assert translated.losses
        return
    assert native_name(translated.payload.event, target)
    plain = encode_payload(bind_payload(profile(target), translated.payload), translated.payload)
    read, problems = decode_payload(profile(target), plain, translated.payload.native_event)
    assert read.event == translated.payload.event
    assert not [problem for problem in problems if problem.code != "E004"]


@given(st.sampled_from(NAMES), st.sampled_from(["shell", "read", "write", "edit"]))
def test_there_and_back_is_the_same_call(target: str, kind: str) -> None:
    given_input: dict[str, Any] = {
        "shell": {"command": "ls -l"},
        "read": {"file_path": "a.py"},
        "write": {"file_path": "a.py", "content": "text"},
        "edit": {"file_path": "a.py", "old_string": "x", "new_string": "y"},
    }[kind]
    payload = PreToolUse(tool_name=tools_of_kind(kind, CLAUDE)[0], tool_input=given_input, session_id="s")
    there = translate_payload(payload, profile(CLAUDE), profile(target)).payload
    if there is None or (isinstance(there, ToolPayload) and there.tool_name not in tools_of_kind(kind, target)):
        return
    back = translate_payload(there, profile(target), profile(CLAUDE)).payload
    assert isinstance(back, PreToolUse)
    assert (back.tool_name, back.tool_input.value, back.session_id) == (payload.tool_name, given_input, "s")


# --- answers


def answered(reply: Reply, asked: Payload, to: str, source: str = CLAUDE) -> tuple[Reply, tuple[str, ...]]:
    """What the client that asked is told by a hook that was written for another one."""
    given_payload = translate_payload(asked, profile(to), profile(source)).payload
    assert given_payload is not None
    translated = translate_reply(reply, given_payload, asked, profile(source), profile(to))
    return translated.reply, translated.losses


def test_a_rewritten_input_has_the_names_of_the_client_that_asked() -> None:
    asked, _ = decode_payload(
        profile("copilot-cli"), {"toolName": "view", "toolArgs": {"path": "a"}, "sessionId": "s"}, "preToolUse"
    )
    reply, losses = answered(Reply(updated_input={"file_path": "b"}), asked, "copilot-cli")
    assert reply.updated_input == {"path": "b"}
    assert losses == ()


def test_an_answer_that_cannot_be_told_is_a_loss_and_never_consent() -> None:
    asked = PreToolUse(tool_name="Bash", tool_input={"command": "rm"}, native_event="PreToolUse")
    reply, losses = answered(Reply(decision=Decision.ASK, reason="sure?"), asked, "codex")
    assert losses == ()
    told = encode_reply(bind_event(profile("codex"), "PreToolUse"), reply)
    assert (told.exit_code, told.stdout, told.stderr, told.lost) == (2, b"", b"sure?", ("ask",))


def test_a_refusal_reaches_a_client_without_json() -> None:
    asked = BeforeShellExecution(command="rm", native_event="pre_run_command")
    reply, losses = answered(Reply(decision=Decision.DENY, reason="no"), asked, "windsurf")
    assert losses == ()
    told = encode_reply(bind_event(profile("windsurf"), asked.event, asked.native_event), reply)
    assert (told.exit_code, told.stderr) == (2, b"no")


def test_a_new_input_where_nothing_can_be_rewritten_is_a_loss() -> None:
    asked = BeforeShellExecution(command="rm", native_event="pre_run_command")
    reply, _ = answered(Reply(updated_input={"command": "ls"}), asked, "windsurf")
    assert encode_reply(bind_payload(profile("windsurf"), asked), reply).lost == ("input",)


def test_an_answer_without_an_input_stays_as_it_is() -> None:
    asked = PostToolUse(tool_name="Bash", tool_input={}, native_event="PostToolUse")
    reply, _ = answered(Reply(context="note"), asked, CLAUDE, "universal")
    assert reply == Reply(context="note")
    assert reply.updated_input is None
