"""What a hook can reach at all: rules whose matcher fits nothing that its client ever sends."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.tools import REMOVED, is_mcp_name, owners_of, tool_names
from anyhook.engine.match import PATTERN_SECONDS, Form, Matcher, matcher_for, permission_rule, seen_tool
from anyhook.engine.plan import type_not_run
from anyhook.model.codes import Severity
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, Fate, FateState, HookSet, Rule
from anyhook.model.problems import Problem, problem


def mark_unreachable(hooks: HookSet) -> HookSet:
    """The hook set with the fate of every hook that is loaded in vain, and a problem for each costly matcher."""
    profile = profile_of(hooks.dialect)
    return structs.replace(
        hooks,
        rules=tuple(_settle_rule(profile, rule) for rule in hooks.rules),
        problems=(*hooks.problems, *_costly_matchers(profile, hooks)),
    )


def _costly_matchers(profile: Profile, hooks: HookSet) -> Iterator[Problem]:
    for rule in hooks.rules:
        if matcher_for(profile, rule).backtracks:
            text = f"{rule.matcher} can only be matched by backtracking; it is given {PATTERN_SECONDS} s, then it fits"
            fix = "write it without look-around and back references"
            yield problem("M010", rule.origin, text, fix, severity=Severity.NOTE)


def _settle_rule(profile: Profile, rule: Rule) -> Rule:
    matcher = matcher_for(profile, rule)
    why = never_matches(profile, rule, matcher)
    fate = Fate(FateState.DROPPED if matcher.loses_entry else FateState.NEVER, why) if why else None

    def settle_action(action: Action) -> Action:
        if action.fate.state is not FateState.ACTIVE:
            return action
        if fate is not None:
            return structs.replace(action, fate=fate)
        if reason := type_not_run(profile, rule, action, matcher):
            return structs.replace(action, fate=Fate(FateState.NEVER, reason))
        return action

    return structs.replace(rule, actions=tuple(settle_action(action) for action in rule.actions))


def never_matches(profile: Profile, rule: Rule, matcher: Matcher) -> str:
    """Why a rule can fit nothing this client sends; empty when it may fit something."""
    if matcher.form is Form.INVALID:
        return matcher.why_not("")
    if matcher.form not in (Form.NAMES, Form.PATTERN):
        return ""
    matching = profile.variant(rule.native_event).matching
    values = matching.values.get(rule.event)
    if values and not any(matcher.fits(value) for value in values):
        return f"{profile.title} sends only {', '.join(sorted(values))} here"
    if matcher.subject is Subject.TOOL and matcher.form is Form.PATTERN and permission_rule(rule.matcher or ""):
        if not any(matcher.fits(*seen_tool(matching, tool)) for tool in tool_names(profile.name)):
            return f"matcher {rule.matcher!r} is a permission rule, which no tool's name fits"
    elif matcher.subject is Subject.TOOL and matcher.form is Form.NAMES:
        foreign = dead_names(profile, rule, matcher)
        if foreign and len(foreign) == len(matcher.names):
            names = ", ".join(sorted(foreign))
            return f"{profile.title} has no tool called {names}"
    return ""


def dead_names(profile: Profile, rule: Rule, matcher: Matcher) -> frozenset[str]:
    """Names in a matcher that are tools of other clients, or of the past, but not of this one.

    A name that nobody knows may belong to a plugin or a newer release, so it is not called dead.
    """
    if matcher.subject is not Subject.TOOL:
        return frozenset()
    own = tool_names(profile.name)
    matching = profile.variant(rule.native_event).matching
    aliases = frozenset(matching.renamed_tools.values()).union(*matching.tool_aliases.values())
    removed = REMOVED.get(profile.name, {})
    return frozenset(
        name
        for name in matcher.names
        if own
        and name not in own
        and name not in aliases
        and not is_mcp_name(name, profile.name)
        and (name in removed or owners_of(name) or name in REMOVED["claude-code"])
    )
