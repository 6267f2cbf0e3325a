"""What hooks may print, made up: answers of every client with right and wrong values, broken JSON, plain noise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import BoundEvent, bind_event
from anyhook.dialects.contract import Field
from anyhook.dialects.events import native_names
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Command
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload

Strategy = st.SearchStrategy[Any]

TEXTS = st.sampled_from(["", " ", "no", "because\nof that", "<b>", "é\u2028", "\ud83d", "x" * 200])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
STATUSES = st.sampled_from([0, 0, 0, 2, 2, 1, 3, 126, 127, 255, -9, -15]) | st.integers(-64, 255)

CASES = [(client, native) for client in NAMES for native in native_names(client)]
"""Every event of every dialect, by its native name."""


def bound(client: str, native: str) -> BoundEvent:
    """An event of a client by its native name."""
    return bind_event(profile(client), native_names(client)[native].name, native)


def payload_for(event: str) -> Payload:
    """A payload of the event, with whatever it must have."""
    kind = PAYLOADS.get(event)
    if kind is None:
        return Payload(event=event)
    values: Mapping[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"text": "a"}}
    needed = {field.name: values.get(field.name, "text") for field in structs.fields(kind) if field.required}
    return kind(**needed)


def _native_value(field: Field) -> Strategy:
    words: Mapping[str, Any] = {"true": True, "false": False}
    if field.values:
        return st.sampled_from([words.get(word, word) for word in field.values])
    match field.part:
        case "input":
            return st.dictionaries(st.sampled_from(["command", "file_path"]), TEXTS, max_size=2)
        case "continue" | "suppress" | "async":
            return st.booleans()
        case "async_timeout":
            return st.integers() | st.floats(0, 1e6)
        case _:
            return TEXTS


@cache
def objects(client: str, native: str) -> Strategy:
    """Answers as the client knows them on an event: any of its keys, usually with a value that it accepts."""
    answers, event = bound(client, native).profile.answers, bound(client, native).event
    values = {
        field.path: st.one_of(_native_value(field), _native_value(field), JSON) for field in answers.fields(event)
    }
    values |= {path: st.sampled_from([native, native, "PreToolUse", "", None]) | JSON for path in answers.event_names}
    chosen = st.fixed_dictionaries({}, optional=values)
    return st.tuples(chosen, st.dictionaries(TEXTS, JSON, max_size=1)).map(lambda pair: _nested(*pair))


def _nested(values: Mapping[tuple[str, ...], Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for path, value in values.items():
        place: Any = answer
        for key in path[:-1]:
            place = place.setdefault(key, {}) if isinstance(place, dict) else None
        if isinstance(place, dict):
            place[path[-1]] = value
    return {**rest, **answer}


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@cache
def printed(client: str, native: str) -> Strategy:
    """What a hook may print: an answer, one that is broken in some way, or anything at all."""
    answers = objects(client, native).map(_dumped)
    return st.one_of(
        answers,
        answers,
        answers.map(lambda text: b"\xef\xbb\xbf" + text),
        answers.map(lambda text: b'{"type": "progress"}\n' + text + b"\n"),
        answers.map(lambda text: _dumped(text.decode())),
        answers.map(lambda text: text[:-1]),
        answers.map(lambda text: text + b"\xff\x00"),
        JSON.map(_dumped),
        st.sampled_from(
            [
                b"",
                b"\n",
                b"no",
                b"{",
                b'"',
                b"[" * 5000,
                b"{" * 5000,
                b'{"a":' * 5000,
                b"1e999",
                b"NaN",
                b"9" * 5000,
                b'{"async": true, "asyncTimeout": 1e999}',
                b'{"decision": "block", "decision": [], "reason": NaN, "continue": 1e999}',
                b'{"hookSpecificOutput": {"hookEventName": {}, "permissionDecision": "deny"}, "decision": "deny"}',
                b'{"hookSpecificOutput": {"hookEventName": ["BeforeTool"]}, "reason": "\\ud800\\u0000"}',
                b'{"continue": false, "stopReason": ' + b"[" * 900 + b"]" * 900 + b"}",
            ]
        ),
        st.binary(max_size=40),
    )


def raw_results(client: str, native: str) -> Strategy:
    ended = st.builds(RawResult, exit_code=STATUSES, stdout=printed(client, native), stderr=printed(client, native))
    return st.one_of(
        ended,
        ended,
        ended,
        st.just(RawResult(timed_out=True)),
        st.just(RawResult(error="not found")),
        st.just(RawResult(error="too many open files", unable=True)),
        st.just(RawResult()),
    )


ACTIONS = st.builds(
    Command,
    command=st.sampled_from(["./guard.sh", "true"]),
    fail_closed=st.booleans(),
    context_limit=st.none() | st.sampled_from([0, 1, 5]),
)
