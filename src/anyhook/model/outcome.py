"""What came of an event: every run, every hook that did not run, and what all of them together mean."""

from __future__ import annotations

import enum
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.model.cause import Cause, CauseKind
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Origin
from anyhook.model.output import Decision, Reply
from anyhook.model.problems import Problem


class Status(enum.StrEnum):
    """How one run ended."""

    ALLOWED = "allowed"
    BLOCKED = "blocked"
    FAILED_OPEN = "failed-so-allowed"
    FAILED_CLOSED = "failed-so-blocked"
    TIMED_OUT = "timed-out"

    @property
    def is_failure(self) -> bool:
        """Whether the hook did not do its work: it crashed, timed out, did not start or gave a broken reply."""
        return self in (Status.FAILED_OPEN, Status.FAILED_CLOSED, Status.TIMED_OUT)


class Effect(enum.StrEnum):
    """What happens to the thing that the event is about."""

    PROCEED = "proceed"
    BLOCK = "block"  # the tool or the prompt does not go ahead
    ASK = "ask"
    DEFER = "defer"
    FEEDBACK = "feedback"  # it has happened; the model is told what is wrong with it
    CONTINUE = "continue"  # an agent that wants to stop is kept going
    STOP = "stop"  # the turn or the agent ends


_LEAST_STRICT_FIRST: tuple[frozenset[str | None], ...] = (
    frozenset({"allow"}),
    frozenset({None, "proceed"}),
    frozenset({"feedback"}),
    frozenset({"continue"}),
    frozenset({"defer"}),
    frozenset({"ask"}),
    frozenset({"deny", "block"}),
    frozenset({"stop"}),
)
"""Decisions and effects; those in one set weigh the same."""


def strictness(said: Decision | Effect | None) -> int:
    """The place of a decision or an effect in the one order of strictness; None leaves the decision to the client."""
    return next(place for place, equals in enumerate(_LEAST_STRICT_FIRST) if said in equals)


class Run(Struct, frozen=True, kw_only=True):
    """One action that was started."""

    origin: Origin = Origin()
    name: str | None = None
    summary: str = ""
    """What ran, in one line: the command, the URL, the prompt."""
    status: Status = Status.ALLOWED
    cause: Cause = Cause(CauseKind.NO_REPLY)
    """Why it has this status."""
    reason: str = ""
    duration_ms: float = 0.0
    exit_code: int | None = None
    stdout: str = ""
    """What it printed, unchanged; characters that are not UTF-8 are replaced."""
    stderr: str = ""
    reply: Reply | None = None
    """What it said, as the client reads it; None when it said nothing that counts."""
    would: str = ""
    """What a guard or a rule with the level *shadow* would have done, for the reason above; nobody is told."""


class Skip(Struct, frozen=True, kw_only=True):
    """One action that was not started."""

    origin: Origin = Origin()
    name: str | None = None
    summary: str = ""
    cause: Cause = Cause(CauseKind.NOT_LOADED)
    reason: str = ""


class Outcome(Struct, frozen=True, kw_only=True):
    """The runs of all hooks of one event, folded by its client's rules."""

    client: str
    event: str
    native_event: str = ""
    effect: Effect = Effect.PROCEED
    tool_runs: bool | None = None
    """Whether the tool runs that waits for this event, as far as hooks decide; a turn that ends may let it run first.
    None: a person decides, or no tool waits for it."""
    decision: Decision | None = None
    """What the hooks decided; None when none did, so that the client's own rules hold."""
    cause: Cause = Cause(CauseKind.NO_DECISION)
    """Why the runs come to this effect."""
    reason: str = ""
    updated_input: Any = None
    updated_output: Any = None
    to_model: tuple[str, ...] = ()
    to_user: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    skipped: tuple[Skip, ...] = ()
    problems: tuple[Problem, ...] = ()
    decided_by: Origin | None = None
    """The action whose reply is the outcome; None when no reply changed anything."""

    @property
    def allowed(self) -> bool:
        """Whether it may go ahead at once: no hook refuses it, and no user must be asked first."""
        return self.effect is Effect.PROCEED and not (self.decision is not None and self.decision.is_refusal)

    def to_json(self) -> dict[str, Any]:
        """Plain data with the keys that ``conformance/README.md`` compares."""
        plain: dict[str, Any] = msgspec.json.decode(dump_json(self))
        return plain


def fate_of_tool(effect: Effect, tool_runs: bool | None) -> str:
    """What becomes of the tool that waits for an event on which a hook ends the turn; empty: no tool does."""
    if effect is not Effect.STOP or tool_runs is None:
        return ""
    return "the tool runs" if tool_runs else "the tool does not run"
