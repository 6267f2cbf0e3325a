"""Outcomes, in the JSON that the conformance vectors ask for."""

from __future__ import annotations

import json

from anyhook.model.cause import Cause, CauseKind
from anyhook.model.origin import Origin, Scope
from anyhook.model.outcome import Effect, Outcome, Run, Skip, Status
from anyhook.model.output import Decision, Reply
from anyhook.model.problems import problem

README_KEYS = "client event effect reason updated_input updated_output to_model to_user runs skipped problems"
README_EFFECTS = {"proceed", "block", "ask", "defer", "feedback", "continue", "stop"}


def test_nothing_happened() -> None:
    plain = Outcome(client="codex", event="PreToolUse").to_json()
    assert set(README_KEYS.split()) <= plain.keys()
    assert plain["effect"] == "proceed"
    assert plain["updated_input"] is None
    assert plain["to_model"] == plain["to_user"] == plain["runs"] == plain["skipped"] == plain["problems"] == []


def test_effects_are_those_of_the_vectors() -> None:
    assert {effect.value for effect in Effect} == README_EFFECTS


def test_a_run_ends_in_one_of_these_ways() -> None:
    assert {status.value for status in Status} == {
        "allowed",
        "blocked",
        "failed-so-allowed",
        "failed-so-blocked",
        "timed-out",
    }


def test_everything_can_be_printed() -> None:
    origin = Origin("codex", Scope.PROJECT, ".codex/hooks.json", "/hooks/PreToolUse/0/hooks/0", 7)
    reply = Reply(
        decision=Decision.DENY,
        reason="no",
        updated_input={"command": "ls"},
        unread=(Cause(CauseKind.UNKNOWN_KEY, "", "/foo"),),
    )
    run = Run(origin=origin, summary="guard.sh", status=Status.BLOCKED, exit_code=0, duration_ms=1.5, reply=reply)
    outcome = Outcome(
        client="codex",
        event="PreToolUse",
        effect=Effect.BLOCK,
        decision=Decision.DENY,
        reason="no",
        to_model=("no",),
        runs=(run,),
        skipped=(Skip(origin=origin, summary="other.sh", reason="the matcher does not fit"),),
        problems=(problem("E001", origin, "no such event"),),
        decided_by=origin,
    )
    plain = json.loads(json.dumps(outcome.to_json()))
    assert plain["runs"][0]["status"] == "blocked"
    assert plain["runs"][0]["reply"]["decision"] == "deny"
    assert plain["runs"][0]["reply"]["unread"] == [{"kind": "unknown-key", "pointer": "/foo"}]
    assert plain["runs"][0]["cause"] == {"kind": "no-reply"}
    assert plain["skipped"][0]["reason"] == "the matcher does not fit"
    assert plain["problems"][0]["code"] == "E001"
    assert plain["decided_by"]["line"] == 7
