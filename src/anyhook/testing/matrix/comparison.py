"""The same case in two clients, side by side: what each gave to the hooks, and what came of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.stages import FinishedRun
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Rule
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload

Path = tuple[str, ...]
_Place = tuple[str, str, int]

_NO_REPLY = Reply()


class ClientRun(Struct, frozen=True, kw_only=True):
    """What one client gave to the hooks of a case, and what came of it."""

    bound: BoundEvent
    """The event under the name that the rule has for it."""
    rules: tuple[Rule, ...]
    payload: Payload
    given: Mapping[str, Any]
    """The payload as hooks got it on stdin."""
    outcome: Outcome

    @property
    def effect(self) -> Effect:
        return self.outcome.effect

    def judge(self, runs: Sequence[Run]) -> Outcome:
        """What this client makes of hooks that do what these did in another one."""
        actions = {_place(action.origin): action for rule in self.rules for action in rule.actions}
        ended = [
            FinishedRun(interpret(self.bound, action, _raw(run)), number, number)
            for number, run in enumerate(runs)
            if (action := actions.get(_place(run.origin))) is not None
        ]
        return fold(self.bound, self.payload, ended)


def _raw(run: Run) -> RawResult:
    """What a run did, before a client says what it means."""
    timed_out = run.status is Status.TIMED_OUT
    return RawResult(
        exit_code=run.exit_code,
        stdout=run.stdout.encode("utf-8", "replace"),
        stderr=run.stderr.encode("utf-8", "replace"),
        timed_out=timed_out,
        error="" if timed_out or run.exit_code is not None else run.reason,
    )


class Comparison:
    """The client that a case was written for (``ours``), and another one (``theirs``); hooks ran in both."""

    def __init__(self, ours: ClientRun, theirs: ClientRun) -> None:
        self.ours, self.theirs = ours, theirs

    @cached_property
    def place(self) -> _Place | None:
        """The action that makes the difference: the one that decided, in the client where one did; None: the first."""
        for side in (self.ours, self.theirs):
            decided = side.outcome.decided_by
            if decided is not None and any(run.origin == decided for run in side.outcome.runs):
                return _place(decided)
        return None

    @cached_property
    def was(self) -> Run:
        """That action's run in the client that the case was written for."""
        return _at(self.ours.outcome.runs, self.place)

    @cached_property
    def now(self) -> Run:
        """Its run in the other client."""
        return _at(self.theirs.outcome.runs, self.place)

    @cached_property
    def judged(self) -> Outcome:
        """What our client makes of what the hooks did in the other one."""
        return self.ours.judge(self.theirs.outcome.runs)

    @cached_property
    def reread(self) -> Run:
        """The action's run in the other client, as our client reads it."""
        return _at(self.judged.runs, self.place) if self.judged.runs else self.was

    @property
    def acts_alike(self) -> bool:
        """Whether the hooks did the same in both clients, as far as it matters to ours."""
        return self.judged.effect is self.ours.effect

    @property
    def code(self) -> int:
        """The action's exit status in the other client."""
        return self.now.exit_code or 0

    @property
    def native_event(self) -> str:
        """What the other client calls the event."""
        return self.theirs.bound.native_event

    @property
    def meant(self) -> Reply:
        """The action's reply as our client reads it."""
        return self.reread.reply or _NO_REPLY

    @property
    def heard(self) -> Reply:
        """The action's reply as the other client reads it."""
        return self.now.reply or _NO_REPLY


def _place(origin: Origin) -> _Place:
    """What an action keeps when it is converted."""
    return origin.file, origin.pointer, origin.line


def _at(runs: Sequence[Run], place: _Place | None) -> Run:
    """The run of the action in this place; if it did not run, the first."""
    return next((run for run in runs if _place(run.origin) == place), runs[0])
