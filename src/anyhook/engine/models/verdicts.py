"""The verdict forms of the clients: how to ask a model for one, and how to read its answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from anyhook.dialects.overrides import Overrides, overridden
from anyhook.dialects.stages import Asked, Verdict, refusal_on
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import strictness
from anyhook.model.output import DECISION_OF_WORD, Decision, Reply

VerdictForm = Literal["ok", "decision", "keyword"]


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
# Models put the verdict first, last, behind a label, or in the middle of a sentence. BLOCK in capitals blocks wherever
# it is a word of its own, because a refusal that is not understood lets the thing pass. The other two words must stand
# alone: "ALLOW only if ..." and "I cannot ALLOW" do not allow. In small letters these are words of prose ("this would
# block the pipeline"), so that they count only alone, first before a colon or a full stop, behind a label, and "block"
# before any mark and as the last sentence.
_MARKS = r"[\s*_`\"']*"
_ENDS = rf"(?={_MARKS}(?:[.:;,!}}\n—-]|$))"
_BLOCK = re.compile(r"(?<![^\W_])(?<![^\W_]_)(?<!\w[-'’])(BLOCK)(?:ED)?(?![^\W_])(?!_[^\W_])")
_FIRST = re.compile(
    rf"{_MARKS}(?:(BLOCK)\b|(ALLOW|CONTINUE){_ENDS}|((?i:allow|continue))(?={_MARKS}(?:[.:!\n]|$))"
    rf"|((?i:block))(?i:ed)?(?![-'’]?\w)(?={_MARKS}(?:[.:,;!(\n—–-]|$)))"
)
_LABELLED = re.compile(
    rf"(?:\b(?i:the|my|final)\s+)*\b(?i:answer|verdict|decision|conclusion|result){_MARKS}(?:[:=]|\bis\b){_MARKS}"
    rf"((?i:block|allow|continue)){_ENDS}"
)
_LAST = re.compile(rf"(?:[.:;!?\n—]{_MARKS})(ALLOW|CONTINUE|(?i:block))[\s*_`\"'.!]*$")
_AROUND = " \t\r\n*_`\"'.:;,!—-"
_REASON_LABEL = re.compile(r"[\s*_`\"']*(?i:reason)[*_`\"']*\s*:[\s*_`\"']*")


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
    words = [_text(value, *path).lower() for path in _DECISION_PATHS]
    decisions = [DECISION_OF_WORD[word] for word in words if word in DECISION_OF_WORD]
    ok = value.get("ok")
    if value.get("continue") is False or ok is False:
        decisions.append(Decision.DENY)
    if form == "ok":
        decisions = [None if decision is Decision.ALLOW else decision for decision in decisions]
        decisions += [None] if ok is True else []
    if not decisions:
        return None
    reason = next(filter(None, (_text(value, *path) for path in _REASON_PATHS)), "")
    context = _text(value, "additionalContext") or _text(value, "hookSpecificOutput", "additionalContext")
    return Verdict(decision=max(decisions, key=strictness), reason=reason, context=context)


def _text(value: Any, *path: str) -> str:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _from_words(text: str) -> Verdict | None:
    """The strictest verdict that is in a text; of equal ones the first, in the order in which they are looked for."""
    first, last = _FIRST.match(text), _LAST.search(text)
    found = [match for match in (first, *_LABELLED.finditer(text), *_BLOCK.finditer(text), last) if match]
    if not found:
        return None
    said = [DECISION_OF_WORD[next(filter(None, match.groups())).lower()] for match in found]
    decision = max(said, key=strictness)
    return Verdict(decision=decision, reason=_reason_around(text, found[said.index(decision)]))


def _reason_around(text: str, found: re.Match[str]) -> str:
    """What is before or after a verdict at one end of a text; the whole text when the verdict is inside it."""
    before, after = text[: found.start()].strip(" \t\n*_`\"'"), text[found.end() :].strip(_AROUND)
    if not before:
        rest = text[found.end() :].lstrip(_AROUND).rstrip()
        return _REASON_LABEL.sub("", rest, count=1) if _REASON_LABEL.match(rest) else rest
    return text.strip() if after else before


# ------------------------------------------------------------------------------------------------------------- meaning


def reply_for(overrides: Overrides, event: str, action: Action, verdict: Verdict) -> Reply | None:
    """The reply that a verdict amounts to on an event; None: no effect."""
    return overridden(overrides.judge, Asked(event, action, verdict), _reply_for)


def _reply_for(asked: Asked) -> Reply | None:
    event, verdict = asked.event, asked.verdict
    reason, context = verdict.reason or None, verdict.context or None
    is_decision = event in BY_NAME and BY_NAME[event].fold is FoldRule.DECISION
    if verdict.decision is Decision.ASK and is_decision:
        return Reply(decision=Decision.ASK, reason=reason, context=context)
    if verdict.decision in (Decision.ALLOW, None):
        decides = verdict.decision is Decision.ALLOW and is_decision
        if not decides and not context:
            return None
        return Reply(decision=Decision.ALLOW if decides else None, reason=reason if decides else None, context=context)
    return Reply(decision=refusal_on(event), reason=reason, context=context)
