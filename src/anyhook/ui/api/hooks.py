"""*Hooks*: every hook with the clients that have it, its problems, and what it has done. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from anyhook.dialects.clients import OWN
from anyhook.doctor.findings import ExaminedHook
from anyhook.model.hooks import FateState
from anyhook.record.store.query import HookActivity
from anyhook.ui.api.problems import Examined, ProblemView


class HookPlace(Struct, frozen=True, kw_only=True):
    """A hook in one client."""

    client: str
    event: str
    loaded: str
    passes_anyhook: bool
    is_deployed: bool
    """False: a hook of a package, which no client has."""


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
    problems: tuple[ProblemView, ...]


class HooksPage(Struct, frozen=True, kw_only=True):
    hooks: tuple[ListedHook, ...]
    others: tuple[HookActivity, ...]
    """Hooks in the journal that are not in this project."""
    counted: int
    is_counted_fully: bool
    journal_error: str


def hooks_page(examined: Examined) -> HooksPage:
    done = {(each.file, each.pointer): each for each in examined.activity}
    groups: dict[tuple[str, str], list[ExaminedHook]] = {}
    for hook in examined.hooks:
        groups.setdefault((hook.file, hook.pointer), []).append(hook)
    return HooksPage(
        hooks=tuple(_listed(group, done.get(key), examined.problems) for key, group in groups.items()),
        others=tuple(each for key, each in done.items() if key not in groups),
        counted=examined.counted,
        is_counted_fully=examined.is_counted_fully,
        journal_error=examined.journal_error,
    )


def _listed(group: list[ExaminedHook], activity: HookActivity | None, problems: Iterable[ProblemView]) -> ListedHook:
    first = group[0]
    asked = any(hook.passes_anyhook and hook.loaded == FateState.ACTIVE for hook in group)
    places = {
        hook.client: HookPlace(
            client=hook.client,
            event=hook.event,
            loaded=hook.loaded,
            passes_anyhook=hook.passes_anyhook,
            is_deployed=hook.client != OWN,
        )
        for hook in group
    }
    return ListedHook(
        hook=first.hook,
        event=first.canonical,
        matcher=first.matcher,
        file=first.file,
        line=first.line,
        clients=tuple(places.values()),
        activity=activity,
        never_fired=asked and activity is None,
        problems=tuple(found for found in problems if _is_about(found, first)),
    )


def _is_about(found: ProblemView, hook: ExaminedHook) -> bool:
    """Whether a problem is in the hook's own entry, or in the group that it belongs to."""
    if found.file != hook.file:
        return False
    if not found.pointer:
        return found.line > 0 and found.line == hook.line
    group, _, _ = hook.pointer.rpartition("/hooks/")
    own, its = f"{hook.pointer}/", f"{found.pointer}/"
    return its.startswith(own) or (
        bool(group) and its.startswith(f"{group}/") and not its.startswith(f"{group}/hooks/")
    )
