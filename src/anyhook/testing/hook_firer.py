"""Fires single events at the hooks of a package, for tests in Python, in the environment of a test case."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.clients import OWN
from anyhook.engine.models.models import ModelAnswer
from anyhook.entries.command_entries import is_bridge
from anyhook.model.hooks import Action, Guard, Python, Rule, RuleCommand
from anyhook.model.outcome import Outcome, Skip, strictness
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.project.package_hooks import PACKAGE_FILE
from anyhook.project.project import Project
from anyhook.sources.config_in_memory import known_client
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Case, CaseFolder, CaseInput, SuiteConfig
from anyhook.testing.matrix.bridged import play_deployed
from anyhook.testing.matrix.carrying import Carried, carry_over
from anyhook.testing.runner import Trial, play_trial
from anyhook.testing.scaffold.example_events import choose_client, known_event, make_payload


class HookFirer:
    """Fires events at the hooks of one package."""

    def __init__(self, root: Path, home: Path) -> None:
        """``home`` is the home folder of the hooks."""
        self.hooks = Project.open(root).own_package
        self.root, self.home = root, home
        self.config = next((case.folder.config for case in read_suite(root).cases), SuiteConfig(version=1))

    def fire(
        self, event: str, fields: Mapping[str, Any], *, client: str | None = None, verdict: ModelAnswer | None = None
    ) -> Outcome:
        """The outcome of the package's hooks on an event; fields have the names of the Agent SDK hooks spec.

        Another client than the one that the hooks are written for gets them converted, and its own spelling of the
        event; those that only anyhook runs are asked as a deployed entry asks them. Hooks that the client has in a
        file of its own run as well. ``verdict`` is what the model answers to prompt and agent hooks.
        """
        client = self._only_client() if client is None else known_client(client)
        known = known_event(event, client or "")
        owner = choose_client(self.hooks, client)
        outcomes: list[Outcome] = []
        skipped: list[Skip] = []
        for source in dict.fromkeys((owner, self.hooks.owner() or owner)):  # a client's own hooks, then the package's
            payload = make_payload(known, {"session_id": "session-1", "cwd": str(self.root), **fields}, source)
            rules = self.hooks.rules(source, payload.event)
            if client in (None, source):
                own = rules if source == self.hooks.owner() else tuple(filter(_is_written_by_hand, rules))
                outcomes.append(asyncio.run(self._play(self._trial(own, payload, source, verdict))))
            else:
                carried = self._carried(rules, payload, source, client, verdict)
                outcomes += carried[0]
                skipped += carried[1]
        return _joined(outcomes, skipped)

    def _only_client(self) -> str | None:
        """The one client that has hooks of its own beside functions, guards and rules of the package."""
        if self.hooks.owner() != OWN or (self.root / PACKAGE_FILE).exists():
            return None
        clients = [name for name in self.hooks.clients() if any(map(_is_written_by_hand, self.hooks.of(name).rules))]
        return clients[0] if len(clients) == 1 and clients[0] != OWN else None

    def _carried(
        self, rules: tuple[Rule, ...], payload: Payload, source: str, client: str, verdict: ModelAnswer | None
    ) -> tuple[list[Outcome], list[Skip]]:
        """What hooks of one client do in another: converted, or asked about where only anyhook runs them."""
        deployed = tuple(
            rule for rule in rules if any(isinstance(action, Guard | Python | RuleCommand) for action in rule.actions)
        )
        native = tuple(rule for rule in rules if rule not in deployed)
        converted, sent, skipped = self._converted(native, payload, source, client)
        outcomes = [asyncio.run(self._play(self._trial(converted, sent, client, verdict)))]
        for rule in deployed:
            trial = self._trial((rule,), payload, source, verdict)
            played = asyncio.run(play_deployed(trial, client, lambda asked: self._play(asked, client)))
            outcomes += [played.outcome] if played.outcome else []
            why = f"{profile_of(client).title} {played.why}"
            skipped += [] if played.outcome else [_skip(action, why) for action in rule.actions]
        return outcomes, skipped

    def _trial(self, rules: tuple[Rule, ...], payload: Payload, owner: str, verdict: ModelAnswer | None) -> Trial:
        case = Case(
            name="fired",
            event=payload.event,
            input=CaseInput(verdict=verdict),
            folder=CaseFolder(self.root, self.config),
            file=self.root,
        )
        return Trial(case=case, client=owner, rules=rules, payload=payload, root=self.root)

    def _converted(
        self, rules: tuple[Rule, ...], payload: Payload, owner: str, client: str
    ) -> tuple[tuple[Rule, ...], Payload, list[Skip]]:
        """The rules and the payload converted for another client; a hook that it cannot have is skipped."""
        converted: list[Rule] = []
        skipped: list[Skip] = []
        sent = payload
        for rule in rules:
            carried = carry_over(self._trial((rule,), payload, owner, None), client)
            if isinstance(carried, Carried):
                converted += carried.trial.rules
                sent = carried.trial.payload
            else:
                why = f"{profile_of(client).title} {carried.why}"
                skipped += [_skip(action, why) for action in rule.actions]
        return tuple(converted), sent, skipped

    async def _play(self, trial: Trial, client: str = "") -> Outcome:
        played = await play_trial(trial, self.home, client=client)
        if played.outcome is None:
            raise UsageError(f"the hooks did not end within {trial.case.seconds:g} s")
        if played.prompts and trial.case.input.verdict is None:
            raise UsageError("a hook asks a model, but tests call none: give its answer with verdict=")
        return played.outcome


def _is_written_by_hand(rule: Rule) -> bool:
    """Whether a rule is not an entry that ``deploy`` wrote, whose hooks run as those of the package."""
    return not any(map(is_bridge, rule.actions))


def _skip(action: Action, why: str) -> Skip:
    return Skip(origin=action.origin, summary=action.summary(), reason=why)


def _joined(outcomes: Sequence[Outcome], skipped: Sequence[Skip]) -> Outcome:
    """The outcome of hooks that a client runs itself and of those that it asks anyhook about; the strictest counts."""
    return structs.replace(
        max(outcomes, key=lambda each: strictness(each.effect)),
        runs=tuple(run for each in outcomes for run in each.runs),
        to_model=tuple(text for each in outcomes for text in each.to_model),
        to_user=tuple(text for each in outcomes for text in each.to_user),
        skipped=(*(skip for each in outcomes for skip in each.skipped), *skipped),
    )
