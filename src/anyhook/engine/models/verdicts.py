"""The verdict forms of the clients: how to ask a model for one, and how to read its answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from anyhook.dialects.contract import ModelHookRules
from anyhook.engine.interpret import refusal_on
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, Prompt
from anyhook.model.lazyjson import load_json
from anyhook.model.output import Decision, Reply

VerdictForm = Literal["ok", "decision", "keyword"]


class Verdict(Struct, frozen=True, kw_only=True):
    """A model's judgement of one event."""

    says: Literal["allow", "block", "no objection"]
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
_DECISIONS: Mapping[str, Literal["allow", "block", "no objection"]] = {
    "allow": "allow",
    "approve": "allow",
    "deny": "block",
    "block": "block",
    "continue": "no objection",
}
_KEEP_GOING = frozenset({"Stop", "SubagentStop"})
"""Events on which a refusal keeps the agent going, so that it cannot end the turn."""
# ALLOW must be alone or before a reason ("ALLOW only if ..." does not allow); any text that starts with BLOCK blocks.
_KEYWORD = re.compile(r"[\s*_`\"']*(?:(BLOCK)\b|(ALLOW|CONTINUE)(?=[\s*_`\"']*(?:[.:;,!\n—-]|$)))[\s*_`\"'.:;,!—-]*")


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
    says: Literal["allow", "block", "no objection"] | None
    if form == "ok":
        ok = value.get("ok")
        says = ("no objection" if ok else "block") if isinstance(ok, bool) else None
    else:
        decision = value.get("decision")
        says = _DECISIONS.get(decision.lower()) if isinstance(decision, str) else None
    if says is None:
        return None
    return Verdict(says=says, reason=_text(value, "reason"), context=_text(value, "additionalContext"))


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found.strip() if isinstance(found, str) else ""


def _from_words(text: str) -> Verdict | None:
    bare = text.strip(" \t\r\n*_`\"'.!").lower()
    if bare in ("allow", "block", "continue"):
        return Verdict(says=_DECISIONS[bare])
    found = _KEYWORD.match(text)
    if found is None:
        return None
    return Verdict(says=_DECISIONS[(found[1] or found[2]).lower()], reason=text[found.end() :].strip())


# ------------------------------------------------------------------------------------------------------------- meaning


def reply_for(model_hooks: ModelHookRules, event: str, action: Action, verdict: Verdict) -> Reply | None:
    """The reply that a verdict amounts to on an event; None: no effect."""
    if event in model_hooks.ignored_on:
        return None
    reason, context = verdict.reason or None, verdict.context or None
    if verdict.says != "block":
        decides = verdict.says == "allow" and event in BY_NAME and BY_NAME[event].fold is FoldRule.DECISION
        if not decides and not context:
            return None
        return Reply(decision=Decision.ALLOW if decides else None, reason=reason if decides else None, context=context)
    may_go_on = isinstance(action, Prompt) and action.continue_on_block
    ends_turn = action.kind in model_hooks.refusal_ends_turn and event not in _KEEP_GOING
    stop = True if ends_turn and not may_go_on else None
    return Reply(
        decision=refusal_on(event), reason=reason, context=context, stop=stop, stop_reason=reason if stop else None
    )
