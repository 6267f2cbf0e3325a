"""An event as another client would send it, and a hook's reply as the client that asked reads it. Pure.

Payloads and replies are already free of a client's spelling (:mod:`codec` and :mod:`answering` see to that). What is
left is which event it is, what tools and their inputs are called, and what the other client never says.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import (
    EVENTS_BY_KIND,
    MCP,
    Route,
    kinds_of_event,
    routes,
    whole_event,
)
from anyhook.dialects.translation.file_calls import edit_calls, file_calls
from anyhook.dialects.translation.patches import FileCall
from anyhook.dialects.translation.tools import (
    canonical_input,
    is_same_vocabulary,
    join_mcp_name,
    kind_of_call,
    native_input,
    split_mcp_name,
    tools_of_kind,
    translate_input,
)
from anyhook.dialects.wire.payload_codec import OWN_FIELDS
from anyhook.model.lazyjson import LazyJson
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS, EditPayload, FilePayload, McpPayload, ShellPayload, ToolPayload
from anyhook.model.payload_base import Payload, Spelling


class Translated(Struct, frozen=True):
    """A payload in another client's terms."""

    payload: Payload | None
    """None: the client sends nothing for such an event."""
    losses: tuple[str, ...] = ()


class TranslatedReply(Struct, frozen=True):
    """A reply in another client's terms. What that client cannot be told, ``encode_reply`` lists."""

    reply: Reply
    losses: tuple[str, ...] = ()
    """Parts of a rewritten input that the client's tool does not have."""


def translate_payload(payload: Payload, source: Profile, target: Profile) -> Translated:
    """The same event as the target client would send it; ``codec.payload_bytes`` then writes it in its spelling."""
    if source.name == target.name:
        return Translated(payload)
    calls = _file_calls(payload, source)
    translated = _Translation(payload, source, target, calls[0] if calls else None).result()
    others = dict.fromkeys(str(call.tool_input.get("file_path", "")) for call in calls)
    if len(others) < 2:
        return translated
    return structs.replace(translated, losses=(*translated.losses, f"the call is about {', '.join(others)}"))


def hook_payloads(
    payload: Payload, client: Profile, hooks: Profile, asked_on: Container[str] = ()
) -> tuple[Payload, ...]:
    """An event of a client as hooks of another dialect hear of it: every event of theirs that it is, for every file.

    A shell call is PreToolUse and BeforeShellExecution where the hooks' dialect has both. ``asked_on`` are the events
    on which hooks are asked anyway, because the client fires them as well (Cursor has both): no hook runs twice.
    """
    if client.name == hooks.name:
        return (payload,)
    calls: tuple[FileCall | None, ...] = _file_calls(payload, client) or (None,)
    found = (each for call in calls for each in _heard(_Translation(payload, client, hooks, call)))
    asked: list[Payload] = []
    for each in found:
        if each not in asked and (each.event == payload.event or each.event not in asked_on):
            asked.append(each)
    return tuple(asked)


def _file_calls(payload: Payload, client: Profile) -> tuple[FileCall, ...]:
    """The calls of single files that an event is about, where it may be about several."""
    if isinstance(payload, EditPayload):
        return edit_calls(payload)
    if not isinstance(payload, ToolPayload):
        return ()
    plain: object = payload.tool_input
    given = plain.value if isinstance(plain, LazyJson) else plain
    own = _own_names(payload, client)
    found = tuple(call for name in own for call in file_calls(name, given, client.name))
    if not found or len(own) == 1:
        return found
    # The name does not tell a patch from an edit, so both are asked about.
    kind = kind_of_call(own[0], _object(given), client.name) or ""
    canonical, _ = canonical_input(_object(given), kind, client.name)
    return (FileCall(kind, canonical), *found) if "file_path" in canonical else found


