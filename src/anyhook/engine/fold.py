"""Many runs to one outcome, by the event's fold rule and the client's folding. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, structs

from anyhook.dialects.profile import Profile
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.lazyjson import LazyJson, dump_json
from anyhook.model.outcome import Effect, Outcome, Run, Skip
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem

_NO_REPLY = Reply()


class FinishedRun(Struct, frozen=True):
    """A run, its place in the configuration, and its place in the order of finishing."""

    run: Run
    place: int
    finished: int
    """Runs in the background have not finished: -1."""
    context_cap: int | None = None
    """The hook's own limit on context, in characters; 0: none."""

    @property
    def reply(self) -> Reply:
        return self.run.reply or _NO_REPLY


def fold(
    profile: Profile,
    event: str,
    native_event: str,
    payload: Payload,
    ended: Sequence[FinishedRun],
    skipped: Sequence[Skip] = (),
    problems: Sequence[Problem] = (),
) -> Outcome:
    """The outcome of an event whose hooks ended like this."""
    return _Folding(profile, event, native_event, payload, ended).outcome(skipped, problems)


class _Folding:
    def __init__(
        self, profile: Profile, event: str, native_event: str, payload: Payload, ended: Sequence[FinishedRun]
    ) -> None:
        self.profile, self.event, self.native_event, self.payload = profile, event, native_event, payload
        self.rules = profile.folding
        known = BY_NAME.get(event)
        self.fold_rule = known.fold if known else FoldRule.OBSERVE
        ended = [self._normalised(e) for e in ended]
        self.by_place = sorted(ended, key=lambda e: e.place)
        self.by_end = sorted((e for e in ended if e.finished >= 0), key=lambda e: e.finished)

    def _normalised(self, e: FinishedRun) -> FinishedRun:
        """Where ``continue: false`` is a refusal, read it as one; a refusal without a reason gets the client's."""
        reply = e.reply
        stopping = self.profile.stopping
        if reply.stop and self._stop_mode() == "blocks":
            reasons = (
                [reply.stop_reason, reply.reason] if stopping.prefers_stop_reason else [reply.reason, reply.stop_reason]
            )
            reason = next(filter(None, reasons), None) or stopping.default_reason
            reply = structs.replace(reply, decision=Decision.BLOCK, reason=reason, stop=None, stop_reason=None)
        elif (
            reply.decision is not None and reply.decision.is_refusal and not reply.reason and self.rules.default_reason
        ):
            reply = structs.replace(reply, reason=self.rules.default_reason)
        return e if reply is e.reply else structs.replace(e, run=structs.replace(e.run, reply=reply))

    def _stop_mode(self) -> str:
        return self.profile.stopping.on_continue_false(self.event)

    def outcome(self, skipped: Sequence[Skip], problems: Sequence[Problem]) -> Outcome:
        stopper = self._stopper()
        decider = self._decider()
        decision = decider.reply.decision if decider else None
        effect = self._effect(decision, stopper)
        reason = self._reason(decider, effect, stopper)
        updated_input = self._updated_input(effect)
        if updated_input is not None and (fault := self._input_fault(updated_input)):
            effect, reason, updated_input = Effect.BLOCK, fault, None
        updated_output = self._updated_output(effect, reason)
        return Outcome(
            client=self.profile.name,
            event=self.event,
            native_event=self.native_event,
            effect=effect,
            decision=decision,
            reason=reason,
            updated_input=updated_input,
            updated_output=updated_output,
            to_model=self._to_model(effect, reason),
            to_user=self._to_user(effect, reason),
            runs=tuple(e.run for e in self.by_place),
            skipped=tuple(skipped),
            problems=tuple(problems),
            decided_by=self._decided_by(decider, stopper, effect),
        )

    # --- the decision

    def _decider(self) -> FinishedRun | None:
        """The run whose decision counts."""
        deciding = [e for e in self.by_place if e.reply.decision is not None]
        if not deciding:
            return None
        match self.rules.decisions.get(self.event, self.rules.decision):
            case "first":  # seed 003, section 8: the first allow or deny; a request to ask does not end the search
                return next((e for e in deciding if e.reply.decision is not Decision.ASK), deciding[0])
            case "source priority":
                return deciding[0]
            case "last":
                return deciding[-1]
            case "first to finish":
                return next(e for e in self.by_end if e.reply.decision is not None)
            case _:
                return self._most_restrictive(deciding)

    def _most_restrictive(self, deciding: list[FinishedRun]) -> FinishedRun:
        if len(deciding) == 1:
            return deciding[0]
        precedence = self.rules.precedence

        def rank(e: FinishedRun) -> int:
            name = "deny" if e.reply.decision is Decision.BLOCK else str(e.reply.decision)
            return precedence.index(name) if name in precedence else len(precedence)

        strongest = min(map(rank, deciding))
        equals = [e for e in deciding if rank(e) == strongest]
        match self.rules.reason:
            case "last":
                return equals[-1]
            case "last to finish":
                return max(equals, key=lambda e: e.finished)
            case _:
                return equals[0]

    def _stopper(self) -> FinishedRun | None:
        """The run that ends the agent by ``continue: false``, where that counts."""
        if self._stop_mode() in ("ignored", "invalid"):
            return None
        return next((e for e in self.by_place if e.reply.stop), None)

    def _effect(self, decision: Decision | None, stopper: FinishedRun | None) -> Effect:
        refuses = decision is not None and decision.is_refusal
        stopping = self.profile.stopping
        if stopper is not None:
            mode = self._stop_mode()
            if mode == "stops after the tool has run" and refuses:
                return Effect.BLOCK
            if mode != "stops the hooks":
                return Effect.STOP
        if stopping.continue_true_restarts and self.fold_rule is FoldRule.CONTINUATION:
            return Effect.CONTINUE if any(e.reply.stop is False for e in self.by_place) else Effect.PROCEED
        if refuses:
            return Effect.STOP if self._interrupts() else self._refusal()
        if decision is Decision.ASK and self.fold_rule is FoldRule.DECISION:
            return Effect.ASK
        if decision is Decision.DEFER and self.fold_rule is FoldRule.DECISION:
            return Effect.DEFER
        if decision is None and self.by_place and self.event in self.profile.answers.silence_blocks_on:
            return Effect.BLOCK
        if decision is None and self._asks_in_doubt():
            return Effect.ASK
        if self.event in self.profile.answers.context_continues_on and any(e.reply.context for e in self.by_place):
            return Effect.CONTINUE
        return Effect.PROCEED

    def _asks_in_doubt(self) -> bool:
        always = self.rules.no_decision == "ask" and self.fold_rule is FoldRule.DECISION
        return always or self.event in self.rules.asks_without_decision_on

    def _interrupts(self) -> bool:
        return any(e.reply.other.get("interrupt") is True for e in self.by_place)

    def _refusal(self) -> Effect:
        if self.event in self.rules.refusal_effects:
            return Effect(self.rules.refusal_effects[self.event])
        if self.fold_rule in (FoldRule.DECISION, FoldRule.GATE) and not self.profile.blocks(self.event):
            return Effect.PROCEED
        return _REFUSALS.get(self.fold_rule, Effect.PROCEED)

    def _reason(self, decider: FinishedRun | None, effect: Effect, stopper: FinishedRun | None) -> str:
        if stopper is not None and effect is not Effect.PROCEED and (decider is None or effect is Effect.STOP):
            return stopper.reply.stop_reason or stopper.reply.reason or ""
        if decider is None:
            return ""
        if self.rules.reason == "joined" or self.event in self.rules.joins_reasons_on:
            reasons = [e.reply.reason for e in self.by_place if self._agrees(e, decider) and e.reply.reason]
            return self.rules.joint.join(reasons)
        return decider.reply.reason or ""

    def _agrees(self, e: FinishedRun, decider: FinishedRun) -> bool:
        one, other = e.reply.decision, decider.reply.decision
        return one is not None and other is not None and (one is other or (one.is_refusal and other.is_refusal))

    def _decided_by(self, decider: FinishedRun | None, stopper: FinishedRun | None, effect: Effect) -> Any:
        if effect is Effect.PROCEED:
            return None
        who = stopper if stopper is not None and (decider is None or effect is Effect.STOP) else decider
        return who.run.origin if who else None

    # --- what is rewritten

    def _updated_input(self, effect: Effect) -> Any:
        if self.rules.rewrite == "none" or effect in (Effect.BLOCK, Effect.DEFER):
            return None
        order = self.by_end if self.rules.rewrite_winner == "last to finish" else self.by_place
        given = [e.reply.updated_input for e in order if e.reply.updated_input is not UNSET]
        return given[-1] if given else None

    def _input_fault(self, updated_input: Any) -> str:
        tool = getattr(self.payload, "tool_name", "")
        field = self.rules.input_needs.get(tool)
        if field is None or (isinstance(updated_input, Mapping) and isinstance(updated_input.get(field), str)):
            return ""
        return f"hook returned updatedInput without string field {field}"

    def _updated_output(self, effect: Effect, reason: str) -> Any:
        if effect is Effect.FEEDBACK and self.event in self.rules.reason_replaces_output_on:
            return reason
        given = [e.reply.updated_output for e in self.by_place if e.reply.updated_output is not UNSET]
        return self._heard(given[-1]) if given else None

    def _heard(self, output: Any) -> Any:
        """What is heard of a replaced output: the text in it, where the client takes it out."""
        answers = self.profile.answers
        original = getattr(self.payload, "tool_response", None)
        if (
            answers.output_needs_shape
            and isinstance(original, LazyJson)
            and original.is_object != isinstance(output, dict)
        ):
            return None
        if isinstance(output, dict):
            return next((output[key] for key in answers.output_text if key in output), output)
        return output

    # --- who hears what

    def _to_model(self, effect: Effect, reason: str) -> tuple[str, ...]:
        told = [reason] if effect in _REASON_COUNTS and reason and self._hears() in ("model", "both") else []
        contexts = self._contexts(effect)
        others = self.profile.answers.other_to_model
        said = [str(e.reply.other[part]) for e in self.by_place for part in others if part in e.reply.other]
        texts = [*said, *contexts, *told] if self.rules.context_first else [*told, *said, *contexts]
        if effect is not Effect.BLOCK:
            texts += self._outputs("model")
        if "model" in self.profile.answers.message_to:
            texts += [e.reply.message for e in self.by_place if e.reply.message]
        return tuple(texts)

    def _hears(self) -> str:
        return self.rules.reason_to.get(self.event, _HEARS[self.fold_rule])

    def _outputs(self, who: str) -> list[str]:
        """Replaced texts that somebody hears."""
        if self.profile.answers.output_to.get(self.event) != who:
            return []
        given = [e.reply.updated_output for e in self.by_place if e.reply.updated_output is not UNSET]
        return [text if isinstance(text, str) else dump_json(text).decode() for text in map(self._heard, given[-1:])]

    def _contexts(self, effect: Effect) -> list[str]:
        answers = self.profile.answers
        if effect in (Effect.BLOCK, Effect.FEEDBACK) and self.event in answers.refusal_drops_context_on:
            return []
        order = self.by_end if self.rules.context == "completion order" else self.by_place
        return [self._cap(e.reply.context, e.context_cap) for e in order if e.reply.context]

    def _cap(self, text: str, own_cap: int | None) -> str:
        """Context as it arrives: escaped and, over the cap, with the middle cut out."""
        answers = self.profile.answers
        if answers.escapes_context:
            text = text.replace("<", "&lt;").replace(">", "&gt;")
        cap = answers.context_cap if own_cap is None else own_cap
        if not cap or len(text) <= cap:
            return text
        return f"{text[: cap // 2]}\n[{len(text) - cap} characters cut]\n{text[-(cap // 2) :]}"

    def _to_user(self, effect: Effect, reason: str) -> tuple[str, ...]:
        texts: list[str] = []
        hears = self._hears()
        heard = effect in (*_REASON_COUNTS, Effect.STOP) and reason
        if heard and (hears in ("user", "both") or (effect is Effect.STOP and hears != "nobody")):
            texts.append(reason)
        if "user" in self.profile.answers.message_to:
            hides = self.profile.answers.honours_suppress
            texts += [e.reply.message for e in self.by_place if e.reply.message and not (hides and e.reply.suppress)]
        return (*texts, *self._outputs("user"))


_REFUSALS = {
    FoldRule.DECISION: Effect.BLOCK,
    FoldRule.GATE: Effect.BLOCK,
    FoldRule.FEEDBACK: Effect.FEEDBACK,
    FoldRule.CONTINUATION: Effect.CONTINUE,
    FoldRule.REPLACEMENT: Effect.BLOCK,
}
_REASON_COUNTS = (Effect.BLOCK, Effect.ASK, Effect.FEEDBACK, Effect.CONTINUE)
_HEARS = {
    FoldRule.DECISION: "model",
    FoldRule.FEEDBACK: "model",
    FoldRule.CONTINUATION: "model",
    FoldRule.GATE: "user",
    FoldRule.CONTEXT: "model",
    FoldRule.REPLACEMENT: "user",
    FoldRule.OBSERVE: "nobody",
}
