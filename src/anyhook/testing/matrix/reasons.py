"""Why the same hook has another effect in another client: the causes of both runs and outcomes, in words.

Every reason is a small function of a :class:`Comparison`; the first one that returns a text wins. The rules themselves
are not read here: :mod:`anyhook.engine.interpret` and :mod:`anyhook.engine.fold` set the causes where they decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.outcome import Effect, Status, fate_of_tool
from anyhook.model.wording import join_and
from anyhook.testing.matrix.comparison import ClientRun, Comparison
from anyhook.testing.matrix.payloads import ScriptFacts, explain_behaviour

Explain = Callable[[Comparison], str]

BLOCKING_CAUSES = frozenset({CauseKind.EXIT_BLOCKS, CauseKind.EXIT_NONZERO_BLOCKS, CauseKind.EXIT_ABOVE_BLOCKS})
READ_JSON = frozenset({JsonUse.STDOUT, JsonUse.STDERR, JsonUse.STRING})
VOID = frozenset(
    {
        CauseKind.UNKNOWN_KEY,
        CauseKind.WRONG_EVENT,
        CauseKind.BAD_VALUE,
        CauseKind.UNSUPPORTED,
        CauseKind.NOT_AN_OBJECT,
        CauseKind.NOT_JSON,
    }
)


def explain_difference(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> str:
    """Why the other client comes to another effect, and what then happens. ``code``: the hook's scripts."""
    after = consequence(theirs.bound.event, theirs.effect, theirs.outcome.tool_runs)
    return f"{_cause(ours, theirs, code)}, {after}"


def _cause(ours: ClientRun, theirs: ClientRun, code: ScriptFacts) -> str:
    if not theirs.outcome.runs:
        why = next((skip.reason for skip in theirs.outcome.skipped), "it does not exist")
        return f"the hook does not run: {why}"
    if not ours.outcome.runs:
        return _runs_here_alone(ours, theirs)
    comparison = Comparison(ours, theirs)
    if comparison.now.status is Status.TIMED_OUT:
        return _out_of_time(comparison)
    if not comparison.acts_alike:
        return explain_behaviour(comparison, code)
    return next(filter(None, (explain(comparison) for explain in _REASONS)), "") or _anything(comparison)


def consequence(event: str, effect: Effect, tool_runs: bool | None = None) -> str:
    """What an effect means for what the event is about."""
    if effect is Effect.PROCEED:
        return _GOES_AHEAD.get(event, "nothing is held back")
    if effect is Effect.BLOCK:
        return _HELD_BACK.get(event, "it does not happen")
    return " and ".join(filter(None, (_OTHER_EFFECTS[effect], fate_of_tool(effect, tool_runs))))


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


# ------------------------------------------------------------------------------------------------ before any reply


def _runs_here_alone(ours: ClientRun, theirs: ClientRun) -> str:
    skipped = next((skip.cause.kind for skip in ours.outcome.skipped), None)
    if skipped is CauseKind.CONDITION_FALSE:
        return "the condition of the hook is not applied and the hook runs"
    if skipped not in (CauseKind.MATCHER_DIFFERS, CauseKind.MATCHER_INVALID, CauseKind.NOTHING_TO_MATCH):
        return f"the hook runs, unlike in {ours.bound.title}"
    if theirs.bound.profile.matching.ignored:
        return "matchers are ignored and the hook runs"
    ran = theirs.outcome.runs[0].origin
    matcher = next((rule.matcher for rule in theirs.rules for action in rule.actions if action.origin == ran), None)
    if not matcher:
        return "the hook has no matcher here and runs"
    return f"the matcher {matcher!r} matches here"


def _out_of_time(it: Comparison) -> str:
    limit = it.now.cause.limit
    within = f" after {limit / 1000:g} s" if limit is not None else ""
    is_closed = it.theirs.effect is not Effect.PROCEED
    return f"the hook is ended{within}, and that {'counts as a refusal' if is_closed else 'lets it happen'}"


# --------------------------------------------------------------------------------------------------------- failures


