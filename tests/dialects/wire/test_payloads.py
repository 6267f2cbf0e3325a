"""Payloads go in and come out unchanged, whatever client they are from."""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event, bind_payload
from anyhook.dialects.contract import WireFormat
from anyhook.dialects.events import native_names
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire import payloads as codec
from anyhook.dialects.wire.payload_codec import OWN_FIELDS, payload_codec
from anyhook.dialects.wire.payloads import decode_payload, encode_payload, payload_bytes
from anyhook.model import lazyjson
from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import (
    PAYLOADS,
    AfterMCPExecution,
    BeforeMCPExecution,
    BeforeShellExecution,
    FileChanged,
    Notification,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStart,
    SubagentStop,
    UserPromptSubmit,
)
from anyhook.model.payload_base import Payload, json_fields
from tests.checkout import CONFORMANCE

RECORDED = ("claude-code", "codex", "gemini-cli", "copilot-cli", "qwen-code")

CLAUDE = profile("claude-code")


def encoded(client: Profile, payload: Payload) -> dict[str, Any]:
    return encode_payload(bind_payload(client, payload), payload)


def payload_text(client: Profile, payload: Payload) -> bytes:
    return payload_bytes(bind_payload(client, payload), payload)


# --- what real clients sent


def recorded() -> list[Any]:
    files = [
        (client, path)
        for client in RECORDED
        for path in sorted((CONFORMANCE / "recordings" / client / "payloads").glob("*.json"))
        if not path.name.startswith("_")
    ]
    return [pytest.param(client, path, id=f"{client}/{path.name}") for client, path in files]


@pytest.mark.parametrize(("client", "path"), recorded())
def test_a_recorded_payload_comes_back_unchanged(client: str, path: Path) -> None:
    raw = path.read_bytes()
    sent = json.loads(raw)
    native_event = path.name.split(".")[0].split("-")[0]
    for data in (raw, sent):
        payload, problems = decode_payload(profile(client), data, native_event)
        assert problems == ()
        assert type(payload) is PAYLOADS[payload.event]
        assert payload.native_event == native_event
        assert encoded(profile(client), payload) == sent
    if client != "copilot-cli":  # all others name their event
        assert decode_payload(profile(client), raw) == decode_payload(profile(client), raw, native_event)


