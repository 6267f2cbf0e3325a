"""Merges a client's files into one hook set in its order, and marks hooks that are switched off or shadowed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath

from msgspec import structs

from anyhook.dialects import profile
from anyhook.dialects.profile import Dedupe, Profile
from anyhook.model.hooks import Action, Command, Fate, FateState, HookFile, HookSet, Rule, with_fate
from anyhook.model.origin import Scope, plugin_folder
from anyhook.sources.discover import Found


def merge(name: str, files: Sequence[HookFile], found: Sequence[Found] = ()) -> HookSet:
    """The hook set of a client. ``files`` are in the client's order; ``found`` says which source each came from."""
    rules_of = profile(name)
    sets = [list(file.rules) for file in files]
    _apply_switches(files, sets)
    if found:
        _apply_only_first(rules_of, files, sets, found)
    rules = _shadow_duplicates(rules_of, [rule for rules in sets for rule in rules])
    problems = tuple(problem for file in files for problem in file.problems)
    return HookSet(dialect=name, rules=tuple(rules), problems=problems, files=tuple(files))


def _apply_switches(files: Sequence[HookFile], sets: list[list[Rule]]) -> None:
    """Mark what settings turn off. The organisation's hooks can only be turned off by the organisation."""
    named = {name: file.path for file in files for name in file.switches.named}
    for switching in (file for file in files if file.switches.off):
        for index, file in enumerate(files):
            if not _reaches(switching, file):
                continue
            if "start" in switching.switches.off:
                why = f"the client does not start, because of {switching.path}: {switching.switches.no_start}"
                fate = Fate(FateState.DROPPED, why)
            else:
                fate = Fate(FateState.DISABLED, f"hooks are switched off in {switching.path}")
            sets[index] = [with_fate(rule, fate) for rule in sets[index]]
    lost = {event: file.path for file in files for event in file.switches.events}
    for rules in sets if lost else ():
        rules[:] = [_lost_with_event(rule, lost) for rule in rules]
    if named:
        for rules in sets:
            rules[:] = [_disable_named(rule, named) for rule in rules]


def _lost_with_event(rule: Rule, lost: dict[str, str]) -> Rule:
    if rule.event not in lost:
        return rule
    why = f"a mistake in {lost[rule.event]} keeps every hook of the event from running"
    return with_fate(rule, Fate(FateState.DROPPED, why))


def _reaches(switching: HookFile, file: HookFile) -> bool:
    off = switching.switches.off
    if "start" in off:
        return True
    if "all" in off and (file.scope != Scope.MANAGED or switching.scope == Scope.MANAGED):
        return True
    if "unmanaged" in off and switching.scope == Scope.MANAGED and file.scope != Scope.MANAGED:
        return True
    return "file" in off and switching.path == file.path


def named_key(action: Action, named: Collection[str]) -> str | None:
    """Which of these names of hooks that are switched off is that of an action; None: none of them."""
    key = action.name if action.name in named else action.summary()
    return key if key in named else None


def _disable_named(rule: Rule, named: dict[str, str]) -> Rule:
    def fate(action: Action) -> Action:
        key = named_key(action, named)
        if key is None or action.fate.state is not FateState.ACTIVE:
            return action
        return structs.replace(action, fate=Fate(FateState.DISABLED, f"switched off by name in {named[key]}"))

    return structs.replace(rule, actions=tuple(fate(action) for action in rule.actions))


def _apply_only_first(
    rules_of: Profile, files: Sequence[HookFile], sets: list[list[Rule]], found: Sequence[Found]
) -> None:
    """Where a client reads only the first file that exists, the later ones are shadowed."""
    first: dict[str, str] = {}
    for index, (file, where) in enumerate(zip(files, found, strict=True)):
        if not where.source.only_first or not (file.rules or file.problems):
            continue
        winner = first.setdefault(where.source.scope if rules_of.merges_scopes else "", file.path)
        if winner != file.path:
            fate = Fate(FateState.SHADOWED, f"{rules_of.title} reads only {winner}")
            sets[index] = [with_fate(rule, fate) for rule in sets[index]]


def _shadow_duplicates(rules_of: Profile, rules: list[Rule]) -> list[Rule]:
    """Hooks that can never run because an identical one under the same event and matcher always runs first."""
    if rules_of.execution.dedupe is Dedupe.NOTHING:
        return rules
    seen: dict[object, Action] = {}
    result = []
    for rule in rules:
        actions = []
        for action in rule.actions:
            key = dedupe_key(rules_of.execution.dedupe, action)
            if key is not None and action.fate.state is FateState.ACTIVE:
                call = (rule.event, rule.matcher or "", rule.command_pattern, rule.kinds, key)
                if call in seen:
                    text = f"the same hook in {seen[call].origin} runs in its place"
                    action = structs.replace(action, fate=Fate(FateState.SHADOWED, text))
                else:
                    seen[call] = action
            actions.append(action)
        result.append(structs.replace(rule, actions=tuple(actions)))
    return result


def dedupe_key(dedupe: Dedupe, action: Action) -> object | None:
    """What two hooks must share to count as one; None: this hook is never left out."""
    what = action.summary()
    match dedupe:
        case Dedupe.NOTHING:
            return None
        case Dedupe.COMMAND:
            # A plugin's copy counts separately, and so does one with another `if` (dedupe-*, h-plugin-dedupe); those in
            # the manifest and in hooks/hooks.json of one plugin are one (seen with 2.1.325), as is not so for a skill.
            match action.origin.scope:
                case Scope.PLUGIN:
                    own = str(plugin_folder(PurePath(action.origin.file)))
                case Scope.COMPONENT:
                    own = action.origin.file
                case _:
                    own = ""
            return (action.kind, what, action.condition, own)
        case Dedupe.NAME_AND_COMMAND:
            return (action.kind, action.name, what)
        case Dedupe.EVERYTHING:
            env = tuple(sorted(action.env.items())) if isinstance(action, Command) else ()
            return (action.kind, what, action.timeout_ms, env)
