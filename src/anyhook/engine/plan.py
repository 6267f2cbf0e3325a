"""What would run on an event, in which order, and why the others would not. Pure: nothing is started."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct

from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.profile import Order, Profile
from anyhook.dialects.translation.tool_kinds import is_of_kind, is_surely_of_kind, may_be_of_kind
from anyhook.engine.match import Form, Matcher, matcher_for, seen_tool
from anyhook.model.cause import CauseKind
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, Callback, FateState, HookSet, Rule
from anyhook.model.payload_base import Payload
from anyhook.sources.merge import dedupe_key


class PlanStatus(enum.StrEnum):
    RUNS = "runs"
    DEPENDS = "depends"  # on something that is not known before the event
    SKIPPED = "skipped"


class PlannedHook(Struct, frozen=True):
    """One hook and what the plan says of it."""

    rule: Rule
    action: Action
    matcher: Matcher
    verdict: PlanStatus
    why: str
    cause: CauseKind | None = None
    """Why it is skipped; None: it is not."""


class Plan(Struct, frozen=True):
    event: str
    subject: str | None
    order: Order
    hooks: tuple[PlannedHook, ...]

    @property
    def runs(self) -> tuple[PlannedHook, ...]:
        return tuple(hook for hook in self.hooks if hook.verdict is PlanStatus.RUNS)

    @property
    def skips(self) -> tuple[PlannedHook, ...]:
        return tuple(hook for hook in self.hooks if hook.verdict is PlanStatus.SKIPPED)


def plan_event(
    hooks: HookSet, profile: Profile, event: str, subject: str | None = None, payload: Payload | None = None
) -> Plan:
    """The plan for one event. ``subject`` is what matchers see (a tool's name, ...); None when it is not known.

    With the payload, conditions on a tool's input are decided too.
    """
    rules = ((rule, matcher_for(profile, rule)) for rule in hooks.rules if rule.event == event)
    return plan_rules(rules, profile, event, subject, payload)


def plan_rules(
    rules: Iterable[tuple[Rule, Matcher]],
    profile: Profile,
    event: str,
    subject: str | None = None,
    payload: Payload | None = None,
) -> Plan:
    """The same for these rules of the event, which come with their compiled matchers."""
    planned: list[PlannedHook] = []
    taken: dict[object, Action] = {}
    for rule, matcher in rules:
        for action in rule.actions:
            verdict, why, cause = _judge(profile, rule, action, matcher, subject)
            if verdict is PlanStatus.DEPENDS and payload is not None:
                holds = _holds(profile, rule, action, payload)
                verdict = PlanStatus.RUNS if holds else PlanStatus.SKIPPED
                cause = None if holds else CauseKind.CONDITION_FALSE
                why = f"{why}: {'it holds' if holds else 'it does not hold'}"
            key = _dedupe_key(profile, action) if verdict is PlanStatus.RUNS else None
            if key is not None and (earlier := taken.setdefault(key, action)) is not action:
                verdict, why = PlanStatus.SKIPPED, f"the same hook in {earlier.origin} runs already"
                cause = CauseKind.DUPLICATE
            planned.append(PlannedHook(rule, action, matcher, verdict, why, cause))
    return Plan(event, subject, _order(profile, planned), tuple(planned))


def _dedupe_key(profile: Profile, action: Action) -> object | None:
    # Two functions may share a name; that does not make them one hook.
    return None if isinstance(action, Callback) else dedupe_key(profile.execution.dedupe, action)


def _order(profile: Profile, planned: list[PlannedHook]) -> Order:
    if profile.execution.order is not Order.PARALLEL_UNLESS_ASKED:
        return profile.execution.order
    asked = any(hook.rule.sequential for hook in planned if hook.verdict is not PlanStatus.SKIPPED)
    return Order.SEQUENTIAL if asked else Order.PARALLEL


def _judge(
    profile: Profile, rule: Rule, action: Action, matcher: Matcher, subject: str | None
) -> tuple[PlanStatus, str, CauseKind | None]:
    if action.fate.state is not FateState.ACTIVE:
        return PlanStatus.SKIPPED, f"{action.fate.state}: {action.fate.why}", CauseKind.NOT_LOADED
    if reason := type_not_run(profile, rule, action, matcher):
        return PlanStatus.SKIPPED, reason, CauseKind.TYPE_NOT_RUN
    if matcher.form is Form.IGNORED:
        if profile.matching.no_subject_never_matches and rule.matcher not in profile.matching.mode.everything:
            text = f"matcher {rule.matcher!r} on an event that has nothing to match"
            return PlanStatus.SKIPPED, text, CauseKind.NOTHING_TO_MATCH
        reason = f"matcher {rule.matcher!r} is ignored by {profile.title} on this event"
    elif matcher.form is Form.EVERYTHING:
        reason = "no matcher" if rule.matcher is None else f"matcher {rule.matcher!r} matches everything"
    elif matcher.form is Form.INVALID:
        return PlanStatus.SKIPPED, matcher.why_not(subject or ""), CauseKind.MATCHER_INVALID
    elif subject is None:
        return PlanStatus.DEPENDS, f"runs if matcher {rule.matcher!r} matches the {matcher.subject}", None
    elif not matcher.matches(*seen_tool(bind_rule(profile, rule).profile.matching, subject)):
        return PlanStatus.SKIPPED, matcher.why_not(subject), CauseKind.MATCHER_DIFFERS
    else:
        reason = f"matcher {rule.matcher!r} matches the {matcher.subject} {subject!r}"
    if rule.kinds and subject is not None:
        kinds = " or ".join(rule.kinds)
        if not may_be_of_kind(rule.kinds, subject, profile.name):
            return PlanStatus.SKIPPED, f"{subject!r} is no tool of the kind {kinds}", CauseKind.CONDITION_FALSE
        if is_surely_of_kind(rule.kinds, subject, profile.name):
            reason = f"{subject!r} is a tool of the kind {kinds}"
    if condition := _condition(profile, rule, action, subject):
        return PlanStatus.DEPENDS, f"{reason}, then {condition} decides on the tool's input", None
    return PlanStatus.RUNS, reason, None


def _condition(profile: Profile, rule: Rule, action: Action, subject: str | None) -> str:
    """What decides on the tool's input; empty: nothing does."""
    if action.condition is not None:
        return f"if {action.condition!r}"
    if rule.command_pattern is not None:
        return f"commandRegex {rule.command_pattern!r}"
    is_told = not rule.kinds or (subject is not None and is_surely_of_kind(rule.kinds, subject, profile.name))
    return "" if is_told else f"kind {' or '.join(rule.kinds)}"


def _holds(profile: Profile, rule: Rule, action: Action, payload: Payload) -> bool:
    """Whether the conditions on a tool's input hold."""
    if rule.kinds:
        tool_input = payload.get("tool_input")
        given = tool_input if isinstance(tool_input, dict) else {}
        if not is_of_kind(rule.kinds, str(payload.get("tool_name", "")), given, profile.name):
            return False
    if action.condition is None and rule.command_pattern is None:
        return True
    from anyhook.engine.condition import holds  # few hooks have conditions

    return holds(rule, action, payload)


def type_not_run(profile: Profile, rule: Rule, action: Action, matcher: Matcher) -> str:
    """Why a loaded hook cannot run on this event at all; empty when it can."""
    allowed = profile.types_on.get(rule.event)
    if allowed is not None and action.kind not in allowed and not isinstance(action, Callback):  # the host's own
        return f"{profile.title} does not run {action.kind} hooks on {rule.native_event}"
    if action.condition is not None and matcher.subject is not Subject.TOOL:
        return f"a hook with `if` never runs on {rule.native_event}, which is not about a tool"
    return ""
