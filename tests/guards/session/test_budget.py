"""The guard ``budget``: what is counted, what is refused, and what happens when nothing can be counted."""

from __future__ import annotations

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.session import budget
from anyhook.guards.session.memory import GuardMemory, LostMemoryError, MemoryOfProcess
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse, SessionEnd, Stop, UserPromptSubmit
from anyhook.model.payload_base import Payload

CALL = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "make"})


def asked(memory: GuardMemory, event: Payload = CALL, **settings: object) -> Reply | None:
    return budget.judge(GuardCall(event=event, settings=settings, memory=memory))


def test_calls_beyond_the_limit_are_refused_until_the_session_ends() -> None:
    memory = MemoryOfProcess()
    assert [asked(memory, tool_calls=2) for _ in range(2)] == [None, None]
    reply = asked(memory, tool_calls=2)
    assert reply is not None
    assert reply.decision is Decision.DENY
    assert str(reply.reason).startswith("This session has reached its limit of tool calls (2). Tell the user what is")
    assert asked(memory, PreToolUse(session_id="other", tool_name="Read", tool_input={}), tool_calls=2) is None
    assert asked(memory, SessionEnd(session_id="s"), tool_calls=2) is None
    assert asked(memory, tool_calls=2) is None


@pytest.mark.parametrize(("level", "decision"), [("ask", Decision.ASK), ("warn", None)])
def test_levels_and_exceptions(level: str, decision: Decision | None) -> None:
    memory = MemoryOfProcess()
    asked(memory, tool_calls=1)
    reply = asked(memory, tool_calls=1, level=level)
    assert reply is not None
    assert reply.decision is decision
    assert asked(memory, tool_calls=1, exceptions=[{"commands": ["make"]}]) is None
    assert asked(memory, tool_calls=1, level="off") is None


def test_minutes_count_from_the_first_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MemoryOfProcess()
    moments = iter([1000.0, 1000.0 + 299, 1000.0 + 300])
    monkeypatch.setattr("time.time", lambda: next(moments))
    assert asked(memory, UserPromptSubmit(session_id="s", prompt="go"), minutes=5) is None
    assert asked(memory, minutes=5) is None
    reply = asked(memory, minutes=5)
    assert reply is not None
    assert "limit of minutes (5)" in str(reply.reason)


@pytest.mark.parametrize(
    "stops",
    [
        [Stop(session_id="s", stop_hook_active=False), *[Stop(session_id="s", stop_hook_active=True)] * 2],
        [Stop(session_id="s")] * 3,
    ],
)
def test_rounds_beyond_the_limit_end_the_turn(stops: list[Stop]) -> None:
    memory = MemoryOfProcess()
    replies = [asked(memory, stop, stop_rounds=2) for stop in stops]
    assert replies[:2] == [None, None]
    assert replies[2] is not None
    assert replies[2].stop
    assert "limit of stop rounds (2)" in str(replies[2].stop_reason)
    warned = asked(memory, stops[2], stop_rounds=2, level="warn")
    assert warned is not None
    assert not warned.stop
    assert "limit of stop rounds" in str(warned.message)
    assert asked(memory, stops[2], stop_rounds=2, level="off") is None


def test_the_end_of_another_turn_is_no_round() -> None:
    memory = MemoryOfProcess()
    turn: list[Payload] = [UserPromptSubmit(session_id="s", prompt="go"), Stop(session_id="s")]
    assert [asked(memory, event, stop_rounds=1) for event in turn * 5] == [None] * 10
    ends = [Stop(session_id="t", stop_hook_active=False)] * 5
    assert [asked(memory, event, stop_rounds=1) for event in ends] == [None] * 5


class Lost(MemoryOfProcess):
    def add(self, session: str, entry: str) -> tuple[str, ...]:
        raise LostMemoryError("/x: Permission denied")


class Changed(MemoryOfProcess):
    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line

    def add(self, session: str, entry: str) -> tuple[str, ...]:
        return ("call 1", self.line, entry)


def decode_other_session() -> Payload:
    """Of a client that sends no text as its session."""
    return PreToolUse(session_id=7, tool_name="Bash", tool_input={})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("memory", "event", "why"),
    [
        (Lost(), CALL, "/x: Permission denied"),
        (Changed("call yesterday"), CALL, "its log was changed"),
        (Changed("call 1 2"), CALL, "its log was changed"),
        (Changed("tea 1"), CALL, "its log was changed"),
        (MemoryOfProcess(), PreToolUse(session_id="", tool_name="Bash", tool_input={}), "does not say which session"),
        (MemoryOfProcess(), decode_other_session(), "does not say which session"),
        (MemoryOfProcess(), PreToolUse(tool_name="Bash", tool_input={}), "does not say which session"),
    ],
)
def test_what_cannot_be_counted_is_a_warning(memory: GuardMemory, event: Payload, why: str) -> None:
    reply = asked(memory, event)
    assert reply is not None
    assert why in str(reply.message)
    assert reply.context == reply.message


def test_what_was_not_kept_is_empty() -> None:
    memory = MemoryOfProcess()
    assert memory.recall("a") == ""
    memory.keep("a", "b")
    assert memory.recall("a") == "b"


def test_a_log_is_read_without_adding_to_it() -> None:
    memory = MemoryOfProcess()
    assert memory.log("s") == ()
    assert memory.add("s", "a") == ("a",)
    assert memory.log("s") == memory.log("s") == ("a",)


def test_the_defaults_are_those_that_are_shown() -> None:
    shown = {option.name: option.usual for option in GUARDS["budget"].options}
    assert (shown["tool_calls"], shown["minutes"], shown["stop_rounds"]) == (
        budget.TOOL_CALLS,
        budget.MINUTES,
        budget.STOP_ROUNDS,
    )
