"""Many runs to one outcome, by the event's fold rule and the client's folding. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.overrides import overridden
from anyhook.dialects.stages import FinishedRun, Fold, Weighed, input_fault
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect, Outcome, Run, Skip, strictness
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem


def fold(
    bound: BoundEvent,
    payload: Payload,
    ended: Sequence[FinishedRun],
    skipped: Sequence[Skip] = (),
    problems: Sequence[Problem] = (),
) -> Outcome:
    """The outcome of an event whose hooks ended like this."""
    runs = tuple(e.run for e in sorted(ended, key=lambda e: e.place))
    given = Fold(bound, payload, tuple(_merged(bound, ended, runs)), runs)
    outcome = overridden(bound.profile.overrides.fold, given, fold_runs)
    return structs.replace(outcome, skipped=tuple(skipped), problems=tuple(problems))


def fold_runs(given: Fold) -> Outcome:
    """The outcome of the runs of an event, by the fields of the profile alone."""
    return _Folding(given).outcome()


def _merged(bound: BoundEvent, ended: Sequence[FinishedRun], runs: Sequence[Run]) -> Sequence[FinishedRun]:
    """Where the client merges what its hooks say, one run that says all of it."""
    if not bound.profile.overrides.merge or not runs:
        return ended
    from anyhook.engine.merge import merged_reply  # few clients merge

    reply = merged_reply(bound, runs)
    if reply is None:
        return ended
    speaks = [e for e in ended if e.run.reply is not None] or list(ended)
    same = [e for e in speaks if e.reply.decision == reply.decision and e.reply.stop == reply.stop] or speaks
    last = same[-1]
    return [structs.replace(last, run=structs.replace(last.run, reply=reply))]


def weighed(given: Weighed) -> Reply:
    """What one reply counts for among others."""
    return overridden(given.bound.profile.overrides.weigh, given, _weighed)


def _weighed(given: Weighed) -> Reply:
    """Where ``continue: false`` is a refusal, read it as one; a refusal without a reason gets the client's."""
    reply = given.reply
    if given.stop_blocks:
        reason = next(filter(None, (reply.stop_reason, reply.reason)), None) or ""
        return structs.replace(reply, decision=Decision.BLOCK, reason=reason, stop=None, stop_reason=None)
    if reply.decision is None or not reply.decision.is_refusal:
        return reply
    return structs.replace(reply, reason=reply.reason or given.bound.profile.folding.default_reason or None)


