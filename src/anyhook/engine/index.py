"""Which rules match an event, found by name instead of by asking every rule: built once, asked on every event."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache, partial
from time import monotonic

from msgspec import Struct

from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_event, bind_rule
from anyhook.dialects.profile import Matching, Profile
from anyhook.engine.fold import fold
from anyhook.engine.match import Form, Matcher, matcher_for, seen_tool
from anyhook.engine.plan import Plan, PlanStatus, plan_rules
from anyhook.engine.reach import mark_unreachable
from anyhook.model.hooks import FateState, HookSet, Rule
from anyhook.model.outcome import Outcome
from anyhook.model.payload_base import Payload

EVENT_SECONDS = 1.0
"""How long all backtracking patterns of an event may take together; the rest count as a match, as a slow one does."""
MAX_EVENT_NAMES = 256
MAX_REMEMBERED = 512
MAX_REMEMBERED_LENGTH = 256
"""Tool names are few and come again; paths and command lines may be long and never come again."""


class IndexedRule(Struct, frozen=True):
    """A rule with its compiled matcher."""

    place: int
    """Among all rules: rules run in the order of their files."""
    rule: Rule
    matcher: Matcher
    matching: Matching
    """Of the variant that the rule's event name selects."""

    def matches(self, subject: str) -> bool:
        return self.matcher.matches(*seen_tool(self.matching, subject))


class _EventRules(Struct):
    """The rules of one event: those that a name leads to, and those that must be asked."""

    by_name: dict[str, list[IndexedRule]] = {}
    to_ask: list[IndexedRule] = []
    matchings: list[Matching] = []
    """Every way in which these rules see a tool's name; nearly always one."""

    def add(self, entry: IndexedRule) -> None:
        if entry.matcher.form is Form.NAMES:
            if not any(entry.matching is known for known in self.matchings):
                self.matchings.append(entry.matching)
            for name in entry.matcher.names:
                self.by_name.setdefault(name, []).append(entry)
        else:
            self.to_ask.append(entry)

    def fitting(self, subject: str) -> tuple[IndexedRule, ...]:
        until = monotonic() + EVENT_SECONDS
        found = [
            entry
            for entry in self.to_ask
            if (entry.matcher.backtracks and monotonic() >= until) or entry.matches(subject)
        ]
        for name in self._names(subject):
            found += [entry for entry in self.by_name.get(name, ()) if entry.matches(subject)]
        if len(found) < 2:
            return tuple(found)
        once = {entry.place: entry for entry in found}  # a rule may list several names of one tool
        return tuple(once[place] for place in sorted(once))

    def _names(self, subject: str) -> Iterable[str]:
        """Every name under which some rule may list the subject."""
        names = {subject}
        for matching in self.matchings:
            name, aliases = seen_tool(matching, subject)
            names.add(name)
            names |= aliases
        return names


class _Found(Struct, frozen=True):
    rules: tuple[tuple[Rule, Matcher], ...]
    plan: Plan | None
    """None: it depends on the tool's input, so that every event needs a plan of its own."""


class RuleIndex:
    """The rules of a hook set that can run at all, by event and name."""

    def __init__(self, profile: Profile, rules: Iterable[Rule]) -> None:
        self._profile = profile
        self._events: dict[str, _EventRules] = {}
        self.backtracks = False
        """Some matcher can be slow."""
        for place, rule in enumerate(rules):
            if not any(action.fate.state is FateState.ACTIVE for action in rule.actions):
                continue
            matcher = matcher_for(profile, rule)
            self.backtracks |= matcher.backtracks
            if matcher.form is not Form.INVALID:
                entry = IndexedRule(place, rule, matcher, bind_rule(profile, rule).profile.matching)
                self._events.setdefault(rule.event, _EventRules()).add(entry)
        self._remembered = lru_cache(MAX_REMEMBERED)(self._find)

    def plan(self, payload: Payload, subject: str) -> Plan:
        """The plan of an event, for the rules whose matcher matches."""
        find = self._remembered if len(subject) <= MAX_REMEMBERED_LENGTH else self._find
        found = find(payload.event, subject)
        return found.plan or plan_rules(found.rules, self._profile, payload.event, subject, payload)

    def _find(self, event: str, subject: str) -> _Found:
        entries = self._events[event].fitting(subject) if event in self._events else ()
        rules = tuple((entry.rule, entry.matcher) for entry in entries)
        plan = plan_rules(rules, self._profile, event, subject)
        depends = any(hook.verdict is PlanStatus.DEPENDS for hook in plan.hooks)
        return _Found(rules, None if depends else plan)


class IndexedHooks:
    """Hooks with all that is worked out for them once; any number of engines may have them."""

    def __init__(self, profile: Profile, hooks: HookSet) -> None:
        self.profile = profile
        self.hooks = hooks
        self.bind = lru_cache(MAX_EVENT_NAMES)(partial(bind_event, profile))
        """The client's rules for an event, by its canonical and its native name."""
        self.silence = lru_cache(MAX_EVENT_NAMES)(self._fold_silence)
        """The outcome of an event on which no hook says anything, whatever its payload; by the same names."""

    def _fold_silence(self, event: str, native_event: str) -> Outcome:
        return fold(self.bind(event, native_event), Payload(event=event), ())

    @cached_property
    def rules(self) -> RuleIndex:
        return RuleIndex(self.profile, self.hooks.rules)


def index_hooks(hooks: HookSet, profile: Profile | None = None) -> IndexedHooks:
    """Hooks under the rules of a client, by default of the one that they are written for."""
    rules = profile or profile_of(hooks.dialect)
    return IndexedHooks(rules, mark_unreachable(hooks, rules))
