"""What a hook no longer does in another client, or does differently there, as problems.

Error: a guard would no longer block. Warning: feedback is lost, a hook runs in cases in which it did not before, or its
author must check something. Note: the difference hardly matters.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, problem


def loss(code: str, what: str, why: str, fix: str = "", *, severity: Severity | None = None) -> Problem:
    """A loss that is not yet tied to a hook. An error is one for hooks that can block."""
    return problem(code, Origin(), f"{what}: {why}", fix, severity=severity)


def loss_of(pending: Problem, rule: Rule, action: Action, *, is_guard: bool) -> Problem:
    """The loss for one hook; only for a hook that can block it is an error."""
    is_error = pending.severity is Severity.ERROR
    return structs.replace(
        pending,
        severity=Severity.WARNING if is_error and not is_guard else pending.severity,
        origin=action.origin if action.origin.line else rule.origin,
        about=f"{rule.native_event} {action.summary()}",
    )


def why_lost(losses: Iterable[Problem]) -> str:
    """The reason of the worst loss, without what is lost; empty: there is none."""
    order = list(Severity)
    worst = min(losses, key=lambda found: order.index(found.severity), default=None)
    return worst.text.partition(": ")[2] if worst else ""
