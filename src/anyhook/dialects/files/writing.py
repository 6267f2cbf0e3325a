"""Writes rules as a client's hook file. Only the content: editing a user's file in place is done by anyhook.deploy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyhook.dialects.events import native_name, native_names
from anyhook.dialects.files.actions import write_action
from anyhook.dialects.profile import Profile, Shape
from anyhook.model.hooks import Rule


def write_rules(profile: Profile, rules: Sequence[Rule]) -> dict[str, Any]:
    """A hook file with these rules, in their order; what the client did not load is left out."""
    events: dict[str, list[dict[str, Any]]] = {}
    for rule in rules:
        name = event_key(profile, rule)
        actions = [write_action(profile, action) for action in rule.actions if action.is_loaded]
        if name is not None and (actions or not rule.actions):
            events.setdefault(name, []).extend(_entries(profile, rule, actions))
    head = {} if profile.layout.version is None else {"version": profile.layout.version}
    return {**head, "hooks": events}


def event_key(profile: Profile, rule: Rule) -> str | None:
    """The name to write a rule under: as it was spelled if this client knows that name."""
    if rule.native_event in native_names(profile.name):
        return rule.native_event
    return native_name(rule.event, profile.name)


def _entries(profile: Profile, rule: Rule, actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    matcher = {} if rule.matcher is None else {"matcher": rule.matcher}
    layout = profile.layout
    if layout.shape is Shape.FLAT or (layout.shape is Shape.EITHER and (layout.writes_flat or not rule.is_nested)):
        return [{**matcher, **action} for action in actions]
    group: dict[str, Any] = {**matcher, "hooks": actions}
    if rule.sequential and "sequential" in profile.layout.group_keys:
        group["sequential"] = True
    if rule.command_pattern is not None and "commandRegex" in profile.layout.group_keys:
        group["commandRegex"] = rule.command_pattern
    if rule.kinds and "kind" in profile.layout.group_keys:
        group["kind"] = rule.kinds[0] if len(rule.kinds) == 1 else list(rule.kinds)
    return [group | dict(rule.extra)]