def _fails_open(it: Comparison) -> str:
    """A run that failed in the other client, so that it lets everything happen."""
    if it.now.status is not Status.FAILED_OPEN:
        return ""
    cause, code = it.now.cause, it.code
    match cause.kind:
        case CauseKind.UNKNOWN_KEY:
            return f"the unknown key {dotted(cause.pointer)} voids the reply"
        case CauseKind.BAD_VALUE | CauseKind.UNSUPPORTED if cause.pointer == "/continue":
            return "continue: false is not supported"
        case CauseKind.WRONG_EVENT | CauseKind.BAD_VALUE | CauseKind.UNSUPPORTED | CauseKind.NOT_AN_OBJECT:
            return f"the reply is void: {spoken(cause)}"
        case CauseKind.NOT_JSON:
            return "JSON that cannot be read is a failed hook"
        case CauseKind.EXIT_IGNORED:
            return f"exit {code} does not block on {it.native_event}"
        case CauseKind.EXIT_NEEDS_STDERR:
            return f"exit {code} with empty stderr is a failed hook"
        case CauseKind.EXIT_NEEDS_TEXT:
            return f"exit {code} without any output is a failed hook"
        case CauseKind.EXIT_FAILED if cause.json is JsonUse.NOT_WITH_STATUS and it.meant.decision is not None:
            return f"with exit {code} JSON is not read: it is a failed hook"
        case CauseKind.EXIT_FAILED:
            return f"exit {code} is a failed hook"
        case _:
            return ""


def _fails_closed(it: Comparison) -> str:
    if it.now.status is not Status.FAILED_CLOSED:
        return ""
    how = f"exit {it.code}" if it.now.exit_code is not None else it.now.reason
    return f"a hook that fails ({how}) counts as a refusal"


# ------------------------------------------------------------------------------------------------------ exit status


def _blocks_by_status(it: Comparison) -> str:
    """A status that does not block in our client."""
    if it.reread.status is Status.BLOCKED:
        return ""
    match it.now.cause.kind:
        case CauseKind.EXIT_NONZERO_BLOCKS:
            return "any exit status but 0 blocks"
        case CauseKind.EXIT_ABOVE_BLOCKS:
            return f"every exit status above {it.now.cause.limit} blocks, also {it.code}"
        case CauseKind.EXIT_BLOCKS:
            return f"exit {it.code} blocks on {it.native_event}"
        case _:
            return ""


def _status_is_ignored(it: Comparison) -> str:
    """A status that blocks in our client, beside a reply that the other client reads."""
    if it.reread.cause.kind not in BLOCKING_CAUSES or it.now.status is not Status.ALLOWED:
        return ""
    match it.now.cause.kind:
        case CauseKind.EXIT_IGNORED:
            return f"exit {it.code} does not block on {it.native_event}"
        case CauseKind.EXIT_OVERRULED | CauseKind.REPLY:
            return f"JSON decides, whatever the exit status, and exit {it.code} counts for nothing"
        case _:
            return ""


# ---------------------------------------------------------------------------------------------------------- replies


def _reads_no_json(it: Comparison) -> str:
    if it.now.cause.json is JsonUse.NEVER_READ:
        return "replies in JSON are not read, only the exit status counts"
    return ""


def _reads_void_reply(it: Comparison) -> str:
    if it.reread.status is Status.FAILED_OPEN and it.reread.cause.kind in VOID:
        return f"the reply counts, which {it.ours.bound.title} voids: {spoken(it.reread.cause)}"
    return ""


def _reads_json_anyway(it: Comparison) -> str:
    """JSON that our client does not look at."""
    if it.reread.cause.json in READ_JSON:
        return ""
    match it.now.cause.json:
        case JsonUse.STDERR:
            return "JSON on stderr is read when stdout is empty"
        case JsonUse.STRING:
            return "JSON inside a JSON string is read, too"
        case JsonUse.STDOUT if it.reread.cause.json is JsonUse.NOT_WITH_STATUS:
            return f"JSON is read with exit {it.code}, too"
        case JsonUse.STDOUT:
            return "replies in JSON are read"
        case _:
            return ""


def _reads_another_key(it: Comparison) -> str:
    """A decision under a key that only one of the two clients reads."""
    ours, theirs = it.meant.decision, it.heard.decision
    if ours is not None and theirs is None and (said := it.meant.read.get("decision")):
        return _unread(it, said)
    if theirs is not None and ours is None and (said := it.heard.read.get("decision")):
        return f"reads {dotted(said.pointer)}, unlike {it.ours.bound.title}"
    return ""


def _unread(it: Comparison, said: Cause) -> str:
    name = dotted(said.pointer)
    cause = next((part for part in it.heard.unread if said.pointer.startswith(part.pointer)), None)
    match cause.kind if cause else None:
        case CauseKind.BAD_VALUE | CauseKind.UNSUPPORTED if cause:
            return f"{name} {cause.text} on {it.native_event}"
        case CauseKind.WRONG_EVENT if cause:
            return f"{name} is not read: the event's name {cause.text}"
        case CauseKind.UNKNOWN_KEY:
            others = dict.fromkeys(".".join(field.path) for field in it.theirs.bound.fields("decision"))
            if not others:
                return f"no reply decides anything on {it.native_event}"
            return f"reads {join_and(list(others))}, not {name}"
        case _:
            return f"{name} {said.text} has no effect on {it.native_event}"


