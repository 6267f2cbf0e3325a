"""What one raw result means: the exit status, the text and the JSON of a hook, read by its client's contract. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import BLOCKING_STATUS, Exits
from anyhook.dialects.overrides import overridden
from anyhook.dialects.stages import (
    Ended,
    FoundJson,
    Judged,
    Printed,
    Result,
    answered,
    failed,
    fails_closed,
    json_text,
    parse_json,
    refusal_on,
    refuses,
)
from anyhook.dialects.wire.replies import reply_to
from anyhook.engine.raw import RawResult
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Action
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Reply, reply_of_word

_GUARDED = frozenset({FoldRule.DECISION, FoldRule.GATE})
"""Events on which a refusal keeps something from happening."""
_UNASKED = frozenset({CauseKind.NOT_ASKED, CauseKind.UNABLE})
_BY_REPLY = Cause(CauseKind.REPLY)


def interpret(bound: BoundEvent, action: Action, raw: RawResult) -> Run:
    """The run that a raw result amounts to."""
    return _reported(bound, _interpreted(bound, action, raw))


def interpret_value(bound: BoundEvent, action: Action, raw: RawResult, value: Any) -> Run:
    """The run of a function, which returns its reply instead of printing it. None is no reply."""
    return _reported(bound, _interpreted_value(bound, action, raw, value))


def _reported(bound: BoundEvent, run: Run) -> Run:
    return overridden(bound.profile.overrides.report, Judged(bound, run), lambda judged: judged.run)


def _interpreted(bound: BoundEvent, action: Action, raw: RawResult) -> Run:
    run = _run(action, raw)
    if raw.timed_out:
        return _timed_out(run, bound, action)
    if raw.error or raw.exit_code is None:
        return _carried_out_badly(run, bound, action, raw, f"failed: {raw.error}")
    return overridden(bound.profile.overrides.interpret, _result(bound, action, run, raw.exit_code), read_result)


def _interpreted_value(bound: BoundEvent, action: Action, raw: RawResult, value: Any) -> Run:
    run = _run(action, raw)
    if raw.timed_out:
        return _timed_out(run, bound, action)
    if raw.error:
        return _carried_out_badly(run, bound, action, raw, raw.error)
    if value is None:
        return run
    reply = _reply_to(bound, value)
    if reply.invalid:
        return _void(run, bound, action, reply.invalid)
    if bound.event == "PostToolUse" and isinstance(value, Reply) and reply.updated_output is None:
        reply = structs.replace(reply, updated_input=None, updated_output=reply.updated_input)  # of rewrite()
    return answered(run, reply, _BY_REPLY)


def _result(bound: BoundEvent, action: Action, run: Run, code: int) -> Result:
    """What a command printed, and the status with which it ended."""
    printed, exits = Printed(run.stdout, run.stderr), bound.profile.exits
    found = find_json(bound, printed, code)
    reply = None if found.value is None else _reply_to(bound, found.value)
    warnings = {"no": "", "stderr": printed.stderr.strip(), "any text": printed.any_text}
    return Result(
        bound=bound,
        action=action,
        run=run,
        printed=printed,
        code=code,
        status=meaning_of_status(exits, bound.event, code, printed),
        found=found,
        reply=reply,
        fault=found.fault or (reply.invalid if reply is not None else None),
        warning=warnings[exits.warning],
    )


def read_result(result: Result) -> Run:
    """The run of a command that has ended, by the fields of the profile alone."""
    reply, fault = result.reply, result.fault
    if result.is_blocked:
        return _blocked(result)
    if fault is not None:
        return _void(result.run, result.bound, result.action, structs.replace(fault, json=result.found.use))
    if result.code != 0 and (reply is None or result.bound.profile.exits.json == "zero"):
        return _ended_badly(result)
    if reply is None:
        return _plain(result)
    return answered(result.run, _with_warning(result, reply), result.cause(_kind_of(result, reply)))


def _kind_of(result: Result, reply: Reply) -> CauseKind:
    """What a run with a reply is due to: a blocking status that counts for nothing is worth telling."""
    is_plain = result.code == 0 or result.status is CauseKind.EXIT_FAILED or refuses(reply)
    return CauseKind.REPLY if is_plain else result.status


def _plain(result: Result) -> Run:
    """Exit 0 and no JSON: text for the model on some events, for the user in some clients."""
    text, answers = result.printed.stdout.strip(), result.bound.profile.answers
    if text and result.event in answers.text_is_context_on:
        return _said(result, Reply(context=text))
    return _said(result, Reply(message=result.printed.any_text if answers.text_to_user else None))


def _said(result: Result, reply: Reply) -> Run:
    """Plain text that means something."""
    if not (reply.context or reply.message):
        return structs.replace(result.run, cause=result.cause(CauseKind.NO_REPLY))
    return structs.replace(result.run, cause=result.cause(CauseKind.TEXT), reply=reply)


def _blocked(result: Result) -> Run:
    """A blocking exit status. The reason is the reply's if it refuses too, else what was printed."""
    exits, cause, reply = result.bound.profile.exits, result.cause(result.status), result.good_reply
    text = result.printed.any_text if exits.needs == "any text" else result.printed.stderr.strip()
    if reply is not None and refuses(reply):
        reason = reply.reason or text
        return structs.replace(result.run, status=Status.BLOCKED, cause=cause, reason=reason, reply=reply)
    kept = reply if reply is not None and exits.keeps_reply else Reply()
    text = kept.reason or text or exits.silent_reason
    refusal = structs.replace(kept, decision=refusal_on(result.event), reason=text)
    return structs.replace(result.run, status=Status.BLOCKED, cause=cause, reason=text, reply=refusal)


