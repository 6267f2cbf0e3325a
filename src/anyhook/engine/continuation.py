"""Lets an agent stop that hooks have kept going too often in a row."""

from __future__ import annotations

from typing import Protocol

from msgspec import structs

from anyhook.dialects.contract import Stopping
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.payload_base import Payload, Text

Key = tuple[Text, str, Text]
"""The session, the event and the subagent whose continuations are counted together."""


class ContinuationCounter(Protocol):
    """How often in a row hooks have kept an agent going."""

    def increment(self, key: Key) -> int:
        """Count one more continuation; returns how many there are now."""
        ...

    def reset(self, key: Key) -> None:
        """Start again at zero."""
        ...


class CountInMemory:
    """The counter of a host whose process lives as long as its sessions."""

    def __init__(self) -> None:
        self._times: dict[Key, int] = {}

    def increment(self, key: Key) -> int:
        times = self._times[key] = self._times.get(key, 0) + 1
        return times

    def reset(self, key: Key) -> None:
        self._times.pop(key, None)


class ContinuationCap:
    """Applies a client's cap on continuations, with a counter that may outlive this process."""

    def __init__(self, stopping: Stopping, counter: ContinuationCounter) -> None:
        self._stopping, self._counter = stopping, counter
        self._counted: set[Key] = set()

    def apply(self, payload: Payload, outcome: Outcome) -> Outcome:
        """The outcome, or the agent's permission to stop once the cap is exceeded."""
        known = BY_NAME.get(payload.event)
        if known is None or known.fold is not FoldRule.CONTINUATION:
            return outcome
        key = (payload.session_id, payload.event, payload.agent_id)
        if outcome.effect is not Effect.CONTINUE:
            self._reset(key)
            return outcome
        self._counted.add(key)
        times, cap = self._counter.increment(key), self._stopping.cap
        if cap is None or times <= cap or payload.event in self._stopping.uncapped:
            return outcome
        self._reset(key)
        text = f"hooks kept the agent going {cap} times in a row; now it may stop"
        to_user = (*outcome.to_user, text)
        cause = Cause(CauseKind.CONTINUATION_CAP, text, limit=cap)
        return structs.replace(
            outcome, effect=Effect.PROCEED, cause=cause, decision=None, reason="", to_model=(), to_user=to_user
        )

    def begin_turn(self, session_id: Text) -> None:
        """Count the continuations of a session's main agent from zero."""
        self._reset((session_id, "Stop", None))

    def end_session(self, session_id: Text) -> None:
        """Forget the counts of a session."""
        for key in [key for key in self._counted if key[0] == session_id]:
            self._reset(key)

    def _reset(self, key: Key) -> None:
        self._counted.discard(key)
        self._counter.reset(key)
