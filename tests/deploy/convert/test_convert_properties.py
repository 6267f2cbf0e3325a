"""For all hooks and clients: no guard disappears silently, and every change is reported."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from anyhook.deploy.convert.convert import Converted, convert_hooks
from anyhook.deploy.convert.selection import NONSENSE, select_tools
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.bound_event import is_guard
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.subjects import subject_of
from anyhook.dialects.translation.tools import kind_of_call, kinds_of, tool_names, tools_of_kind
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.vocabulary import KINDS
from anyhook.engine.match import matcher_for, seen_tool
from anyhook.engine.reach import mark_unreachable
from anyhook.model.codes import Severity
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, FateState, HookSet, Rule
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from tests.deploy.convert.conversions import actions, files, plain_actions, rules_of
from tests.effort import examples

clients = st.sampled_from(NAMES)
hook_sets = clients.flatmap(lambda name: st.tuples(st.just(name), files(name, actions())))
plain_hook_sets = clients.flatmap(lambda name: st.tuples(st.just(name), files(name, plain_actions())))


def guards(source: Profile, given_rules: tuple[Rule, ...]) -> list[tuple[Rule, Action]]:
    settled = mark_unreachable(HookSet(dialect=source.name, rules=given_rules)).rules
    return [
        (rule, action)
        for rule in settled
        for action in rule.actions
        if action.fate.state is FateState.ACTIVE and is_guard(source, rule, action)
    ]


def calls(source: Profile, rule: Rule, target: Profile) -> list[Payload]:
    """A call of every tool that a rule names or matches and that the target has, too; for other events nothing."""
    cls, matching = PAYLOADS[rule.event], source.variant(rule.native_event).matching
    if not issubclass(cls, ToolPayload) or matching.subject(rule.event) is not Subject.TOOL:
        return []
    selection = select_tools(source, rule)
    every = [name for kind in KINDS for name in tools_of_kind(kind, source.name)]
    names = every if selection.everything else selection.tools
    found: list[Payload] = []
    for name in names:
        tool_input = _input(name, source)
        kind = kind_of_call(name, tool_input, source.name)
        if kind is None or not tools_of_kind(kind, target.name):
            continue
        if matcher_for(source, rule).matches(*seen_tool(matching, name)):
            found.append(cls(tool_name=name, tool_input=tool_input))
    return found


def _input(name: str, source: Profile) -> dict[str, str]:
    """Inputs that tell merged tools apart."""
    tools = [source.tools.kinds[kind] for kind in kinds_of(name, source.name)]
    return dict(tools[0].constants) if tools else {}


def runs_on(target: Profile, converted: Converted, call: Payload, action: Action) -> bool:
    """Whether the target would run the converted action on a call."""
    for rule in converted.rules:
        variant = target.variant(rule.native_event)
        if rule.event != call.event or action.origin not in {new.origin for new in rule.actions}:
            continue
        subject = subject_of(call, variant.matching.subject(rule.event))
        matcher = matcher_for(target, rule)
        if rule.matcher is None or (subject is not None and matcher.matches(*seen_tool(variant.matching, subject))):
            return True
        if variant.matching.ignored:
            return True
    return False


@settings(max_examples=examples(120))
@given(hook_sets, clients)
def test_no_guard_disappears_without_an_error(hooks: tuple[str, tuple[Rule, ...]], to: str) -> None:
    source, target = profile(hooks[0]), profile(to)
    converted = convert_hooks(hooks[1], source, target)
    errors = {loss.origin for loss in converted.losses if loss.severity is Severity.ERROR}
    kept = {action.origin for rule in converted.rules for action in rule.actions}
    for rule, action in guards(source, hooks[1]):
        if action.origin in errors:
            continue
        assert action.origin in kept
        for call in calls(source, rule, target):
            translated = translate_payload(call, source, target).payload
            assert translated is None or runs_on(target, converted, translated, action), call


@settings(max_examples=examples(60))
@given(hook_sets, clients)
def test_what_is_written_is_loaded(hooks: tuple[str, tuple[Rule, ...]], to: str) -> None:
    converted = convert_hooks(hooks[1], profile(hooks[0]), profile(to))
    if hooks[0] == to:
        return
    read = rules_of(dialect(to).write(converted.rules), to)
    assert all(action.is_loaded for rule in read for action in rule.actions)
    written = sum(len(rule.actions) for rule in converted.rules)
    assert sum(len(rule.actions) for rule in read) == written


def normal(source: Profile, rule: Rule) -> object:
    """A rule without what may differ: how its event and its matcher are spelled."""
    matcher = matcher_for(source, rule)
    values = source.variant(rule.native_event).matching.values.get(rule.event, frozenset())
    chosen: object = frozenset(
        value for value in (NONSENSE, *values, *tool_names(source.name)) if matcher.matches(value)
    )
    if matcher.matches(NONSENSE) and all(matcher.matches(value) for value in values):
        chosen = None
    elif matcher.subject is Subject.TOOL:
        selection = select_tools(source, rule)
        kinds = frozenset(kind for tool in selection.tools for kind in kinds_of(tool, source.name) or (tool,))
        chosen = structs.replace(selection, tools=(), also_matches=()), kinds
    limits = source.variant(rule.native_event).timeouts
    timed = [
        structs.replace(action, timeout_ms=limits.effective_ms(action.timeout_ms, action.kind, rule.event))
        for action in rule.actions
    ]
    return rule.event, chosen, timed, rule.sequential, rule.command_pattern


@settings(max_examples=examples(150))
@given(hook_sets | plain_hook_sets, clients)
def test_a_round_trip_without_losses_changes_nothing(hooks: tuple[str, tuple[Rule, ...]], to: str) -> None:
    source, target = profile(hooks[0]), profile(to)
    there = convert_hooks(hooks[1], source, target)
    back = convert_hooks(there.rules, target, source)
    if there.losses or back.losses:
        return
    assert [normal(source, rule) for rule in back.rules] == [normal(source, rule) for rule in hooks[1]]
