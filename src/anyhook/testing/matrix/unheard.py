"""What gets lost in another client though the effect is the same: words for the model, a rewritten input. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

from anyhook.testing.matrix.payloads import ScriptFacts, explain_behaviour
from anyhook.testing.matrix.reasons import spoken
from anyhook.testing.matrix.sides import ClientRun, Comparison, json_object


def unheard(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> tuple[str, ...]:
    """What the hook achieves in our client beside the effect, and not in the other one."""
    if not theirs.outcome.runs or not ours.outcome.runs:
        return ()
    it = Comparison(ours, theirs)
    lost: list[str] = []
    if ours.outcome.updated_input is not None and theirs.outcome.updated_input is None:
        lost.append(f"the new input is not used: {_why(it, 'input', code)}")
    lost += [
        f"the model is not told: {_why(it, part, code)}" for part, words in _own_words(it) if _is_missed(it, words)
    ]
    return tuple(lost)


def _own_words(it: Comparison) -> Iterator[tuple[str, str]]:
    """What the hook has to say in our client, and how it says it."""
    answer = json_object(it.was.stdout)
    if answer is None:
        yield "stdout", it.was.stdout.strip()
    else:
        said = it.ours.read(answer)
        yield "context", said.context or ""
        if it.was.reply is not None and it.was.reply.reason == said.reason:  # else stderr was the reason
            yield "reason", said.reason or ""
    yield "stderr", it.was.stderr.strip()


def _is_missed(it: Comparison, words: str) -> bool:
    ours, theirs = ("\n".join(map(unescape, side.outcome.to_model)) for side in (it.ours, it.theirs))
    return bool(words) and words in ours and words not in theirs


def _why(it: Comparison, part: str, code: ScriptFacts) -> str:
    event = it.theirs.native_event
    if part == "stdout" and it.now.stdout.strip():
        return f"plain text on stdout is not for the model on {event}"
    if part == "stderr" and it.now.stderr.strip():
        return f"stderr is not for the model on {event}"
    if it.answer is None:
        return explain_behaviour(it, code)
    if it.heard.invalid:
        return f"the answer is void: {spoken(it.heard.invalid)}"
    path = next(it.paths_of(it.ours, part), None)
    if path is None or path in {field.path for field in it.theirs.fields(part)}:
        return f"the {part} has no effect on {event}"
    return f"{'.'.join(path)} is not read on {event}"
