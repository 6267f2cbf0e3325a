"""The cap on continuations: counted in a row, and forgotten with the turn and the session."""

from __future__ import annotations

from anyhook.dialects.contract import Stopping
from anyhook.engine.continuation import ContinuationCap, CountInMemory
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision
from anyhook.model.payload import Stop
from anyhook.model.payload_base import Payload

STOP = Stop(session_id="s", stop_hook_active=True)
CONTINUES = Outcome(
    client="codex",
    event="Stop",
    effect=Effect.CONTINUE,
    decision=Decision.BLOCK,
    reason="not yet",
    to_model=("not yet",),
    to_user=("a message",),
)


def capped_at(cap: int | None, uncapped: frozenset[str] = frozenset()) -> ContinuationCap:
    return ContinuationCap(Stopping(cap=cap, uncapped=uncapped), CountInMemory())


def test_the_agent_may_stop_once_the_cap_is_exceeded() -> None:
    cap = capped_at(2)
    outcomes = [cap.apply(STOP, CONTINUES) for _ in range(4)]
    assert [outcome.effect for outcome in outcomes] == [
        Effect.CONTINUE,
        Effect.CONTINUE,
        Effect.PROCEED,
        Effect.CONTINUE,
    ]
    text = "hooks kept the agent going 2 times in a row; now it may stop"
    assert (outcomes[2].decision, outcomes[2].reason, outcomes[2].to_model) == (None, "", ())
    assert outcomes[2].to_user == ("a message", text)


def test_a_stop_without_objection_starts_the_count_again() -> None:
    cap = capped_at(1)
    for _ in range(3):
        assert cap.apply(STOP, CONTINUES).effect is Effect.CONTINUE
        cap.apply(STOP, Outcome(client="codex", event="Stop"))


def test_other_events_and_uncapped_ones_are_not_limited() -> None:
    assert all(capped_at(0).apply(Payload(event="PreToolUse"), CONTINUES) is CONTINUES for _ in range(3))
    uncapped = capped_at(0, uncapped=frozenset({"Stop"}))
    assert all(uncapped.apply(STOP, CONTINUES) is CONTINUES for _ in range(3))
    assert all(capped_at(None).apply(STOP, CONTINUES) is CONTINUES for _ in range(3))


def test_a_new_turn_and_the_end_of_the_session_start_the_count_again() -> None:
    cap = capped_at(1)
    for forget in (cap.begin_turn, cap.end_session):
        cap.apply(STOP, CONTINUES)
        forget("s")
        assert cap.apply(STOP, CONTINUES).effect is Effect.CONTINUE
        assert STOP.agent_id is None
        forget("s")
