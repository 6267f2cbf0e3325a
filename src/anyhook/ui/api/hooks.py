"""*Hooks*: every hook with the clients that have it, its problems, and what it has done. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from anyhook.model.hooks import FateState
from anyhook.model.problems import Problem
from anyhook.project.hook import WrittenHook, written_in
from anyhook.record.recorded import name_in_repository
from anyhook.record.store.query import HookActivity
from anyhook.report.data import problems_data
from anyhook.ui.api.problems import Examined


class HookPlace(Struct, frozen=True, kw_only=True):
    """A hook in one client."""

    client: str
    event: str
    loaded: str
    passes_anyhook: bool


class ListedHook(Struct, frozen=True, kw_only=True):
    """A hook, wherever it runs."""

    hook: str
    event: str
    matcher: str | None
    file: str
    line: int
    clients: tuple[HookPlace, ...]
    activity: HookActivity | None
    """None: the journal has no run of it."""
    never_fired: bool
    """A client asks anyhook for it, and it has not fired. Otherwise the journal cannot know."""
    problems: list[dict[str, Any]]


class HooksPage(Struct, frozen=True, kw_only=True):
    hooks: tuple[ListedHook, ...]
    others: tuple[HookActivity, ...]
    """Hooks that have run in this project and are no longer in it."""
    counted: int
    is_counted_fully: bool
    journal_error: str


def hooks_page(examined: Examined) -> HooksPage:
    done = {(each.known_as, each.pointer): each for each in examined.activity}
    written = written_in(examined.diagnosis.hooks)
    known = {_known_as(hook, examined) for hook in written}
    return HooksPage(
        hooks=tuple(
            _listed(hook, done.get(_known_as(hook, examined)), examined.diagnosis.problems) for hook in written
        ),
        others=tuple(each for key, each in done.items() if key in examined.here - known),
        counted=examined.counted,
        is_counted_fully=examined.is_counted_fully,
        journal_error=examined.journal_error,
    )


def _known_as(written: WrittenHook, examined: Examined) -> tuple[str, str]:
    """How the journal knows a hook: in other checkouts of the repository it has another path."""
    hook = written.hook
    return name_in_repository(hook.file, examined.checkout.top, examined.checkout.name), hook.origin.pointer


def _listed(written: WrittenHook, activity: HookActivity | None, problems: Iterable[Problem]) -> ListedHook:
    hook = written.hook
    asked = any(reading.is_asked and reading.state is FateState.ACTIVE for reading in written.readings)
    places = {
        reading.client: HookPlace(
            client=reading.client,
            event=reading.read.native_event,
            loaded=reading.loaded,
            passes_anyhook=reading.is_asked,
        )
        for reading in written.readings
    }
    return ListedHook(
        hook=hook.name,
        event=hook.event,
        matcher=hook.matcher,
        file=hook.file,
        line=hook.line,
        clients=tuple(places.values()),
        activity=activity,
        never_fired=asked and activity is None,
        problems=problems_data(filter(hook.has, problems)),
    )
