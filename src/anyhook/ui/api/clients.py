"""*Clients*: what each client honours, from its profile."""

from __future__ import annotations

from msgspec import Struct

from anyhook.dialects import NAMES, profile
from anyhook.dialects.measured import Measurement, measurements
from anyhook.dialects.profile import Profile
from anyhook.dialects.summary import EventFacts, blocks_on, event_facts, matcher_text, rule_fields
from anyhook.model.problems import UsageError
from anyhook.sources.installed_release import installed_release
from anyhook.ui.shown import Shown


class ClientView(Struct, frozen=True, kw_only=True):
    """A client in one line."""

    name: str
    title: str
    basis: str
    release: str
    installed: str
    """The release that PATH finds; empty: none."""
    events: int
    blocking: int
    """Events on which a hook can block."""
    types: tuple[str, ...]
    """The types of hooks that it runs."""
    matcher: str
    timeout_ms: int | None
    blocks_on: str


class SourceView(Struct, frozen=True):
    scope: str
    root: str
    pattern: str
    kind: str


class ClientDetail(Struct, frozen=True, kw_only=True):
    view: ClientView
    events: tuple[EventFacts, ...]
    sources: tuple[SourceView, ...]
    rules: tuple[tuple[str, str], ...]
    measured: tuple[Measurement, ...]
    changes: tuple[tuple[str, str], ...]
    """Since which release, and what."""
    setup: tuple[str, ...]


def list_clients(shown: Shown) -> tuple[ClientView, ...]:
    return tuple(_view(profile(name), shown) for name in NAMES)


def one_client(name: str, shown: Shown) -> ClientDetail:
    """UsageError: there is no such client."""
    if name not in NAMES:
        raise UsageError(f"there is no client {name}")
    facts = profile(name)
    return ClientDetail(
        view=_view(facts, shown),
        events=event_facts(facts),
        sources=tuple(SourceView(each.scope, each.root, each.pattern, each.kind) for each in facts.sources),
        rules=tuple(rule_fields(facts)),
        measured=measurements(name),
        changes=tuple((change.since, change.what) for change in facts.changes),
        setup=facts.setup,
    )


def _view(facts: Profile, shown: Shown) -> ClientView:
    events = event_facts(facts)
    return ClientView(
        name=facts.name,
        title=facts.title,
        basis=facts.basis,
        release=facts.release,
        installed=installed_release(facts, shown.roots.environment),
        events=len(events),
        blocking=sum(event.blocks for event in events),
        types=tuple(facts.layout.action_keys),
        matcher=matcher_text(facts),
        timeout_ms=facts.timeouts.default_ms,
        blocks_on=blocks_on(facts),
    )
