"""What does not survive a conversion: one line for each thing, with how serious it is and what to do about it."""

from __future__ import annotations

import enum

from msgspec import Struct

from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Origin


class Loss(Struct, frozen=True, kw_only=True):
    """One thing that a converted hook no longer does, or does otherwise.

    An error is a guard that would no longer block. A warning is feedback that is lost, a hook that runs where it did
    not before, or something that its author must look at. A note is what hardly matters.
    """

    severity: Severity
    what: str
    why: str
    remedy: str = ""
    event: str = ""
    hook: str = ""
    """The event and the hook that it is about, as the source file has them."""
    origin: Origin = Origin()


class LossKind(enum.StrEnum):
    """What a loss puts at stake."""

    GUARD = "guard"  # whether the hook can block at all
    WORK = "work"  # what the hook does, or when
    COMFORT = "comfort"


class PendingLoss(Struct, frozen=True):
    """A loss before it is known which hook it befalls."""

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


def loss_of(remark: PendingLoss, rule: Rule, action: Action, *, is_guard: bool) -> Loss:
    """The loss that a remark is for one hook; only a hook that can block loses a guard."""
    return Loss(
        severity=_severity(remark.kind, is_guard=is_guard),
        what=remark.what,
        why=remark.why,
        remedy=remark.remedy,
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
