"""Words for what a hook file holds, for messages about entries that a client does not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from anyhook.dialects.events import find_event
from anyhook.dialects.profile import Layout, Shape
from anyhook.model.document import Pointer
from anyhook.model.wording import close_matches

FILE_NOTES = frozenset({"version", "description", "$schema", "$comment", "_comment", "name"})
_HOOK_LIKE = frozenset(
    {"command", "bash", "powershell", "prompt", "event", "events", "script", "action", "hooks", "url"}
)
EXPECTED = {
    Shape.GROUPS: '{"hooks": {EVENT: [{"matcher": ..., "hooks": [...]}]}}',
    Shape.FLAT: '{"hooks": {EVENT: [{"command": ...}]}}',
    Shape.EITHER: '{"hooks": {EVENT: [{"type": "command", ...}]}}',
}
EXPECTED_ENTRY = {
    Shape.GROUPS: '[{"matcher": ..., "hooks": [{"type": "command", ...}]}]',
    Shape.FLAT: '[{"command": ...}]',
    Shape.EITHER: '[{"type": "command", ...}]',
}
_NOTE_KEYS = frozenset({"description", "comment", "id", "name", "note", "notes", "title"})


def describe(value: Any) -> str:
    """What kind of value it is, in words for people."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def shorten(value: Any) -> str:
    """What to show of an entry that could not be read: its command if it has one."""
    if isinstance(value, dict):
        for key in ("command", "bash", "prompt", "script", "url", "run"):
            if isinstance(value.get(key), str):
                return str(value[key])
        return "{" + ", ".join(str(key) for key in value) + "}"
    return str(value)


def hook_like(value: Any, pointer: Pointer, native: str) -> Iterator[tuple[str, Mapping[str, Any], Pointer]]:
    """Whatever below a value looks like a hook, with the event that it seems to be for."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from hook_like(item, (*pointer, index), native)
    elif isinstance(value, dict):
        inner = [
            found
            for key, item in value.items()
            if isinstance(item, list | dict)
            for found in hook_like(item, (*pointer, key), key if find_event(key) else native)
        ]
        if inner:
            yield from inner
        elif _HOOK_LIKE & value.keys():
            stated = _stated_event(value)
            yield (native if stated == "?" else stated), value, pointer


def _stated_event(entry: Mapping[str, Any]) -> str:
    """The event that an entry of an invented list format names."""
    for key in ("event", "events", "trigger", "name"):
        value = entry.get(key)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str):
            return value
    return "?"


def is_timeout_key(key: str) -> bool:
    return "timeout" in key.lower()


def own_timeout_key(layout: Layout) -> str:
    """The key of a hook's timeout; empty when the client has none."""
    keys = {**layout.common_keys, **layout.action_keys.get("command", {})}
    return next((key for key, field in keys.items() if field == "timeout"), "")


def unread_key_fix(key: str, known: Iterable[str]) -> str:
    """What to do with a key that the client does not read here."""
    if key.startswith(("_", "$", "//")) or key in _NOTE_KEYS:
        return "harmless as a note; remove it to be strict"
    close = close_matches(key, known, similarity=0.75)
    return f"did you mean {close[0]}?" if close else "remove it, or check the spelling"