def _heard(translation: _Translation) -> Iterator[Payload]:
    """A payload as each event of the target that it is."""
    payload, first = translation.payload, translation.result().payload
    whole = whole_event(payload.event)
    others = (whole,) if whole != payload.event else _parts_of(payload, translation.kind)
    if first is not None:
        yield first
    for event in others:
        if event in translation.target.events and (first is None or first.event != event):
            translated = translation.as_event(event)
            if translated is not None:
                yield translated


def _parts_of(payload: Payload, kind: str | None) -> tuple[str, ...]:
    """The event of one kind of tools that a call is, if it is one."""
    part = EVENTS_BY_KIND.get(payload.event, {}).get(kind or "")
    return (part,) if part else ()


def translate_reply(
    reply: Reply, hook_payload: Payload, client_payload: Payload, source: Profile, target: Profile
) -> TranslatedReply:
    """A hook's answer for the client that asked.

    ``hook_payload`` is what the hook received, in the terms of ``source``, for which it was written; ``client_payload``
    is what the client ``target`` sent.
    """
    losses: list[str] = []
    if reply.updated_input is not None and source.name != target.name and len(_file_calls(client_payload, target)) > 1:
        return TranslatedReply(_refused_rewrite(reply))
    if reply.updated_input is not None and source.name != target.name:
        reply = structs.replace(
            reply, updated_input=_answered_input(reply, hook_payload, client_payload, source, target, losses)
        )
    return TranslatedReply(reply, tuple(losses))


def _refused_rewrite(reply: Reply) -> Reply:
    """The reply of a hook that changes what a call does to one of several files: it must not be done unchanged."""
    reason = "a hook changes what is done to one of these files; call the tool for one file at a time"
    is_refused = reply.decision in (Decision.DENY, Decision.BLOCK)
    kept = structs.replace(reply, updated_input=None)
    return kept if is_refused else structs.replace(kept, decision=Decision.DENY, reason=reason)


def _answered_input(
    reply: Reply, hook_payload: Payload, client_payload: Payload, source: Profile, target: Profile, losses: list[str]
) -> Any:
    """A rewritten tool input under the names that the client that asked has for it."""
    rewritten = reply.updated_input
    if not isinstance(hook_payload, ToolPayload) or not isinstance(rewritten, Mapping):
        return rewritten
    kind = _kind(hook_payload, source)
    if kind is None or kind == MCP or is_same_vocabulary(source.name, target.name):
        return rewritten
    if isinstance(client_payload, ToolPayload):
        kind = _kind(client_payload, target) or kind
    renamed, lost = translate_input(rewritten, kind, source.name, target.name)
    losses.extend(lost)
    return renamed


def _kind(payload: ToolPayload, profile: Profile) -> str | None:
    name = _own_name(payload, profile)
    if split_mcp_name(name, profile.name):
        return MCP
    return kind_of_call(name, _object(payload.tool_input), profile.name)


def _own_name(payload: ToolPayload, profile: Profile) -> str:
    return _own_names(payload, profile)[0]


def _own_names(payload: ToolPayload, profile: Profile) -> tuple[str, ...]:
    """The client's own names of tools that one of its variants calls otherwise (Copilot's PascalCase events)."""
    renamed = bind_event(profile, payload.event, payload.native_event).profile.matching.renamed_tools
    return tuple(own for own, shown in renamed.items() if shown == payload.tool_name) or (payload.tool_name,)


def _object(value: object) -> dict[str, Any]:
    plain = value.value if isinstance(value, LazyJson) else value
    return dict(plain) if isinstance(plain, Mapping) else {}


