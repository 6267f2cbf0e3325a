"""What one client makes of a case, to compare it with another client: see :mod:`anyhook.testing.matrix.reasons`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import UNSET, Struct

from anyhook.dialects.contract import Field
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.fold import FinishedRun, fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Action, Rule
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload

Path = tuple[str, ...]


class ClientRun(Struct, frozen=True, kw_only=True):
    """What one client gave to the hooks of a case, and what came of it."""

    profile: Profile
    """The face of the client that the rule's event name selects."""
    rule: Rule
    payload: Payload
    given: Mapping[str, Any]
    """The payload as hooks got it on stdin."""
    outcome: Outcome

    @property
    def event(self) -> str:
        return self.rule.event

    @property
    def native_event(self) -> str:
        return self.rule.native_event

    @property
    def effect(self) -> Effect:
        return self.outcome.effect

    def read(self, answer: Mapping[str, Any]) -> Reply:
        """What this client makes of an answer, if it reads it at all."""
        return decode_reply(self.profile, self.event, self.native_event, answer)

    def fields(self, part: str) -> tuple[Field, ...]:
        """Where this client looks for a part of an answer."""
        fields = self.profile.answers.fields(self.event)
        return tuple(field for field in fields if field.part == part and not field.refused)

    def stop_mode(self) -> str:
        """What ``continue: false`` does here."""
        stopping = self.profile.stopping
        return stopping.continue_false_on.get(self.event, stopping.continue_false)

    def limit_ms(self, action: Action) -> int | None:
        return self.profile.timeouts.effective_ms(action.timeout_ms, action.kind, self.event)

    def effect_of(self, runs: Sequence[Run]) -> Effect:
        """The effect that hooks would have here that end as these did somewhere else."""
        actions = self.rule.actions
        ended = [
            FinishedRun(interpret(self.profile, self.event, self.native_event, action, _raw(run)), place, place)
            for place, (action, run) in enumerate(zip(actions, runs, strict=False))
        ]
        return fold(self.profile, self.event, self.native_event, self.payload, ended).effect


def _raw(run: Run) -> RawResult:
    """What a run did, before anybody said what it means."""
    timed_out = run.status is Status.TIMED_OUT
    return RawResult(
        exit_code=run.exit_code,
        stdout=run.stdout.encode("utf-8", "replace"),
        stderr=run.stderr.encode("utf-8", "replace"),
        timed_out=timed_out,
        error="" if timed_out or run.exit_code is not None else run.reason,
    )


class Comparison:
    """The client that a case was written for (``ours``), and another one (``theirs``) in which both ran something."""

    def __init__(self, ours: ClientRun, theirs: ClientRun) -> None:
        self.ours, self.theirs = ours, theirs

    @cached_property
    def place(self) -> int:
        """The action that makes the difference: the one that decided, on the side where one did."""
        for side in (self.ours, self.theirs):
            origins = [run.origin for run in side.outcome.runs]
            if side.outcome.decided_by in origins:
                return origins.index(side.outcome.decided_by)
        return 0

    @cached_property
    def was(self) -> Run:
        """That action's run in the client that the case was written for."""
        return _at(self.ours.outcome.runs, self.place)

    @cached_property
    def now(self) -> Run:
        """Its run in the other client."""
        return _at(self.theirs.outcome.runs, self.place)

    @cached_property
    def code(self) -> int:
        """Its exit status in the other client."""
        return self.now.exit_code or 0

    @cached_property
    def acts_alike(self) -> bool:
        """Whether our client would have come to the same effect, too, by what hooks did in the other one."""
        return self.ours.effect_of(self.theirs.outcome.runs) is self.ours.effect

    @cached_property
    def answer(self) -> Mapping[str, Any] | None:
        """The JSON object that the action printed."""
        return json_object(self.now.stdout) or json_object(self.now.stderr)

    @cached_property
    def meant(self) -> Reply:
        """The answer as the client reads it that the case was written for."""
        return self.ours.read(self.answer) if self.answer is not None else Reply()

    @cached_property
    def heard(self) -> Reply:
        """The answer as the other client reads it."""
        return self.theirs.read(self.answer) if self.answer is not None else Reply()

    def paths_of(self, side: ClientRun, part: str) -> Iterator[Path]:
        """Where one client finds a part in the answer."""
        for field in side.fields(part):
            if value_at(self.answer, field.path) is not UNSET:
                yield field.path


def json_object(text: str) -> Mapping[str, Any] | None:
    """The object that a text is in JSON, or that the string is that it is; None when there is none."""
    try:
        value = load_json(text.strip().removeprefix("\ufeff").encode())
        value = load_json(value.encode()) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def value_at(data: Any, path: Path) -> Any:
    """The value at a path; UNSET when there is none."""
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return UNSET
        data = data[key]
    return data


def _at(runs: Sequence[Run], place: int) -> Run:
    return runs[place] if place < len(runs) else runs[-1]
