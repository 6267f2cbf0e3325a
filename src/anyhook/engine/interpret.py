"""What one raw result means: the exit status, the text and the JSON of a hook, read by its client's contract. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.bound_event import BoundEvent, bind_event
from anyhook.dialects.contract import BLOCKING_STATUS, Exits
from anyhook.dialects.events import native_names
from anyhook.dialects.wire.replies import reply_to
from anyhook.engine.raw import RawResult
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Decision, Reply, reply_of_word

BLOCKED_BY_STATUS = frozenset({CauseKind.EXIT_BLOCKS, CauseKind.EXIT_NONZERO_BLOCKS, CauseKind.EXIT_ABOVE_BLOCKS})
_GUARDED = frozenset({FoldRule.DECISION, FoldRule.GATE})
"""Events on which a refusal keeps something from happening."""
_UNASKED = frozenset({CauseKind.NOT_ASKED, CauseKind.UNABLE})
_BY_REPLY = Cause(CauseKind.REPLY)


class Printed(Struct, frozen=True):
    """A hook's two streams as text, without what the client takes for itself."""

    stdout: str
    stderr: str

    @property
    def any_text(self) -> str:
        return self.stdout.strip() or self.stderr.strip()


class FoundJson(Struct, frozen=True):
    """The JSON object that the client reads, or what is wrong with it."""

    use: JsonUse
    value: dict[str, Any] | None = None
    fault: Cause | None = None


def interpret(bound: BoundEvent, action: Action, raw: RawResult) -> Run:
    """The run that a raw result amounts to."""
    run = _run(action, raw)
    if raw.timed_out:
        return _timed_out(run, bound, action)
    if raw.error or raw.exit_code is None:
        return _carried_out_badly(run, bound, action, raw, f"failed: {raw.error}")
    printed = _printed(raw)
    return _Result(bound, action, run, printed, raw.exit_code).read()


def interpret_value(bound: BoundEvent, action: Action, raw: RawResult, value: Any) -> Run:
    """The run of a function, which returns its reply instead of printing it. None is no reply."""
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
    return _answered(run, reply, _BY_REPLY)


