"""Plays recorded events to the hooks that a project has today, and compares with what happened then."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.translation.translate import hook_payloads, translate_payload
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Effect, Outcome
from anyhook.record.entries import is_recorder
from anyhook.record.infer import conclude, plain_payload, read_payloads
from anyhook.record.recorded import Happened, RecordedEvent
from anyhook.record.redact import restore_home
from anyhook.record.store.spool import VARIABLE as JOURNAL
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import PackageHooks, find_hooks_above


class Replayed(Struct, frozen=True, kw_only=True):
    """One event, then and now."""

    recorded: RecordedEvent
    about: str = ""
    """The tool or other thing that the event is about."""
    then: Happened | None
    """None: it is not known what came of it."""
    now: Outcome | None
    """None: the client that it is played to has no such event."""
    losses: tuple[str, ...] = ()
    """What the event lost on its way to another client."""

    @property
    def is_changed(self) -> bool:
        if self.then is None or self.now is None or self.then.effect == self.now.effect:
            return False
        return not (self.then.may_have_asked and self.now.effect is Effect.ASK)


def hooks_of_today(client: str, roots: Roots) -> HookSet:
    """The hooks that a client has in a project, without the entries that record."""
    hooks = hooks_for_project(client, roots)
    return structs.replace(hooks, rules=tuple(filter(None, map(_without_recorders, hooks.rules))))


def package_root(roots: Roots) -> Path:
    """The nearest folder, from the project upwards, that has hooks/hooks.json or hooks/*.py."""
    return find_hooks_above(roots.project, None, Loader())


def package_of_today(roots: Roots) -> HookSet | None:
    """The hooks of the package that contains the project, in the dialect that they are written in; None: none."""
    package = PackageHooks(package_root(roots))
    owner = package.owner()
    hooks = None if owner is None else package.of(owner)
    return hooks if hooks is not None and hooks.rules else None


def _asks_anyhook(hooks: HookSet) -> bool:
    """Whether the package is deployed, so that the client's own entries run its hooks."""
    actions = [action for rule in hooks.rules for action in rule.actions]
    return any("anyhook" in text for action in actions if isinstance(action, Command) for text in action.commands())


def _without_recorders(rule: Rule) -> Rule | None:
    actions = tuple(action for action in rule.actions if not is_recorder(action))
    return structs.replace(rule, actions=actions) if actions or not rule.actions else None


def replay(events: Sequence[RecordedEvent], roots: Roots, client: str | None = None) -> Iterator[Replayed]:
    """Fire every event, in order, as the client that it was recorded from or as another one. This runs hooks."""
    environment = {**os.environ, JOURNAL: "0"}  # deployed entries write no rows: the events would be recorded again

    @lru_cache(None)
    def engine_of(name: str) -> Engine:
        hooks = hooks_of_today(name, roots)
        return Engine(hooks, project=roots.project, home=roots.home, environment=environment)

    package = package_of_today(roots)
    packaged = (
        None
        if package is None
        else Engine(package, project=package_root(roots), home=roots.home, environment=environment)
    )

    read = read_payloads(events)
    for event, then in zip(read, conclude(read), strict=True):
        recorded = event.recorded
        source, target = profile(recorded.client), profile(client or recorded.client)
        plain = restore_home(plain_payload(recorded), str(roots.home))
        sent = decode_payload(source, plain, recorded.event)[0]
        translated = translate_payload(sent, source, target)
        now = None if translated.payload is None else engine_of(target.name).fire_sync(translated.payload)
        if packaged is not None and now is not None and not _asks_anyhook(engine_of(target.name).hooks):
            # The client's own hooks come first, as if the package were deployed beside them.
            for asked in hook_payloads(sent, source, packaged.profile):
                if now.effect is Effect.PROCEED:
                    now = packaged.fire_sync(asked)
        yield Replayed(recorded=recorded, about=event.about, then=then, now=now, losses=translated.losses)