def _ended_badly(result: Result) -> Run:
    code, text = result.code, result.printed.stderr.strip()
    what = f"ended by signal {-code}" if code < 0 else f"exited with {code}"
    full = f"{what}: {text}" if text else what
    # A client that fails closed by itself does not pass on what the hook printed; one that was asked to does.
    told = full if result.action.fail_closed else what
    closed = fails_closed(result.bound, result.action)
    run = failed(result.run, result.bound, result.cause(result.status), told, closed=closed)
    reply = Reply(message=result.warning) if result.warning and run.reply is None else run.reply
    return structs.replace(run, reason=full, reply=reply)


def _with_warning(result: Result, reply: Reply) -> Reply:
    """The reply, with what a failing hook printed for the user."""
    if not result.warning or result.code == 0:
        return reply
    return structs.replace(reply, message="\n".join(filter(None, (reply.message, result.warning))))


def meaning_of_status(exits: Exits, event: str, code: int, printed: Printed) -> CauseKind:
    kind = exits.blocked_by(code, event)
    if kind is None:
        return CauseKind.EXIT_FAILED
    if event in exits.ignored_on:
        return CauseKind.EXIT_IGNORED
    if exits.needs == "stderr" and not printed.stderr.strip():
        return CauseKind.EXIT_NEEDS_STDERR
    if exits.needs == "any text" and not printed.any_text:
        return CauseKind.EXIT_NEEDS_TEXT
    return kind


def _reply_to(bound: BoundEvent, value: Any) -> Reply:
    """The reply as the client reads it; a function may return something that cannot be read."""
    try:
        if isinstance(value, str):
            reply = reply_of_word(value)
            return structs.replace(reply, decision=refusal_on(bound.event)) if refuses(reply) else reply
        return reply_to(bound, value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return Reply(invalid=Cause(CauseKind.NOT_AN_OBJECT, str(error) or type(error).__name__))


def _run(action: Action, raw: RawResult) -> Run:
    return Run(
        origin=action.origin,
        name=action.name,
        summary=action.summary(),
        duration_ms=raw.duration_ms,
        exit_code=raw.exit_code,
        stdout=raw.stdout.decode("utf-8", "replace"),
        stderr=raw.stderr.decode("utf-8", "replace"),
    )


# ---------------------------------------------------------------------------------------------------------------- JSON


def find_json(bound: BoundEvent, printed: Printed, code: int) -> FoundJson:
    """The JSON object that the client reads, if it reads one here."""
    ended = Ended(bound, printed, code, json_text(printed.stdout))
    return overridden(bound.profile.overrides.find_json, ended, read_json)


def read_json(ended: Ended) -> FoundJson:
    """The JSON object in a text, by the fields of the profile alone."""
    if ended.text[:1] != "{":
        return FoundJson(JsonUse.NONE)
    if not ended.bound.profile.answers.speaks_json:
        return FoundJson(JsonUse.NEVER_READ)
    if not _reads_json(ended.bound.profile.exits, ended.code):
        return FoundJson(JsonUse.NOT_WITH_STATUS)
    value = parse_json(ended.text)
    # What is broken is plain text.
    return FoundJson(ended.use, value) if isinstance(value, dict) else FoundJson(JsonUse.BROKEN)


def _reads_json(exits: Exits, code: int) -> bool:
    match exits.json:
        case "always":
            return True
        case "zero":
            return code == 0
        case "not two":
            return code != BLOCKING_STATUS
        case "zero and two":
            return code in (0, BLOCKING_STATUS)


# ------------------------------------------------------------------------------------------------------------- endings


def can_prevent(bound: BoundEvent) -> bool:
    """Whether a refusal keeps something from happening, so that a hook that was not asked must count as one."""
    return bound.can_block and bound.fold_rule in _GUARDED


def _carried_out_badly(run: Run, bound: BoundEvent, action: Action, raw: RawResult, text: str) -> Run:
    closed = ((raw.not_asked or raw.unable) and can_prevent(bound)) or fails_closed(bound, action)
    kind = CauseKind.UNABLE if raw.unable else CauseKind.NOT_ASKED if raw.not_asked else CauseKind.ERROR
    return failed(run, bound, Cause(kind, text), text, closed=closed)


def allowed_unasked(run: Run, bound: BoundEvent, action: Action) -> Run:
    """The run; if it blocks only because the hook could not be asked, it allows, and the user reads why."""
    if run.cause.kind not in _UNASKED or run.status is not Status.FAILED_CLOSED or fails_closed(bound, action):
        return run
    message = Reply(message=f"anyhook: hook {run.summary}: {run.reason}")
    return structs.replace(run, status=Status.FAILED_OPEN, reply=message)


def _void(run: Run, bound: BoundEvent, action: Action, cause: Cause) -> Run:
    """A reply that the client discards."""
    text = cause.text if cause.kind is CauseKind.NOT_JSON else f"its reply is void: {cause}"
    return failed(run, bound, cause, text, closed=action.fail_closed)


def _timed_out(run: Run, bound: BoundEvent, action: Action) -> Run:
    cause = Cause(CauseKind.TIMED_OUT, limit=bound.timeout_ms(action))
    ended = failed(run, bound, cause, "timed out", closed=action.fail_closed)
    return structs.replace(ended, status=Status.TIMED_OUT)
