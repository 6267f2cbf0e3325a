"""What the journal knows of the hooks: when each last fired, with what effect, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from anyhook.bridge.entries.anyhook_entries import is_own_call
from anyhook.bridge.entries.hooks_behind import hooks_behind
from anyhook.bridge.entries.one_entry import is_left_entry
from anyhook.deploy.deployment import Deployed
from anyhook.dialects import profile
from anyhook.doctor.findings import ExaminedHook, HealthFinding
from anyhook.engine.reach import mark_unreachable
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, FateState, HookSet, Rule
from anyhook.model.outcome import Status
from anyhook.model.problems import AnyhookError
from anyhook.record.append import iso_time
from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.query import HookActivity, RowFilter, activity_by_event, open_journal, wanted_rows
from anyhook.sources.inventory import ClientHooks

SLOW_MS = 2000.0
"""Milliseconds that the hooks of one tool call may take together without being called slow."""
PATIENCE_SECONDS = 24 * 3600.0
"""How long after deploying a client may send no event without being reported."""
_TOOL_CALL = ("PreToolUse", "PostToolUse")


class Activity(Struct, frozen=True):
    """The part of the journal that is about one project."""

    hooks: Mapping[tuple[str, str, str, str], HookActivity] = {}
    """By client, canonical event, the file of a hook and its place in it."""
    clients: frozenset[str] = frozenset()
    """The clients that have sent an event."""

    @property
    def fired(self) -> frozenset[tuple[str, str]]:
        """The hooks that fired in any client, by file and place."""
        return frozenset((file, pointer) for _, _, file, pointer in self.hooks)


def read_activity(folder: Path, project: Path) -> Activity:
    """Nothing if there is no journal, or it cannot be read: ``anyhook log`` says why."""
    try:
        with open_journal(folder) as journal:
            wanted = RowFilter(project=str(project))
            rows = [row.event for row in wanted_rows(journal.rows_after(0), wanted) if not row.event.note]
    except AnyhookError:
        return Activity()
    return activity_of(rows)


def activity_of(rows: Sequence[RecordedEvent]) -> Activity:
    """What these rows know; what only the recorder has seen did not reach a hook of anyhook."""
    return Activity(activity_by_event(rows), frozenset(row.client for row in rows if row.was_answered))


class SilentHook(Struct, frozen=True):
    """A hook that is deployed and has never fired."""

    hook: str
    event: str
    file: str
    line: int
    since: str
    """When it was deployed, as date and time."""


class NeverFired(Struct, frozen=True):
    """What has never fired since it was deployed."""

    clients: tuple[tuple[Deployed, float], ...] = ()
    """The entries of clients of which no event has arrived, and when they were written."""
    hooks: tuple[SilentHook, ...] = ()


def never_fired(deployed: Sequence[Deployed], package: HookSet | None, activity: Activity) -> NeverFired:
    """The deployed entries, and the hooks of the package behind them, of which the journal has nothing."""
    times = [(item, at) for item in deployed if (at := _changed_at(item.path)) is not None]
    silent = tuple((item, at) for item, at in times if item.client not in activity.clients)
    if package is None or not times:
        return NeverFired(silent)
    fired = activity.fired
    since = iso_time(min(at for _, at in times))[:16].replace("T", " ")
    hooks = (
        SilentHook(action.name or action.summary(), rule.event, action.origin.file, action.origin.line, since)
        for rule in package.rules
        for action in rule.actions
        if action.fate.state is FateState.ACTIVE and (action.origin.file, action.origin.pointer) not in fired
    )
    return NeverFired(silent, tuple(hooks))


def examined_hooks(
    clients: Sequence[ClientHooks], names: Collection[str], activity: Activity
) -> Iterator[ExaminedHook]:
    """Every hook of the clients of these names, those behind an entry of anyhook included."""
    for client in clients:
        if client.dialect in names:
            yield from examined_hooks_of(client, activity)


def examined_hooks_of(client: ClientHooks, activity: Activity) -> Iterator[ExaminedHook]:
    """Every hook of one client; an entry that leaves it to another entry has none."""
    for rule in mark_unreachable(client.hooks, known_tools_only=True).rules:
        for action in rule.actions:
            if not is_left_entry(action):
                yield from _examined(client, rule, action, activity)


def _examined(client: ClientHooks, rule: Rule, entry: Action, activity: Activity) -> Iterator[ExaminedHook]:
    is_entry = is_own_call(entry)
    behind = hooks_behind(entry, client.dialect, rule.event, client.base) if is_entry else ((rule, entry),)
    for its_rule, action in behind:
        origin = action.origin
        seen = activity.hooks.get((client.dialect, rule.event, origin.file, origin.pointer)) if is_entry else None
        yield ExaminedHook(
            client=client.dialect,
            event=rule.native_event,
            canonical=its_rule.event,
            hook=action.name or action.summary(),
            file=origin.file,
            line=origin.line,
            pointer=origin.pointer,
            matcher=its_rule.matcher,
            loaded=entry.fate.state,
            passes_anyhook=is_entry,
            last_fired=seen.last_at if seen else "",
            last_effect=seen.last_effect if seen else "",
            last_status=seen.last_status if seen else "",
            p95_ms=seen.p95_ms if seen else 0.0,
        )


def activity_findings(
    hooks: Sequence[ExaminedHook], deployed: Sequence[Deployed], activity: Activity, now: float | None = None
) -> Iterator[HealthFinding]:
    """Entries that no event has reached, hooks that failed when they last ran, and slow ones."""
    for item, at in never_fired(deployed, None, activity).clients:
        age = (time.time() if now is None else now) - at
        if age > PATIENCE_SECONDS:
            title = profile(item.client).title
            yield HealthFinding(
                check="never-fired",
                severity=Severity.WARNING,
                text=f"no event of {title} has arrived since this file was written {age / 86400:.0f} days ago",
                remedy=f"use {title} here, or see whether it loads the file: anyhook prove --client {item.client}",
                client=item.client,
                file=str(item.path),
            )
    for hook in hooks:
        if hook.last_status and Status(hook.last_status).is_failure:
            yield HealthFinding(
                check="hook-failed",
                severity=Severity.WARNING,
                text=f"{hook.hook} {_failure(hook.last_status)} when it last ran, at {hook.last_fired}",
                remedy=f"see why: anyhook log --client {hook.client}",
                client=hook.client,
                file=hook.file,
                line=hook.line,
            )
    yield from _slow(hooks)


def _slow(hooks: Sequence[ExaminedHook]) -> Iterator[HealthFinding]:
    for client in dict.fromkeys(hook.client for hook in hooks):
        total = sum(hook.p95_ms for hook in hooks if hook.client == client and hook.canonical in _TOOL_CALL)
        if total > SLOW_MS:
            yield HealthFinding(
                check="slow-hooks",
                severity=Severity.WARNING,
                text=f"the hooks of one tool call in {profile(client).title} take up to {total / 1000:.1f} s together",
                remedy="see which: anyhook stats",
                client=client,
            )


def _failure(status: str) -> str:
    return "timed out" if status == Status.TIMED_OUT else "failed"


def _changed_at(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