class _Result:
    """What a command printed, and the status with which it ended."""

    def __init__(self, bound: BoundEvent, action: Action, run: Run, printed: Printed, code: int) -> None:
        self.bound, self.action, self.run, self.printed, self.code = bound, action, run, printed, code
        self.profile, self.event, self.exits = bound.profile, bound.event, bound.profile.exits
        self.status = meaning_of_status(self.exits, self.event, code, printed)
        self.found = find_json(bound, printed, code)

    def read(self) -> Run:
        found, exits, code = self.found, self.exits, self.code
        reply = None if found.value is None else _reply_to(self.bound, found.value)
        fault = found.fault or (reply.invalid if reply is not None else None)
        beats_status = exits.json_beats_status or (exits.blocking_stderr_json and found.use is JsonUse.STDERR)
        if beats_status and reply is not None and fault is None:
            kind = CauseKind.EXIT_OVERRULED if exits.blocks(code, self.event) else CauseKind.REPLY
            return _answered(self.run, reply, self.cause(kind))
        if self.status in BLOCKED_BY_STATUS:
            return self.blocked(None if fault else reply, fault)
        if fault is not None:
            return _void(self.run, self.bound, self.action, structs.replace(fault, json=found.use))
        if code != 0 and (reply is None or exits.json == "zero"):
            return self.ended_badly()
        if self.event in self.profile.answers.raw_text_on and not (reply is not None and _refuses(reply)):
            return self.said(Reply(context=self.printed.stdout.strip()))
        if reply is None:
            return self.plain()
        return _answered(self.run, self.with_warning(reply), self.cause(self.kind_of(reply)))

    def cause(self, kind: CauseKind) -> Cause:
        limit = self.exits.blocks_above if kind is CauseKind.EXIT_ABOVE_BLOCKS else None
        return Cause(kind, limit=limit, json=self.found.use)

    def kind_of(self, reply: Reply) -> CauseKind:
        """What a run with a reply is due to: a blocking status that counts for nothing is worth telling."""
        is_plain = self.code == 0 or self.status is CauseKind.EXIT_FAILED or _refuses(reply)
        return CauseKind.REPLY if is_plain else self.status

    def said(self, reply: Reply) -> Run:
        """Plain text that means something."""
        if not (reply.context or reply.message):
            return structs.replace(self.run, cause=self.cause(CauseKind.NO_REPLY))
        return structs.replace(self.run, cause=self.cause(CauseKind.TEXT), reply=reply)

    def plain(self) -> Run:
        """Exit 0 and no JSON: text for the model on some events, for the user in some clients."""
        text = self.printed.stdout.strip()
        answers = self.profile.answers
        if text and self.event in answers.text_fails_on and isinstance(_json(text), Cause):
            cause = Cause(CauseKind.NOT_JSON, "stdout is not JSON")
            return _failed(self.run, self.bound, cause, cause.text, closed=_fails_closed(self.bound, self.action))
        if text and self.event in answers.text_is_context_on:
            return self.said(Reply(context=text))
        return self.said(Reply(message=self.printed.any_text if answers.text_to_user else None))

    def blocked(self, reply: Reply | None, fault: Cause | None) -> Run:
        """A blocking exit status. The reason is the reply's if it refuses too, else what was printed."""
        exits, cause = self.exits, self.cause(self.status)
        text = self.printed.any_text if exits.needs == "any text" else self.printed.stderr.strip()
        if not exits.tells_stderr and self.event not in exits.stderr_only_on:
            text = exits.silent_reason
        if exits.wrong_event_hides_stderr and fault is not None and self.is_for_another_event(fault):
            text = fault.text
        if reply is not None and self.hides_reason():
            reply = structs.replace(reply, reason=text)
        if reply is not None and not _refuses(reply) and self.says_block():
            reply = structs.replace(reply, decision=refusal_on(self.event), reason=self.told_for_block())
        if reply is not None and _refuses(reply):
            reason = reply.reason or text
            return structs.replace(self.run, status=Status.BLOCKED, cause=cause, reason=reason, reply=reply)
        text = text or exits.silent_reason
        keeps = exits.json == "merged" or exits.keeps_reply
        kept = reply if reply is not None and keeps else Reply()
        if self.event in exits.stderr_only_on:
            refusal = Reply(decision=refusal_on(self.event), context=text)
            return structs.replace(self.run, status=Status.BLOCKED, cause=cause, reason=text, reply=refusal)
        if exits.json == "merged":
            text = kept.reason or text
        refusal = structs.replace(kept, decision=refusal_on(self.event), reason=text)
        return structs.replace(self.run, status=Status.BLOCKED, cause=cause, reason=text, reply=refusal)

    def is_for_another_event(self, fault: Cause) -> bool:
        """Whether the reply is right for the event that it names, which is not this one."""
        specific = (self.found.value or {}).get("hookSpecificOutput")
        name = specific.get("hookEventName") if isinstance(specific, dict) else None
        other = native_names(self.profile.name).get(name) if isinstance(name, str) else None
        if fault.kind is not CauseKind.WRONG_EVENT or other is None or not isinstance(name, str):
            return False
        return _reply_to(bind_event(self.profile, other.name, name), self.found.value).invalid is None

    def hides_reason(self) -> bool:
        """Whether the reply's reason does not count beside a blocking status."""
        return isinstance((self.found.value or {}).get(self.exits.reason_hidden_by), dict)

    def says_block(self) -> bool:
        """Whether ``decision: block`` gives the reason beside a blocking status."""
        return self.exits.block_is_told and (self.found.value or {}).get("decision") == "block"

    def told_for_block(self) -> str | None:
        reason = (self.found.value or {}).get("reason")
        return reason if isinstance(reason, str) and reason else None

    def ended_badly(self) -> Run:
        code, text = self.code, self.printed.stderr.strip()
        what = f"ended by signal {-code}" if code < 0 else f"exited with {code}"
        full = f"{what}: {text}" if text else what
        # A client that fails closed by itself does not pass on what the hook printed; one that was asked to does.
        told = full if self.action.fail_closed else what
        closed = _fails_closed(self.bound, self.action)
        failed = structs.replace(
            _failed(self.run, self.bound, self.cause(self.status), told, closed=closed), reason=full
        )
        warning = self.warning()
        if not warning:
            return _with_warning(failed, self.bound)
        return structs.replace(failed, reply=Reply(message=warning)) if failed.reply is None else failed

    def with_warning(self, reply: Reply) -> Reply:
        """The reply, with what a failing hook printed for the user."""
        warning = self.warning()
        if not warning or self.code == 0:
            return reply
        return structs.replace(reply, message="\n".join(filter(None, (reply.message, warning))))

    def warning(self) -> str:
        exits = self.exits
        if exits.warning == "no" or not exits.warning_on & {self.event, "*"}:
            return ""
        if exits.warning_codes == "blocking" and self.code != BLOCKING_STATUS:
            return ""
        return self.printed.stderr.strip() if exits.warning == "stderr" else self.printed.any_text


