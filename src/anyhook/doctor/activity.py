"""What the journal knows of the hooks: when each last fired, with what effect, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from anyhook.deploy.deployment import Deployed
from anyhook.deploy.ledger import written_at
from anyhook.dialects import profile
from anyhook.model.hooks import FateState, HookSet
from anyhook.model.origin import Origin
from anyhook.model.outcome import Status
from anyhook.model.problems import AnyhookError, Problem, problem
from anyhook.model.wording import brief_line
from anyhook.project.hook import Reading, ResolvedHook, readings_of
from anyhook.project.project import Project
from anyhook.record.append import iso_time
from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.query import HookActivity, RowFilter, activity_by_event, open_journal, wanted_rows

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

    def of(self, reading: Reading) -> HookActivity | None:
        """What a hook has done in one client; of a hook that the client runs itself nothing is known."""
        read, hook = reading.read, reading.hook
        key = (read.client, read.event, hook.file, hook.origin.pointer)
        run = self.hooks.get(key) if reading.is_asked else None
        return run if run is not None and run.last_at >= written_at(Path(read.file)) else None

    def last_run(self, hook: ResolvedHook) -> HookActivity | None:
        """The last run of a hook; of an entry of anyhook, the last one of the hooks that it asks for this client."""
        if hook.behind:
            keys = [(hook.client, hook.event, asked.file, asked.origin.pointer) for asked in hook.behind]
        else:  # a hook of a package fires in the clients that it is deployed to
            keys = [key for key in self.hooks if key[2:] == (hook.file, hook.origin.pointer)]
        since = written_at(Path(hook.file)) if hook.behind else ""  # what came earlier, another entry has answered
        runs = (self.hooks[key] for key in keys if key in self.hooks)
        return max((run for run in runs if run.last_at >= since), key=lambda run: run.last_at, default=None)


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
    """What these rows know: not what only the recorder has seen, and not what a command of anyhook has simulated."""
    clients = frozenset(row.client for row in rows if row.was_answered and not row.simulation)
    return Activity(activity_by_event(rows), clients)


class SilentHook(Struct, frozen=True):
    """A hook that is deployed and has never fired."""

    hook: str
    event: str
    file: str
    line: int
    since: str
    """When it was deployed, as date and time."""


def never_fired(deployed: Sequence[Deployed], package: HookSet, activity: Activity) -> Iterator[SilentHook]:
    """The hooks of the package behind deployed entries of which the journal has nothing."""
    times = [at for item in deployed if (at := _changed_at(item.path)) is not None]
    if not times:
        return
    fired, since = activity.fired, iso_time(min(times))[:16].replace("T", " ")
    for rule in package.rules:
        for action in rule.actions:
            origin = action.origin
            if action.fate.state is FateState.ACTIVE and (origin.file, origin.pointer) not in fired:
                name = action.name or action.summary()
                yield SilentHook(name, rule.event, origin.file, origin.line, since)


def examined_hooks(project: Project, names: Collection[str]) -> tuple[Reading, ...]:
    """Every hook of the clients of these names, those behind their entries included; then those that none has."""
    found = [reading for client in project.readers if client.name in names for reading in readings_of(client.hooks)]
    known = {reading.hook.place for reading in found}
    return (*found, *(written.readings[0] for written in project.written if written.hook.place not in known))


def activity_problems(
    hooks: Sequence[Reading], deployed: Sequence[Deployed], activity: Activity, now: float | None = None
) -> Iterator[Problem]:
    """Entries that no event has reached, hooks that failed when they last ran, and slow ones."""
    today = time.time() if now is None else now
    for item in deployed:
        age = today - (_changed_at(item.path) or today)
        if item.client not in activity.clients and age > PATIENCE_SECONDS:
            title = profile(item.client).title
            text = f"no event of {title} has arrived since this file was written {age / 86400:.0f} days ago"
            fix = f"use {title} here, or see whether it loads the file: anyhook prove --client {item.client}"
            yield problem("H008", Origin(item.client, file=str(item.path)), text, fix)
    times: dict[str, float] = {}
    for reading in hooks:
        client, run = reading.client, activity.of(reading)
        if run is not None and Status(run.last_status).is_failure:
            origin = Origin(client, file=reading.hook.file, line=reading.hook.line)
            text = f"{brief_line(reading.hook.name)} {_failure(run.last_status)} when it last ran, at {run.last_at}"
            yield problem("H009", origin, text, f"see why: anyhook log --client {client}")
        if run is not None and reading.hook.event in _TOOL_CALL:
            times[client] = times.get(client, 0.0) + run.p95_ms
    for client, total in times.items():
        if total > SLOW_MS:
            text = f"the hooks of one tool call in {profile(client).title} take up to {total / 1000:.1f} s together"
            yield problem("H010", Origin(client), text, "see which: anyhook log --stats")


def _failure(status: str) -> str:
    return "timed out" if status == Status.TIMED_OUT else "failed"


def _changed_at(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
