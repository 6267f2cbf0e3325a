"""Which event of one client corresponds to an event of another, without weakening what a hook on it can promise.

Most clients have one event for all tools; some have one for each kind of tool beside it (Cursor) or instead (Windsurf).
Nothing else is taken for an equivalent: a gate that becomes an epilogue (Stop as SessionEnd) guards nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from anyhook.dialects.events import native_name

MCP = "mcp"
"""The kind of tools that belong to MCP servers; :mod:`anyhook.dialects.translation.tools` has the other kinds."""

EVENTS_BY_KIND: Mapping[str, Mapping[str, str]] = {
    "PreToolUse": {
        "shell": "BeforeShellExecution",
        "read": "BeforeReadFile",
        "write": "BeforeFileEdit",
        "edit": "BeforeFileEdit",
        MCP: "BeforeMCPExecution",
    },
    "PostToolUse": {
        "shell": "AfterShellExecution",
        "read": "AfterReadFile",
        "write": "AfterFileEdit",
        "edit": "AfterFileEdit",
        MCP: "AfterMCPExecution",
    },
}
"""An event of all tools, and the events that some clients have for tools of one kind."""


class Route(Struct, frozen=True):
    """An event of the target client that corresponds to one of another client."""

    event: str
    kinds: frozenset[str] | None = None
    """The kinds of tools that go this way; None: everything that the event is about."""


def routes(event: str, target: str) -> tuple[Route, ...]:
    """The events of a client that together correspond to a canonical event; none when it has no equivalent."""
    if native_name(event, target) is not None:
        return (Route(event),)
    if event in EVENTS_BY_KIND:
        parts = EVENTS_BY_KIND[event]
        own = dict.fromkeys(part for part in parts.values() if native_name(part, target) is not None)
        return tuple(Route(part, _kinds_of(parts, part)) for part in own)
    for whole, parts in EVENTS_BY_KIND.items():
        if event in parts.values() and native_name(whole, target) is not None:
            return (Route(whole, _kinds_of(parts, event)),)
    return ()


def whole_event(event: str) -> str:
    """The event of all tools that an event of one kind of tools is a part of; any other event is its own."""
    return next((whole for whole, parts in EVENTS_BY_KIND.items() if event in parts.values()), event)


def kinds_of_event(event: str) -> frozenset[str] | None:
    """The kinds of tools that an event is for; None when it is not for certain kinds."""
    for parts in EVENTS_BY_KIND.values():
        if event in parts.values():
            return _kinds_of(parts, event)
    return None


def _kinds_of(parts: Mapping[str, str], event: str) -> frozenset[str]:
    return frozenset(kind for kind, part in parts.items() if part == event)
