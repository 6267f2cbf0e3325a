"""The row of the journal, of a recording and of an export: one event, what ran on it and what came of it.

``anyhook exec`` imports this, so it needs nothing that exec has not loaded already.
"""

from __future__ import annotations

import os
from typing import Any

from msgspec import UNSET, Struct

from anyhook.model.outcome import Effect, Outcome
from anyhook.record.append import now

SKIPPED = "skipped"
"""The status of a hook that was planned and did not run."""


class Happened(Struct, frozen=True):
    """What came of a recorded event."""

    effect: Effect
    reason: str = ""
    """Why, in the words of the hook that decided, or how it was concluded."""
    is_concluded: bool = False
    """It was not observed: it follows from the events after it."""
    may_have_asked: bool = False
    """The user was asked on the way, by a hook or by the client itself."""
    decided_by: str = ""
    """The hook that decided, as ``file:line``, or "anyhook" where no hook could be asked; empty: none."""


class HookRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hook of an event: it ran, or it was planned and skipped."""

    hook: str
    """Its name, else what it runs, in one line."""
    file: str = ""
    line: int = 0
    pointer: str = ""
    status: str
    """How the run ended, or :data:`SKIPPED`."""
    reason: str = ""
    ms: float = 0.0

    @property
    def has_run(self) -> bool:
        return self.status != SKIPPED


class RecordedEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event as a client sent it, without its secrets.

    Events that ``anyhook record`` has recorded have a payload, and no hooks: their recorder does not see other hooks.
    """

    at: str
    """When, as ISO text in UTC."""
    client: str
    event: str
    """The event's name, as the client spells it."""
    payload: Any = UNSET
    """JSON as it was sent; a text when it was none; unset: it was not recorded."""
    outcome: Happened | None = None
    """The outcome of the hooks; None: it was not observed."""
    redacted: int = 0
    """How many secrets were taken out."""
    id: str = ""
    """Random; the same event has the same id wherever its row goes."""
    canonical: str = ""
    """The event's canonical name; empty: not known."""
    release: str = ""
    """The release of the client; empty: not known."""
    session: str = ""
    tool: str = ""
    project: str = ""
    via: str = ""
    """What has seen it: "daemon", "exec" or "engine"."""
    hooks: tuple[HookRecord, ...] = ()
    ms: float = 0.0
    """How long the answer took."""
    bytes_in: int = 0
    """Bytes of the payload."""
    bytes_out: int = 0
    """Bytes of the answer."""
    note: str = ""
    """This row is no event: it says something about the journal itself."""
    pruned: str = ""
    """Of a note: the last row that retention has removed, as ``number:hash``."""

    @property
    def effect(self) -> str:
        return "" if self.outcome is None else self.outcome.effect.value

    @property
    def has_text(self) -> bool:
        """Whether it has what a hook or a client has said, which may contain secrets."""
        reasons = [hook.reason for hook in self.hooks if hook.has_run]
        return self.payload is not UNSET or bool(self.outcome and self.outcome.reason) or any(reasons)


def new_id() -> str:
    return os.urandom(12).hex()


def note_row(text: str, pruned: str = "") -> RecordedEvent:
    """A row about the journal itself."""
    return RecordedEvent(id=new_id(), at=now(), client="", event="", note=text, pruned=pruned)


def hook_records(outcome: Outcome) -> tuple[HookRecord, ...]:
    """The hooks of an event: those that ran, then those that were skipped."""
    ran = [
        HookRecord(
            hook=run.name or run.summary,
            file=run.origin.file,
            line=run.origin.line,
            pointer=run.origin.pointer,
            status=run.status.value,
            reason=run.reason,
            ms=round(run.duration_ms, 3),
        )
        for run in outcome.runs
    ]
    skipped = [
        HookRecord(
            hook=skip.name or skip.summary,
            file=skip.origin.file,
            line=skip.origin.line,
            pointer=skip.origin.pointer,
            status=SKIPPED,
            reason=skip.reason,
        )
        for skip in outcome.skipped
    ]
    return (*ran, *skipped)
