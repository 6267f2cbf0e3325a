"""What one raw result means: the exit status, the text and the JSON of a hook, read by its client's contract. Pure."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.contract import BLOCKING_STATUS, Exits
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.replies import reply_to
from anyhook.engine.raw import RawResult
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Decision, Reply


class Printed(Struct, frozen=True):
    """A hook's two streams as text, without what the client takes for itself."""

    stdout: str
    stderr: str

    @property
    def any_text(self) -> str:
        return self.stdout.strip() or self.stderr.strip()


def interpret(profile: Profile, event: str, native_event: str, action: Action, raw: RawResult) -> Run:
    """The run that a raw result amounts to. ``profile`` is the face that the rule's event name selects."""
    run = _run(action, raw)
    if raw.timed_out:
        return _timed_out(run, event, action)
    if raw.error or raw.exit_code is None:
        return _failed(run, event, f"failed: {raw.error}", closed=_fails_closed(profile, event, action))
    printed = _printed(raw)
    answer = _answer(profile.exits, printed, raw.exit_code, profile)
    reply = None if answer is None else _reply_to(profile, event, native_event, answer)
    if profile.exits.json_beats_status and reply is not None and not reply.invalid:
        return _answered(run, reply)
    if _blocks_by_status(profile.exits, event, raw.exit_code, printed):
        return _blocked(run, profile, event, printed, reply)
    if reply is not None and reply.invalid:
        closed = action.fail_closed
        return _failed(run, event, f"its answer is void: {reply.invalid}", closed=closed)
    if raw.exit_code != 0 and (reply is None or profile.exits.json == "zero"):
        return _ended_badly(run, profile, event, action, printed, raw.exit_code)
    if event in profile.answers.raw_text_on and not (reply is not None and _refuses(reply)):
        text = printed.stdout.strip()
        return structs.replace(run, reply=Reply(context=text) if text else None)
    if reply is not None:
        return _answered(run, _with_warning(reply, profile, event, printed, raw.exit_code))
    return _plain(run, profile, event, printed)


def interpret_value(profile: Profile, event: str, native_event: str, action: Action, raw: RawResult, value: Any) -> Run:
    """The run of a callback, which returns its answer instead of printing it. None is no answer."""
    run = _run(action, raw)
    if raw.timed_out:
        return _timed_out(run, event, action)
    if raw.error:
        return _failed(run, event, raw.error, closed=_fails_closed(profile, event, action))
    if value is None:
        return run
    reply = _reply_to(profile, event, native_event, value)
    if reply.invalid:
        return _failed(run, event, f"its answer is void: {reply.invalid}", closed=action.fail_closed)
    return _answered(run, reply)


