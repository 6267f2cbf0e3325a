"""What happened in a session before the event of a case, for guards and rules that remember."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import structs

from anyhook.engine.engine import Engine
from anyhook.guards.session.memory import GuardMemory
from anyhook.model.hooks import Action, DeclaredRule, FateState, Guard, HookSet, Rule, RuleCommand
from anyhook.model.payload_base import Payload


async def remember(hooks: HookSet, earlier: Sequence[Payload], project: Path, home: Path, memory: GuardMemory) -> None:
    """Ask the guards and rules of a package on earlier events. Only they remember: nothing else runs."""
    asked = HookSet(dialect=hooks.dialect, rules=tuple(_asked(hooks)))
    engine = Engine(asked, project=project, home=home, environment={}, memory=memory)
    try:
        for payload in earlier:
            await engine.fire(payload)
    finally:
        await engine.close()


def _asked(hooks: HookSet) -> Iterator[Rule]:
    for rule in hooks.rules:
        actions = tuple(found for action in rule.actions if (found := _noting(action)))
        if actions:
            yield structs.replace(rule, actions=actions)


def _noting(action: Action) -> Action | None:
    """The action without a command; None: it remembers nothing."""
    if action.fate.state is not FateState.ACTIVE:
        return None
    if isinstance(action, RuleCommand):
        settings = {**action.settings, "remembers": True}
        return DeclaredRule(settings=settings, origin=action.origin, timeout_ms=action.timeout_ms)
    return action if isinstance(action, Guard) else None
