"""Verdicts: every form that a client reads, and everything that is none."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.dialects import profile
from anyhook.engine.models.verdicts import (
    Verdict,
    VerdictForm,
    instruction_for,
    read_verdict,
    reply_for,
    verdict_schema,
)
from anyhook.model.hooks import Agent, Prompt
from anyhook.model.output import Decision, Reply

FORMS: tuple[VerdictForm, ...] = get_args(VerdictForm)
REFUSED = Verdict(says="block", reason="no")
ASKING = Prompt(prompt="?")


def fenced(text: str, language: str = "json") -> str:
    return f"```{language}\n{text}\n```"


@pytest.mark.parametrize(
    ("form", "answer", "verdict"),
    [
        ("ok", '{"ok": true}', Verdict(says="no objection")),
        ("ok", ' {"ok": false, "reason": " no "}\n', REFUSED),
        ("ok", '{"ok": false, "reason": 3}', Verdict(says="block")),
        ("ok", fenced('{"ok": false, "reason": "no"}'), REFUSED),
        ("ok", "My thoughts:\n" + fenced('{"ok": false, "reason": "no"}', "") + "\nThat is all.", REFUSED),
        ("ok", {"ok": False, "reason": "no"}, REFUSED),
        ("ok", '{"ok": true, "additionalContext": "slow"}', Verdict(says="no objection", context="slow")),
        ("decision", '{"decision": "allow"}', Verdict(says="allow")),
        ("decision", '{"decision": "deny", "reason": "no"}', REFUSED),
        ("decision", '{"decision": "BLOCK", "reason": "no"}', REFUSED),
        ("keyword", "ALLOW", Verdict(says="allow")),
        ("keyword", "allow.\n", Verdict(says="allow")),
        ("keyword", "**BLOCK**: no", REFUSED),
        ("keyword", "BLOCK because it deletes", Verdict(says="block", reason="because it deletes")),
        ("keyword", "BLOCK: I cannot ALLOW that", Verdict(says="block", reason="I cannot ALLOW that")),
        ("keyword", "CONTINUE", Verdict(says="no objection")),
        ("keyword", "ALLOW\n\nIt only lists files.", Verdict(says="allow", reason="It only lists files.")),
        ("keyword", '{"decision": "block", "reason": "no"}', REFUSED),
        ("keyword", fenced('{"decision": "continue"}'), Verdict(says="no objection")),
        # in the schema of command hooks, whatever was asked for
        ("ok", '{"decision": "block", "reason": "no"}', REFUSED),
        ("ok", '{"decision": "approve"}', Verdict(says="no objection")),
        ("ok", '{"ok": true, "decision": "block", "reason": "no"}', REFUSED),
        (
            "ok",
            '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}',
            REFUSED,
        ),
        ("ok", '{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}', REFUSED),
        ("ok", '{"hookSpecificOutput": {"permissionDecision": "ask"}, "reason": "?"}', Verdict(says="ask", reason="?")),
        ("decision", '{"continue": false, "stopReason": "no"}', REFUSED),
        ("keyword", '{"hookSpecificOutput": {"permissionDecision": "allow"}}', Verdict(says="allow")),
        # the verdict last
        ("keyword", "It deletes everything. BLOCK", Verdict(says="block", reason="It deletes everything.")),
        ("keyword", "It deletes everything, so **BLOCK**.", Verdict(says="block", reason="It deletes everything, so")),
        ("keyword", "It only lists files.\n\nALLOW", Verdict(says="allow", reason="It only lists files")),
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
        ("keyword", "ALLOW or BLOCK?"),
        ("keyword", "I would ALLOW it"),
        ("keyword", "I cannot ALLOW"),
        ("keyword", "UNBLOCK"),
        ("keyword", "ALLOWED"),
        ("keyword", '{"ok": true}'),
    ],
)
def test_anything_else_is_no_verdict(form: VerdictForm, answer: str) -> None:
    assert read_verdict(form, answer) is None


@given(st.sampled_from(FORMS), st.text())
def test_no_text_breaks_the_reader_or_is_taken_for_consent(form: VerdictForm, text: str) -> None:
    verdict = read_verdict(form, text)
    assert verdict is None or verdict.says in ("block", "no objection") or "allow" in text.lower()


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
    assert (verdict.says == "block") is not allows
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
    assert reply_for(profile(client).model_hooks, event, ASKING, REFUSED) == reply


def test_continue_on_block_lets_the_turn_go_on() -> None:
    model_hooks = profile("claude-code").model_hooks
    asking = Prompt(prompt="?", continue_on_block=True)
    assert reply_for(model_hooks, "PreToolUse", asking, REFUSED) == Reply(decision=Decision.DENY, reason="no")
    assert reply_for(model_hooks, "PreToolUse", Agent(prompt="?"), REFUSED) == Reply(
        decision=Decision.DENY, reason="no"
    )


def test_only_a_verdict_that_says_allow_is_consent() -> None:
    model_hooks = profile("code-agent").model_hooks
    assert reply_for(model_hooks, "PreToolUse", ASKING, Verdict(says="no objection")) is None
    assert reply_for(model_hooks, "PreToolUse", ASKING, Verdict(says="allow")) == Reply(decision=Decision.ALLOW)
    assert reply_for(model_hooks, "Stop", ASKING, Verdict(says="allow")) is None


def test_context_reaches_the_agent_whatever_the_verdict() -> None:
    verdict = Verdict(says="no objection", context="tests are slow")
    assert reply_for(profile("qwen-code").model_hooks, "PreToolUse", ASKING, verdict) == Reply(context="tests are slow")


def test_a_verdict_may_leave_it_to_the_user() -> None:
    rules = profile("universal").model_hooks
    asking = Verdict(says="ask", reason="sure?")
    assert reply_for(rules, "PreToolUse", ASKING, asking) == Reply(decision=Decision.ASK, reason="sure?")
    on_prompt = reply_for(rules, "UserPromptSubmit", ASKING, asking)  # which has no such decision
    assert on_prompt is not None
    assert on_prompt.decision is Decision.BLOCK
