"""Verdicts: every form that a client reads, and everything that is none."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import profile
from anyhook.dialects.stages import Verdict
from anyhook.engine.models.verdicts import VerdictForm, instruction_for, read_verdict, reply_for, verdict_schema
from anyhook.model.hooks import Agent, Prompt
from anyhook.model.output import Decision, Reply

FORMS: tuple[VerdictForm, ...] = get_args(VerdictForm)
REFUSED = Verdict(decision=Decision.DENY, reason="no")
ASKING = Prompt(prompt="?")


def fenced(text: str, language: str = "json") -> str:
    return f"```{language}\n{text}\n```"


@pytest.mark.parametrize(
    ("form", "answer", "verdict"),
    [
        ("ok", '{"ok": true}', Verdict(decision=None)),
        ("ok", ' {"ok": false, "reason": " no "}\n', REFUSED),
        ("ok", '{"ok": false, "reason": 3}', Verdict(decision=Decision.DENY)),
        ("ok", fenced('{"ok": false, "reason": "no"}'), REFUSED),
        ("ok", "My thoughts:\n" + fenced('{"ok": false, "reason": "no"}', "") + "\nThat is all.", REFUSED),
        ("ok", {"ok": False, "reason": "no"}, REFUSED),
        ("ok", '{"ok": true, "additionalContext": "slow"}', Verdict(decision=None, context="slow")),
        ("decision", '{"decision": "allow"}', Verdict(decision=Decision.ALLOW)),
        ("decision", '{"decision": "deny", "reason": "no"}', REFUSED),
        ("decision", '{"decision": "BLOCK", "reason": "no"}', REFUSED),
        ("keyword", "ALLOW", Verdict(decision=Decision.ALLOW)),
        ("keyword", "allow.\n", Verdict(decision=Decision.ALLOW)),
        ("keyword", "**BLOCK**: no", REFUSED),
        ("keyword", "BLOCK because it deletes", Verdict(decision=Decision.DENY, reason="because it deletes")),
        ("keyword", "BLOCK: I cannot ALLOW that", Verdict(decision=Decision.DENY, reason="I cannot ALLOW that")),
        ("keyword", "CONTINUE", Verdict(decision=None)),
        ("keyword", "ALLOW\n\nIt only lists files.", Verdict(decision=Decision.ALLOW, reason="It only lists files.")),
        ("keyword", '{"decision": "block", "reason": "no"}', REFUSED),
        ("keyword", fenced('{"decision": "continue"}'), Verdict(decision=None)),
        # in the schema of command hooks, whatever was asked for
        ("ok", '{"decision": "block", "reason": "no"}', REFUSED),
        ("ok", '{"decision": "approve"}', Verdict(decision=None)),
        ("ok", '{"ok": true, "decision": "block", "reason": "no"}', REFUSED),
        (
            "ok",
            '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}',
            REFUSED,
        ),
        ("ok", '{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}', REFUSED),
        (
            "ok",
            '{"hookSpecificOutput": {"permissionDecision": "ask"}, "reason": "?"}',
            Verdict(decision=Decision.ASK, reason="?"),
        ),
        ("decision", '{"continue": false, "stopReason": "no"}', REFUSED),
        ("keyword", '{"hookSpecificOutput": {"permissionDecision": "allow"}}', Verdict(decision=Decision.ALLOW)),
        ("keyword", '{"ok": false, "reason": "no"}', REFUSED),
        ("keyword", fenced('{"ok": false, "reason": "no"}'), REFUSED),
        ("decision", '{"ok": false, "reason": "no"}', REFUSED),
        # the verdict last
        ("keyword", "It deletes everything. BLOCK", Verdict(decision=Decision.DENY, reason="It deletes everything.")),
        (
            "keyword",
            "It deletes everything, so **BLOCK**.",
            Verdict(decision=Decision.DENY, reason="It deletes everything, so"),
        ),
        ("keyword", "It only lists files.\n\nALLOW", Verdict(decision=Decision.ALLOW, reason="It only lists files")),
        # behind a label, or inside a sentence
        ("keyword", "Answer: BLOCK\nReason: unsafe", Verdict(decision=Decision.DENY, reason="unsafe")),
        ("keyword", "**Verdict:** block\n**Reason:** no", REFUSED),
        ("keyword", "The answer is ALLOW.", Verdict(decision=Decision.ALLOW)),
        ("keyword", "Decision: allow", Verdict(decision=Decision.ALLOW)),
        ("keyword", "Block: no", REFUSED),
        ("keyword", "Block, no", REFUSED),
        ("keyword", "Blocked - no", REFUSED),
        ("keyword", "Fine? No. Block!", Verdict(decision=Decision.DENY, reason="Fine? No")),
        (
            "keyword",
            "This is unsafe, so I BLOCK it because it deletes files.",
            Verdict(decision=Decision.DENY, reason="This is unsafe, so I BLOCK it because it deletes files."),
        ),
        ("keyword", "Fine? No.\n_BLOCK_ it", Verdict(decision=Decision.DENY, reason="Fine? No.\n_BLOCK_ it")),
        ("keyword", "It was BLOCKED by policy", Verdict(decision=Decision.DENY, reason="It was BLOCKED by policy")),
        (
            "keyword",
            'I say {"decision": "block"}',
            Verdict(decision=Decision.DENY, reason='I say {"decision": "block"}'),
        ),
        # two verdicts: the stricter one
        ("keyword", "ALLOW or BLOCK?", Verdict(decision=Decision.DENY, reason="ALLOW or BLOCK?")),
        (
            "keyword",
            "ALLOW: no reason to BLOCK it",
            Verdict(decision=Decision.DENY, reason="ALLOW: no reason to BLOCK it"),
        ),
        (
            "keyword",
            "Answer: ALLOW. Or CONTINUE. CONTINUE",
            Verdict(decision=None, reason="Answer: ALLOW. Or CONTINUE"),
        ),
    ],
)
def test_a_verdict_is_read(form: VerdictForm, answer: Any, verdict: Verdict) -> None:
    assert read_verdict(form, answer) == verdict


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("ok", ""),
        ("ok", "Yes, that is fine."),
        ("ok", "true"),
        ("ok", "[]"),
        ("ok", '{"ok": "true"}'),
        ("ok", '{"ok": 1}'),
        ("ok", 'It is {"ok": true}'),
        ("ok", '{"ok": true} {"ok": false}'),
        ("ok", fenced('{"ok": true}') + "\n" + fenced('{"ok": false}')),
        ("ok", "ALLOW"),
        ("decision", '{"decision": "perhaps"}'),
        ("decision", '{"decision": null}'),
        ("decision", "ALLOW"),
        ("keyword", "Allow me to explain"),
        ("keyword", "ALLOW only after the tests have passed"),
        ("keyword", "I would ALLOW it"),
        ("keyword", "I cannot ALLOW"),
        ("keyword", "UNBLOCK"),
        ("keyword", "ALLOWED"),
        ("keyword", "This would block the pipeline, so think of a lock"),
        ("keyword", "It is allowed to block."),
        ("keyword", "Block devices are listed"),
        ("keyword", "a NON-BLOCKING call with MEM_BLOCK_SIZE, to UN-BLOCK it"),
        ("keyword", "The decision is allowed to everybody"),
        ("keyword", "My decision: allow it after the tests"),
        ("keyword", '{"ok": true}'),
    ],
)
def test_anything_else_is_no_verdict(form: VerdictForm, answer: str) -> None:
    assert read_verdict(form, answer) is None


@given(st.sampled_from(FORMS), st.text())
def test_no_text_breaks_the_reader_or_is_taken_for_consent(form: VerdictForm, text: str) -> None:
    verdict = read_verdict(form, text)
    assert verdict is None or verdict.decision in (Decision.DENY, None) or "allow" in text.lower()


@given(st.text(), st.sampled_from(["BLOCK", "**BLOCK**", "BLOCKED", "Answer: block."]), st.text())
def test_a_refusal_anywhere_blocks(before: str, word: str, after: str) -> None:
    verdict = read_verdict("keyword", f"{before} {word} {after}")
    assert verdict is not None
    assert verdict.decision is Decision.DENY


@given(
    st.lists(
        st.sampled_from(
            ["unblock", "blocked", "allowed", "block", "allow", "this", "would", "the", "pipeline", "UNBLOCK"]
        )
    )
)
def test_prose_is_no_verdict(words: list[str]) -> None:
    assert read_verdict("keyword", " ".join(["so", *words, "indeed"])) is None


@given(st.sampled_from(FORMS), st.booleans(), st.text(max_size=40), st.booleans())
def test_what_fits_the_schema_is_a_verdict(form: VerdictForm, allows: bool, reason: str, in_fence: bool) -> None:
    refusal = {"ok": False, "decision": "deny" if form == "decision" else "block"}
    consent = {"ok": True, "decision": "allow"}
    key = "ok" if form == "ok" else "decision"
    value = {key: (consent if allows else refusal)[key], "reason": reason}
    jsonschema.validate(value, verdict_schema(form))
    text = json.dumps(value)
    verdict = read_verdict(form, fenced(text) if in_fence else text)
    assert verdict is not None
    assert (verdict.decision is Decision.DENY) is not allows
    assert verdict.reason == reason.strip()
    assert verdict == read_verdict(form, value)


@pytest.mark.parametrize("form", FORMS)
def test_a_model_is_told_the_form(form: VerdictForm) -> None:
    words = {"ok": '"ok"', "decision": '"decision"', "keyword": "ALLOW, BLOCK or CONTINUE"}
    assert words[form] in instruction_for(form)


# ------------------------------------------------------------------------------------------------------------ meaning


@pytest.mark.parametrize(
    ("client", "event", "reply"),
    [
        # Recorded: a refusing prompt denies and ends the turn; on Stop it keeps the agent going.
        ("claude-code", "PreToolUse", Reply(decision=Decision.DENY, reason="no", stop=True, stop_reason="no")),
        ("claude-code", "UserPromptSubmit", Reply(decision=Decision.BLOCK, reason="no", stop=True, stop_reason="no")),
        ("claude-code", "Stop", Reply(decision=Decision.BLOCK, reason="no")),
        ("claude-code", "PermissionRequest", None),
        ("qwen-code", "PreToolUse", Reply(decision=Decision.DENY, reason="no")),
        ("cursor", "PreToolUse", Reply(decision=Decision.DENY, reason="no")),
        ("openhands", "Stop", Reply(decision=Decision.BLOCK, reason="no")),
    ],
)
def test_what_a_refusal_does_is_the_clients_business(client: str, event: str, reply: Reply | None) -> None:
    assert reply_for(profile(client).overrides, event, ASKING, REFUSED) == reply


def test_continue_on_block_lets_the_turn_go_on() -> None:
    overrides = profile("claude-code").overrides
    asking = Prompt(prompt="?", continue_on_block=True)
    assert reply_for(overrides, "PreToolUse", asking, REFUSED) == Reply(decision=Decision.DENY, reason="no")
    assert reply_for(overrides, "PreToolUse", Agent(prompt="?"), REFUSED) == Reply(decision=Decision.DENY, reason="no")


def test_only_a_verdict_that_says_allow_is_consent() -> None:
    overrides = profile("code-agent").overrides
    assert reply_for(overrides, "PreToolUse", ASKING, Verdict(decision=None)) is None
    assert reply_for(overrides, "PreToolUse", ASKING, Verdict(decision=Decision.ALLOW)) == Reply(
        decision=Decision.ALLOW
    )
    assert reply_for(overrides, "Stop", ASKING, Verdict(decision=Decision.ALLOW)) is None


def test_context_reaches_the_agent_whatever_the_verdict() -> None:
    verdict = Verdict(decision=None, context="tests are slow")
    assert reply_for(profile("qwen-code").overrides, "PreToolUse", ASKING, verdict) == Reply(context="tests are slow")


def test_a_verdict_may_leave_it_to_the_user() -> None:
    rules = profile("universal").overrides
    asking = Verdict(decision=Decision.ASK, reason="sure?")
    assert reply_for(rules, "PreToolUse", ASKING, asking) == Reply(decision=Decision.ASK, reason="sure?")
    on_prompt = reply_for(rules, "UserPromptSubmit", ASKING, asking)  # which has no such decision
    assert on_prompt is not None
    assert on_prompt.decision is Decision.BLOCK
