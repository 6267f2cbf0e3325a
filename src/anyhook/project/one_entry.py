"""One entry answers a client. Where it also reads the files of others, the entries there leave it to its own."""

from __future__ import annotations

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.profile import TOO_SHORT_MS
from anyhook.entries.anyhook_entries import asking_of, is_own_call
from anyhook.entries.command_entries import is_entry_text
from anyhook.model.hooks import Action, Fate, FateState, HookSet, Rule, Unreadable
from anyhook.model.origin import Origin

_Key = tuple[str, str, str]


def leave_to_one_entry(hooks: HookSet) -> HookSet:
    """The hooks of a client with one active entry for each event and package: its own one, else the first.

    An entry that the client ends before anyhook can answer is not loaded.
    """
    hooks = _without_too_short(_without_foreign(hooks))
    chosen: dict[_Key, Action] = {}
    for rule in hooks.rules:
        for action in rule.actions:
            if key := _key(rule, action):
                first = chosen.setdefault(key, action)
                if _client_of(first) != hooks.dialect == _client_of(action):
                    chosen[key] = action
    if not chosen:
        return hooks

    def settled(rule: Rule, action: Action) -> Action:
        key = _key(rule, action)
        if key is None or chosen[key] is action or _client_of(action) == hooks.dialect:
            return action  # no entry leaves its own client to another
        why = f"the entries in {chosen[key].origin.file} answer {profile_of(hooks.dialect).title}"
        return structs.replace(action, fate=Fate(FateState.SHADOWED, why))

    rules = (
        structs.replace(rule, actions=tuple(settled(rule, action) for action in rule.actions)) for rule in hooks.rules
    )
    return structs.replace(hooks, rules=tuple(rules))


def _without_foreign(hooks: HookSet) -> HookSet:
    """The hooks without entries for other clients that this one does not load: none of them is its hook.

    It does not know their form; or not their event, which matters only where it has no entries of its own.
    """
    actions = [action for rule in hooks.rules for action in rule.actions]
    has_own = any(_client_of(action) == hooks.dialect for action in actions)
    foreign = {
        (action.origin.file, action.origin.pointer)
        for action in actions
        if (isinstance(action, Unreadable) and is_entry_text(action.text))
        or (has_own and action.fate.state is FateState.DROPPED and _client_of(action) not in ("", hooks.dialect))
    }
    if not foreign:
        return hooks

    def kept(origin: Origin) -> bool:
        return (origin.file, origin.pointer) not in foreign

    rules = (
        structs.replace(rule, actions=tuple(action for action in rule.actions if kept(action.origin)))
        for rule in hooks.rules
    )
    return structs.replace(
        hooks,
        rules=tuple(rule for rule in rules if rule.actions),
        problems=tuple(found for found in hooks.problems if kept(found.origin)),
    )


def _without_too_short(hooks: HookSet) -> HookSet:
    """Entries written for a client that counts seconds, read by one that counts milliseconds, cannot answer."""
    client = profile_of(hooks.dialect)

    def settled(rule: Rule, action: Action) -> Action:
        if action.fate.state is not FateState.ACTIVE or action.timeout_ms is None or not is_own_call(action):
            return action
        limit = bind_rule(client, rule).timeout_ms(action)
        if limit is None or limit >= TOO_SHORT_MS:
            return action
        why = f"{client.title} ends it after {limit} ms, before anyhook can answer"
        return structs.replace(action, fate=Fate(FateState.DROPPED, why))

    rules = (
        structs.replace(rule, actions=tuple(settled(rule, action) for action in rule.actions)) for rule in hooks.rules
    )
    return structs.replace(hooks, rules=tuple(rules))


def _client_of(action: Action) -> str:
    asking = asking_of(action)
    return "" if asking is None else asking.client


def _key(rule: Rule, action: Action) -> _Key | None:
    """What two entries must share to be one; None: it is not exactly an entry that anyhook writes, for every call."""
    if action.fate.state is not FateState.ACTIVE or rule.matcher or rule.command_pattern or action.condition:
        return None
    entry = asking_of(action)
    return (rule.event, entry.package, entry.source) if entry and is_own_call(action) else None
