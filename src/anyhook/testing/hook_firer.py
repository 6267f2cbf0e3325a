"""Fires single events at the hooks of a package, for tests in Python, in the environment of a test case."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.engine.engine import Engine
from anyhook.engine.models.models import ModelAnswer, ModelRequest
from anyhook.model.hooks import Action, Guard, HookSet, Python, Rule, RuleCommand
from anyhook.model.outcome import Effect, Outcome, Skip
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.sources.package_hooks import PackageHooks
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Case, CaseFolder, SuiteConfig
from anyhook.testing.matrix.bridged import BridgedPlay, play_deployed
from anyhook.testing.matrix.carrying import Carried, carry_over
from anyhook.testing.runner import Trial
from anyhook.testing.sandbox import case_environment
from anyhook.testing.scaffold.example_events import choose_client, known_client, known_event, make_payload


class HookFirer:
    """Fires events at the hooks of one package."""

    def __init__(self, root: Path, home: Path) -> None:
        """``home`` is the home folder of the hooks."""
        self.hooks = PackageHooks(root)
        self.root, self.home = root, home
        self.config = next((case.folder.config for case in read_suite(root).cases), SuiteConfig())

    def fire(
        self, event: str, fields: Mapping[str, Any], *, client: str | None = None, verdict: ModelAnswer | None = None
    ) -> Outcome:
        """The outcome of the package's hooks on an event; fields have the names of the Agent SDK hooks spec.

        Another client than the one that the hooks are written for gets them converted, and its own spelling of the
        event; those that only anyhook runs are asked as a deployed entry asks them. ``verdict`` is what the model
        answers to prompt and agent hooks.
        """
        client = None if client is None else known_client(client)
        known = known_event(event, client or "")
        owner = choose_client(self.hooks, client)
        payload = make_payload(known, {"session_id": "session-1", "cwd": str(self.root), **fields}, owner)
        rules = self.hooks.rules(owner, payload.event)
        if client is None or client == owner:
            return asyncio.run(self._play(HookSet(dialect=owner, rules=rules), payload, verdict))
        deployed = tuple(
            rule for rule in rules if any(isinstance(action, Guard | Python | RuleCommand) for action in rule.actions)
        )
        native = tuple(rule for rule in rules if rule not in deployed)
        converted, sent, skipped = self._converted(native, payload, owner, client)
        outcomes = [asyncio.run(self._play(HookSet(dialect=client, rules=converted), sent, verdict))]
        for rule in deployed:
            played = asyncio.run(self._asked(self._trial(rule, payload, owner), client, verdict))
            outcomes += [played.outcome] if played.outcome else []
            why = f"{profile_of(client).title} {played.why}"
            skipped += [] if played.outcome else [_skip(action, why) for action in rule.actions]
        return _joined(outcomes, skipped)

    def _trial(self, rule: Rule, payload: Payload, owner: str) -> Trial:
        case = Case(name="fired", event=payload.event, folder=CaseFolder(self.root, self.config), file=self.root)
        return Trial(case=case, client=owner, rule=rule, payload=payload, root=self.root)

    async def _asked(self, trial: Trial, client: str, verdict: ModelAnswer | None) -> BridgedPlay:
        async def run(asked: Trial) -> Outcome | None:
            hooks = HookSet(dialect=asked.client, rules=(asked.rule,))
            return await self._play(hooks, asked.payload, verdict, client)

        return await play_deployed(trial, client, run)

    def _converted(
        self, rules: tuple[Rule, ...], payload: Payload, owner: str, client: str
    ) -> tuple[tuple[Rule, ...], Payload, list[Skip]]:
        """The rules and the payload converted for another client; a hook that it cannot have is skipped."""
        converted: list[Rule] = []
        skipped: list[Skip] = []
        sent = payload
        for rule in rules:
            carried = carry_over(self._trial(rule, payload, owner), client)
            if isinstance(carried, Carried):
                converted.append(carried.trial.rule)
                sent = carried.trial.payload
            else:
                why = f"{profile_of(client).title} {carried.why}"
                skipped += [_skip(action, why) for action in rule.actions]
        return tuple(converted), sent, skipped

    async def _play(self, hooks: HookSet, payload: Payload, verdict: ModelAnswer | None, client: str = "") -> Outcome:
        requests: list[ModelRequest] = []

        def answer(request: ModelRequest) -> ModelAnswer:
            requests.append(request)
            return "" if verdict is None else verdict

        engine = Engine(
            hooks,
            project=self.root,
            home=self.home,
            environment=case_environment(os.environ, self.config.env, self.root, self.home),
            model=answer,
            client=client,
        )
        try:
            async with asyncio.timeout(self.config.timeout):
                outcome = await engine.fire(payload, explain=True)
                await engine.close(wait=self.config.timeout)
        except TimeoutError:
            await engine.close()
            raise UsageError(f"the hooks did not end within {self.config.timeout:g} s") from None
        if requests and verdict is None:
            raise UsageError("a hook asks a model, but tests call none: give its answer with verdict=")
        return outcome


def _skip(action: Action, why: str) -> Skip:
    return Skip(origin=action.origin, summary=action.summary(), reason=why)


def _joined(outcomes: Sequence[Outcome], skipped: Sequence[Skip]) -> Outcome:
    """The outcome of hooks that a client runs itself and of those that it asks anyhook about; a refusal counts."""
    by_effect = sorted(outcomes, key=lambda each: (each.effect is not Effect.BLOCK, each.effect is Effect.PROCEED))
    return structs.replace(
        by_effect[0],
        runs=tuple(run for each in outcomes for run in each.runs),
        to_model=tuple(text for each in outcomes for text in each.to_model),
        to_user=tuple(text for each in outcomes for text in each.to_user),
        skipped=(*(skip for each in outcomes for skip in each.skipped), *skipped),
    )
