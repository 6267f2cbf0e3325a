"""The verdict forms of the clients: how to ask a model for one, and how to read its answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from anyhook.dialects.contract import ModelHookRules
from anyhook.engine.interpret import refusal_on
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, Prompt
from anyhook.model.lazyjson import load_json
from anyhook.model.output import Decision, Reply

VerdictForm = Literal["ok", "decision", "keyword"]
Says = Literal["allow", "block", "ask", "no objection"]


class Verdict(Struct, frozen=True, kw_only=True):
    """A model's judgement of one event."""

    says: Says
    """``no objection`` leaves the decision to others: it does not allow."""
    reason: str = ""
    context: str = ""
    """Text for the agent's model (Qwen Code's additionalContext)."""


_INSTRUCTIONS: Mapping[VerdictForm, str] = {
    "ok": 'Answer with one JSON object and nothing else: {"ok": true} if all is as the hook wants it, '
    'or {"ok": false, "reason": "why, in one sentence for the agent"} if it is not.',
    "decision": 'Answer with one JSON object and nothing else: {"decision": "allow", "reason": "..."} or '
    '{"decision": "deny", "reason": "why, in one sentence for the agent"}.',
    "keyword": "Answer with one word, ALLOW, BLOCK or CONTINUE (no opinion), and give the reason after a colon.",
}


def instruction_for(form: VerdictForm) -> str:
    """The sentence that asks a model for a verdict of this form."""
    return _INSTRUCTIONS[form]


def verdict_schema(form: VerdictForm) -> dict[str, Any]:
    """JSON Schema of the verdict as an object."""
    reason = {"type": "string", "description": "Why, in one sentence for the agent."}
    if form == "ok":
        return _object({"ok": {"type": "boolean"}, "reason": reason}, "ok")
    words = ["allow", "deny"] if form == "decision" else ["allow", "block", "continue"]
    return _object({"decision": {"enum": words}, "reason": reason}, "decision")


def _object(properties: dict[str, Any], required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}


# ------------------------------------------------------------------------------------------------------------- reading

_FENCED = re.compile(r"^```[a-zA-Z]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_DECISIONS: Mapping[str, Says] = {
    "allow": "allow",
    "approve": "allow",
    "deny": "block",
    "block": "block",
    "ask": "ask",
    "continue": "no objection",
}
_DECISION_PATHS = (
    ("decision",),
    ("hookSpecificOutput", "permissionDecision"),
    ("hookSpecificOutput", "decision"),
    ("hookSpecificOutput", "decision", "behavior"),
)
"""Where the replies of command hooks have their decision, which models imitate whatever they are asked for."""
_REASON_PATHS = (
    ("reason",),
    ("hookSpecificOutput", "permissionDecisionReason"),
    ("hookSpecificOutput", "reason"),
    ("hookSpecificOutput", "decision", "message"),
    ("stopReason",),
)
_KEEP_GOING = frozenset({"Stop", "SubagentStop"})
"""Events on which a refusal keeps the agent going, so that it cannot end the turn."""
# ALLOW must be alone or before a reason ("ALLOW only if ..." does not allow); any text that starts with BLOCK blocks.
_KEYWORD = re.compile(r"[\s*_`\"']*(?:(BLOCK)\b|(ALLOW|CONTINUE)(?=[\s*_`\"']*(?:[.:;,!\n—-]|$)))[\s*_`\"'.:;,!—-]*")
# After other text: the last word, or for the words that do not block a last sentence of one word.
_LAST_KEYWORD = re.compile(r"(?:(?<![\w'-])(BLOCK)|(?:[.:;!?\n—][\s*_`\"']*)(ALLOW|CONTINUE))[\s*_`\"'.!]*$")


def read_verdict(form: VerdictForm, answer: str | Mapping[str, Any]) -> Verdict | None:
    """The verdict in an answer: strict JSON first, then fenced JSON, then words where the client reads those."""
    value = answer if isinstance(answer, Mapping) else _json_in(answer)
    if value is not None:
        return _from_object(form, value)
    return _from_words(str(answer)) if form == "keyword" else None


def _json_in(text: str) -> Mapping[str, Any] | None:
    """The object that a text consists of, or that is in its only fenced block."""
    candidates = [text.strip(), *_FENCED.findall(text)[:2]]
    if len(candidates) > 2:  # two blocks: it is not clear which one counts
        candidates = candidates[:1]
    for candidate in candidates:
        try:
            value = load_json(candidate.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            return value
    return None


def _from_object(form: VerdictForm, value: Mapping[str, Any]) -> Verdict | None:
    """The strictest thing that an object says: in the form that was asked for, or as a command hook would reply."""
    decisions = [_DECISIONS[word] for path in _DECISION_PATHS if (word := _text(value, *path).lower()) in _DECISIONS]
    ok = value.get("ok")
    if value.get("continue") is False or (ok is False and form == "ok"):
        decisions.append("block")
    if form == "ok":
        decisions = ["no objection" if says == "allow" else says for says in decisions]
        decisions += ["no objection"] if ok is True else []
    if not decisions:
        return None
    says = min(decisions, key=_STRICTEST_FIRST.index)
    reason = next(filter(None, (_text(value, *path) for path in _REASON_PATHS)), "")
    context = _text(value, "additionalContext") or _text(value, "hookSpecificOutput", "additionalContext")
    return Verdict(says=says, reason=reason, context=context)


_STRICTEST_FIRST: Sequence[Says] = ("block", "ask", "no objection", "allow")


def _text(value: Any, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _from_words(text: str) -> Verdict | None:
    bare = text.strip(" \t\r\n*_`\"'.!").lower()
    if bare in ("allow", "block", "continue"):
        return Verdict(says=_DECISIONS[bare])
    if found := _KEYWORD.match(text):
        return Verdict(says=_DECISIONS[(found[1] or found[2]).lower()], reason=text[found.end() :].strip())
    if found := _LAST_KEYWORD.search(text):
        return Verdict(
            says=_DECISIONS[(found[1] or found[2]).lower()], reason=text[: found.start()].strip(" \t\n*_`\"'")
        )
    return None


# ------------------------------------------------------------------------------------------------------------- meaning


def reply_for(model_hooks: ModelHookRules, event: str, action: Action, verdict: Verdict) -> Reply | None:
    """The reply that a verdict amounts to on an event; None: no effect."""
    if event in model_hooks.ignored_on:
        return None
    reason, context = verdict.reason or None, verdict.context or None
    is_decision = event in BY_NAME and BY_NAME[event].fold is FoldRule.DECISION
    if verdict.says == "ask" and is_decision:
        return Reply(decision=Decision.ASK, reason=reason, context=context)
    if verdict.says in ("allow", "no objection"):
        decides = verdict.says == "allow" and is_decision
        if not decides and not context:
            return None
        return Reply(decision=Decision.ALLOW if decides else None, reason=reason if decides else None, context=context)
    may_go_on = isinstance(action, Prompt) and action.continue_on_block
    ends_turn = action.kind in model_hooks.refusal_ends_turn and event not in _KEEP_GOING
    stop = True if ends_turn and not may_go_on else None
    return Reply(
        decision=refusal_on(event), reason=reason, context=context, stop=stop, stop_reason=reason if stop else None
    )
