"""JSON Schemas of hook files, made from the profiles, so that editors complete and check them."""

from __future__ import annotations

from typing import Any

from anyhook.dialects.files.actions import keys_of, required_fields
from anyhook.dialects.profile import Profile, Shape, Unit
from anyhook.dialects.vocabulary import TOOL_KINDS
from anyhook.model.events import EVENTS

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_TEXT_MAP = {"type": "object", "additionalProperties": _TEXT}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 0}

_FIELD_SCHEMAS: dict[str, dict[str, Any]] = {
    "args": _TEXTS,
    "allowed_env": _TEXTS,
    "tools": _TEXTS,
    "env": _TEXT_MAP,
    "headers": _TEXT_MAP,
    "input": {"type": "object"},
    "is_async": _FLAG,
    "rewakes": _FLAG,
    "once": _FLAG,
    "fail_closed": _FLAG,
    "show_output": _FLAG,
    "continue_on_block": _FLAG,
    "context_limit": _COUNT,
    "max_turns": _COUNT,
    "note": {},
}


def json_schema(profile: Profile) -> dict[str, Any]:
    """The schema of a file in which this client keeps hooks; keys beside the hooks are left open where they are."""
    layout = profile.layout
    properties: dict[str, Any] = {"hooks": _events(profile)}
    if layout.version is not None:
        properties["version"] = {"const": layout.version}
    if layout.file_keys is not None:
        properties |= {key: {} for key in sorted(layout.file_keys) if key not in properties}
    schema: dict[str, Any] = {
        "$schema": _DRAFT,
        "title": f"Hooks of {profile.title} ({profile.release})",
        "type": "object",
        "properties": properties,
        "additionalProperties": layout.file_keys is None,
        "$defs": _definitions(profile),
    }
    required = [] if layout.bare_map else ["hooks"]
    if layout.version_required:
        required.append("version")
    if layout.file_keys is not None and required:
        schema["required"] = sorted(required)
    return schema


def _events(profile: Profile) -> dict[str, Any]:
    entry = {"$ref": "#/$defs/entry"}
    known = {
        name: {"type": "array", "items": entry, "description": _describe_event(profile, event.name)}
        for event in EVENTS
        for name in profile.events.get(event.name, ())
    }
    settings: dict[str, Any] = {name: {} for name in sorted(profile.layout.event_settings)}
    # A closed set: a misspelled event is the mistake that editors should show first.
    return {"type": "object", "properties": known | settings, "additionalProperties": False}


def _describe_event(profile: Profile, event: str) -> str:
    subject = profile.matching.subject(event)
    blocks = "Can block." if profile.blocks(event) else "Cannot block."
    if profile.matching.ignored or subject == "nothing":
        return f"{blocks} A matcher is ignored."
    return f"{blocks} The matcher is compared with the {subject}."


def _definitions(profile: Profile) -> dict[str, Any]:
    layout = profile.layout
    hooks = [{"$ref": f"#/$defs/{kind}"} for kind in sorted(layout.action_keys)]
    hook: dict[str, Any] = {"anyOf": hooks}
    group: dict[str, Any] = {
        "type": "object",
        "properties": {
            "matcher": {"type": ["string", "null"] if layout.null_matcher else "string"},
            "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            **({"sequential": _FLAG} if "sequential" in layout.group_keys else {}),
            **({"commandRegex": _TEXT} if "commandRegex" in layout.group_keys else {}),
            **({"kind": _kinds()} if "kind" in layout.group_keys else {}),
        },
        "required": ["hooks"],
    }
    entry = {
        Shape.GROUPS: {"$ref": "#/$defs/group"},
        Shape.FLAT: {"$ref": "#/$defs/hook"},
        Shape.EITHER: {"anyOf": [{"$ref": "#/$defs/group"}, {"$ref": "#/$defs/hook"}]},
    }[layout.shape]
    kinds = {kind: _hook(profile, kind) for kind in sorted(layout.action_keys)}
    groups = {} if layout.shape is Shape.FLAT else {"group": group}
    return {"entry": entry, **groups, "hook": hook, **kinds}


def _kinds() -> dict[str, Any]:
    kind = {"enum": list(TOOL_KINDS)}
    description = "What the tool must do, whatever it is called, also one of an MCP server."
    return {"description": description, "anyOf": [kind, {"type": "array", "items": kind, "minItems": 1}]}


def _hook(profile: Profile, kind: str) -> dict[str, Any]:
    layout = profile.layout
    keys = keys_of(layout, kind)
    properties: dict[str, Any] = {"type": {"const": kind}}
    for key, field in keys.items():
        properties[key] = _field(profile, kind, field)
    if layout.shape is not Shape.GROUPS:
        properties["matcher"] = _TEXT
    required = [] if layout.default_type == kind else ["type"]
    for name in required_fields(kind):
        by_system = name == "command" and not layout.command_required
        spellings = [key for key, field in keys.items() if field == name or (by_system and "by_os" in field)]
        if len(spellings) == 1:
            required.append(spellings[0])
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def _field(profile: Profile, kind: str, field: str) -> dict[str, Any]:
    name, _, literal = field.partition("=")
    if literal:
        return {"enum": [literal]}
    if name != "timeout":
        return _FIELD_SCHEMAS.get(name, _TEXT)
    unit = profile.timeouts.unit_of(kind)
    number = {"type": "integer" if profile.timeouts.whole_numbers else "number", "minimum": 0}
    default = profile.timeouts.defaults_ms.get(kind, profile.timeouts.default_ms)
    text = f"In {unit}."
    if default is not None:
        text += f" Default {default if unit is Unit.MILLISECONDS else default / 1000:g}."
    return {**number, "description": text}