class _Folding:
    def __init__(self, given: Fold) -> None:
        self.given = given
        self.bound, self.payload, self.runs = given.bound, given.payload, given.runs
        self.profile, self.event, self.fold_rule = self.bound.profile, self.bound.event, self.bound.fold_rule
        self.rules = self.profile.folding
        blocks = self.bound.stop_mode == "blocks"
        self.stopping = {e.place for e in given.ended if e.reply.stop and blocks}
        """Places of the runs whose ``continue: false`` is a refusal here."""
        ended = [self._weighed(e) for e in given.ended]
        self.by_place = sorted(ended, key=lambda e: e.place)
        self.by_end = sorted((e for e in ended if e.finished >= 0), key=lambda e: e.finished)

    def _weighed(self, e: FinishedRun) -> FinishedRun:
        reply = weighed(Weighed(self.bound, self.payload, e.reply, e.context_cap))
        return e if reply is e.reply else structs.replace(e, run=structs.replace(e.run, reply=reply))

    def outcome(self) -> Outcome:
        stopper = self._stopper()
        decider = self._decider()
        decision = decider.reply.decision if decider else None
        effect, cause = self._effect(decision, stopper)
        reason = self._reason(decider, effect, stopper)
        tool_runs = self._tool_runs(effect, decision)
        updated_input = None if tool_runs is False else self._updated_input(effect)
        # explored-ask-with-bad-input: a question comes before the input is looked at.
        is_used = updated_input is not None and (tool_runs or effect not in (Effect.STOP, Effect.ASK))
        if is_used and (fault := input_fault(self.given, updated_input)):
            tool_runs = False if tool_runs else tool_runs
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
        return next((e for e in self.by_place if e.reply.stop), None)

    def _effect(self, decision: Decision | None, stopper: FinishedRun | None) -> tuple[Effect, CauseKind]:
        refuses = decision is not None and decision.is_refusal
        answers, mode = self.profile.answers, self.bound.stop_mode
        runs_first = mode == "stops after the tool has run" and not refuses
        # stop-tool-ask-beside, stop-tool-defer-beside: what ends after the tool waits for the answer
        waits = runs_first and decision in (Decision.ASK, Decision.DEFER)
        if stopper is not None and mode != "stops the hooks" and not waits:
            return Effect.STOP, CauseKind.STOP_ENDS_TURN_AFTER_TOOL if runs_first else CauseKind.STOP_ENDS_TURN
        if decision is not None and refuses:
            return self._refusal(decision)
        if decision is Decision.ASK and self.fold_rule is FoldRule.DECISION:
            return Effect.ASK, self._weighing()
        if decision is Decision.DEFER and self.fold_rule is FoldRule.DECISION:
            return Effect.DEFER, self._weighing()
        if decision is None and self.by_place and self.event in answers.silence_blocks_on:
            return Effect.BLOCK, CauseKind.SILENCE_BLOCKS
        if decision is None and self.event in self.rules.asks_without_decision_on:
            return Effect.ASK, CauseKind.SILENCE_ASKS
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
        return self.rules.decisions.get(self.event, self.rules.decisions.get("*", "most restrictive"))

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
            return ""
        separator = self.rules.joined_reasons.get(self.event, self.rules.joined_reasons.get("*"))
        if separator is not None:
            order = self.by_end if self.rules.reason == "last to finish" else self.by_place
            reasons = [e.reply.reason for e in order if self._agrees(e, decider) and e.reply.reason]
            return separator.join(reasons)
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

    def _updated_output(self, effect: Effect, reason: str) -> Any:
        if effect is Effect.FEEDBACK and self.event in self.rules.reason_replaces_output_on:
            return reason
        given = [e.reply.updated_output for e in self.by_place if e.reply.updated_output is not None]
        return self._heard(given[-1]) if given else None

    def _heard(self, output: Any) -> Any:
        """What is heard of a replaced output: the text in it, where the client takes it out."""
        if isinstance(output, dict):
            return next((output[key] for key in self.profile.answers.output_text if key in output), output)
        return output

    # --- who hears what

    def _to_model(self, effect: Effect, reason: str, decider: FinishedRun | None) -> tuple[str, ...]:
        told = [reason] if reason and self._model_hears_reason(effect) else []
        contexts = self._contexts(effect)
        if effect is Effect.FEEDBACK and decider is not None and self.rules.context == "completion order":
            earlier = len(self._contexts(effect, before=decider))
            return (*contexts[:earlier], *told, *contexts[earlier:])
        return (*told, *contexts)

    def _model_hears_reason(self, effect: Effect) -> bool:
        return effect in _REASON_COUNTS and self._hears() in ("model", "both")

    def _hears(self) -> str:
        return self.rules.reason_to.get(self.event, _HEARS[self.fold_rule])

    def _contexts(self, effect: Effect, before: FinishedRun | None = None) -> list[str]:
        """What the model is told beside the decision: all of it, or what runs said that ended before another one."""
        answers = self.profile.answers
        refuses = effect in (Effect.BLOCK, Effect.FEEDBACK)
        if refuses and self.event in answers.refusal_drops_context_on:
            return []
        order = self.by_end if self.rules.context == "completion order" else self.by_place
        return [e.reply.context for e in order if e.reply.context and (before is None or e.finished < before.finished)]

    def _to_user(self, effect: Effect, reason: str) -> tuple[str, ...]:
        texts: list[str] = []
        hears = self._hears()
        heard = effect in (*_REASON_COUNTS, Effect.STOP) and reason
        if heard and (hears in ("user", "both") or (effect is Effect.STOP and hears != "none")):
            texts.append(reason)
        return (*texts, *(e.reply.message for e in self.by_place if e.reply.message))


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
