"""Payloads: one class per event, typed for hosts, lazy for large values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from anyhook.model import lazyjson
from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import LazyJson, dump_json, load_json
from anyhook.model.payload import (
    PAYLOADS,
    PostToolUse,
    PreCompact,
    PreToolUse,
)
from anyhook.model.payload_base import Spelling

SEED_003 = {
    "PreToolUse": "tool_name tool_input tool_use_id",
    "PostToolUse": "tool_name tool_input tool_response tool_use_id",
    "PostToolUseFailure": "tool_name tool_input tool_use_id error is_interrupt",
    "SessionStart": "source agent_type model",
    "SessionEnd": "reason",
    "Stop": "stop_hook_active",
    "SubagentStart": "agent_id agent_type",
    "SubagentStop": "stop_hook_active agent_id agent_transcript_path agent_type",
    "PreCompact": "trigger custom_instructions",
    "Notification": "message title notification_type",
    "UserPromptSubmit": "prompt",
    "Setup": "trigger",
    "TaskCompleted": "task_id task_subject task_description teammate_name team_name",
    "TeammateIdle": "teammate_name team_name",
    "PermissionRequest": "tool_name tool_input permission_suggestions",
}


def test_every_event_has_a_class_and_every_class_an_event() -> None:
    assert PAYLOADS.keys() == BY_NAME.keys()


@pytest.mark.parametrize(("event", "fields"), SEED_003.items())
def test_a_class_has_all_fields_of_seed_003(event: str, fields: str) -> None:
    common = {"session_id", "transcript_path", "cwd", "permission_mode"}
    assert common | set(fields.split()) <= {field.name for field in structs.fields(PAYLOADS[event])}


def test_events_are_not_mistaken_for_each_other() -> None:
    classes = list(PAYLOADS.values())
    assert not [(a, b) for a in classes for b in classes if a is not b and issubclass(a, b)]


def test_a_host_writes_plain_values() -> None:
    payload = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"})
    assert payload.event == "PreToolUse"
    assert payload.native_event == ""
    assert isinstance(payload.tool_input, LazyJson)
    assert payload.tool_input["command"] == "ls"
    assert payload.tool_input == {"command": "ls"}
    assert PreToolUse(event="Stop", tool_name="Bash", tool_input=payload.tool_input).event == "PreToolUse"


def test_a_type_checker_rejects_a_wrong_field() -> None:
    # mypy fails on an ignore that it does not need, so these lines prove that it rejects them.
    with pytest.raises(TypeError):
        PreToolUse(tool_name="Bash", tool_input={}, tool_nmae="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        PreToolUse(tool_name="Bash")  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        PreToolUse(tool_name="Bash", tool_input={}).tool_name = "x"  # type: ignore[misc]
    PreToolUse(tool_name=1, tool_input={})  # type: ignore[arg-type]


def test_what_is_not_given_is_none() -> None:
    nothing = PostToolUse(tool_name="Bash", tool_input={})
    given = (nothing.session_id, nothing.tool_response, nothing.command, nothing.file_path, nothing.timestamp)
    assert given == (None,) * 5
    assert "tool_response" not in nothing
    for cls in PAYLOADS.values():
        assert all(field.default is not UNSET for field in structs.fields(cls))


def test_null_is_told_from_nothing_where_it_was_read() -> None:
    nothing = PreCompact(trigger="auto")
    null = PreCompact(trigger="auto", spelling=Spelling(nulls=frozenset({"custom_instructions"})))
    assert (nothing.custom_instructions, null.custom_instructions) == (None, None)
    assert ("custom_instructions" in nothing, "custom_instructions" in null) == (False, True)
    assert null["custom_instructions"] is None
    assert PreToolUse(tool_name="Bash", tool_input=None).tool_input.value is None


def test_a_changed_copy_keeps_its_rules() -> None:
    payload = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
    changed = structs.replace(payload, tool_input={"command": "pwd"})
    assert changed.tool_input.get("command") == "pwd"
    assert changed.event == "PreToolUse"


# --- values that are parsed when they are read


def test_a_lazy_value_stays_raw_until_it_is_read() -> None:
    lazy = LazyJson(b"this would not parse")
    assert not lazy.is_decoded
    assert lazy.raw == b"this would not parse"
    assert "this would not parse" in repr(lazy)
    assert PreToolUse(tool_name="Bash", tool_input=lazy).tool_input is lazy
    with pytest.raises(ValueError, match="Expecting"):
        _ = lazy.value


def test_a_lazy_value_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def counted(raw: bytes) -> Any:
        calls.append(raw)
        return load_json(raw)

    monkeypatch.setattr(lazyjson, "load_json", counted)
    lazy = LazyJson(b'{"a": [1, 2]}')
    assert lazy.is_object
    assert lazy.is_container
    assert calls == []
    assert lazy["a"] == [1, 2]
    assert lazy.get("a") == [1, 2]
    assert lazy.get("b", 5) == 5
    assert "a" in lazy
    assert len(calls) == 1
    assert lazy.is_decoded


def test_a_lazy_value_that_is_no_object() -> None:
    text = LazyJson(b'  "x"')
    assert (text.value, text.get("a"), text.is_object, text.is_container, "x" in text) == (
        "x",
        None,
        False,
        False,
        False,
    )
    assert LazyJson(b" [1]").is_container
    assert 1 in LazyJson(b"[1]")
    assert LazyJson(b"[1, 2]")[1] == 2


def test_lazy_values_are_equal_by_value() -> None:
    assert LazyJson(b'{"a":1,"b":2}') == LazyJson(b'{ "b": 2, "a": 1 }') == LazyJson.of({"a": 1, "b": 2})
    assert LazyJson(b"1") != LazyJson(b"2")
    assert LazyJson(b"[1]") == [1]
    with pytest.raises(TypeError):
        hash(LazyJson(b"1"))


def test_half_of_an_emoji_survives() -> None:
    cut = b'{"text":"\\ud83d"}'  # what JSON.stringify makes of a string that was cut in the middle
    lazy = LazyJson(cut)
    assert lazy.value == {"text": "\ud83d"}
    assert (
        dump_json({"a": LazyJson.of(lazy.value), "b": [lazy]}) == b'{"a":{"text":"\\ud83d"},"b":[{"text":"\\ud83d"}]}'
    )


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert LazyJson(b'{"a":"\xff"}')["a"] == "\ufffd"


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b'{"a":Infinity}', b"[1,]", b"\xff"])
def test_what_is_not_json_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_json(text)


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_value_goes_through(value: Any) -> None:
    assert LazyJson(dump_json(value)).value == value
    assert LazyJson(LazyJson.of(value).raw) == LazyJson.of(value)
    assert LazyJson.of(value).is_object == LazyJson(dump_json(value)).is_object == isinstance(value, dict)


def test_a_payload_reads_like_the_dictionary_of_the_agent_sdk() -> None:
    """A callback that was written for the SDK reads ``input["tool_input"]["command"]``; it must not fail open."""
    payload = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, session_id="s", extra={"x": LazyJson.of([1])})
    assert payload["hook_event_name"] == "PreToolUse"
    assert (payload["tool_name"], payload["session_id"], payload["x"]) == ("Bash", "s", [1])
    assert type(payload["tool_input"]) is dict
    assert payload["tool_input"]["command"] == payload.get("tool_input", {}).get("command") == "ls"
    assert "tool_name" in payload
    for name in ("cwd", "spelling", "native_event", "prompt"):
        assert name not in payload
        assert payload.get(name) is None
        with pytest.raises(KeyError):
            payload[name]


def test_json_can_be_iterated() -> None:
    assert list(LazyJson(b'{"a":1,"b":2}')) == ["a", "b"]
    assert list(LazyJson(b"[3]")) == [3]
