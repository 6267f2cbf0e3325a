"""A trial in another client's terms: its group converted, its payload as that client sends it, its verdict as asked."""

from __future__ import annotations

import enum

from msgspec import Struct, structs

from anyhook.deploy.convert.convert import Converted, convert_hooks
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import Verdict
from anyhook.dialects.translation.equivalents import routes
from anyhook.dialects.translation.translate import translate_payload
from anyhook.engine.models.models import ModelAnswer
from anyhook.engine.models.verdicts import VerdictForm, read_verdict
from anyhook.model.hooks import Action, Command, Rule
from anyhook.model.losses import why_lost
from anyhook.model.origin import Scope
from anyhook.model.output import Decision
from anyhook.testing.cases.cases import Case
from anyhook.testing.runner import Trial


class Missing(enum.StrEnum):
    """Why the hook does not even run under a client's rules."""

    EVENT = "no such event"
    HOOK = "not carried over"
    RESULT = "could not run"


class Carried(Struct, frozen=True):
    """A trial in another client's terms."""

    trial: Trial
    losses: tuple[str, ...] = ()


class NotCarried(Struct, frozen=True):
    """A trial that another client has no terms for."""

    missing: Missing
    why: str
    losses: tuple[str, ...] = ()


def carry_over(trial: Trial, client: str) -> Carried | NotCarried:
    """The same trial in the terms of another client, or why that is not possible."""
    source, target = profile_of(trial.client), profile_of(client)
    name = trial.rule.native_event
    if not routes(trial.rule.event, client):
        return NotCarried(Missing.EVENT, f"has no event like {name}")
    translated = translate_payload(trial.payload, source, target)
    if translated.payload is None:
        return NotCarried(Missing.EVENT, _without_title("; ".join(translated.losses), target))
    converted = convert_hooks(trial.rules, source, target)
    losses = tuple(dict.fromkeys(loss.text for loss in converted.losses))
    rules = [rule for rule in converted.rules if rule.event == translated.payload.event]
    if not rules:
        return NotCarried(Missing.HOOK, _without_title(_why_not(converted, name), target), losses)
    carried = structs.replace(
        trial,
        client=client,
        rules=tuple(_as_plugin(rule, target) for rule in rules),
        payload=structs.replace(translated.payload, native_event=rules[0].native_event),
        case=_with_verdict(trial.case, source.model_hooks.verdict, target.model_hooks.verdict),
    )
    return Carried(carried, (*losses, *translated.losses))


def _why_not(converted: Converted, event: str) -> str:
    return why_lost(converted.losses) or f"nothing of {event} is left"


def _without_title(text: str, profile: Profile) -> str:
    """A sentence about a client without its title, for texts that name it already."""
    return text.removeprefix(profile.title).removeprefix(":").lstrip()


def _as_plugin(rule: Rule, target: Profile) -> Rule:
    """The rule as a hook of the client's plugin, if only as such it gets the variables that its commands use."""
    names = bind_rule(target, rule).profile.execution.plugin_exports

    def placed(action: Action) -> Action:
        used = any(f"{{{name}}}" in text for name in names for text in _commands(action))
        return structs.replace(action, origin=structs.replace(action.origin, scope=Scope.PLUGIN)) if used else action

    return structs.replace(rule, actions=tuple(map(placed, rule.actions)))


def _commands(action: Action) -> tuple[str, ...]:
    return action.commands() if isinstance(action, Command) else ()


def _with_verdict(case: Case, own: VerdictForm, asked: VerdictForm) -> Case:
    """The case with the model's answer in the form in which another client asks for it."""
    verdict = None if case.input.verdict is None or own == asked else read_verdict(own, case.input.verdict)
    if verdict is None:
        return case
    return structs.replace(case, input=structs.replace(case.input, verdict=_answer(asked, verdict)))


def _answer(form: VerdictForm, verdict: Verdict) -> ModelAnswer:
    if form == "ok":
        return {"ok": verdict.decision is not Decision.DENY, "reason": verdict.reason}
    if verdict.decision is Decision.DENY:
        word = "deny" if form == "decision" else "block"
    else:
        word = verdict.decision or ("allow" if form == "decision" else "continue")
    return {"decision": word, "reason": verdict.reason}
