"""What a hook can reach at all: rules whose matcher matches nothing that their client ever sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.events import native_names
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.tools import (
    former_owners_of,
    is_mcp_name,
    owners_of,
    split_mcp_name,
    tool_names,
)
from anyhook.engine.match import (
    PATTERN_SECONDS,
    Form,
    Matcher,
    compile_matcher,
    matcher_for,
    permission_rule,
    seen_tool,
)
from anyhook.engine.plan import type_not_run
from anyhook.model.codes import Severity
from anyhook.model.events import BY_NAME, Subject
from anyhook.model.hooks import Action, Command, Fate, FateState, HookSet, Rule
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import join_or

_NAMES_ONLY = r"[\w-]+(?:\|[\w-]+)*"


def mark_unreachable(
    hooks: HookSet, profile: Profile | None = None, *, known_tools_only: bool = False, on_this_system: bool = True
) -> HookSet:
    """The hook set with the fate of every hook that can never run, and a problem for each costly matcher.

    The rules are the profile's, by default those of the client that the hooks are written for. With
    ``known_tools_only``, for people, a pattern of names counts only for tools that the client is known to have; when
    hooks run, it may match a tool of a server. With ``on_this_system``, a hook with commands for other systems only
    never runs.
    """
    profile = profile or profile_of(hooks.dialect)
    return structs.replace(
        hooks,
        rules=tuple(_mark_rule(profile, rule, known_tools_only, on_this_system) for rule in hooks.rules),
        problems=(*hooks.problems, *_costly_matchers(profile, hooks)),
    )


def _costly_matchers(profile: Profile, hooks: HookSet) -> Iterator[Problem]:
    for rule in hooks.rules:
        if matcher_for(profile, rule).backtracks:
            limit = f"after {PATTERN_SECONDS} s it counts as a match"
            text = f"{rule.matcher} can only be matched by backtracking; {limit}"
            fix = "write it without look-around and back references"
            yield problem("M010", rule.origin, text, fix, severity=Severity.NOTE)


def _mark_rule(profile: Profile, rule: Rule, known_tools_only: bool, on_this_system: bool) -> Rule:
    matcher = matcher_for(profile, rule)
    why = never_matches(profile, rule, matcher)
    if not why and known_tools_only and _is_dead_pattern(profile, rule, matcher):
        why = f"{profile.title} has no tool called {join_or((rule.matcher or '').split('|'))}"
    fate = Fate(FateState.DROPPED if matcher.loses_entry else FateState.NEVER, why) if why else None

    def mark_action(action: Action) -> Action:
        if action.fate.state is not FateState.ACTIVE:
            return action
        if fate is not None:
            return structs.replace(action, fate=fate)
        reason = type_not_run(profile, rule, action, matcher)
        if not reason and on_this_system and _has_nothing_to_run(profile, rule, action):
            reason = "it has no command for this system"
        return structs.replace(action, fate=Fate(FateState.NEVER, reason)) if reason else action

    return structs.replace(rule, actions=tuple(mark_action(action) for action in rule.actions))


def _has_nothing_to_run(profile: Profile, rule: Rule, action: Action) -> bool:
    """Whether a hook has commands for other systems only; where the client fails closed, it runs and fails."""
    if not isinstance(action, Command) or not action.commands() or action.line():
        return False
    is_empty = "" in (action.by_os.linux, action.by_os.macos)
    return is_empty or rule.event not in profile.exits.fails_closed_on


def never_matches(profile: Profile, rule: Rule, matcher: Matcher) -> str:
    """Why a rule can match nothing this client sends; empty when it may match something."""
    if matcher.form is Form.INVALID:
        return matcher.why_not("")
    if matcher.form not in (Form.NAMES, Form.PATTERN):
        return ""
    matching = bind_rule(profile, rule).profile.matching
    values = matching.values.get(rule.event)
    if values and not any(matcher.matches(value) for value in values):
        return f"{profile.title} sends only {', '.join(sorted(values))} here"
    if matcher.subject is Subject.TOOL and matcher.form is Form.PATTERN and permission_rule(rule.matcher or ""):
        if not any(matcher.matches(*seen_tool(matching, tool)) for tool in tool_names(profile.name)):
            return f"matcher {rule.matcher!r} is a permission rule, which matches no tool's name"
    elif matcher.form is Form.NAMES and _all_are_dead(profile, rule, matcher):
        return f"{profile.title} has no tool called {', '.join(sorted(matcher.names))}"
    return ""


def _is_dead_pattern(profile: Profile, rule: Rule, matcher: Matcher) -> bool:
    """Whether a pattern is made of names that are all tools of others, and matches no tool of this client."""
    if matcher.form is not Form.PATTERN or matcher.subject is not Subject.TOOL:
        return False
    if not re.fullmatch(_NAMES_ONLY, rule.matcher or ""):
        return False
    matching = bind_rule(profile, rule).profile.matching
    if any(matcher.matches(*seen_tool(matching, tool)) for tool in tool_names(profile.name)):
        return False
    return _all_are_dead(profile, rule, structs.replace(matcher, names=frozenset((rule.matcher or "").split("|"))))


def unknown_tools(profile: Profile, rule: Rule) -> tuple[str, ...]:
    """The names in a matcher of names none of which is a tool that the client is known to have; none otherwise.

    They may belong to a plugin or a newer release, so this is a guess, unlike :func:`never_matches`.
    """
    matcher, names = matcher_for(profile, rule), tuple((rule.matcher or "").split("|"))
    if matcher.subject is not Subject.TOOL or matcher.form not in (Form.NAMES, Form.PATTERN):
        return ()
    if not re.fullmatch(_NAMES_ONLY, rule.matcher or "") or any(is_mcp_name(name, profile.name) for name in names):
        return ()
    matching, known = bind_rule(profile, rule).profile.matching, tool_names(profile.name)
    is_known = not known or any(matcher.matches(*seen_tool(matching, tool)) for tool in known)
    return () if is_known else names


def _all_are_dead(profile: Profile, rule: Rule, matcher: Matcher) -> bool:
    """Whether a matcher names only tools of others. One own name is enough to say no: then no client is loaded."""
    is_foreign = matcher.subject is Subject.TOOL and matcher.names == _foreign_names(profile, rule, matcher)
    return is_foreign and matcher.names == dead_names(profile, rule, matcher)


def dead_names(profile: Profile, rule: Rule, matcher: Matcher) -> frozenset[str]:
    """Names in a matcher that are tools of other clients, or of the past, but not of this one.

    A name that no client has may belong to a plugin or a newer release, so it is not called dead.
    """
    removed = profile.tools.removed
    foreign = _foreign_names(profile, rule, matcher)
    return frozenset(
        name
        for name in foreign
        if name in removed or owners_of(name) or former_owners_of(name) or no_tool_name(profile, rule, name)
    )


def no_tool_name(profile: Profile, rule: Rule, name: str) -> Literal["", "event", "start"]:
    """Why a word in a matcher can be no tool's name: it is an event, or only the start of an MCP tool's name."""
    if name in native_names(profile.name) or name in BY_NAME:
        return "" if name in tool_names(profile.name) or owners_of(name) or former_owners_of(name) else "event"
    if not is_mcp_name(name, profile.name) or split_mcp_name(name, profile.name) not in (None, ("", "")):
        return ""
    matcher = compile_matcher(name, Subject.TOOL, bind_rule(profile, rule).profile.matching.mode_for(rule.event))
    whole = (f"{name}x", f"{name}__x", f"{name}x__x")
    return "" if any(map(matcher.matches, whole)) else "start"


def _foreign_names(profile: Profile, rule: Rule, matcher: Matcher) -> frozenset[str]:
    """Names in a matcher that are none of this client's tools."""
    if matcher.subject is not Subject.TOOL:
        return frozenset()
    own = tool_names(profile.name)
    matching = bind_rule(profile, rule).profile.matching
    aliases = frozenset(matching.renamed_tools.values()).union(*matching.tool_aliases.values())
    return frozenset(
        name
        for name in matcher.names
        if own and name not in own and name not in aliases
        if not is_mcp_name(name, profile.name) or no_tool_name(profile, rule, name)
    )