def meaning_of_status(exits: Exits, event: str, code: int, printed: Printed) -> CauseKind:
    kind = exits.blocked_by(code, event)
    if kind is None:
        return CauseKind.EXIT_FAILED
    if event in exits.ignored_on:
        return CauseKind.EXIT_IGNORED
    needs_stderr = exits.needs == "stderr" or event in exits.stderr_only_on
    if needs_stderr and not printed.stderr.strip():
        return CauseKind.EXIT_NEEDS_STDERR
    if exits.needs == "any text" and not printed.any_text:
        return CauseKind.EXIT_NEEDS_TEXT
    return kind


def _reply_to(bound: BoundEvent, value: Any) -> Reply:
    """The reply as the client reads it; a function may return something that cannot be read."""
    try:
        if isinstance(value, str):
            reply = reply_of_word(value)
            return structs.replace(reply, decision=refusal_on(bound.event)) if _refuses(reply) else reply
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


def _printed(raw: RawResult) -> Printed:
    return Printed(raw.stdout.decode("utf-8", "replace"), raw.stderr.decode("utf-8", "replace"))


def _json(text: str) -> Any:
    """The value of a JSON text; a :class:`Cause` when it is not JSON."""
    try:
        value = load_json(text.encode())
        return _without_half_characters(value) if "\\ud" in text or "\\uD" in text else value
    except RecursionError:
        return Cause(CauseKind.NOT_JSON, "it is nested too deeply")
    except ValueError as error:
        return Cause(CauseKind.NOT_JSON, str(error))