def _reply_to(profile: Profile, event: str, native_event: str, value: Any) -> Reply:
    """The answer as the client reads it; what a callback returns may be something that nobody can read."""
    try:
        return reply_to(profile, event, native_event, value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        return Reply(invalid=str(error) or type(error).__name__)


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


def _with_warning(reply: Reply, profile: Profile, event: str, printed: Printed, code: int) -> Reply:
    """The reply, with what a failing hook printed for the user."""
    warning = _warning(profile.exits, event, printed, code)
    if not warning or code == 0:
        return reply
    return structs.replace(reply, message="\n".join(filter(None, (reply.message, warning))))


def _warning(exits: Exits, event: str, printed: Printed, code: int) -> str:
    if exits.warning == "no" or not exits.warning_on & {event, "*"}:
        return ""
    if exits.warning_codes == "blocking" and code != BLOCKING_STATUS:
        return ""
    return printed.stderr.strip() if exits.warning == "stderr" else printed.any_text


def _printed(raw: RawResult) -> Printed:
    return Printed(raw.stdout.decode("utf-8", "replace"), raw.stderr.decode("utf-8", "replace"))


def _json(text: str) -> Any:
    """The value of a JSON text; None when it is none."""
    try:
        value = load_json(text.encode())
        return _without_half_characters(value) if "\\ud" in text or "\\uD" in text else value
    except (ValueError, RecursionError):
        return None


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


def _answer(exits: Exits, printed: Printed, code: int, profile: Profile) -> dict[str, Any] | None:
    """The JSON object that the client reads, if it reads one here."""
    if not profile.answers.speaks_json:
        return None
    is_read = {
        "always": True,
        "zero": code == 0,
        "not two": code != BLOCKING_STATUS,
        "merged": code in (0, BLOCKING_STATUS),
    }[exits.json]
    if not is_read:
        return None
    text = printed.stdout.strip()
    if not text and exits.reads_stderr_json:
        text = printed.stderr.strip()
    if profile.answers.byte_order_mark:
        text = text.removeprefix("\ufeff").strip()
    value = _json(text) if text[:1] in ("{", '"') else None
    if isinstance(value, str) and profile.answers.double_encoded:
        value = _json(value)
    if isinstance(value, dict):
        return value
    return {"\0": text} if _is_broken_answer(profile, text) else None


def _is_broken_answer(profile: Profile, text: str) -> bool:
    """Text that was meant as an answer and is none, where the client calls that a failure."""
    return profile.answers.broken_json_fails and bool(re.match(r"[{\[]", text))


def _blocks_by_status(exits: Exits, event: str, code: int, printed: Printed) -> bool:
    if not exits.blocks(code, event) or event in exits.ignored_on:
        return False
    if exits.needs == "stderr":
        return bool(printed.stderr.strip())
    return exits.needs == "nothing" or bool(printed.any_text)


def refusal_on(event: str) -> Decision:
    """What a refusal is called on an event."""
    known = BY_NAME.get(event)
    return Decision.DENY if known is not None and known.fold is FoldRule.DECISION else Decision.BLOCK


def _blocked(run: Run, profile: Profile, event: str, printed: Printed, reply: Reply | None) -> Run:
    """A blocking exit status. The reason is the answer's if it refuses too, else what was printed."""
    text = printed.stderr.strip()
    if profile.exits.needs == "any text":
        text = printed.any_text
    if not profile.exits.tells_stderr:
        text = profile.exits.silent_reason
    if reply is not None and not reply.invalid and _refuses(reply):
        return structs.replace(run, status=Status.BLOCKED, reason=reply.reason or text, reply=reply)
    text = text or profile.exits.silent_reason
    kept = reply if reply is not None and not reply.invalid and profile.exits.json == "merged" else Reply()
    blocked = structs.replace(kept, decision=refusal_on(event), reason=text)
    return structs.replace(run, status=Status.BLOCKED, reason=text, reply=blocked)


def _ended_badly(run: Run, profile: Profile, event: str, action: Action, printed: Printed, code: int) -> Run:
    what = f"ended by signal {-code}" if code < 0 else f"exited with {code}"
    text = printed.stderr.strip()
    full = f"{what}: {text}" if text else what
    # A client that fails closed by itself does not pass on what the hook printed; one that was asked to does.
    failed = _failed(run, event, full if action.fail_closed else what, closed=_fails_closed(profile, event, action))
    failed = structs.replace(failed, reason=full)
    warning = _warning(profile.exits, event, printed, code)
    return structs.replace(failed, reply=Reply(message=warning)) if warning and failed.reply is None else failed


def _fails_closed(profile: Profile, event: str, action: Action) -> bool:
    return action.fail_closed or event in profile.exits.fails_closed_on


def _timed_out(run: Run, event: str, action: Action) -> Run:
    return _failed(run, event, "timed out", closed=action.fail_closed, status=Status.TIMED_OUT)


def _failed(run: Run, event: str, text: str, *, closed: bool, status: Status | None = None) -> Run:
    reply = Reply(decision=refusal_on(event), reason=text) if closed else None
    ended = status or (Status.FAILED_CLOSED if closed else Status.FAILED_OPEN)
    return structs.replace(run, status=ended, reason=text, reply=reply)


def _refuses(reply: Reply) -> bool:
    return reply.decision is not None and reply.decision.is_refusal


def _answered(run: Run, reply: Reply) -> Run:
    status = Status.BLOCKED if _refuses(reply) else Status.ALLOWED
    return structs.replace(run, status=status, reason=reply.reason or "", reply=reply)


def _plain(run: Run, profile: Profile, event: str, printed: Printed) -> Run:
    """Exit 0 and no JSON: text for the model on some events, for the user in some clients."""
    text = printed.stdout.strip()
    answers = profile.answers
    if text and event in answers.text_is_context_on:
        return structs.replace(run, reply=Reply(context=text))
    if answers.text_to_user and printed.any_text:
        return structs.replace(run, reply=Reply(message=printed.any_text))
    return run
