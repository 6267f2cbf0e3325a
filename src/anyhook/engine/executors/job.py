"""What an executor receives, and what it returns."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.profile import Profile
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Action
from anyhook.model.payload_base import Payload


class Job(Struct, frozen=True):
    """One action to run for one event."""

    bound: BoundEvent
    """The event under the name that the hook's rule has for it."""
    action: Action
    payload: Payload

    @property
    def profile(self) -> Profile:
        """The rules that hold for this event."""
        return self.bound.profile


class ActionResult(Struct, frozen=True):
    """The result of an action: what its process did, and the value that a function returned."""

    raw: RawResult
    value: Any = None
    problems: tuple[str, ...] = ()
    would: str = ""
    """What a guard or a rule with the level *shadow* would have done."""
    reason: str = ""
    """Why it would have."""
