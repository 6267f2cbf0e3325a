"""What an executor is given, and what it gives back."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anyhook.dialects.profile import Profile
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Action, Rule
from anyhook.model.payload_base import Payload


class Job(Struct, frozen=True):
    """One action to carry out for one event."""

    profile: Profile
    """The face that the rule's event name selected."""
    rule: Rule
    action: Action
    payload: Payload


class ActionResult(Struct, frozen=True):
    """What an action came to: a raw result, or a value that a callback returned."""

    raw: RawResult
    value: Any = None
    problems: tuple[str, ...] = ()
