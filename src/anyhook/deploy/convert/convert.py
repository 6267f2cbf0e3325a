"""Converts the hooks of one client for another, and reports every loss. Pure.

Only the configuration is converted. The code of a hook is not changed, so the report also says where the other client
would not understand what it prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from anyhook.deploy.convert.actions import convert_action, fields_of
from anyhook.deploy.convert.commands import Stage
from anyhook.deploy.convert.contract import contract_remarks
from anyhook.deploy.convert.matchers import TargetRule, target_rules
from anyhook.dialects import dialect
from anyhook.dialects.bound_event import bind_event, bind_rule, is_guard
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Order, Profile, Shape
from anyhook.engine.reach import mark_unreachable
from anyhook.model.codes import Severity
from anyhook.model.document import Format
from anyhook.model.hooks import Action, FateState, HookSet, Rule
from anyhook.model.lazyjson import dump_json
from anyhook.model.losses import loss, loss_of
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem
from anyhook.sources.load import parse


class Converted(Struct, frozen=True):
    """Rules in the target's terms, and what they no longer do."""

    rules: tuple[Rule, ...]
    losses: tuple[Problem, ...]

    @property
    def loses_a_guard(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.losses)


def convert_hooks(rules: Iterable[Rule], source: Profile, target: Profile) -> Converted:
    """The rules of one client as another client would have them. Hooks that never run are left out."""
    if source.name == target.name:
        return Converted(tuple(rules), ())
    marked = mark_unreachable(HookSet(dialect=source.name, rules=tuple(rules)), on_this_system=False).rules
    conversion = _Conversion(source, target)
    own = {rule.event for rule in marked if _client_of(rule, source) == target.name}
    converted: list[Rule] = []
    for rule in marked:
        client = _client_of(rule, source)
        if client == target.name:
            converted.append(structs.replace(rule, extra={}))
        elif client is not None:
            conversion.leave_out(rule, f"it is only for {rule.extra['section']}")
        elif rule.event in own:
            conversion.leave_out(rule, f"the file has hooks for {target.title} alone on this event")
        else:
            converted.extend(conversion.convert(rule))
    return Converted(tuple(converted), tuple(conversion.losses))


def _client_of(rule: Rule, source: Profile) -> str | None:
    """The one client that a rule is for; None: it is for every client that reads the file."""
    section = rule.extra.get("section")
    return source.layout.sections.get(section) if isinstance(section, str) else None


_LIVE = (FateState.ACTIVE, FateState.UNTRUSTED)
"""Hooks that the client would run; nothing runs here, so it makes no difference whether somebody has approved them."""


class _Conversion:
    """All rules on their way from one client to another."""

    def __init__(self, source: Profile, target: Profile) -> None:
        self.source = source
        self.target = target
        self.losses: dict[Problem, None] = {}  # in order, each once

    def convert(self, rule: Rule) -> Iterator[Rule]:
        live = tuple(action for action in rule.actions if action.fate.state in _LIVE)
        for action in rule.actions:
            if action not in live:
                why = f"in {self.source.title} it is not active ({action.fate.state}): {action.fate.why}"
                self._note(rule, action, (loss("L001", "the hook is left out", why, severity=Severity.NOTE),))
        if not live:
            return
        converted = target_rules(rule, self.source, self.target)
        for action in live:
            self._note(rule, action, (*converted.remarks, *self._rule_remarks(rule)))
        for target_rule in converted.rules:
            actions = [new for action in live if (new := self._converted(rule, action, target_rule))]
            made = self._made(rule, target_rule, actions)
            if loaded := [action for action in actions if self._loads(rule, made, action)]:
                yield structs.replace(made, actions=tuple(loaded))

    def _loads(self, rule: Rule, made: Rule, action: Action) -> bool:
        """Whether the target loads what would be written; a mistake could cost it the whole file."""
        content = dialect(self.target.name).write([structs.replace(made, actions=(action,))])
        document = parse(dump_json(content).decode(), Format.JSON, "")
        file = dialect(self.target.name).read(document, FileKind.HOOKS, Scope.PROJECT)
        why = [entry.fate.why for written in file.rules for entry in written.actions if not entry.is_loaded]
        if why or not file.rules:
            reason = why[0] if why else f"{self.target.title} has no key for it"
            self._note(rule, action, (loss("L001", "the hook is left out", reason),))
        return not why and bool(file.rules)

    def leave_out(self, rule: Rule, why: str) -> None:
        for action in rule.actions:
            self._note(rule, action, (loss("L001", "the hook is left out", why, severity=Severity.NOTE),))

    def _converted(self, rule: Rule, action: Action, place: TargetRule) -> Action | None:
        source, target = bind_rule(self.source, rule), bind_event(self.target, place.event, place.native_event)
        stage = Stage(
            source=source.profile,
            target=target.profile,
            event=rule.event,
            new_event=place.event,
            fields=fields_of(action.kind, target.profile),
            kinds=place.kinds,
        )
        converted, remarks = convert_action(action, stage)
        self._note(rule, action, remarks)
        if converted is not None:
            self._note(rule, action, contract_remarks(converted, stage, source, target))
        return converted

    def _made(self, rule: Rule, target_rule: TargetRule, actions: Sequence[Action]) -> Rule:
        return Rule(
            event=target_rule.event,
            native_event=target_rule.native_event,
            matcher=target_rule.matcher,
            command_pattern=target_rule.command_pattern,
            actions=tuple(actions),
            origin=rule.origin,
            sequential=rule.sequential and "sequential" in self.target.layout.group_keys,
            kinds=rule.kinds if "kind" in self.target.layout.group_keys else (),
            is_nested=self.target.layout.shape is not Shape.FLAT,
        )

    def _rule_remarks(self, rule: Rule) -> Iterator[Problem]:
        is_kept = "sequential" in self.target.layout.group_keys
        if rule.sequential and not is_kept and self.target.execution.order is not Order.SEQUENTIAL:
            yield loss("L009", "the hooks run at the same time", f"{self.target.title} has no setting for the order")

    def _note(self, rule: Rule, action: Action, remarks: Iterable[Problem]) -> None:
        guards = is_guard(self.source, rule, action)
        self.losses |= dict.fromkeys(loss_of(remark, rule, action, is_guard=guards) for remark in remarks)