@pytest.mark.parametrize("path", sorted((CONFORMANCE / "vectors").glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_payloads_of_the_vectors_come_back_unchanged(path: Path) -> None:
    facts = profile(path.stem)
    for line in path.read_text().splitlines():
        vector = json.loads(line)
        payload, problems = decode_payload(facts, vector["payload"], vector["event"])
        assert problems == ()
        assert type(payload) is PAYLOADS[payload.event]
        assert encoded(facts, payload) == vector["payload"]


# --- what the others are documented to send

CURSOR = {
    "conversation_id": "c",
    "generation_id": "g",
    "model": "m",
    "cursor_version": "3.9",
    "workspace_roots": ["/w"],
    "user_email": None,
    "transcript_path": None,
}
WINDSURF = {"trajectory_id": "t", "execution_id": "e", "timestamp": "2026-02-09T10:30:00Z"}
OPENHANDS: dict[str, Any] = {
    "tool_name": None,
    "tool_input": None,
    "tool_response": None,
    "message": None,
    "session_id": "s",
    "working_dir": "/w",
    "metadata": {},
}
CLAUDE_LIKE = {"session_id": "s", "transcript_path": "/t", "cwd": "/w"}

Example = tuple[str, dict[str, Any], type[Payload], dict[str, Any]]

DOCUMENTED: list[Example] = [
    (
        "cursor",
        {**CURSOR, "hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": "ls"}, "cwd": "/w"},
        PreToolUse,
        {"session_id": "c", "turn_id": "g", "tool_name": "Shell", "command": "ls", "transcript_path": None},
    ),
    (
        "cursor",
        {
            **CURSOR,
            "session_id": "c",
            "hook_event_name": "postToolUse",
            "tool_name": "Read",
            "tool_input": {},
            "tool_output": '{ "text": "héllo" }\n',
            "duration": 12.5,
        },
        PostToolUse,
        {"tool_response": {"text": "héllo"}, "duration_ms": 12.5, "session_id": "c"},
    ),
    (
        "cursor",
        {
            "hook_event_name": "postToolUseFailure",
            "tool_name": "Shell",
            "tool_input": {},
            "error_message": "no",
            "failure_type": "permission_denied",
            "is_interrupt": False,
        },
        PostToolUseFailure,
        {"error": "no", "failure_type": "permission_denied"},
    ),
    (
        "cursor",
        {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w", "sandbox": False},
        BeforeShellExecution,
        {"command": "ls", "sandbox": False},
    ),
    (
        "cursor",
        {"hook_event_name": "beforeMCPExecution", "tool_name": "t", "tool_input": '{"a":1}', "command": "npx srv"},
        BeforeMCPExecution,
        {"tool_input": {"a": 1}, "server_command": "npx srv"},
    ),
    (
        "cursor",
        {"hook_event_name": "afterMCPExecution", "tool_name": "t", "tool_input": "{}", "result_json": "plain text"},
        AfterMCPExecution,
        {"tool_input": {}, "tool_response": "plain text"},
    ),
    (
        "cursor",
        {"hook_event_name": "subagentStart", "subagent_id": "i", "subagent_type": "explore", "task": "look"},
        SubagentStart,
        {"agent_id": "i", "agent_type": "explore", "task": "look"},
    ),
    (
        "cursor",
        {"hook_event_name": "sessionStart", "session_id": "s", "is_background_agent": False, "composer_mode": "agent"},
        SessionStart,
        {"session_id": "s", "composer_mode": "agent"},
    ),
    (
        "cursor",
        {**CURSOR, "hook_event_name": "stop", "status": "completed", "loop_count": 2},
        Stop,
        {"status": "completed", "loop_count": 2},
    ),
    (
        "windsurf",
        {**WINDSURF, "agent_action_name": "pre_run_command", "tool_info": {"command_line": "ls", "cwd": "/w"}},
        BeforeShellExecution,
        {"command": "ls", "cwd": "/w", "session_id": "t", "turn_id": "e"},
    ),
    (
        "windsurf",
        {
            **WINDSURF,
            "agent_action_name": "post_mcp_tool_use",
            "tool_info": {
                "mcp_server_name": "s",
                "mcp_tool_name": "t",
                "mcp_tool_arguments": {"a": 1},
                "mcp_result": "r",
                "new_field": [1],
            },
        },
        AfterMCPExecution,
        {"mcp_server_name": "s", "tool_name": "t", "tool_input": {"a": 1}, "tool_response": "r"},
    ),
    (
        "windsurf",
        {**WINDSURF, "agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "hi"}},
        UserPromptSubmit,
        {"prompt": "hi"},
    ),
    (
        "kiro",
        {"hook_event_name": "stop", "cwd": "/w", "session_id": "s", "assistant_response": "done"},
        Stop,
        {"last_assistant_message": "done"},
    ),
    (
        "kiro",
        {"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": "execute_bash", "tool_input": {"command": "ls"}},
        PreToolUse,
        {"command": "ls"},
    ),
    (
        "openhands",
        {**OPENHANDS, "event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": "ls"}},
        PreToolUse,
        {"tool_name": "terminal", "cwd": "/w"},
    ),
    ("openhands", {**OPENHANDS, "event_type": "UserPromptSubmit", "message": "hi"}, UserPromptSubmit, {"prompt": "hi"}),
    ("openhands", {**OPENHANDS, "event_type": "Stop", "metadata": {"reason": "end"}}, Stop, {"session_id": "s"}),
    (
        "factory-droid",
        {
            **CLAUDE_LIKE,
            "permission_mode": "auto-low",
            "message_id": "m",
            "hook_event_name": "SubagentStop",
            "task_name": "t",
            "task_result": "r",
            "task_error": None,
            "stop_hook_active": False,
        },
        SubagentStop,
        {"task": "t", "last_assistant_message": "r", "task_error": None},
    ),
    (
        "factory-droid",
        {
            **CLAUDE_LIKE,
            "hook_event_name": "SessionEnd",
            "reason": "other",
            "session_duration_ms": 5,
            "message_count": 2,
        },
        SessionEnd,
        {"duration_ms": 5, "message_count": 2},
    ),
    (
        "universal",
        {
            "hookEventName": "pre-tool-use",
            "toolName": "Write",
            "toolInput": {"file_path": "/src/app.ts", "content": "x"},
        },
        PreToolUse,
        {"tool_name": "Write", "file_path": "/src/app.ts"},
    ),
    (
        "universal",  # a fixture in the other spelling
        {"hook_event_name": "pre-tool-use", "tool_name": "Write", "tool_input": {}, "sessionId": "s"},
        PreToolUse,
        {"tool_name": "Write", "session_id": "s"},
    ),
    ("universal", {"hookEventName": "stop", "stopHookActive": True}, Stop, {"stop_hook_active": True}),
    (
        "copilot-vscode",  # seed 001
        {
            "timestamp": "2026-02-09T10:30:00.000Z",
            "cwd": "/path/to/workspace",
            "sessionId": "session-identifier",
            "hookEventName": "PreToolUse",
            "transcript_path": "/path/to/transcript.json",
            "tool_name": "editFiles",
            "tool_input": {"files": ["src/main.ts"]},
            "tool_use_id": "tool-123",
        },
        PreToolUse,
        {"session_id": "session-identifier", "tool_use_id": "tool-123"},
    ),
    (
        "copilot-vscode",
        {
            "hook_event_name": "SessionStart",
            "session_id": "s",
            "timestamp": "2026-02-09T10:30:00.000Z",
            "source": "new",
        },
        SessionStart,
        {"source": "new"},
    ),
    (
        "code-agent",
        {
            "type": "PreToolUse",
            "timestamp": 1760000000000,
            "sessionId": "sess_abc123",
            "payload": {"toolName": "Bash", "input": {"command": "npm test"}},
        },
        PreToolUse,
        {"tool_name": "Bash", "command": "npm test", "session_id": "sess_abc123", "timestamp": 1760000000000},
    ),
    (
        "code-agent",
        {
            "type": "PostToolUse",
            "sessionId": "s",
            "payload": {"toolName": "Bash", "input": {}, "output": [1], "x": None},
        },
        PostToolUse,
        {"tool_response": [1]},
    ),
    (
        "code-agent",
        {"type": "SessionEnd", "timestamp": 1, "sessionId": "s", "payload": {}},
        SessionEnd,
        {"timestamp": 1},
    ),
    ("code-agent", {"type": "SessionEnd", "sessionId": "s"}, SessionEnd, {"session_id": "s"}),
    (
        "open-plugins",
        {"session_id": "s", "cwd": "/w", "hook_event_name": "BeforeShellExecution", "command": "git push --force"},
        BeforeShellExecution,
        {"command": "git push --force"},
    ),
    ("open-plugins", {"event": "Stop", "session_id": "s"}, Stop, {"session_id": "s"}),  # Goose
    (
        "agent-sdk",
        {**CLAUDE_LIKE, "hook_event_name": "Notification", "message": "hi", "notification_type": "idle"},
        Notification,
        {"message": "hi", "notification_type": "idle"},
    ),
    (
        "claude-code",
        {**CLAUDE_LIKE, "hook_event_name": "FileChanged", "file_path": "/w/.envrc", "event": "unlink"},
        FileChanged,
        {"change": "unlink"},
    ),
]


@pytest.mark.parametrize(("client", "sent", "cls", "fields"), DOCUMENTED)
def test_a_documented_payload_comes_back_unchanged(
    client: str, sent: dict[str, Any], cls: type[Payload], fields: dict[str, Any]
) -> None:
    for data in (json.dumps(sent).encode(), sent):
        payload, problems = decode_payload(profile(client), data)
        assert problems == ()
        assert type(payload) is cls
        assert {name: getattr(payload, name) for name in fields} == fields
        assert encoded(profile(client), payload) == sent


def test_a_payload_without_its_event_needs_to_be_told() -> None:
    sent = {"conversationId": "c", "stepIdx": 3, "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}}
    payload, problems = decode_payload(profile("antigravity"), sent, "PreToolUse")
    assert problems == ()
    assert isinstance(payload, PreToolUse)
    assert payload.tool_name == "run_command"
    assert encoded(profile("antigravity"), payload) == sent
    _, problems = decode_payload(profile("antigravity"), sent)
    assert [problem.code for problem in problems] == ["E001"]


# --- the two faces of Copilot


def test_copilot_tells_its_faces_by_the_name_of_the_event() -> None:
    copilot = profile("copilot-cli")
    made = PreToolUse(session_id="s", timestamp=1794768373959, tool_name="bash", tool_input={"command": "ls"})
    camel = encoded(copilot, made)
    pascal = encode_payload(bind_event(copilot, made.event, "PreToolUse"), made)
    assert camel == {
        "sessionId": "s",
        "timestamp": 1794768373959,
        "toolName": "bash",
        "toolArgs": {"command": "ls"},
    }
    assert pascal == {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "timestamp": "2026-11-15T18:46:13.959Z",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    payload, _ = decode_payload(copilot, camel, "preToolUse")
    assert encoded(copilot, payload) == camel
    assert encode_payload(bind_event(copilot, payload.event, "PreToolUse"), payload) == pascal
    assert decode_payload(copilot, pascal)[0].native_event == "PreToolUse"
    back, _ = decode_payload(copilot, pascal)
    assert encode_payload(bind_event(copilot, back.event, "preToolUse"), back) == camel


def test_copilot_forgets_its_face_on_permission_requests() -> None:
    made = PermissionRequest(session_id="s", tool_name="bash", tool_input={}, permission_suggestions=[])
    both = {"hookName": "permissionRequest", "sessionId": "s", "toolName": "bash", "toolInput": {}}
    both |= {"permissionSuggestions": []}
    assert encode_payload(bind_event(profile("copilot-cli"), made.event, "permissionRequest"), made) == both
    assert encode_payload(bind_event(profile("copilot-cli"), made.event, "PermissionRequest"), made) == both


# --- payloads that are made here, or come from another client


def test_a_payload_of_one_client_is_written_for_another() -> None:
    sent = {**CLAUDE_LIKE, "hook_event_name": "Stop", "stop_hook_active": True, "last_assistant_message": "done"}
    payload, _ = decode_payload(CLAUDE, sent)
    assert encoded(profile("gemini-cli"), payload) == {
        **CLAUDE_LIKE,
        "hook_event_name": "AfterAgent",
        "stop_hook_active": True,
        "prompt_response": "done",
    }
    assert encoded(profile("code-agent"), payload)["payload"] == {
        "stopHookActive": True,
        "lastAssistantMessage": "done",
    }


def test_what_a_client_always_sends_is_added() -> None:
    assert encoded(profile("openhands"), Stop(session_id="s", cwd="/w")) == {
        **OPENHANDS,
        "event_type": "Stop",
    }
    assert encoded(profile("cursor"), Stop(session_id="s")) == {
        "hook_event_name": "stop",
        "conversation_id": "s",
        "session_id": "s",
    }
    assert encoded(profile("code-agent"), SessionEnd(session_id="s"))["payload"] == {}
    mcp = BeforeMCPExecution(tool_name="t", tool_input={"a": 1})
    assert encoded(profile("cursor"), mcp)["tool_input"] == '{"a":1}'


def test_a_changed_input_is_written_in_the_form_it_came_in() -> None:
    cursor = profile("cursor")
    as_text = {"hook_event_name": "beforeMCPExecution", "tool_name": "t", "tool_input": '{"a":1}'}
    as_object = {**as_text, "tool_input": {"a": 1}}
    for sent, expected in ((as_text, '{"a":2}'), (as_object, {"a": 2})):
        payload, problems = decode_payload(cursor, sent)
        assert problems == ()
        assert encoded(cursor, payload) == sent
        changed = structs.replace(payload, tool_input={"a": 2})
        assert encoded(cursor, changed)["tool_input"] == expected


@pytest.mark.parametrize(
    ("client", "timestamp", "expected"),
    [
        ("gemini-cli", 1794768373959, "2026-11-15T18:46:13.959Z"),
        ("gemini-cli", "yesterday", "yesterday"),
        ("copilot-cli", "2026-11-15T18:46:13.959Z", 1794768373959),
        ("copilot-cli", "yesterday", "yesterday"),
        ("gemini-cli", 1e300, 1e300),
        ("claude-code", 5, 5),
    ],
)
def test_times_are_written_as_the_client_writes_them(client: str, timestamp: Any, expected: Any) -> None:
    assert encoded(profile(client), Stop(timestamp=timestamp))["timestamp"] == expected


def test_only_claude_code_ends_the_line() -> None:
    assert payload_text(CLAUDE, Stop()) == b'{"hook_event_name":"Stop"}\n'
    assert payload_text(profile("codex"), Stop()) == b'{"hook_event_name":"Stop"}'


# --- what is wrong is kept and reported


def codes(client: str, sent: bytes | Mapping[str, Any], event: str = "") -> list[str]:
    payload, problems = decode_payload(profile(client), sent, event)
    if isinstance(sent, Mapping):
        assert encoded(profile(client), payload) == sent
    return [problem.code for problem in problems]


def test_an_event_that_nobody_knows() -> None:
    sent = {"hook_event_name": "BrandNew", "session_id": "s", "shiny": True}
    payload, problems = decode_payload(CLAUDE, sent)
    assert type(payload) is Payload
    assert (payload.event, payload.native_event, payload.session_id) == ("BrandNew", "BrandNew", "s")
    assert payload.extra == {"shiny": LazyJson.of(True)}
    assert [(problem.code, problem.origin.pointer) for problem in problems] == [("E001", "/hook_event_name")]
    assert encoded(CLAUDE, payload) == sent


def test_an_event_of_other_clients() -> None:
    sent = {"tool_name": "x", "tool_input": {}}
    for name, event, owner in (
        ("BeforeTool", "PreToolUse", "gemini-cli"),
        ("workspaceOpen", "WorkspaceOpen", "cursor"),
    ):
        payload, problems = decode_payload(profile("codex"), {"hook_event_name": name, **sent})
        assert (type(payload), payload.event, payload.native_event) == (Payload, event, name)
        assert payload.extra.keys() == sent.keys()
        assert [problem.code for problem in problems] == ["E002"]
        assert owner in problems[0].text
        assert encoded(profile("codex"), payload) == {"hook_event_name": name, **sent}


def test_an_event_in_another_spelling_is_understood_and_reported() -> None:
    sent = {"hook_event_name": "pre-tool-use", "tool_name": "Bash", "tool_input": {}}
    assert isinstance(decode_payload(CLAUDE, sent)[0], PreToolUse)
    assert codes("claude-code", sent) == ["E004"]
    payload, problems = decode_payload(profile("gemini-cli"), {"tool_name": "x", "tool_input": {}}, "PreToolUse")
    assert (payload.native_event, problems) == ("BeforeTool", ())


def test_the_event_that_is_asked_for_wins() -> None:
    sent = {"hook_event_name": "Stop", "prompt": "hi"}
    payload, problems = decode_payload(CLAUDE, sent, "UserPromptSubmit")
    assert isinstance(payload, UserPromptSubmit)
    assert [problem.code for problem in problems] == ["K007"]
    assert encoded(CLAUDE, payload) == sent


def test_a_missing_field_makes_the_payload_generic() -> None:
    payload, problems = decode_payload(CLAUDE, {"hook_event_name": "PreToolUse", "session_id": "s"})
    assert (type(payload), payload.event, payload.session_id) == (Payload, "PreToolUse", "s")
    assert [problem.code for problem in problems] == ["K006", "K006"]


def test_a_wrong_type_is_kept_beside_the_fields() -> None:
    sent = {"hook_event_name": "Stop", "session_id": 5, "stop_hook_active": "yes"}
    payload, problems = decode_payload(CLAUDE, sent)
    assert isinstance(payload, Stop)
    assert (payload.session_id, payload.stop_hook_active) == (None, None)
    assert payload.extra == {"session_id": LazyJson.of(5), "stop_hook_active": LazyJson.of("yes")}
    assert [problem.origin.pointer for problem in problems] == ["/session_id", "/stop_hook_active"]
    assert codes("claude-code", sent) == ["K007", "K007"]
    assert codes("claude-code", {"hook_event_name": "PreToolUse", "tool_name": 5, "tool_input": {}}) == ["K007"]
    assert codes("windsurf", {"agent_action_name": "post_read_code", "tool_info": 5}) == ["K007"]


NO_OBJECTS = [b"", b"[]", b"null", b'"x"', b"{", b'{"a":', b"\xff\xfe", b"[" * 100_000]


@pytest.mark.parametrize("data", NO_OBJECTS, ids=lambda data: repr(data[:10]))
def test_what_is_not_a_json_object(data: bytes) -> None:
    payload, problems = decode_payload(CLAUDE, data, "Stop")
    assert [problem.code for problem in problems] == ["F001"]
    assert (type(payload), payload.event, payload.native_event) == (Payload, "Stop", "Stop")


def test_json_that_only_javascript_writes_is_read() -> None:
    for text in (b'{"hook_event_name":"UserPromptSubmit","prompt":"\\ud83d"}', b'\xef\xbb\xbf{"prompt":"x"}'):
        payload, problems = decode_payload(CLAUDE, text, "UserPromptSubmit")
        assert isinstance(payload, UserPromptSubmit)
        assert problems == ()
    assert payload_text(CLAUDE, UserPromptSubmit(prompt="\ud83d")).endswith(b'"prompt":"\\ud83d"}\n')
    broken, problems = decode_payload(CLAUDE, b'{"prompt":"\xff"}', "UserPromptSubmit")
    assert (getattr(broken, "prompt", None), problems) == ("\ufffd", ())


# --- large values are not parsed


def test_a_large_input_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_small(raw: bytes) -> Any:
        assert len(bytes(raw)) < 50, "a large value was parsed"
        return json.loads(bytes(raw))

    large = b'{"content":"' + b"x" * 5_000_000 + b'"}'
    text = b'{"hook_event_name":"PreToolUse","tool_name":"Write","new":[' + large + b'],"tool_input":' + large + b"}"
    for module in (lazyjson, codec):
        monkeypatch.setattr(module, "load_json", only_small)
    payload, problems = decode_payload(CLAUDE, text)
    assert isinstance(payload, PreToolUse)
    assert problems == ()
    written = payload_text(CLAUDE, payload)
    assert len(written) == len(text) + 1
    assert large in written
    assert not payload.tool_input.is_decoded
    assert not payload.extra["new"].is_decoded
    monkeypatch.undo()
    assert len(payload.tool_input["content"]) == 5_000_000


# --- whatever may come

TEXTS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CLIENTS = st.sampled_from(NAMES)


@st.composite
def objects(draw: st.DrawFn) -> tuple[Profile, dict[str, Any], str]:
    """An object with the native names of a client's event, holding anything."""
    facts = profile(draw(CLIENTS))
    name = draw(st.sampled_from(sorted(native_names(facts.name))))
    event = native_names(facts.name)[name].name
    speaker = facts.variant(name)
    codec = payload_codec(speaker.wire, PAYLOADS[event], event)
    keys = st.sampled_from(sorted({*codec.outer, *speaker.wire.also_event_keys, speaker.wire.event_key, ""})) | TEXTS
    inner_keys = st.sampled_from(sorted({*codec.inner, ""})) | TEXTS
    sent = draw(st.dictionaries(keys, JSON, max_size=8))
    if speaker.wire.container and draw(st.booleans()):
        sent[speaker.wire.container] = draw(st.dictionaries(inner_keys, JSON, max_size=5) | JSON)
    if speaker.wire.event_key and draw(st.booleans()):
        sent[speaker.wire.event_key] = name
    return facts, sent, name


@given(objects(), st.booleans())
def test_any_object_comes_back_unchanged(case: tuple[Profile, dict[str, Any], str], tell: bool) -> None:
    facts, sent, name = case
    for data in (sent, json.dumps(sent).encode()):
        payload, _ = decode_payload(facts, data, name if tell else "")
        assert encoded(facts, payload) == sent


VALUES: Mapping[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(-1e9, 1e9),
}


@st.composite
def payloads(draw: st.DrawFn) -> Payload:
    """A payload that a host could make."""
    cls = PAYLOADS[draw(st.sampled_from(sorted(PAYLOADS)))]
    values: dict[str, Any] = {}
    for field in structs.fields(cls):
        if field.name in OWN_FIELDS or not (field.required or draw(st.booleans())):
            continue
        if field.name in json_fields(cls):
            values[field.name] = draw(JSON)
        else:
            kinds = typing.get_args(field.type) or (field.type,)
            values[field.name] = draw(st.one_of([VALUES[kind] for kind in kinds if kind in VALUES]))
    return cls(**values)


@given(payloads(), CLIENTS)
def test_what_a_host_makes_reaches_the_hook(payload: Payload, client: str) -> None:
    facts = profile(client)
    if payload.event not in facts.events:
        return
    sent = encoded(facts, payload)
    native = next(name for name, event in native_names(client).items() if event.name == payload.event)
    read, problems = decode_payload(facts, sent, native)
    assert problems == ()
    assert encoded(facts, read) == sent
    for name in payload.__struct_fields__:
        if name not in {*OWN_FIELDS, "timestamp"}:
            given = getattr(payload, name)
            assert getattr(read, name) == given


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")), CLIENTS, TEXTS)
def test_no_bytes_make_it_raise(data: bytes, client: str, event: str) -> None:
    payload, problems = decode_payload(profile(client), data, event)
    assert problems or type(payload) is PAYLOADS[payload.event]
    payload_text(profile(client), payload)


@given(st.dictionaries(TEXTS, JSON, max_size=6), CLIENTS, TEXTS)
def test_no_object_makes_it_raise(data: dict[str, Any], client: str, event: str) -> None:
    payload, _ = decode_payload(profile(client), data, event)
    assert encoded(profile(client), payload) == data


@pytest.mark.parametrize("name", NAMES)
def test_no_two_fields_share_a_name(name: str) -> None:
    facts = profile(name)
    for wire in (facts.wire, *(variant.wire for variant in facts.variants.values())):
        for event in native_names(name).values():
            plan = payload_codec(wire, PAYLOADS[event.name], event.name)
            for inside in (False, True):
                names = [name for codec in plan.fields.values() if codec.inside is inside for name in codec.names]
                assert len(names) == len(set(names)), (name, event.name)


@pytest.mark.parametrize("name", NAMES)
def test_a_wire_is_about_fields_and_events_that_exist(name: str) -> None:
    facts = profile(name)
    fields = {field.name for cls in PAYLOADS.values() for field in structs.fields(cls)}
    for wire in (facts.wire, *(variant.wire for variant in facts.variants.values())):
        assert set(wire.renames.values()) | wire.inside | set(wire.copies.values()) <= fields
        for event, renames in wire.renames_on.items():
            assert set(renames.values()) <= {field.name for field in structs.fields(PAYLOADS[event])}
        for event, texts in wire.text_fields.items():
            assert texts <= set(json_fields(PAYLOADS[event]))
        assert wire.constants.keys() <= {*BY_NAME, "*"}
        assert wire.event_keys_on.keys() <= BY_NAME.keys()


def test_a_small_wire_is_enough_for_a_new_client() -> None:
    facts = Profile(
        name="claude-code",
        title="New",
        release="1",
        basis="documented",
        wire=WireFormat(event_key="kind", case="camel", container="data", renames={"tool": "tool_name"}),
    )
    sent = {"kind": "PreToolUse", "sessionId": "s", "data": {"tool": "Bash", "toolInput": {"command": "ls"}}}
    payload, problems = decode_payload(facts, sent)
    assert isinstance(payload, PreToolUse)
    assert (payload.tool_name, payload.command, payload.session_id, problems) == ("Bash", "ls", "s", ())
    assert encoded(facts, payload) == sent
