"""What a conversion loses: one line for each loss, with its severity and the remedy."""

from __future__ import annotations

import enum

from msgspec import Struct

from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Origin


class Loss(Struct, frozen=True, kw_only=True):
    """One thing that a converted hook no longer does, or does differently.

    Error: a guard would no longer block. Warning: feedback is lost, a hook runs in cases in which it did not before,
    or its author must check something. Note: the difference hardly matters.
    """

    severity: Severity
    what: str
    why: str
    remedy: str = ""
    event: str = ""
    hook: str = ""
    """The event and the hook, as the source file names them."""
    origin: Origin = Origin()


class LossKind(enum.StrEnum):
    """What a loss affects."""

    GUARD = "guard"  # whether the hook can block at all
    WORK = "work"  # what the hook does, or when
    COMFORT = "comfort"  # neither


class PendingLoss(Struct, frozen=True):
    """A loss that is not yet tied to a hook."""

    kind: LossKind
    what: str
    why: str
    remedy: str = ""


def lost_guard(what: str, why: str, remedy: str = "") -> PendingLoss:
    return PendingLoss(LossKind.GUARD, what, why, remedy)


def lost_work(what: str, why: str, remedy: str = "") -> PendingLoss:
    return PendingLoss(LossKind.WORK, what, why, remedy)


def lost_comfort(what: str, why: str, remedy: str = "") -> PendingLoss:
    return PendingLoss(LossKind.COMFORT, what, why, remedy)


def loss_of(pending: PendingLoss, rule: Rule, action: Action, *, is_guard: bool) -> Loss:
    """The loss for one hook; only for a hook that can block is a lost guard an error."""
    return Loss(
        severity=_severity(pending.kind, is_guard=is_guard),
        what=pending.what,
        why=pending.why,
        remedy=pending.remedy,
        event=rule.native_event,
        hook=action.summary(),
        origin=action.origin if action.origin.line else rule.origin,
    )


def _severity(kind: LossKind, *, is_guard: bool) -> Severity:
    match kind:
        case LossKind.GUARD if is_guard:
            return Severity.ERROR
        case LossKind.COMFORT:
            return Severity.NOTE
        case _:
            return Severity.WARNING
