"""Which hooks and outcomes of a package its cases cover. Pure."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.entries.anyhook_entries import asking_of
from anyhook.model.hooks import Action, FateState, Guard, HookSet
from anyhook.model.origin import Origin
from anyhook.model.outcome import Status
from anyhook.testing.cases.cases import Case
from anyhook.testing.runner import CaseResult


class Ending(enum.StrEnum):
    """How a hook can end, as coverage counts it."""

    ALLOW = "allow"
    BLOCK = "block"
    ERROR = "error"


_ENDINGS: Mapping[Status, Ending] = {
    Status.ALLOWED: Ending.ALLOW,
    Status.BLOCKED: Ending.BLOCK,
    Status.FAILED_OPEN: Ending.ERROR,
    Status.FAILED_CLOSED: Ending.ERROR,
    Status.TIMED_OUT: Ending.ERROR,
}

HookKey = tuple[str, str, int, int]
"""Client, event, group, action: the same in a copy of the package, where file names differ."""


class HookCoverage(Struct, frozen=True, kw_only=True):
    """One hook, and how it ended in the cases."""

    client: str
    event: str
    """As the hook file spells it."""
    group: int
    action: int
    summary: str
    origin: Origin
    seen: tuple[Ending, ...]
    missing: tuple[Ending, ...]


class Coverage(Struct, frozen=True):
    hooks: tuple[HookCoverage, ...]

    @property
    def missed_events(self) -> tuple[str, ...]:
        """Events none of whose hooks ran."""
        seen = {hook.event for hook in self.hooks if hook.seen}
        return tuple(dict.fromkeys(hook.event for hook in self.hooks if hook.event not in seen))

    @property
    def endings(self) -> tuple[int, int]:
        """How many endings the cases cover, and how many are possible."""
        seen = sum(len(hook.seen) for hook in self.hooks)
        return seen, seen + sum(len(hook.missing) for hook in self.hooks)


def measure(hook_sets: Iterable[HookSet], results: Sequence[CaseResult]) -> Coverage:
    """The coverage of every hook that its client loads; an entry of ``deploy`` only asks hooks of the package."""
    seen = _seen(results)
    hooks: list[HookCoverage] = []
    for hook_set in hook_sets:
        groups: dict[str, int] = {}
        for rule in hook_set.rules:
            group = groups[rule.event] = groups.get(rule.event, -1) + 1
            for index, action in enumerate(rule.actions):
                possible = _possible(hook_set.dialect, rule.event, action)
                if action.fate.state is not FateState.ACTIVE or _only_remembers(action) or asking_of(action):
                    continue
                ended = seen.get((hook_set.dialect, rule.event, group, index), set())
                hooks.append(
                    HookCoverage(
                        client=hook_set.dialect,
                        event=rule.native_event,
                        group=group,
                        action=index,
                        summary=action.summary(),
                        origin=action.origin,
                        seen=tuple(ending for ending in Ending if ending in ended),
                        missing=tuple(ending for ending in possible if ending not in ended),
                    )
                )
    return Coverage(tuple(hooks))


def _only_remembers(action: Action) -> bool:
    """Whether a hook decides nothing: it notes events for a rule, and cases have them as earlier ones."""
    return isinstance(action, Guard) and bool(action.settings.get("remembers"))


def _seen(results: Sequence[CaseResult]) -> dict[HookKey, set[Ending]]:
    seen: dict[HookKey, set[Ending]] = {}
    for result in results:
        if result.outcome is None or not isinstance(result.case, Case):
            continue
        positions = {
            action.origin: (result.client, rule.event, group, index)
            for group, rule in enumerate(result.rules, result.group)
            for index, action in enumerate(rule.actions)
        }
        for run in result.outcome.runs:
            if run.status in _ENDINGS and run.origin in positions:
                seen.setdefault(positions[run.origin], set()).add(_ENDINGS[run.status])
    return seen


def _possible(client: str, event: str, action: Action) -> tuple[Ending, ...]:
    """How a hook of this event can end: where nothing can be blocked, no case for it is missing.

    A guard of anyhook fails only by a mistake in anyhook, which no case of a package can provoke.
    """
    impossible: tuple[Ending, ...] = () if profile(client).blocks(event) else (Ending.BLOCK,)
    impossible += (Ending.ERROR,) if isinstance(action, Guard) else ()
    return tuple(ending for ending in Ending if ending not in impossible)