class _Translation:
    """One payload on its way from client to client."""

    def __init__(self, payload: Payload, source: Profile, target: Profile, call: FileCall | None) -> None:
        self.payload = payload
        self.source = source
        self.target = target
        self.call = call
        """The call of a single file, of those that the payload is about."""
        self.losses: list[str] = []

    @cached_property
    def kind(self) -> str | None:
        """What the tool does, where the payload is about a call of one."""
        if self.call is not None:
            return self.call.kind
        return _kind(self.payload, self.source) if isinstance(self.payload, ToolPayload) else None

    def result(self) -> Translated:
        payload = self._translated()
        return Translated(payload, tuple(dict.fromkeys(self.losses)))

    def as_event(self, event: str) -> Payload | None:
        """The payload as one event of the target, of those that correspond to it."""
        if isinstance(self.payload, ToolPayload):
            return self._from_tool(self.payload, (Route(event, kinds_of_event(event)),))
        return None if type(self.payload) is Payload else self._to_tool(PAYLOADS[event])

    def _translated(self) -> Payload | None:
        payload, ways = self.payload, routes(self.payload.event, self.target.name)
        if not ways:
            return self._nothing(f"{self.target.title} has no event like {payload.native_event or payload.event}")
        if payload.extra:
            self.losses.append(f"only {self.source.title} sends {', '.join(sorted(payload.extra))}")
        if type(payload) is Payload:  # a field that every client sends was missing
            return self._made(Payload, ways[0].event) if len(ways) == 1 else self._nothing("it names no tool")
        if isinstance(payload, ToolPayload):
            return self._from_tool(payload, ways)
        if ways[0].event == payload.event:
            return self._made(PAYLOADS[payload.event], payload.event, **self._own_values(payload))
        return self._to_tool(PAYLOADS[ways[0].event])

    def _nothing(self, why: str) -> Payload | None:
        self.losses.append(why)
        return None

    def _made(self, cls: type[Payload], event: str, **values: Any) -> Payload:
        """A payload of the target client, with every field that both classes have."""
        shared = (name for name in cls.__struct_fields__ if name not in OWN_FIELDS and name not in values)
        kept = {name: getattr(self.payload, name, None) for name in shared}
        hook_payload = {name: value for name, value in {**kept, **values}.items() if value is not None}
        nulls = self.payload.spelling.nulls & kept.keys()
        native = native_name(event, self.target.name) or ""
        return cls(event=event, native_event=native, spelling=Spelling(nulls=nulls), **hook_payload)

    def _own_values(self, payload: Payload) -> dict[str, Any]:
        """Fields of an event whose names of MCP tools depend on the client."""
        if isinstance(payload, McpPayload) and (found := split_mcp_name(payload.tool_name, self.source.name)):
            return {"tool_name": found[1], "mcp_server_name": found[0] or payload.mcp_server_name}
        return {}

    # --- from an event of all tools

    def _from_tool(self, payload: ToolPayload, ways: tuple[Route, ...]) -> Payload | None:
        name, tool_input = _own_name(payload, self.source), _object(payload.tool_input)
        kind = self.kind
        self._note_values(payload)
        way = next((way for way in ways if way.kinds is None or kind in way.kinds), None)
        if way is None:
            return self._nothing(f"{self.target.title} has no event for the tool {name}")
        cls = PAYLOADS[way.event]
        if way.kinds is not None:
            return self._to_part(cls, kind or "", name, tool_input)
        if self.call is None and is_same_vocabulary(self.source.name, self.target.name):
            return self._made(cls, way.event, tool_name=name)
        own_name, translated = self._tool_call(kind, name, tool_input)
        changed = {} if translated == tool_input else {"tool_input": LazyJson.of(translated)}
        return self._made(cls, way.event, tool_name=own_name, **changed)

    def _tool_call(self, kind: str | None, name: str, tool_input: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The name and the input of a call in the target client."""
        if kind == MCP and (found := split_mcp_name(name, self.source.name)):
            joined = join_mcp_name(*found, self.target.name)
            self.losses += joined.losses
            return (joined.names or (name,))[0], tool_input
        names = tools_of_kind(kind, self.target.name) if kind is not None else ()
        if kind is None or not names:
            self.losses.append(f"{self.target.title} has no tool that {self.source.title}'s {name} corresponds to")
            return name, tool_input
        if self.call is not None:
            translated, losses = native_input(self.call.tool_input, kind, self.target.name)
        else:
            translated, losses = translate_input(tool_input, kind, self.source.name, self.target.name)
        self.losses += losses
        return names[0], translated

    def _note_values(self, payload: ToolPayload) -> None:
        response = getattr(payload, "tool_response", None)
        if response is not None and not is_same_vocabulary(self.source.name, self.target.name):
            self.losses.append(f"the tool's output has the form that {self.source.title} gives it")

    def _to_part(self, cls: type[Payload], kind: str, name: str, tool_input: dict[str, Any]) -> Payload:
        """A tool call as the event that the target client has for tools of this kind."""
        if kind == MCP:
            server, tool = split_mcp_name(name, self.source.name) or ("", name)
            hook_payload = LazyJson.of(tool_input)
            return self._made(
                cls, cls.__name__, tool_name=tool, tool_input=hook_payload, mcp_server_name=server or None
            )
        canonical, losses = self._canonical(kind, tool_input)
        self.losses += losses
        if issubclass(cls, ShellPayload):
            output = _text(getattr(self.payload, "tool_response", None))
            more = {"output": output} if "output" in cls.__struct_fields__ else {}
            return self._made(cls, cls.__name__, command=str(canonical.get("command", "")), **more)
        path = canonical.get("file_path")
        more = {"edits": _edits(canonical)} if issubclass(cls, EditPayload) else {}
        return self._made(cls, cls.__name__, file_path=path, **more)

    def _canonical(self, kind: str, tool_input: dict[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        if self.call is not None:
            return self.call.tool_input, ()
        return canonical_input(tool_input, kind, self.source.name)

    # --- to an event of all tools

    def _to_tool(self, cls: type[Payload]) -> Payload | None:
        """An event of one kind of tools as the target's event of all tools."""
        payload = self.payload
        if isinstance(payload, McpPayload):
            server = payload.mcp_server_name if isinstance(payload.mcp_server_name, str) else ""
            joined = join_mcp_name(server, payload.tool_name, self.target.name)
            self.losses += joined.losses
            hook_payload = LazyJson.of(_object(payload.tool_input))
            return self._made(
                cls, cls.__name__, tool_name=(joined.names or (payload.tool_name,))[0], tool_input=hook_payload
            )
        kind, canonical = (self.call.kind, self.call.tool_input) if self.call else _canonical_call(payload)
        if not kind:
            return self._nothing(f"{self.target.title} has no such tool")
        names = tools_of_kind(kind, self.target.name)
        if names:
            tool_input, losses = native_input(canonical, kind, self.target.name)
        else:  # a guard of all tools is still asked: Codex has no tool that reads files, Windsurf an event for it
            names, tool_input, losses = (kind,), dict(canonical), (f"{self.target.title} has no {kind} tool",)
        self.losses += losses
        output = getattr(payload, "output", None)
        more = {"tool_response": LazyJson.of(output)} if output is not None else {}
        return self._made(cls, cls.__name__, tool_name=names[0], tool_input=LazyJson.of(tool_input), **more)


def _canonical_call(payload: Payload) -> tuple[str, Mapping[str, Any]]:
    """The kind and the canonical input of the tool call that an event of one kind of tools is about."""
    match payload:
        case ShellPayload():
            return "shell", {"command": payload.command}
        case FilePayload():
            (kind,) = kinds_of_event(payload.event) or ("",)
            return kind, {"file_path": payload.file_path} if isinstance(payload.file_path, str) else {}
        case _:
            return "", {}


def _edits(canonical: Mapping[str, Any]) -> LazyJson:
    """The list of replacements that a write or an edit amounts to."""
    if "content" in canonical:
        return LazyJson.of([{"old_string": "", "new_string": canonical["content"]}])
    return LazyJson.of([{key: canonical.get(key, "") for key in ("old_string", "new_string")}])


def _text(value: object) -> Any:
    """A tool's output as text: what it printed, where its form is known."""
    plain = value.value if isinstance(value, LazyJson) else value
    if isinstance(plain, Mapping):
        plain = plain.get("stdout", plain.get("output"))
    return plain if isinstance(plain, str) else None