def _takes_it_for_more(it: Comparison) -> str:
    ours, theirs = it.meant.decision, it.heard.decision
    if ours is None or theirs is None or ours is theirs or (ours.is_refusal and theirs.is_refusal):
        return ""
    said = it.heard.read.get("decision")
    return f"{dotted(said.pointer)} {said.text} means {theirs}" if said else ""


# ------------------------------------------------------------------------------------------------ the whole outcome


def _stop_request(it: Comparison) -> str:
    """``continue: false``, which means something else in every client."""
    ours, theirs = it.judged.cause.kind, it.theirs.outcome.cause.kind
    if ours is theirs or not (ours in _STOPS or theirs in _STOPS):
        return ""
    return f"continue: false {_STOPS.get(theirs, 'is ignored')}"


_STOPS: Mapping[CauseKind, str] = {
    CauseKind.STOP_IGNORED: "is ignored",
    CauseKind.STOP_BLOCKS: "is a refusal, not the end of the turn",
    CauseKind.STOP_ENDS_TURN: "ends the turn",
    CauseKind.STOP_ENDS_HOOKS: "ends only the other hooks",
    CauseKind.STOP_ENDS_TURN_AFTER_TOOL: "ends the turn after the tool has run",
}


def _weighs_otherwise(it: Comparison) -> str:
    """Several decisions, of which another one counts."""
    kind = it.theirs.outcome.cause.kind
    if kind is it.judged.cause.kind or kind not in _WINNERS or it.judged.cause.kind not in _WINNERS:
        return ""
    said = " then ".join(str(run.reply.decision) for run in it.theirs.outcome.runs if run.reply and run.reply.decision)
    return f"of several decisions ({said}) the {_WINNERS[kind]} one counts"


_WINNERS: Mapping[CauseKind, str] = {
    CauseKind.STRICTEST_DECISION: "strictest",
    CauseKind.FIRST_DECISION: "first",
    CauseKind.LAST_DECISION: "last",
    CauseKind.FIRST_TO_FINISH: "first finished",
}


def _is_powerless(it: Comparison) -> str:
    """A refusal that both clients understand, on an event that only one of them lets hooks block."""
    if it.now.status is not Status.BLOCKED or it.reread.status is not Status.BLOCKED:
        return ""
    if it.theirs.outcome.cause.kind is CauseKind.CANNOT_BLOCK:
        return f"hooks cannot block {it.native_event}"
    return f"hooks can block {it.native_event}" if it.judged.cause.kind is CauseKind.CANNOT_BLOCK else ""


def _without_decision(it: Comparison) -> str:
    """What a client does when no hook decides."""
    match it.theirs.outcome.cause.kind:
        case CauseKind.CONTEXT_CONTINUES:
            return "context alone keeps the agent going"
        case CauseKind.CONTINUE_TRUE:
            return "continue: true keeps the agent going"
        case CauseKind.SILENCE_ASKS:
            return "no hook decides, and that means asking"
        case CauseKind.SILENCE_BLOCKS:
            return "no hook decides, and that blocks"
        case CauseKind.INPUT_REFUSED:
            return it.theirs.outcome.reason
    match it.judged.cause.kind:
        case CauseKind.CONTEXT_CONTINUES:
            return "context does not keep the agent going"
        case CauseKind.CONTINUE_TRUE:
            return "continue: true does not keep the agent going"
        case CauseKind.SILENCE_ASKS | CauseKind.SILENCE_BLOCKS:
            return "no hook decides, and that lets it happen"
        case CauseKind.INPUT_REFUSED:
            return "the new input is not checked"
        case _:
            return ""


def _anything(it: Comparison) -> str:
    """The last resort: what the client says of the run."""
    reason = f": {it.now.reason}" if it.now.reason else ""
    return f"the hook counts as {it.now.status}{reason}"


_REASONS: tuple[Explain, ...] = (
    _fails_open,
    _stop_request,
    _fails_closed,
    _is_powerless,
    _weighs_otherwise,
    _status_is_ignored,
    _blocks_by_status,
    _reads_no_json,
    _reads_void_reply,
    _reads_json_anyway,
    _reads_another_key,
    _takes_it_for_more,
    _without_decision,
)


def dotted(pointer: str) -> str:
    """A JSON pointer as people write it."""
    return pointer.strip("/").replace("/", ".")


def spoken(cause: Cause) -> str:
    """Why a reply is void, with its key written as people do."""
    return cause.text.replace(cause.pointer, dotted(cause.pointer), 1) if cause.pointer else cause.text
