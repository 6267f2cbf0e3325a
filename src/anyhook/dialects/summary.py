"""A profile in words, for people: ``anyhook clients`` and ``anyhook ui`` show it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from anyhook.dialects.contract import BLOCKING_STATUS
from anyhook.dialects.measured import measurements
from anyhook.dialects.overrides import explanation
from anyhook.dialects.profile import Profile
from anyhook.model.events import EVENTS

_MAX_TEXT: Final = 160
"""As long as the text of a row may be before it becomes several."""


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
    above = exits.blocks_above.get("*")
    if above == 0:
        return "any exit but 0"
    codes = f"exit {BLOCKING_STATUS}" if above is None else f"exit >{above}"
    needs = {"stderr": " with stderr", "any text": " with text"}.get(exits.needs, "")
    return codes + needs


def rule_fields(facts: Profile) -> list[tuple[str, str]]:
    """Every rule of the profile as a dotted name and a readable value."""
    rows: list[tuple[str, str]] = []
    for section, value in profile_data(facts).items():
        if section in {
            "sources",
            "variants",
            "name",
            "title",
            "basis",
            "release",
            "effects",
            "changes",
            "measured",
            "settings",
        }:
            continue
        if section == "overrides":
            rows += [(f"{section}.{stage}", what) for stage, functions in value.items() for what in functions]
        elif isinstance(value, dict) and section not in {"types_on"}:
            rows += [row for field, inner in value.items() for row in _rows_of(f"{section}.{field}", inner)]
        else:
            rows += _rows_of(section, value)
    return rows


def _rows_of(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """One row, or one for each member if all of them are too much for one; members without a value are left out."""
    text = _text(value)
    members = dict(enumerate(value, 1)) if isinstance(value, list | tuple) else value
    is_nested = isinstance(members, dict) and (members is value or any(isinstance(m, dict) for m in value))
    if not is_nested or len(text) <= _MAX_TEXT:
        yield name, text
        return
    for key, member in members.items():
        if _says_something(key, member):
            yield from _rows_of(f"{name}.{key}", member)


def _says_something(key: object, member: Any) -> bool:
    """Whether a member of a record is worth its words; a value that is asked for may be false."""
    return member not in (None, "", [], (), {}, False) or key == "value"


def _text(value: Any, *, whole: bool = False) -> str:
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
            said = ((key, item) for key, item in value.items() if whole or _says_something(key, item))
            return "; ".join(f"{key}: {_text(item, whole=key == 'values')}" for key, item in said)
        case _:
            return str(value)


def profile_data(facts: Profile) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(facts, order="sorted", str_keys=True, enc_hook=explanation)
    names = [field.name for field in msgspec.structs.fields(type(facts))]
    measured = msgspec.to_builtins(measurements(facts.name))
    return {**{name: plain[name] for name in names}, "measured": measured}
