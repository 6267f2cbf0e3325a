"""Plays recorded events to the hooks that a project has today, and compares with what happened then."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.translation.translate import hook_payloads, translate_payload
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.engine.engine import Engine
from anyhook.entries.anyhook_entries import asking_of
from anyhook.model.hooks import HookSet, Rule
from anyhook.model.outcome import Effect, Outcome
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.record.entries import is_recorder
from anyhook.record.infer import conclude, plain_payload, read_payloads
from anyhook.record.recorded import Happened, RecordedEvent
from anyhook.record.redact import restore_home
from anyhook.record.store.spool import VARIABLE as JOURNAL


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


def hooks_of_today(started: ProjectClient) -> HookSet:
    """The hooks that a client has in a project, without the entries that record."""
    hooks = started.loaded
    return structs.replace(hooks, rules=tuple(filter(None, map(_without_recorders, hooks.rules))))


def package_of_today(project: Project) -> HookSet | None:
    """The hooks of the package that contains the project, in the dialect that they are written in; None: none."""
    owner = project.package.owner()
    hooks = None if owner is None else project.package.of(owner)
    return hooks if hooks is not None and hooks.rules else None


def _without_recorders(rule: Rule) -> Rule | None:
    actions = tuple(action for action in rule.actions if not is_recorder(action))
    return structs.replace(rule, actions=actions) if actions or not rule.actions else None


def replay(events: Sequence[RecordedEvent], project: Project, client: str | None = None) -> Iterator[Replayed]:
    """Fire every event, in order, as the client that it was recorded from or as another one. This runs hooks."""
    environment = {**os.environ, JOURNAL: "0"}  # deployed entries write no rows: the events would be recorded again
    home, package = project.roots.home, package_of_today(project)

    @lru_cache(None)
    def engines_of(name: str) -> tuple[Engine, ...]:
        """The client's own hooks come first, then those of the package as if it were deployed beside them."""
        started = project.started(name)
        own = Engine(hooks_of_today(started), project=started.base, home=home, environment=environment)
        if package is None or any(asking_of(hook.action) for hook in started.hooks):  # its entries ask the package
            return (own,)
        return own, Engine(package, project=project.package.root, home=home, environment=environment)

    read = read_payloads(events)
    for event, then in zip(read, conclude(read), strict=True):
        recorded = event.recorded
        source, target = profile(recorded.client), profile(client or recorded.client)
        plain = restore_home(plain_payload(recorded), str(home))
        sent = decode_payload(source, plain, recorded.event)[0]
        translated = translate_payload(sent, source, target)
        own, *packaged = engines_of(target.name)
        now = None if translated.payload is None else own.fire_sync(translated.payload)
        for engine in packaged:
            for asked in hook_payloads(sent, source, engine.profile):
                if now is not None and now.effect is Effect.PROCEED:
                    now = engine.fire_sync(asked)
        yield Replayed(recorded=recorded, about=event.about, then=then, now=now, losses=translated.losses)
