"""Who refused: a hook, or the client by its own rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.model.outcome import Effect
from anyhook.prove.clients import driver
from anyhook.prove.proof.observe import Observation, PlayReport, is_skipped_in, needs_control, observe
from anyhook.prove.proof.played_cases import BUILT_IN, PlayedCase
from anyhook.prove.report import HookCall, RunReport, SeenMessage, StepResult
from anyhook.prove.script import ShellStep

CODEX = driver("codex")
DANGEROUS = next(case for case in BUILT_IN if case.name == "a dangerous command")
PROMPT = next(case for case in BUILT_IN if case.event == "UserPromptSubmit")
STOP = next(case for case in BUILT_IN if case.event == "Stop")
REASON = "This command deletes everything in /."
OWN_WORDS = "exec_command failed: rm -f style commands are not permitted"
RAN = "Process exited with code 1"


def called(**behaviour: Any) -> HookCall:
    given = {"exit_status": 0, **behaviour}
    return HookCall(name="x", event="PreToolUse", payload={}, cwd="", environment={}, started=0, seconds=0, **given)


def report(result: str, *calls: HookCall) -> RunReport:
    step = StepResult(0, ShellStep("rm -rf /"), "exec_command", None, result)
    saw = ((SeenMessage("user", "do it"),), (SeenMessage("tool", result),))
    return RunReport(
        client="codex", version="1", exit_status=0, seconds=1, tool_results=(step,), model_saw=saw, hooks_fired=calls
    )


def test_the_reason_of_a_hook_is_evidence() -> None:
    played = report(f"blocked by hook: {REASON}", called(exit_status=2, stderr=REASON))
    assert observe(DANGEROUS, played, CODEX) == Observation(Effect.BLOCK)
    assert not needs_control(DANGEROUS, played, CODEX)


def test_a_refusal_without_any_hook_is_the_client_s() -> None:
    """The control would be the same play, so none is needed."""
    played = report(OWN_WORDS)
    assert not needs_control(DANGEROUS, played, CODEX)
    seen = observe(DANGEROUS, played, CODEX)
    assert (seen.by_client, seen.meets(Effect.BLOCK), seen.meets(Effect.PROCEED)) == (True, False, True)


QUIET = {
    "no reason": called(exit_status=2),
    "a reason that is a part of what the client says": called(exit_status=2, stderr="no"),
    "a reason that the client does not pass on": called(exit_status=2, stderr=REASON),
    "a question": called(stdout='{"hookSpecificOutput": {"permissionDecision": "ask"}}'),
    "killed": called(exit_status=None),
}


@pytest.mark.parametrize("quiet", QUIET)
def test_a_control_tells_who_refused(quiet: str) -> None:
    played = report(OWN_WORDS, QUIET[quiet])
    assert needs_control(DANGEROUS, played, CODEX)
    assert observe(DANGEROUS, played, CODEX, report(RAN)) == Observation(Effect.BLOCK)
    assert observe(DANGEROUS, played, CODEX, report(OWN_WORDS)).by_client


def test_a_hook_that_agrees_did_not_refuse() -> None:
    played = report(OWN_WORDS, called())
    assert not needs_control(DANGEROUS, played, CODEX)
    assert observe(DANGEROUS, played, CODEX).by_client


def test_a_hook_whose_calls_cannot_be_seen() -> None:
    assert not observe(DANGEROUS, report("PreToolUse hook error: no"), driver("claude-code"), unrecorded=True).by_client
    assert observe(DANGEROUS, report(OWN_WORDS), CODEX, unrecorded=True).by_client


def test_a_client_that_does_not_start_refuses_no_prompt() -> None:
    """It ends before it asks a model, with a hook or without one."""
    failed = RunReport(client="codex", version="1", exit_status=1, seconds=1, stderr="config.toml: invalid")
    for expected in (Effect.BLOCK, Effect.PROCEED):
        assert not observe(PROMPT, failed, CODEX).meets(expected)
    refused = structs.replace(failed, hooks_fired=(called(exit_status=2, stderr=REASON),), stderr=f"hook: {REASON}")
    assert observe(PROMPT, refused, CODEX) == Observation(Effect.BLOCK)


def test_an_agent_that_goes_on_by_itself() -> None:
    again = structs.replace(report(RAN), tool_results=())
    assert observe(STOP, again, CODEX).by_client
    hook = called(exit_status=2, stderr="finish the open items")
    told = structs.replace(again, model_saw=((), (SeenMessage("user", "finish the open items"),)), hooks_fired=(hook,))
    assert observe(STOP, told, CODEX) == Observation(Effect.CONTINUE)


def test_a_client_that_skips_a_hook_may_refuse_the_same() -> None:
    """With the user's trust, Codex does not ask the hook, and refuses the command itself."""
    hook = called(exit_status=2, stderr=REASON)
    trusted = report(f"blocked: {REASON}", hook)
    play = PlayReport(case=DANGEROUS, report=trusted, seen=observe(DANGEROUS, trusted, CODEX))
    assert is_skipped_in(report(OWN_WORDS), play, CODEX)
    assert is_skipped_in(report(RAN), play, CODEX)
    assert not is_skipped_in(report(f"blocked: {REASON}"), play, CODEX)


calls = st.builds(
    called,
    exit_status=st.sampled_from([None, 0, 1, 2]),
    stdout=st.sampled_from(
        ["", "{}", "x", '{"decision": "block"}', json.dumps({"decision": "deny", "reason": REASON})]
    ),
    stderr=st.sampled_from(["", "no", REASON]),
)


@given(st.sampled_from([DANGEROUS, PROMPT, STOP]), st.sampled_from([OWN_WORDS, RAN]), st.lists(calls, max_size=3))
def test_what_a_client_does_without_hooks_proves_none(case: PlayedCase, result: str, fired: list[HookCall]) -> None:
    """Whatever hooks did: if their reason is nowhere and the control ends alike, a refusal is not theirs."""
    played = report(result, *fired)
    seen = observe(case, played, CODEX, report(result))
    assert not any(seen.meets(refusal) for refusal in (Effect.BLOCK, Effect.CONTINUE))
