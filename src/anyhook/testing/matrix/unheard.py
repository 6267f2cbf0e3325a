"""What is lost in another client though the effect is the same: text for the model, a rewritten input. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

from anyhook.model.cause import JsonUse
from anyhook.model.outcome import Outcome
from anyhook.testing.matrix.comparison import ClientRun, Comparison
from anyhook.testing.matrix.payloads import ScriptFacts, explain_behaviour
from anyhook.testing.matrix.reasons import READ_JSON, VOID, dotted, spoken


def unheard(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> tuple[str, ...]:
    """What the hook achieves in our client beside the effect, and not in the other one."""
    if not theirs.outcome.runs or not ours.outcome.runs:
        return ()
    it = Comparison(ours, theirs)
    lost = list(_refusal_lost(ours.outcome, theirs.outcome))
    if ours.outcome.updated_input is not None and theirs.outcome.updated_input is None:
        lost.append(f"the new input is not used: {_why(it, 'input', code)}")
    lost += [
        f"the model is not told: {_why(it, part, code)}" for part, words in _own_words(it) if _is_missed(it, words)
    ]
    return tuple(lost)


def unheard_when_deployed(ours: Outcome, theirs: Outcome) -> tuple[str, ...]:
    """What the hook achieves in its own client beside the effect, and not in one that asks anyhook."""
    lost = list(_refusal_lost(ours, theirs))
    if ours.updated_input is not None and theirs.updated_input is None:
        lost.append(f"the new input is not used: no reply to {theirs.native_event} has one")
    told = "\n".join(map(unescape, (*theirs.to_model, theirs.reason)))
    if any(words.strip() and unescape(words).strip() not in told for words in ours.to_model):
        lost.append(f"the model is not told: no reply to {theirs.native_event} reaches it")
    return tuple(lost)


def _refusal_lost(ours: Outcome, theirs: Outcome) -> Iterator[str]:
    """That the turn ends in both clients, but only ours keeps the tool from running."""
    if ours.tool_runs is False and theirs.tool_runs:
        yield "the tool runs before the turn ends"


def _own_words(it: Comparison) -> Iterator[tuple[str, str]]:
    """What the hook says in our client, and how."""
    stderr, reply = it.was.stderr.strip(), it.was.reply
    if it.was.cause.json not in READ_JSON:
        yield "stdout", it.was.stdout.strip()
    elif reply is not None:
        yield "context", reply.context or ""
        if reply.reason != stderr:
            yield "reason", reply.reason or ""
    yield "stderr", stderr


def _is_missed(it: Comparison, words: str) -> bool:
    ours, theirs = ("\n".join(map(unescape, side.outcome.to_model)) for side in (it.ours, it.theirs))
    return bool(words) and words in ours and words not in theirs


def _why(it: Comparison, part: str, code: ScriptFacts) -> str:
    event, cause = it.native_event, it.now.cause
    if part == "stdout" and it.now.stdout.strip():
        return f"plain text on stdout is not for the model on {event}"
    if part == "stderr" and it.now.stderr.strip():
        return f"stderr is not for the model on {event}"
    if cause.kind in VOID:
        return f"the reply is void: {spoken(cause)}"
    match cause.json:
        case JsonUse.NONE | JsonUse.BROKEN:
            return explain_behaviour(it, code)
        case JsonUse.NEVER_READ:
            return "replies in JSON are not read"
        case JsonUse.NOT_WITH_STATUS:
            return f"JSON is not read with exit {it.code}"
    said = it.meant.read.get(part)
    if said is None or said == it.heard.read.get(part):
        return f"the {part} has no effect on {event}"
    return f"{dotted(said.pointer)} is not read on {event}"
