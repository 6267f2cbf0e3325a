"""Hooks that a host hands over as objects: configurations in memory, and functions with their matchers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.events import find_event, is_well_formed, native_name, native_names, unknown_event_text
from anyhook.dialects.profile import Profile
from anyhook.engine.executors.callback import CallbackContext, Function, taking_payload
from anyhook.engine.match import matcher_for
from anyhook.model.document import json_pointer
from anyhook.model.hooks import Callback, HookFile, HookSet, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.sources.config_in_memory import hooks_of_config
from anyhook.sources.merge import merge as merge_files


class HookMatcher(Struct, frozen=True):
    """Functions to call on an event, as in the Agent SDK; ``matcher`` is read as in a hook file."""

    matcher: str | None = None
    hooks: Sequence[Function] = ()
    timeout: float | None = None
    """Seconds, for each function; None or 0: the client's default."""


_NO_HOOKS = object()


class HasHooks(Protocol):
    """Options of a host that hold a map of hooks."""

    @property
    def hooks(self) -> Any: ...


def parse(config: Mapping[str, Any] | HasHooks | object, client: str) -> HookSet:
    """The hooks of a configuration that is in memory, as the client would read it from its first file.

    It is a map of events to groups, alone or as ``hooks`` of a dictionary or an object. A group is a dictionary as in
    the file, a :class:`HookMatcher` (or an object with the same attributes), or one function. Functions are called
    after the hooks that are data. Every mistake is one of the ``problems`` of the hooks; only an unknown client raises
    UsageError.
    """
    if not isinstance(config, Mapping):
        held: Any = getattr(config, "hooks", _NO_HOOKS)
        if held is _NO_HOOKS:  # what is no configuration at all is a mistake as in a file
            if isinstance(config, Sequence) and not isinstance(config, str):
                config = []
            return hooks_of_config(config if isinstance(config, str | int | float | list) else None, client)
        config = {"hooks": held or {}}
    is_wrapped = isinstance(config.get("hooks"), Mapping)
    above = ("hooks",) if is_wrapped else ()
    data: dict[str, Any] = {}
    found: list[tuple[str, HookMatcher, str]] = []
    for event, groups in (config["hooks"] if is_wrapped else config).items():
        kept, matchers = _split(groups)
        if kept or not matchers:
            data[event] = kept
        found += [(event, matcher, json_pointer((*above, event, place))) for place, matcher in matchers]
    hooks = hooks_of_config({**config, "hooks": data} if is_wrapped else data, client)
    rules, problems = list(hooks.rules), list(hooks.problems)
    for event, matcher, pointer in found:
        try:
            rules.append(rule_of(hooks.dialect, event, matcher, pointer))
        except (ValueError, TypeError) as error:
            code = "K007" if isinstance(error, TypeError) else "E001"
            problems.append(problem(code, Origin(hooks.dialect, Scope.RUNTIME, pointer=pointer), str(error)))
    problems += _matcher_problems(profile(hooks.dialect), rules)
    return structs.replace(hooks, rules=tuple(rules), problems=tuple(problems))


def merge(*hooks: HookSet) -> HookSet:
    """One set of the hooks of several, which are in the order in which their client reads its files.

    Duplicates do not run and switches count as they do across files. Raises ValueError for sets of several clients, and
    TypeError for what is no set of hooks.
    """
    for one in hooks:
        if not isinstance(one, HookSet):
            raise TypeError(f"merge takes what parse and load return, not {type(one).__name__}; pass a list as *list")
    clients = sorted({one.dialect for one in hooks})
    if len(clients) != 1:
        raise ValueError(f"merge takes hooks of one client, not of {', '.join(clients) or 'none'}")
    return merge_files(clients[0], [_as_file(one) for one in hooks])


def _as_file(hooks: HookSet) -> HookFile:
    first = (
        hooks.files[0] if hooks.files else HookFile(dialect=hooks.dialect, path="", scope=Scope.RUNTIME, kind="hooks")
    )
    return structs.replace(first, rules=hooks.rules, problems=hooks.problems)


def _matcher_problems(client: Profile, rules: Sequence[Rule]) -> Iterator[Problem]:
    """Matchers that are no valid pattern. ``check`` says it of files; a host has only these problems."""
    for rule in rules:
        matcher = matcher_for(client, rule)
        if matcher.error:
            text = f"in {client.title} the matcher {rule.matcher!r} is not valid: {matcher.error}"
            yield problem("M001", rule.origin, text, "write a list of names or a valid expression")


def rule_of(client: str, event: str, matcher: HookMatcher, hook_id: str, *, own_event: bool = False) -> Rule:
    """The rule that calls the functions of a matcher. Raises ValueError for a name that no client has for an event."""
    known = find_event(event, client)
    if known is None and not own_event:
        raise ValueError(unknown_event_text(event))
    if known is None and not is_well_formed(event):
        raise ValueError(f"{event!r} is not the name of an event")
    name = known.name if known else event
    is_native = event in native_names(client)
    origin = Origin(client, Scope.RUNTIME, pointer=hook_id)
    context = CallbackContext(hook_id, matcher.timeout or None)
    return Rule(
        event=name,
        native_event=event if is_native else native_name(name, client) or event,
        matcher=matcher.matcher,
        origin=origin,
        actions=tuple(
            Callback(
                function=taking_payload(function, context),
                origin=origin if len(matcher.hooks) == 1 else structs.replace(origin, pointer=f"{hook_id}/{number}"),
                timeout_ms=None if context.timeout is None else round(context.timeout * 1000),
            )
            for number, function in enumerate(matcher.hooks)
        ),
    )


def _split(groups: Any) -> tuple[Any, list[tuple[int, HookMatcher]]]:
    """The groups of an event that are data, and those that hold functions, each with its place."""
    if not isinstance(groups, Sequence) or isinstance(groups, str):
        return ([], [(0, HookMatcher(hooks=(groups,)))]) if callable(groups) else (groups, [])
    data: list[Any] = []
    matchers: list[tuple[int, HookMatcher]] = []
    for place, group in enumerate(groups):
        members = group if isinstance(group, Mapping) else _attributes(group)
        hooks = members.get("hooks") if members else None
        functions = tuple(filter(callable, hooks)) if isinstance(hooks, Sequence) else ()
        if callable(group):
            matchers.append((place, HookMatcher(hooks=(group,))))
        elif members and isinstance(hooks, Sequence) and functions:
            matchers.append((place, HookMatcher(members.get("matcher"), functions, members.get("timeout"))))
            if rest := [hook for hook in hooks if not callable(hook)]:
                data.append({**members, "hooks": rest})
        else:
            data.append(members or group)
    return data, matchers


def _attributes(group: object) -> dict[str, Any]:
    """What an object says that looks like a :class:`HookMatcher`; empty: it does not."""
    if not hasattr(group, "hooks"):
        return {}
    names = ("matcher", "hooks", "timeout")
    return {name: value for name in names if (value := getattr(group, name, None)) is not None}
