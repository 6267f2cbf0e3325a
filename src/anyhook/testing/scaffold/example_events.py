"""Example events for the hooks of a package, as the client of those hooks would send them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.events import find_event, native_name, unknown_event_text
from anyhook.dialects.translation.tools import owners_of, tool_names
from anyhook.dialects.translation.translate import translate_payload
from anyhook.model.events import Event
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_and
from anyhook.project.package_hooks import PackageHooks
from anyhook.project.project import Project


def find_hooks(start: Path) -> PackageHooks:
    """The hooks to test from a folder: those of the nearest one, from here upwards, with a hook file of any client."""
    hooks = Project.open(start).packages.above_of_any_client(start)
    if hooks is None:
        raise UsageError(f"{start}: no client has hooks here or in a folder above")
    return hooks


def choose_client(hooks: PackageHooks, name: str | None) -> str:
    """The client whose hooks to use: the named one if it has hooks here, or else the one that the package is for."""
    owner, clients = hooks.owner(), hooks.clients()
    if name is not None and name in (owner, *clients):
        return name
    if owner is not None or len(clients) == 1:
        return owner or clients[0]
    if not clients:
        raise UsageError(f"{hooks.root}: there are no hooks")
    raise UsageError(f"{', '.join(clients)} have hooks in {hooks.root}: name the client with --client")


def known_event(name: str, client: str = "") -> Event:
    """The event of this name in any client."""
    event = find_event(name, client)
    if event is None:
        raise UsageError(unknown_event_text(name))
    return event


def make_payload(event: Event, fields: Mapping[str, Any], client: str) -> Payload:
    """An event in a client's terms. Fields have the names of the Agent SDK hooks spec, tools any client's name."""
    cls = PAYLOADS[event.name]
    own = {name: value for name, value in fields.items() if name in cls.__struct_fields__}
    missing = [field.name for field in structs.fields(cls) if field.required and field.name not in own]
    if missing and issubclass(cls, ToolPayload):
        raise UsageError(f"{event.name} is about a tool: name it")
    if missing:
        raise UsageError(f"{event.name} needs {join_and(missing)}")
    speaker = tool_speaker(str(fields.get("tool_name", "")), client)
    payload = cls(
        event=event.name,
        native_event=native_name(event.name, speaker) or event.name,
        extra={name: LazyJson.of(value) for name, value in fields.items() if name not in own},
        **own,
    )
    return translate_payload(payload, profile_of(speaker), profile_of(client)).payload or payload


def tool_speaker(tool: str, client: str) -> str:
    """The client that has a tool of this name: this one, or else the best known of the others."""
    return client if tool in tool_names(client) else next(iter(owners_of(tool)), client)