def _without_half_characters(value: Any) -> Any:
    """The value as it survives UTF-8: JSON can escape half of a surrogate pair, which nothing else can carry."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_without_half_characters(item) for item in value]
        case dict():
            return {_without_half_characters(key): _without_half_characters(item) for key, item in value.items()}
        case _:
            return value


def find_json(bound: BoundEvent, printed: Printed, code: int) -> FoundJson:
    """The JSON object that the client reads, if it reads one here."""
    answers, exits = bound.profile.answers, bound.profile.exits
    if code == BLOCKING_STATUS and bound.event in exits.stderr_only_on:
        return FoundJson(JsonUse.NONE)
    text, use = printed.stdout.strip(), JsonUse.STDOUT
    on_stderr = exits.blocking_stderr_json and code == BLOCKING_STATUS
    if on_stderr or (not text and exits.reads_stderr_json):
        text, use = printed.stderr.strip(), JsonUse.STDERR
    if answers.byte_order_mark:
        text = text.removeprefix("\ufeff").strip()
    if answers.other_json_is_silence and text[:1] not in ("{", '"', "") and not isinstance(_json(text), Cause):
        return FoundJson(use, {})
    if text[:1] not in ("{", '"') and not (text[:1] == "[" and answers.lists_fail):
        return FoundJson(JsonUse.NONE)
    if not answers.speaks_json or not (on_stderr or _reads_json(exits, code)):
        unread = JsonUse.NOT_WITH_STATUS if answers.speaks_json else JsonUse.NEVER_READ
        return FoundJson(unread if text[:1] == "{" else JsonUse.NONE)
    value = _json(text)
    if isinstance(value, str) and answers.double_encoded:
        value, use = _json(value), JsonUse.STRING
    if isinstance(value, dict):
        return FoundJson(use, value)
    if not answers.broken_json_fails or text[:1] == '"':  # then it is plain text
        return FoundJson(JsonUse.BROKEN if text[:1] == "{" else JsonUse.NONE)
    if isinstance(value, Cause):
        return FoundJson(use, fault=Cause(CauseKind.NOT_JSON, f"{use} is not valid JSON: {value.text}"))
    return FoundJson(use, fault=Cause(CauseKind.NOT_AN_OBJECT, f"{use} is JSON, but not an object"))


def _reads_json(exits: Exits, code: int) -> bool:
    match exits.json:
        case "always":
            return True
        case "zero":
            return code == 0
        case "not two":
            return code != BLOCKING_STATUS
        case "merged":
            return code in (0, BLOCKING_STATUS)


# ------------------------------------------------------------------------------------------------------------- endings


def can_prevent(bound: BoundEvent) -> bool:
    """Whether a refusal keeps something from happening, so that a hook that was not asked must count as one."""
    return bound.can_block and bound.fold_rule in _GUARDED


def refusal_on(event: str) -> Decision:
    """What a refusal is called on an event."""
    known = BY_NAME.get(event)
    return Decision.DENY if known is not None and known.fold is FoldRule.DECISION else Decision.BLOCK


def _fails_closed(bound: BoundEvent, action: Action) -> bool:
    return action.fail_closed or bound.event in bound.profile.exits.fails_closed_on


def _carried_out_badly(run: Run, bound: BoundEvent, action: Action, raw: RawResult, text: str) -> Run:
    closed = ((raw.not_asked or raw.unable) and can_prevent(bound)) or _fails_closed(bound, action)
    kind = CauseKind.UNABLE if raw.unable else CauseKind.NOT_ASKED if raw.not_asked else CauseKind.ERROR
    return _with_warning(_failed(run, bound, Cause(kind, text), text, closed=closed), bound)


def allowed_unasked(run: Run, bound: BoundEvent, action: Action) -> Run:
    """The run; if it blocks only because the hook could not be asked, it allows, and the user reads why."""
    if run.cause.kind not in _UNASKED or run.status is not Status.FAILED_CLOSED or _fails_closed(bound, action):
        return run
    message = Reply(message=f"anyhook: hook {run.summary}: {run.reason}")
    return structs.replace(run, status=Status.FAILED_OPEN, reply=message)


def _void(run: Run, bound: BoundEvent, action: Action, cause: Cause) -> Run:
    """A reply that the client discards."""
    text = cause.text if cause.kind is CauseKind.NOT_JSON else f"its reply is void: {cause}"
    return _failed(run, bound, cause, text, closed=action.fail_closed)


def _timed_out(run: Run, bound: BoundEvent, action: Action) -> Run:
    cause = Cause(CauseKind.TIMED_OUT, limit=bound.timeout_ms(action))
    failed = _with_warning(_failed(run, bound, cause, "timed out", closed=action.fail_closed), bound)
    return structs.replace(failed, status=Status.TIMED_OUT)


def _failed(run: Run, bound: BoundEvent, cause: Cause, text: str, *, closed: bool) -> Run:
    reply = Reply(decision=refusal_on(bound.event), reason=text) if closed else None
    status = Status.FAILED_CLOSED if closed else Status.FAILED_OPEN
    return structs.replace(run, status=status, cause=cause, reason=text, reply=reply)


def _with_warning(failed: Run, bound: BoundEvent) -> Run:
    """The run of a hook that failed and printed nothing, with a message to the user where the client has one."""
    if failed.reply is not None or not bound.profile.exits.warns_silently:
        return failed
    return structs.replace(failed, reply=Reply(message=f"hook {failed.summary}: {failed.reason}"))


def _refuses(reply: Reply) -> bool:
    return reply.decision is not None and reply.decision.is_refusal


def _answered(run: Run, reply: Reply, cause: Cause) -> Run:
    status = Status.BLOCKED if _refuses(reply) else Status.ALLOWED
    return structs.replace(run, status=status, cause=cause, reason=reply.reason or "", reply=reply)
