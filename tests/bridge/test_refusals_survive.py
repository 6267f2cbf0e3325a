"""A call that hooks refuse is refused in every client that asks them, also where they end the turn."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from anyhook.bridge.join_replies import join_replies
from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.stages import FinishedRun
from anyhook.dialects.wire.answers import reply_of
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.entries.fail_mode import write_answer
from anyhook.model.hooks import Command
from anyhook.model.outcome import Effect, Outcome, Run, strictness
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PreToolUse

CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls"})
STOP = Reply(stop=True, stop_reason="enough")
DENY = Reply(decision=Decision.DENY, reason="no")
CLIENTS = [name for name in NAMES if "PreToolUse" in profile(name).events]


def came_to(client: str, *replies: Reply) -> Outcome:
    """The outcome of hooks of a client that reply like this."""
    ended = [FinishedRun(Run(reply=reply), place, place) for place, reply in enumerate(replies)]
    return fold(bind_event(profile(client), "PreToolUse"), CALL, ended)


def told(client: str, replies: Iterable[Reply]) -> Outcome:
    """What a client does that gets what packages reply as one answer."""
    bound = bind_event(profile(client), "PreToolUse")
    answer = write_answer(bound, join_replies(replies))
    raw = RawResult(exit_code=answer.exit_code, stdout=answer.stdout, stderr=answer.stderr)
    return fold(bound, CALL, [FinishedRun(interpret(bound, Command(command="anyhook"), raw), 0, 0)])


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("source", CLIENTS)
def test_a_stop_that_keeps_the_tool_from_running_does_so_elsewhere(source: str, client: str) -> None:
    for replies in ([STOP], [STOP, DENY], [Reply(decision=Decision.DENY, stop=True, stop_reason="enough")]):
        outcome = came_to(source, *replies)
        if outcome.tool_runs is False:
            assert told(client, [reply_of(outcome)]).tool_runs is False


@pytest.mark.parametrize("client", CLIENTS)
def test_the_stop_of_one_package_does_not_lift_the_refusal_of_another(client: str) -> None:
    for replies in ([STOP, DENY], [DENY, STOP]):
        assert told(client, replies).tool_runs is False


def test_claude_code_is_told_both_and_ends_the_turn() -> None:
    assert told("claude-code", [reply_of(came_to("gemini-cli", STOP))]).effect is Effect.STOP
    assert told("claude-code", [reply_of(came_to("claude-code", STOP))]).tool_runs is True


@pytest.mark.parametrize("client", CLIENTS)
def test_a_question_is_never_less_than_what_a_client_does_by_itself(client: str) -> None:
    """So a stranger's rule that asks can only restrict."""
    asked, silent = (told(client, [reply]) for reply in (Reply(decision=Decision.ASK, reason="sure?"), Reply()))
    assert strictness(asked.effect) >= strictness(silent.effect)
    assert asked.decision is not Decision.ALLOW
