"""Why the same hook comes to another effect in another client: in words, from what it did and from the two profiles.

Every reason is a small function that looks at the facts of a :class:`Comparison` and says nothing when they are not its
own. They stand in tables; the first one that says something wins. None of them knows a client by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import UNSET

from anyhook.model.document import json_pointer
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect, Status
from anyhook.testing.matrix.payloads import ScriptFacts, explain_behaviour
from anyhook.testing.matrix.sides import ClientRun, Comparison, Path, value_at

Explain = Callable[[Comparison], str]


def explain_difference(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> str:
    """Why the other client comes to another effect, and what then happens. ``code`` is what the hook's scripts say."""
    return f"{_cause(ours, theirs, code)}, {consequence(theirs.event, theirs.effect)}"


def _cause(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> str:
    if not theirs.outcome.runs:
        why = next((skip.reason for skip in theirs.outcome.skipped), "it is not there")
        return f"the hook does not run: {why}"
    if not ours.outcome.runs:
        return _runs_here_alone(theirs)
    comparison = Comparison(ours, theirs)
    if comparison.now.status is Status.TIMED_OUT:
        return _out_of_time(comparison)
    if not comparison.acts_alike:
        return explain_behaviour(comparison, code)
    return next(filter(None, (explain(comparison) for explain in _REASONS)), "") or _anything(comparison)


def consequence(event: str, effect: Effect) -> str:
    """What an effect means for what the event is about."""
    if effect is Effect.PROCEED:
        return _GOES_AHEAD.get(event, "nothing is held back")
    if effect is Effect.BLOCK:
        return _HELD_BACK.get(event, "it does not happen")
    return _OTHER_EFFECTS[effect]


_GOES_AHEAD: Mapping[str, str] = {
    "PreToolUse": "the tool runs",
    "PermissionRequest": "nothing is refused",
    "BeforeShellExecution": "the command runs",
    "BeforeMCPExecution": "the tool runs",
    "BeforeReadFile": "the file is read",
    "BeforeFileEdit": "the file is written",
    **dict.fromkeys(
        (
            "PostToolUse",
            "PostToolUseFailure",
            "AfterShellExecution",
            "AfterMCPExecution",
            "AfterReadFile",
            "AfterFileEdit",
        ),
        "the model is not told",
    ),
    "UserPromptSubmit": "the prompt is sent",
    "Stop": "the agent stops",
    "SubagentStop": "the subagent stops",
    "PreCompact": "the context is compacted",
}
_HELD_BACK: Mapping[str, str] = {
    "PreToolUse": "the tool does not run",
    "PermissionRequest": "the tool does not run",
    "BeforeShellExecution": "the command does not run",
    "BeforeMCPExecution": "the tool does not run",
    "BeforeReadFile": "the file is not read",
    "BeforeFileEdit": "the file is not written",
    "UserPromptSubmit": "the prompt is dropped",
    "PreCompact": "the context is not compacted",
}
_OTHER_EFFECTS: Mapping[Effect, str] = {
    Effect.ASK: "the user is asked",
    Effect.DEFER: "the host decides",
    Effect.FEEDBACK: "the model is told",
    Effect.CONTINUE: "the agent goes on",
    Effect.STOP: "the turn ends",
}


# ------------------------------------------------------------------------------------------------ before any answer


def _runs_here_alone(theirs: ClientRun) -> str:
    if theirs.profile.matching.ignored:
        return "matchers are ignored and the hook runs"
    return f"the matcher {theirs.rule.matcher!r} fits here"


def _out_of_time(it: Comparison) -> str:
    side = it.theirs
    limit = side.limit_ms(side.rule.actions[min(it.place, len(side.rule.actions) - 1)])
    within = f" after {limit / 1000:g} s" if limit is not None else ""
    is_closed = side.effect is not Effect.PROCEED
    return f"the hook is ended{within}, and that {'counts as a refusal' if is_closed else 'lets it happen'}"


# ------------------------------------------------------------------------------------------------------ exit status


def _only_a_warning(it: Comparison) -> str:
    exits, event = it.theirs.profile.exits, it.theirs.event
    if it.now.status is Status.BLOCKED or event not in exits.ignored_on or it.was.status is not Status.BLOCKED:
        return ""
    blocks = exits.blocks(it.code, event)
    return f"exit {it.code} does not block on {it.theirs.native_event}" if blocks else ""


def _blocks_in_silence(it: Comparison) -> str:
    exits = it.theirs.profile.exits
    if it.now.status is not Status.FAILED_OPEN or not exits.blocks(it.code, it.theirs.event):
        return ""
    match exits.needs:
        case "stderr":
            return f"exit {it.code} with empty stderr is a failed hook"
        case "any text":
            return f"exit {it.code} without any output is a failed hook"
        case _:
            return ""


def _json_beats_status(it: Comparison) -> str:
    blocks = it.ours.profile.exits.blocks(it.code, it.ours.event)
    if blocks and it.now.status is Status.ALLOWED and it.theirs.profile.exits.json_beats_status:
        return f"JSON decides, whatever the exit status, and exit {it.code} counts for nothing"
    return ""


def _fails_open(it: Comparison) -> str:
    if it.now.status is not Status.FAILED_OPEN or not it.code:
        return ""
    if it.answer is not None and it.meant.decision is not None and it.was.status is Status.BLOCKED:
        return f"with exit {it.code} JSON is not read: it is a failed hook"
    return f"exit {it.code} is a failed hook"


def _fails_closed(it: Comparison) -> str:
    if it.now.status is Status.FAILED_CLOSED:
        return f"a hook that fails (exit {it.code}) counts as a refusal"
    return ""


def _blocks_by_more(it: Comparison) -> str:
    """A status that does not block in our client."""
    exits, event = it.theirs.profile.exits, it.theirs.event
    if it.now.status is not Status.BLOCKED or not it.code or it.was.status is Status.BLOCKED:
        return ""
    if it.heard.decision is not None and it.heard.decision.is_refusal:
        return _reads_json_anyway(it)
    if exits.any_nonzero_blocks or event in exits.any_nonzero_on:
        return "any exit status but 0 blocks"
    if exits.blocks_above is not None and it.code not in exits.blocking:
        return f"every exit status above {exits.blocks_above} blocks, also {it.code}"
    return f"exit {it.code} blocks on {it.theirs.native_event}"


# ----------------------------------------------------------------------------------------------------------- answers


def _void(it: Comparison) -> str:
    if it.now.status is not Status.FAILED_OPEN or not it.heard.invalid or it.heard.invalid not in it.now.reason:
        return ""
    if it.theirs.profile.answers.strict and it.heard.unread:
        return f"the unknown key {_dotted(it.heard.unread[0])} voids the answer"
    return f"the answer is void: {spoken(it.heard.invalid)}"


def _reads_void_answer(it: Comparison) -> str:
    if it.was.status is Status.FAILED_OPEN and it.meant.invalid and it.meant.invalid in it.was.reason:
        return f"the answer counts, which {it.ours.profile.title} voids: {spoken(it.meant.invalid)}"
    return ""


def _text_fails(it: Comparison) -> str:
    answers = it.theirs.profile.answers
    if it.now.status is not Status.FAILED_OPEN or it.code or it.answer is not None:
        return ""
    if answers.broken_json_fails and it.now.stdout.lstrip().startswith(("{", "[")):
        return "JSON that cannot be read is a failed hook"
    return "plain text on stdout is a failed hook" if it.theirs.event in answers.text_is_void_on else ""


def _reads_no_json(it: Comparison) -> str:
    if it.answer is not None and not it.theirs.profile.answers.speaks_json:
        return "answers in JSON are not read, only the exit status counts"
    return ""


def _reads_json_anyway(it: Comparison) -> str:
    """JSON that our client does not look at."""
    ours, theirs = it.ours.profile, it.theirs.profile
    if it.answer is None or it.was.reply is not None:
        return ""
    if not ours.answers.speaks_json and theirs.answers.speaks_json:
        return "answers in JSON are read"
    if it.code and ours.exits.json != theirs.exits.json:
        return f"JSON is read with exit {it.code}, too"
    if not it.now.stdout.strip() and theirs.exits.reads_stderr_json:
        return "JSON on stderr is read when stdout is empty"
    if it.now.stdout.lstrip().startswith('"') and theirs.answers.double_encoded:
        return "JSON inside a JSON string is read, too"
    return ""


def _reads_another_key(it: Comparison) -> str:
    """A decision that stands where the other client does not look, or only the other one does."""
    ours, theirs = it.meant.decision, it.heard.decision
    if ours is not None and theirs is None and (path := next(it.paths_of(it.ours, "decision"), None)):
        return _unread(it, path)
    if theirs is not None and ours is None and (path := next(it.paths_of(it.theirs, "decision"), None)):
        return f"reads {'.'.join(path)}, unlike {it.ours.profile.title}"
    return ""


def _unread(it: Comparison, path: Path) -> str:
    name = ".".join(path)
    if any(json_pointer(path).startswith(pointer) for pointer in it.heard.unread):
        others = list(dict.fromkeys(".".join(field.path) for field in it.theirs.fields("decision")))
        if name in others:
            return f"{name} cannot be {value_at(it.answer, path)!r} on {it.theirs.native_event}"
        if not others:
            return f"no answer decides anything on {it.theirs.native_event}"
        return f"reads {' and '.join(others)}, not {name}"
    return f"{name} {value_at(it.answer, path)!r} has no effect on {it.theirs.native_event}"


def _takes_it_for_more(it: Comparison) -> str:
    ours, theirs = it.meant.decision, it.heard.decision
    if ours is None or theirs is None or ours is theirs or (ours.is_refusal and theirs.is_refusal):
        return ""
    path = next(it.paths_of(it.theirs, "decision"), None)
    return f"{'.'.join(path)} {value_at(it.answer, path)!r} means {theirs}" if path else ""


# ----------------------------------------------------------------------------------------------- what it all amounts to


def _stop_request(it: Comparison) -> str:
    """``continue: false``, of which every client makes something else."""
    if value_at(it.answer, ("continue",)) is not False:
        return ""
    mode = it.theirs.stop_mode()
    if it.heard.stop is None and mode != "invalid":
        mode = "ignored"  # it is not even looked for
    return f"continue: false {_STOP_MODES[mode]}" if mode != it.ours.stop_mode() else ""


_STOP_MODES: Mapping[str, str] = {
    "ignored": "is ignored",
    "invalid": "is not supported",
    "blocks": "is a refusal, not the end of the turn",
    "stops the agent": "ends the turn",
    "stops the hooks": "ends only the other hooks",
    "stops after the tool has run": "ends the turn after the tool has run",
}


def _weighs_otherwise(it: Comparison) -> str:
    """Several decisions, of which another one counts."""
    decisions = [run.reply.decision for run in it.theirs.outcome.runs if run.reply and run.reply.decision]
    if len(decisions) < 2:
        return ""
    ours, theirs = it.ours.profile.folding, it.theirs.profile.folding
    rule = theirs.decisions.get(it.theirs.event, theirs.decision)
    if rule == ours.decisions.get(it.ours.event, ours.decision):
        return ""
    said = " then ".join(map(str, decisions))
    return f"of several decisions ({said}) the {_WINNERS.get(rule, rule)} counts"


_WINNERS: Mapping[str, str] = {
    "most restrictive": "strictest one",
    "source priority": "first one",
    "first": "first one",
    "last": "last one",
}


def _is_powerless(it: Comparison) -> str:
    """A refusal that both clients understand, on an event that only one of them lets hooks block."""
    if it.now.status is not Status.BLOCKED or it.was.status is not Status.BLOCKED:
        return ""
    if not it.theirs.profile.blocks(it.theirs.event) and it.theirs.effect is Effect.PROCEED:
        return f"hooks cannot block {it.theirs.native_event}"
    if not it.ours.profile.blocks(it.ours.event) and it.ours.effect is Effect.PROCEED:
        return f"hooks can block {it.theirs.native_event}"
    return ""


def _context_goes_on(it: Comparison) -> str:
    answers = it.theirs.profile.answers
    if it.theirs.effect is Effect.CONTINUE and it.theirs.event in answers.context_continues_on and it.heard.context:
        return "context alone keeps the agent going"
    return ""


def _asks_in_doubt(it: Comparison) -> str:
    folding = it.theirs.profile.folding
    known = BY_NAME.get(it.theirs.event)
    always = folding.no_decision == "ask" and known is not None and known.fold is FoldRule.DECISION
    if it.theirs.effect is Effect.ASK and (always or it.theirs.event in folding.asks_without_decision_on):
        return "no hook decides, and that means asking"
    return ""


def _refuses_input(it: Comparison) -> str:
    rewritten = it.heard.updated_input is not UNSET and it.theirs.effect is Effect.BLOCK
    return spoken(it.theirs.outcome.reason) if rewritten and it.now.status is Status.ALLOWED else ""


def _anything(it: Comparison) -> str:
    """The last resort: what the client says of the run."""
    reason = f": {it.now.reason}" if it.now.reason else ""
    return f"the hook counts as {it.now.status}{reason}"


_REASONS: tuple[Explain, ...] = (
    _stop_request,
    _void,
    _text_fails,
    _only_a_warning,
    _blocks_in_silence,
    _json_beats_status,
    _fails_open,
    _fails_closed,
    _is_powerless,
    _weighs_otherwise,
    _blocks_by_more,
    _reads_no_json,
    _reads_void_answer,
    _reads_json_anyway,
    _reads_another_key,
    _takes_it_for_more,
    _context_goes_on,
    _asks_in_doubt,
    _refuses_input,
)


def _dotted(pointer: str) -> str:
    """A JSON pointer as people write it."""
    return pointer.strip("/").replace("/", ".")


def spoken(text: str) -> str:
    """What the reader of an answer says of it, with keys written as people do."""
    first, _, rest = text.partition(" ")
    return f"{_dotted(first)} {rest}".strip() if first.startswith("/") else text
