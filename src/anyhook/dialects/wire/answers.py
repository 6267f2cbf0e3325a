"""How anyhook itself answers a client that called it as a hook, in the form that the client is known to honour."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.contract import BLOCKING_STATUS, Field
from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Unit
from anyhook.dialects.stages import Said
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Effect, Outcome, strictness
from anyhook.model.output import Decision, Reply

NO_REASON = "Blocked by a hook."
"""Several clients do not block without a text (Codex, Qwen Code, Gemini CLI)."""


class ProcessAnswer(Struct, frozen=True, kw_only=True):
    """What a hook process leaves behind."""

    exit_code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    lost: tuple[str, ...] = ()
    """Parts of the answer that the client has no way to hear."""
    unsaid: str = ""
    """The message for the user, if it is one of them."""


def reply_of(outcome: Outcome) -> Reply:
    """The outcome as if one hook had said it all."""
    reason = outcome.reason or None
    stops = outcome.effect is Effect.STOP
    # Where the tool does not run, that is said, too: some clients run it before they end the turn.
    refuses = stops and outcome.tool_runs is False
    return Reply(
        decision=Decision.DENY if refuses else None if stops else _decision(outcome),
        reason=reason if refuses or not stops else None,
        stop=True if stops else None,
        stop_reason=reason if stops else None,
        updated_input=outcome.updated_input,
        updated_output=None if outcome.updated_output == outcome.reason else outcome.updated_output,
        context=_joined(text for text in outcome.to_model if text != reason),
        message=_joined(text for text in outcome.to_user if text != reason),
    )


def _decision(outcome: Outcome) -> Decision | None:
    match outcome.effect:
        case Effect.BLOCK:
            known = BY_NAME.get(outcome.event)
            return Decision.DENY if known and known.fold is FoldRule.DECISION else Decision.BLOCK
        case Effect.FEEDBACK | Effect.CONTINUE:
            return Decision.BLOCK
        case Effect.ASK:
            return Decision.ASK
        case Effect.DEFER:
            return Decision.DEFER
        case _:
            return outcome.decision


def _joined(texts: Iterable[str | None]) -> str | None:
    return "\n\n".join(filter(None, texts)) or None


def encode_reply(
    bound: BoundEvent, reply: Reply, *, is_process: bool = True, lost_input_note: str = ""
) -> ProcessAnswer:
    """Write a reply for a client; what it cannot be told is listed, never dropped silently.

    Without a process (``is_process``) the client reads nothing but JSON. A refusal that it has no JSON for still has
    an exit status here: the sender must turn that into a failure. ``lost_input_note`` is added to the message for the
    user if the client does not take a rewritten input.
    """
    return overridden(
        bound.profile.overrides.encode,
        Said(bound, reply),
        lambda said: _Writing(said.bound, said.reply, is_process, lost_input_note).sent(),
    )


def _next_stricter(decision: Decision) -> Decision:
    """What is said instead when a client does not know a decision: a guard must not turn into consent."""
    return min((each for each in Decision if strictness(each) > strictness(decision)), key=strictness)


class _Writing:
    """One reply on its way out."""

    def __init__(self, bound: BoundEvent, reply: Reply, is_process: bool, lost_input_note: str) -> None:
        self.bound = bound
        self.profile, self.event = bound.profile, bound.event
        self.is_process = is_process
        self.answers = self.profile.answers
        self.fields = [field for field in self.answers.fields(self.event) if not field.refused]
        self.answer: dict[str, Any] = {}
        self.lost: list[str] = []
        self.reply = self._with_note(self._sayable(reply), lost_input_note)

    def sent(self) -> ProcessAnswer:
        reply = self.reply
        if reply.decision is not None and reply.decision.is_refusal and self._refuses_by_exit():
            self._lose(output=reply.updated_output, message=reply.message, stop=reply.stop or None)
            text = _joined((reply.reason, reply.context)) or NO_REASON
            return self._finished(exit_code=self._status(), stderr=_utf8(text))
        if not self.answers.speaks_json:
            return self._plain()
        self._write_parts()
        text = self._text()
        if self.answer and text:
            self.lost.append("context")  # the two cannot be told together
        return self._finished(stdout=dump_json(self.answer) if self.answer else _utf8(text))

    def _finished(self, exit_code: int = 0, stdout: bytes = b"", stderr: bytes = b"") -> ProcessAnswer:
        unsaid = self.reply.message or "" if "message" in self.lost else ""
        return ProcessAnswer(exit_code=exit_code, stdout=stdout, stderr=stderr, lost=tuple(self.lost), unsaid=unsaid)

    # --- what to say

    def _sayable(self, reply: Reply) -> Reply:
        """The reply with everything that this client cannot be told turned into the nearest thing that it can."""
        if reply.invalid:
            return Reply()
        if reply.stop and not self._fields_of("continue", "false"):
            reply = self._without_stop(reply)
        while reply.decision in (Decision.DEFER, Decision.ASK) and not self._decision_fields(reply.decision):
            self.lost.append(reply.decision.value)
            reply = structs.replace(reply, decision=_next_stricter(reply.decision))
        if reply.decision is not None and reply.decision.is_refusal:
            return self._refusal(reply)
        return self._allowing(reply)

    def _with_note(self, reply: Reply, note: str) -> Reply:
        """The reply with a note for the user, if the client does not take the rewritten input in it."""
        is_taken = reply.updated_input is None or (self.answers.speaks_json and self._fields_of("input"))
        return reply if is_taken or not note else structs.replace(reply, message=_joined((reply.message, note)))

    def _without_stop(self, reply: Reply) -> Reply:
        """For a client whose agent hooks cannot end: a refusal instead, where that is possible."""
        self.lost.append("stop")
        rest = structs.replace(reply, stop=None, stop_reason=None)
        if self.bound.fold_rule not in (FoldRule.DECISION, FoldRule.GATE, FoldRule.FEEDBACK):
            return structs.replace(rest, decision=None, reason=None)  # on Stop a refusal would keep the agent going
        if reply.decision is not None and reply.decision.is_refusal:
            return rest
        return structs.replace(rest, decision=Decision.BLOCK, reason=reply.stop_reason or reply.reason)

    def _refusal(self, reply: Reply) -> Reply:
        """A refusal in which nothing is left that the client would not pass on."""
        reason, context = reply.reason or NO_REASON, reply.context
        if (
            self.bound.fold_rule is FoldRule.FEEDBACK
            and not self._decision_fields(Decision.BLOCK)
            and self._fields_of("context")
        ):
            # The tool has run. Where only context reaches the model, that is the way to tell it.
            return structs.replace(reply, decision=None, reason=None, context=_joined((reason, context)))
        if not self._fields_of("context") or self.event in self.answers.refusal_drops_context_on:
            reason, context = _joined((reason, context)) or NO_REASON, None
        # The thing does not happen, so there is nothing to rewrite.
        return structs.replace(reply, reason=reason, context=context, updated_input=None)

    def _allowing(self, reply: Reply) -> Reply:
        """A reply that allows, where one without a decision refuses."""
        if reply.decision is None and self.event in self.answers.silence_blocks_on:
            return structs.replace(reply, decision=Decision.ALLOW)
        return reply

    # --- how to say it

    def _fields_of(self, part: str, value: str = "") -> list[Field]:
        """The fields that can carry a part with this canonical value."""
        return [
            field
            for field in self.fields
            if field.part == part and (not field.values or not value or value in field.values.values())
        ]

    def _decision_fields(self, decision: Decision) -> list[Field]:
        places = self._fields_of("decision", decision.value)
        if not places and decision.is_refusal:
            other = Decision.BLOCK if decision is Decision.DENY else Decision.DENY
            places = self._fields_of("decision", other.value)
        return places

    def _is_implied(self) -> bool:
        return any(field.implies in ("block", "deny") for field in self.fields)

    def _refuses_by_exit(self) -> bool:
        is_heard = self.bound.can_block or self.bound.fold_rule is FoldRule.FEEDBACK
        if not is_heard or self.event in self.profile.exits.ignored_on:
            return False
        if not self.answers.speaks_json or (self.is_process and self.answers.block_by_exit & {self.event, "*"}):
            return True
        return not self._decision_fields(Decision.DENY) and not self._is_implied()

    def _status(self) -> int:
        return 1 if self.profile.exits.above(self.event) == 0 else BLOCKING_STATUS

    def _write_parts(self) -> None:
        reply = self.reply
        if reply.decision is not None:
            self._write_decision(reply.decision)
        self._put("input", reply.updated_input)
        self._put("output", reply.updated_output)
        if reply.stop is not None:
            self._put("continue", not reply.stop)
        self._put("stop_reason", reply.stop_reason)
        if not self._text():
            self._put("context", reply.context)
        self._put("message", reply.message)
        self._put("suppress", reply.suppress or None)
        self._put("async", reply.async_ or None)
        if reply.async_timeout_ms is not None:
            seconds = self.profile.timeouts.async_unit is Unit.SECONDS
            self._put("async_timeout", reply.async_timeout_ms / 1000 if seconds else reply.async_timeout_ms)
        for part, value in reply.other.items():
            self._put(part, value)
        self._name_event()

    def _write_decision(self, decision: Decision) -> None:
        places = self._decision_fields(decision)
        if places:
            self._put_at(places, lambda field: _native(field, decision))
        elif decision.is_refusal and not self._is_implied():
            self.lost.append("decision")
            return
        elif decision is Decision.ALLOW:
            return  # no opinion is as good, where permission is not the question
        self._put("reason", self.reply.reason)

    def _put(self, part: str, value: object) -> None:
        if value is None:
            return
        places = self._fields_of(part)
        if not places:
            self.lost.append(part)
            return
        self._put_at(places, lambda field: value)

    def _put_at(self, places: list[Field], value: Callable[[Field], object]) -> None:
        """Write to the first field and to those that repeat it, but never over what is there already."""
        for field in (places[0], *(each for each in places[1:] if each.mirror)):
            place = self.answer
            for key in field.path[:-1]:
                place = place.setdefault(key, {})
            place.setdefault(field.path[-1], value(field))

    def _name_event(self) -> None:
        for path in self.answers.event_names:
            parent = self.answer.get(path[0])
            if len(path) > 1 and isinstance(parent, dict):
                self.answer[path[0]] = {path[-1]: self.bound.native_event, **parent}

    # --- clients that read text

    def _text(self) -> str:
        """The context, where plain text is the only way to tell it."""
        is_only_way = (
            self.is_process and self.event in self.answers.text_is_context_on and not self._fields_of("context")
        )
        return self.reply.context or "" if is_only_way else ""

    def _plain(self) -> ProcessAnswer:
        reply = self.reply
        text = self._text()
        if reply.decision is not None and reply.decision.is_refusal:
            self.lost.append("decision")
        if reply.message and self.answers.text_to_user and not text:
            text = reply.message
        self._lose(
            input=reply.updated_input,
            output=reply.updated_output,
            context=reply.context if text != reply.context else None,
            message=reply.message if text != reply.message else None,
        )
        return self._finished(stdout=_utf8(text))

    def _lose(self, **parts: object) -> None:
        self.lost.extend(part for part, value in parts.items() if value is not None)


def _native(field: Field, decision: Decision) -> Any:
    """The client's own word for a decision; true and false are booleans."""
    wanted = (decision.value,) if not decision.is_refusal else (decision.value, "deny", "block")
    word = next(native for value in wanted for native, canonical in field.values.items() if canonical == value)
    return {"true": True, "false": False}.get(word, word)


def _utf8(text: str) -> bytes:
    return text.encode(errors="replace")
