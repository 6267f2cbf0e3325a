"""A client's own name for a tool that is given by any client's name, and a call of it in the client's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.clients import CANONICAL
from anyhook.dialects.events import native_name
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import EVENTS_BY_KIND, MCP, whole_event
from anyhook.dialects.translation.tools import (
    is_mcp_name,
    kind_of_call,
    kinds_of,
    owners_of,
    split_mcp_name,
    tool_names,
    tools_of_kind,
    translate_input,
    translate_name,
)
from anyhook.dialects.translation.translate import hook_payloads, translate_payload
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.model.wording import close_matches, join_or


class OwnTool(Struct, frozen=True):
    name: str
    """As it was given, where the client has no other name for it."""
    owner: str = ""
    """A client that has the given name; empty: it was not translated."""
    note: str = ""
    """What a user should know about the name; empty: it is the client's own."""


class OwnCall(Struct, frozen=True):
    payload: Payload
    notes: tuple[str, ...] = ()
    refusal: str = ""
    """Why the client never sends such an event; empty: it does."""


def own_tool(tool: str, client: Profile) -> OwnTool:
    known = tool_names(client.name)
    if tool in known or is_mcp_name(tool, client.name):
        return OwnTool(tool)
    owners = owners_of(tool)
    for owner in owners:
        translation = translate_name(tool, owner, client.name)
        if translation.names:
            losses = f" ({'; '.join(translation.losses)})" if translation.losses else ""
            note = f"{tool} is called {join_or(translation.names)} in {client.title}{losses}"
            return OwnTool(translation.names[0], owner, note)
    if owners:
        return OwnTool(tool, note=f"{client.title} has no tool like {tool}")
    close = close_matches(tool, sorted(known))
    hint = f"; did you mean {close[0]}?" if close else ""
    note = f"{client.title} is not known to have a tool called {tool}{hint}" if known else ""
    return OwnTool(tool, note=note)


def events_of_tool(event: str, tool: str | None, client: Profile) -> tuple[str, ...]:
    """The events that the client has where others have this one: Cursor has beforeShellExecution beside preToolUse for
    a shell command, Windsurf has its like only. All names are canonical; None: the tool is not known."""
    parts = EVENTS_BY_KIND.get(event, {})
    if tool is not None:
        own = own_tool(tool, client)
        kinds = _kinds(tool, profile(own.owner)) if own.owner else _kinds(own.name, client)
    else:
        kinds = () if event in client.events else tuple(parts)
    found = (event, *(parts[kind] for kind in kinds if kind in parts))
    return tuple(dict.fromkeys(each for each in found if each in client.events))


def _kinds(tool: str, client: Profile) -> tuple[str, ...]:
    return (MCP,) if split_mcp_name(tool, client.name) else kinds_of(tool, client.name)


def own_call(payload: Payload, client: Profile) -> OwnCall:
    """The payload with the client's names for the tool and its inputs, where it has those of another client."""
    if payload.extra.keys() >= {"tool_name", "tool_input"}:
        return _respelled(payload, client)
    if not isinstance(payload, ToolPayload):
        return OwnCall(payload)
    if bind_event(client, payload.event, payload.native_event).profile.matching.renamed_tools:
        # Copilot's PascalCase events are the same ones, and its hooks on them see Claude's names.
        payload = structs.replace(payload, native_event=native_name(payload.event, client.name) or payload.native_event)
    own = own_tool(payload.tool_name, client)
    notes = (own.note,) if own.note else ()
    if not own.owner:
        return OwnCall(payload, notes)
    given = _plain(payload.tool_input)
    kind = kind_of_call(payload.tool_name, given, own.owner) if isinstance(given, Mapping) else None
    name = next(iter(tools_of_kind(kind, client.name)), own.name) if kind else own.name
    renamed = structs.replace(payload, tool_name=name)
    if kind is None:
        return OwnCall(renamed, notes)
    translated, _ = translate_input(given, kind, own.owner, client.name)
    if translated == given:
        return OwnCall(renamed, notes)
    return OwnCall(structs.replace(renamed, tool_input=LazyJson.of(translated)), notes)


def _respelled(payload: Payload, client: Profile) -> OwnCall:
    """A call in the spelling that most clients have, as this one spells it: its own payloads have other fields."""
    canonical = profile(CANONICAL)
    call, _ = decode_payload(canonical, dict(payload.extra), whole_event(payload.event))
    if not isinstance(call, ToolPayload):
        return OwnCall(payload)
    known = {name: value for name in Payload.__struct_fields__ if (value := getattr(payload, name)) is not None}
    common = {name: known[name] for name in known if getattr(call, name) is None}
    own = own_tool(call.tool_name, client)
    speaker = own.owner or (client.name if call.tool_name in tool_names(client.name) else CANONICAL)
    heard = translate_payload(structs.replace(call, **common), profile(speaker), canonical).payload
    found = hook_payloads(heard, canonical, client) if heard is not None else ()
    same = next((each for each in found if each.event == payload.event), None)
    if same is None:
        others = [each.native_event for each in found]
        instead = f"; for it, it sends {join_or(others)}" if others else ""
        why = f"{client.title} does not send {payload.native_event} for the tool {call.tool_name}{instead}"
        return OwnCall(payload, refusal=why)
    note = f"{payload.native_event} of {client.title} has other fields: {call.tool_name} and its input were translated"
    notes = (*((own.note,) if own.note else ()), note)
    return OwnCall(structs.replace(same, native_event=payload.native_event, extra={}), notes)


def _plain(value: object) -> Any:
    return value.value if isinstance(value, LazyJson) else value
