"""What an executor receives, and what it returns."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anyhook.dialects.profile import Profile
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Action, Rule
from anyhook.model.payload_base import Payload


class Job(Struct, frozen=True):
    """One action to run for one event."""

    profile: Profile
    """The variant of the client's profile that the rule's event name selects."""
    rule: Rule
    action: Action
    payload: Payload


class ActionResult(Struct, frozen=True):
    """The result of an action: what its process did, and the value that a function returned."""

    raw: RawResult
    value: Any = None
    problems: tuple[str, ...] = ()
