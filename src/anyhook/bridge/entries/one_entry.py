"""One entry answers a client. Where it also reads the files of others, the entries there leave it to its own."""

from __future__ import annotations

from msgspec import structs

from anyhook.bridge.entries.anyhook_entries import is_own_call
from anyhook.bridge.entries.command_entries import client_of, entry_of
from anyhook.dialects import profile as profile_of
from anyhook.model.hooks import Action, Fate, FateState, HookSet, Rule

_Key = tuple[str, str, str]


def leave_to_one_entry(hooks: HookSet) -> HookSet:
    """The hooks of a client with one active entry for each event and package: its own one, else the first."""
    chosen: dict[_Key, Action] = {}
    for rule in hooks.rules:
        for action in rule.actions:
            if key := _key(rule, action):
                first = chosen.setdefault(key, action)
                if client_of(first) != hooks.dialect == client_of(action):
                    chosen[key] = action
    if not chosen:
        return hooks

    def settled(rule: Rule, action: Action) -> Action:
        key = _key(rule, action)
        if key is None or chosen[key] is action:
            return action
        why = f"the entry in {chosen[key].origin} answers {profile_of(hooks.dialect).title}"
        return structs.replace(action, fate=Fate(FateState.SHADOWED, why))

    rules = (
        structs.replace(rule, actions=tuple(settled(rule, action) for action in rule.actions)) for rule in hooks.rules
    )
    return structs.replace(hooks, rules=tuple(rules))


def is_left_to_another(hooks: HookSet, event: str, written_for: str) -> bool:
    """Whether an entry that was written for another client leaves an event of this one to another entry."""
    entries = [
        action
        for rule in leave_to_one_entry(hooks).rules
        if rule.event == event
        for action in rule.actions
        if client_of(action) == written_for
    ]
    return bool(entries) and all(action.fate.state is FateState.SHADOWED for action in entries)


def _key(rule: Rule, action: Action) -> _Key | None:
    """What two entries must share to be one; None: it is not exactly an entry that anyhook writes, for every call."""
    if action.fate.state is not FateState.ACTIVE or rule.matcher or rule.command_pattern or action.condition:
        return None
    entry = entry_of(action)
    return (rule.event, entry.package, entry.source) if entry and is_own_call(action) else None
