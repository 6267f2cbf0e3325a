"""A profile in words, for people: ``anyhook dialects`` and ``anyhook ui`` show it. Pure."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from anyhook.dialects.contract import BLOCKING_STATUS
from anyhook.dialects.measured import measurements
from anyhook.dialects.profile import Profile
from anyhook.model.events import EVENTS


class EventFacts(Struct, frozen=True):
    """An event as a client has it."""

    names: tuple[str, ...]
    canonical: str
    subject: str
    """What a matcher sees."""
    blocks: bool
    effect: str
    """What a blocking answer does, where it is not obvious."""


def event_facts(facts: Profile) -> tuple[EventFacts, ...]:
    """The events of a client, in the order of the table of all events."""
    return tuple(
        EventFacts(
            facts.events[event.name],
            event.name,
            facts.matching.subject(event.name),
            facts.blocks(event.name),
            facts.effects.get(event.name, ""),
        )
        for event in EVENTS
        if event.name in facts.events
    )


def matcher_text(facts: Profile) -> str:
    if facts.matching.ignored:
        return "ignored"
    mode = facts.matching.mode
    pattern = {"SEARCH": "regex", "FULL": "whole regex", "GLOB": "glob", "EXACT": "name"}[mode.otherwise.name]
    return f"names or {pattern.split()[0]}" if mode.exact or mode.list_first else pattern


def blocks_on(facts: Profile) -> str:
    exits = facts.exits
    if exits.any_nonzero_blocks:
        return "any exit but 0"
    codes = f"exit {BLOCKING_STATUS}"
    if exits.blocks_above is not None:
        codes = f"exit >{exits.blocks_above}"
    needs = {"stderr": " with stderr", "any text": " with text"}.get(exits.needs, "")
    return codes + needs


def rule_fields(facts: Profile) -> list[tuple[str, str]]:
    """Every rule of the profile as a dotted name and a readable value."""
    rows: list[tuple[str, str]] = []
    for section, value in profile_data(facts).items():
        if section in {"sources", "variants", "name", "title", "basis", "release", "effects", "changes", "measured"}:
            continue
        if isinstance(value, dict) and section not in {"types_on"}:
            rows += [(f"{section}.{field}", _text(inner)) for field, inner in value.items()]
        else:
            rows.append((section, _text(value)))
    return rows


def _text(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case "" | list() | tuple() | dict() if not value:
            return "-"
        case list() | tuple():
            return ", ".join(_text(item) for item in value)
        case dict():
            return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
        case _:
            return str(value)


def profile_data(facts: Profile) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(facts, order="sorted", str_keys=True)
    names = [field.name for field in msgspec.structs.fields(type(facts))]
    measured = msgspec.to_builtins(measurements(facts.name))
    return {**{name: plain[name] for name in names}, "measured": measured}
