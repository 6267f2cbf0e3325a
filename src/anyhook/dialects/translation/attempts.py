"""A call that an agent may attempt, whoever the agent is, and the events of a client on which its hooks hear of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.clients import CANONICAL
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import MCP
from anyhook.dialects.translation.tools import join_mcp_name, tools_of_kind
from anyhook.dialects.translation.translate import hook_payloads
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import PermissionRequest, PreToolUse, ToolPayload, UserPromptSubmit
from anyhook.model.payload_base import Payload

PROMPT = "prompt"


class Attempt(Struct, frozen=True):
    """What is attempted: a call of a tool, or a prompt."""

    kind: str
    """A kind of tools (:data:`anyhook.dialects.vocabulary.KINDS`), "mcp" or "prompt"."""
    target: str
    """The command, path, URL, text of the prompt, or ``server/tool``."""
    input: Mapping[str, Any] = {}
    """The input of an MCP tool."""


def events_for(attempt: Attempt, client: Profile) -> tuple[Payload, ...]:
    """The events before the attempt as the client sends them, in its order; none: it lacks the event or the tool."""
    return tuple(
        payload
        for payload in hook_payloads(_payload(attempt, PreToolUse), profile(CANONICAL), client)
        if payload.event in client.events and _has_tool(attempt, payload, client)
    )


def permission_event(attempt: Attempt, client: Profile) -> Payload | None:
    """The event when the client asks its user about the attempt; None: it has no such event."""
    if attempt.kind == PROMPT or PermissionRequest.__name__ not in client.events:
        return None
    found = hook_payloads(_payload(attempt, PermissionRequest), profile(CANONICAL), client)
    return next((payload for payload in found if _has_tool(attempt, payload, client)), None)


def why_no_event(attempt: Attempt, client: Profile) -> str:
    """Why a client sends no event about an attempt."""
    if attempt.kind == PROMPT:
        return f"{client.title} has no event for prompts"
    if attempt.kind != MCP and client.tools.kinds and not tools_of_kind(attempt.kind, client.name):
        return f"{client.title} has no {attempt.kind} tool"
    return f"{client.title} has no event before calls of this kind"


def _has_tool(attempt: Attempt, payload: Payload, client: Profile) -> bool:
    """Whether the client has the tool, where the event names one."""
    is_named = isinstance(payload, ToolPayload) and attempt.kind != MCP
    return not (is_named and client.tools.kinds) or bool(tools_of_kind(attempt.kind, client.name))


def _payload(attempt: Attempt, event: type[ToolPayload]) -> Payload:
    """The event of a call in canonical terms; a prompt has one event only."""
    if attempt.kind == PROMPT:
        name = UserPromptSubmit.__name__
        return UserPromptSubmit(event=name, native_event=name, prompt=attempt.target)
    name = event.__name__
    return event(event=name, native_event=name, tool_name=_tool(attempt), tool_input=LazyJson.of(_input(attempt)))


def _tool(attempt: Attempt) -> str:
    if attempt.kind == MCP:
        server, _, tool = attempt.target.partition("/")
        return join_mcp_name(server, tool, CANONICAL).names[0]
    return tools_of_kind(attempt.kind, CANONICAL)[0]


def _input(attempt: Attempt) -> Mapping[str, Any]:
    match attempt.kind:
        case "shell":
            return {"command": attempt.target}
        case "write":
            return {"file_path": attempt.target, "content": "written by anyhook try\n"}
        case "read":
            return {"file_path": attempt.target}
        case "web fetch":
            # Some clients have the address in the prompt alone.
            return {"url": attempt.target, "prompt": f"What does {attempt.target} say?"}
        case _:
            return attempt.input
