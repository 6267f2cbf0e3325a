"""Many runs to one outcome, by the event's fold rule and the client's folding. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.lazyjson import LazyJson, dump_json
from anyhook.model.outcome import Effect, Outcome, Run, Skip, strictness
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
    bound: BoundEvent,
    payload: Payload,
    ended: Sequence[FinishedRun],
    skipped: Sequence[Skip] = (),
    problems: Sequence[Problem] = (),
) -> Outcome:
    """The outcome of an event whose hooks ended like this."""
    return _Folding(bound, payload, ended).outcome(skipped, problems)


class _Folding:
    def __init__(self, bound: BoundEvent, payload: Payload, ended: Sequence[FinishedRun]) -> None:
        self.bound, self.payload = bound, payload
        self.profile, self.event, self.fold_rule = bound.profile, bound.event, bound.fold_rule
        self.rules = self.profile.folding
        self.runs = tuple(e.run for e in sorted(ended, key=lambda e: e.place))
        ended = self._merged(ended)
        self.stopping = {e.place for e in ended if e.reply.stop and bound.stop_mode == "blocks"}
        """Places of the runs whose ``continue: false`` is a refusal here."""
        ended = [self._normalised(e) for e in ended]
        self.by_place = sorted(ended, key=lambda e: e.place)
        self.by_end = sorted((e for e in ended if e.finished >= 0), key=lambda e: e.finished)

    def _merged(self, ended: Sequence[FinishedRun]) -> Sequence[FinishedRun]:
        """Where the client merges what its hooks say, one run that says all of it."""
        rule = self.rules.merging.get(self.event, self.rules.merging.get("*"))
        if rule is None or not self.runs:
            return ended
        from anyhook.engine.merge import merged_reply  # few clients merge

        reply = merged_reply(self.bound, rule, self.runs)
        if reply is None:
            return ended
        speaks = [e for e in ended if e.run.reply is not None] or list(ended)
        same = [e for e in speaks if e.reply.decision == reply.decision and e.reply.stop == reply.stop] or speaks
        teller = same[-1]
        return [structs.replace(teller, run=structs.replace(teller.run, reply=reply))]

    def _normalised(self, e: FinishedRun) -> FinishedRun:
        """Where ``continue: false`` is a refusal, read it as one; a refusal without a reason gets the client's."""
        reply = e.reply
        stopping = self.profile.stopping
        if e.place in self.stopping and not self._decides_first(reply):
            reasons = (
                [reply.stop_reason, reply.reason] if stopping.prefers_stop_reason else [reply.reason, reply.stop_reason]
            )
            reason = next(filter(None, reasons), None) or stopping.default_reason
            reply = structs.replace(reply, decision=Decision.BLOCK, reason=reason, stop=None, stop_reason=None)
        elif reply.decision is not None and reply.decision.is_refusal:
            instead = self.rules.stop_reason_instead_on & {self.event, "*"}
            fallback = [reply.stop_reason] if self.event in self.rules.stop_reason_fallback_on else []
            reasons = [reply.stop_reason, reply.reason] if instead else [reply.reason, *fallback]
            reply = structs.replace(
                reply, reason=next(filter(None, reasons), None) or self.rules.default_reason or None
            )
        return e if reply is e.reply else structs.replace(e, run=structs.replace(e.run, reply=reply))

    def _decides_first(self, reply: Reply) -> bool:
        """Whether a decision leaves ``continue: false`` without effect."""
        decides = reply.decision is not None and reply.decision is not Decision.ALLOW
        return decides and self.event in self.profile.stopping.decision_first_on

    def outcome(self, skipped: Sequence[Skip], problems: Sequence[Problem]) -> Outcome:
        stopper = self._stopper()
        decider = self._decider()
        decision = decider.reply.decision if decider else None
        effect, cause = self._effect(decision, stopper)
        reason = self._reason(decider, effect, stopper)
        if (fault := self._bad_stop_reason()) or (effect is Effect.PROCEED and (fault := self._fatal_part())):
            effect, reason, cause = Effect.STOP, fault, CauseKind.INPUT_REFUSED
        tool_runs = self._tool_runs(effect, decision)
        updated_input = None if tool_runs is False else self._updated_input(effect)
        # explored-ask-with-bad-input: Copilot CLI asks before it looks at the input, and Gemini CLI does not.
        is_asked = effect is Effect.ASK and self.rules.asks_first
        is_used = updated_input is not None and (tool_runs or not (is_asked or effect is Effect.STOP))
        if is_used and (fault := self._input_fault(updated_input)):
            tool_runs = False if tool_runs or effect is Effect.ASK else tool_runs
            updated_input = None
            if effect is not Effect.STOP:  # stop-tool-bad-input: the turn ends all the same
                effect, reason, cause = Effect.BLOCK, fault, CauseKind.INPUT_REFUSED
        updated_output = self._updated_output(effect, reason)
        return Outcome(
            client=self.profile.name,
            event=self.event,
            native_event=self.bound.native_event,
            effect=effect,
            tool_runs=tool_runs,
            decision=decision,
            cause=Cause(cause),
            reason=reason,
            updated_input=updated_input,
            updated_output=updated_output,
            to_model=self._to_model(effect, reason, decider),
            to_user=self._to_user(effect, reason),
            runs=self.runs,
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
        match self._decision_rule():
            case "first":  # Agent SDK hooks spec, section 8: a request to ask does not end the search
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
        weights = [self._strictness(e.reply.decision) for e in deciding]
        equals = [e for e, weight in zip(deciding, weights, strict=True) if weight == max(weights)]
        match self.rules.reason:
            case "last":
                return equals[-1]
            case "last to finish":
                return max(equals, key=lambda e: e.finished)
            case _:
                return equals[0]

    def _strictness(self, decision: Decision | None) -> int:
        if not self.rules.precedence:
            return strictness(decision)
        return -self.rules.precedence.index("deny" if decision is Decision.BLOCK else str(decision))

    def _stopper(self) -> FinishedRun | None:
        """The run that ends the agent by ``continue: false``, where that counts."""
        if self.bound.stop_mode in ("ignored", "invalid"):
            return None
        return next((e for e in self.by_place if e.reply.stop and not self._decides_first(e.reply)), None)

    def _effect(self, decision: Decision | None, stopper: FinishedRun | None) -> tuple[Effect, CauseKind]:
        refuses = decision is not None and decision.is_refusal
        answers, mode = self.profile.answers, self.bound.stop_mode
        runs_first = mode == "stops after the tool has run" and not refuses
        # stop-tool-ask-beside, stop-tool-defer-beside: what ends after the tool waits for the answer
        waits = runs_first and decision in (Decision.ASK, Decision.DEFER)
        if stopper is not None and mode != "stops the hooks" and not waits:
            return Effect.STOP, CauseKind.STOP_ENDS_TURN_AFTER_TOOL if runs_first else CauseKind.STOP_ENDS_TURN
        if self.profile.stopping.continue_true_restarts and self.fold_rule is FoldRule.CONTINUATION:
            goes_on = any(e.reply.stop is False for e in self.by_place)
            return (Effect.CONTINUE, CauseKind.CONTINUE_TRUE) if goes_on else (Effect.PROCEED, self._why_none())
        if decision is not None and refuses:
            return self._refusal(decision)
        if decision is Decision.ASK and self.fold_rule is FoldRule.DECISION:
            return Effect.ASK, self._weighing()
        if decision is Decision.DEFER and self.fold_rule is FoldRule.DECISION:
            return Effect.DEFER, self._weighing()
        if decision is None and self.by_place and self.event in answers.silence_blocks_on:
            return Effect.BLOCK, CauseKind.SILENCE_BLOCKS
        if decision is None and self._asks_in_doubt():
            return Effect.ASK, CauseKind.SILENCE_ASKS
        if self.event in answers.context_continues_on and any(e.reply.context for e in self.by_place):
            return Effect.CONTINUE, CauseKind.CONTEXT_CONTINUES
        return Effect.PROCEED, self._why_none() if decision is None else self._weighing()

    def _tool_runs(self, effect: Effect, decision: Decision | None) -> bool | None:
        """Whether the tool that waits for the event runs."""
        if self.event not in BY_NAME or not BY_NAME[self.event].precedes_tool:
            return None
        match effect:
            case Effect.PROCEED:
                # A permission that no hook gives is the user's to give.
                return None if self.event == "PermissionRequest" and decision is not Decision.ALLOW else True
            case Effect.BLOCK:
                return False
            case Effect.STOP:
                refuses = decision is not None and decision.is_refusal
                return self.bound.stop_mode == "stops after the tool has run" and not refuses
            case _:
                return None

    def _why_none(self) -> CauseKind:
        """Why there is no decision: ``continue: false`` may have no effect here."""
        if not any(e.reply.stop for e in self.by_place):
            return CauseKind.NO_DECISION
        return CauseKind.STOP_ENDS_HOOKS if self.bound.stop_mode == "stops the hooks" else CauseKind.STOP_IGNORED

    def _weighing(self) -> CauseKind:
        """By which rule a decision was chosen."""
        said = [run.reply for run in self.runs if run.reply is not None]  # before the client merged them
        if sum(reply.decision is not None for reply in said) < 2:
            return CauseKind.DECISION
        return _WEIGHING[self._decision_rule()]

    def _decision_rule(self) -> str:
        return self.rules.decisions.get(self.event, self.rules.decision)

    def _asks_in_doubt(self) -> bool:
        always = self.rules.no_decision == "ask" and self.fold_rule is FoldRule.DECISION
        return always or self.event in self.rules.asks_without_decision_on

    def _interrupts(self) -> bool:
        return any(e.reply.other.get("interrupt") is True for e in self.by_place)

    def _refusal(self, decision: Decision) -> tuple[Effect, CauseKind]:
        if self._interrupts():
            return Effect.STOP, CauseKind.INTERRUPT
        cause = CauseKind.STOP_BLOCKS if self._stop_refuses(decision) else self._weighing()
        if self.event in self.rules.refusal_effects:
            return Effect(self.rules.refusal_effects[self.event]), cause
        if self.fold_rule is not FoldRule.FEEDBACK and not self.bound.can_block:
            return Effect.PROCEED, CauseKind.CANNOT_BLOCK
        effect = _REFUSALS.get(self.fold_rule)
        return (Effect.PROCEED, CauseKind.CANNOT_BLOCK) if effect is None else (effect, cause)

    def _stop_refuses(self, decision: Decision) -> bool:
        """Whether the refusal is only what :meth:`_normalised` made of ``continue: false``."""
        refusing = [e for e in self.by_place if e.reply.decision is decision]
        return bool(refusing) and all(e.place in self.stopping for e in refusing)

    def _reason(self, decider: FinishedRun | None, effect: Effect, stopper: FinishedRun | None) -> str:
        if stopper is not None and effect is not Effect.PROCEED and (decider is None or effect is Effect.STOP):
            return stopper.reply.stop_reason or stopper.reply.reason or ""
        if decider is None:
            restarts = effect is Effect.CONTINUE and self.profile.stopping.continue_true_restarts
            goes_on = (e.reply.reason for e in self.by_place if e.reply.stop is False and e.reply.reason)
            return next(goes_on, "") if restarts else ""
        if self.rules.reason == "joined" or self.event in self.rules.joins_reasons_on:
            order = self.by_end if self.rules.reason == "last to finish" else self.by_place
            reasons = [e.reply.reason for e in order if self._agrees(e, decider) and e.reply.reason]
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
        given = [e.reply.updated_input for e in order if e.reply.updated_input is not None]
        return given[-1] if given else None

    def _input_fault(self, updated_input: Any) -> str:
        tool = getattr(self.payload, "tool_name", "")
        field = self.rules.input_needs.get(tool)
        if field is None or (isinstance(updated_input, Mapping) and isinstance(updated_input.get(field), str)):
            return ""
        return f"hook returned updatedInput without string field {field}"

    def _bad_stop_reason(self) -> str:
        """What is wrong with a stopReason that ends the client; empty: nothing."""
        if self.event not in self.profile.stopping.bad_reason_ends_on:
            return ""
        stops = [e for e in self.by_place if e.place in self.stopping]
        is_bad = any(part.pointer == "/stopReason" for e in stops for part in e.reply.unread)
        return "hook returned a stopReason that is not text" if is_bad else ""

    def _fatal_part(self) -> str:
        """What is wrong with a part of a reply that ends the client; empty: nothing."""
        for part, key in self.profile.stopping.ends_without.items():
            for given in (e.reply.other.get(part) for e in self.by_place):
                if isinstance(given, Mapping) and not isinstance(given.get(key), str):
                    return f"hook returned {part} without string field {key}"
        return ""

    def _updated_output(self, effect: Effect, reason: str) -> Any:
        if effect is Effect.FEEDBACK and self.event in self.rules.reason_replaces_output_on:
            return reason
        given = [e.reply.updated_output for e in self.by_place if e.reply.updated_output is not None]
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

    def _to_model(self, effect: Effect, reason: str, decider: FinishedRun | None) -> tuple[str, ...]:
        told = [reason] if reason and self._model_hears_reason(effect) else []
        contexts = self._contexts(effect)
        others = self.profile.answers.other_to_model
        said = [str(e.reply.other[part]) for e in self.by_place for part in others if part in e.reply.other]
        if effect is Effect.FEEDBACK and decider is not None and self.rules.context == "completion order":
            earlier = len(self._contexts(effect, before=decider))
            texts = [*contexts[:earlier], *told, *said, *contexts[earlier:]]
        else:
            texts = [*said, *contexts, *told] if self.rules.context_first else [*told, *said, *contexts]
        outputs = [] if effect is Effect.BLOCK else self._outputs("model")
        # A prompt that was rewritten is told as the prompt: before what is added to it.
        return (*outputs, *texts) if self.event == "UserPromptSubmit" else (*texts, *outputs)

    def _model_hears_reason(self, effect: Effect) -> bool:
        if effect in _REASON_COUNTS:
            return self._hears() in ("model", "both")
        return self.event in self.rules.refusal_told_on

    def _hears(self) -> str:
        return self.rules.reason_to.get(self.event, _HEARS[self.fold_rule])

    def _outputs(self, who: str) -> list[str]:
        """Replaced texts that the model or the user hears."""
        if self.profile.answers.output_to.get(self.event) != who:
            return []
        given = [e.reply.updated_output for e in self.by_place if e.reply.updated_output is not None]
        return [text if isinstance(text, str) else dump_json(text).decode() for text in map(self._heard, given[-1:])]

    def _contexts(self, effect: Effect, before: FinishedRun | None = None) -> list[str]:
        """What the model is told beside the decision: all of it, or what runs said that ended before another one."""
        answers = self.profile.answers
        refuses = effect in (Effect.BLOCK, Effect.FEEDBACK)
        if self.event in answers.context_unheard_on or (refuses and self.event in answers.refusal_drops_context_on):
            return []
        order = self.by_end if self.rules.context == "completion order" else self.by_place
        hears_messages = "model" in answers.message_to
        texts = [
            text
            for e in order
            if before is None or e.finished < before.finished
            for text in (
                e.reply.message if hears_messages else None,
                self._cap(e.reply.context, e.context_cap) if e.reply.context else None,
            )
            if text
        ]
        joint = self.rules.context_joint
        return texts if joint is None or not texts else [joint.join(texts)]

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
        if heard and (hears in ("user", "both") or (effect is Effect.STOP and hears != "none")):
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
_WEIGHING = {
    "most restrictive": CauseKind.STRICTEST_DECISION,
    "first": CauseKind.FIRST_DECISION,
    "source priority": CauseKind.FIRST_DECISION,
    "last": CauseKind.LAST_DECISION,
    "first to finish": CauseKind.FIRST_TO_FINISH,
}
_REASON_COUNTS = (Effect.BLOCK, Effect.ASK, Effect.FEEDBACK, Effect.CONTINUE)
_HEARS = {
    FoldRule.DECISION: "model",
    FoldRule.FEEDBACK: "model",
    FoldRule.CONTINUATION: "model",
    FoldRule.GATE: "user",
    FoldRule.CONTEXT: "model",
    FoldRule.REPLACEMENT: "user",
    FoldRule.OBSERVE: "none",
}
