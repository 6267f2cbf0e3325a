"""Reads the journal: rows by what they are about, and what each hook has done."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from typing import Protocol

from msgspec import Struct, structs

from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.model.outcome import Effect, Status
from anyhook.model.problems import AnyhookError
from anyhook.record.append import now
from anyhook.record.recorded import HookRecord, RecordedEvent, decode_row, is_below
from anyhook.record.store.chain import StoredRow
from anyhook.record.store.database import DATABASE, JournalDatabase, corrupt_files, explain_error, is_corrupt, set_aside
from anyhook.record.store.redact_rows import RowRedactor
from anyhook.record.store.send import send_rows
from anyhook.record.store.spool import journal_folder, why_unusable
from anyhook.record.store.writer import store_spool_here
from anyhook.sources import disk
from anyhook.sources.settings import read_settings
from anyhook.trust.repository import names_of, repository_of

STORE_SECONDS = 2.0
"""Seconds that a daemon may take to store the rows that wait."""
CHECKED = "checked"
"""Fact: when it was last found that the journal can be written."""


class RowSource(Protocol):
    """Where rows are read: the journal here, or the database of a team."""

    def last_number(self) -> int: ...

    def rows_after(self, number: int, limit: int = -1, session: str = "", /) -> Iterator[StoredRow]:
        """Rows with larger numbers, in their order. With a session, rows of others may be left out."""
        ...

    def rows_before(self, number: int, limit: int, session: str = "", /) -> Iterator[StoredRow]:
        """Rows with smaller numbers, the largest first. With a session, rows of others may be left out."""
        ...

    def newest_first(self, since: str = "") -> Iterator[StoredRow]: ...


class RowFilter(Struct, frozen=True, kw_only=True):
    """Which rows are wanted; what is empty does not matter."""

    session: str = ""
    """The beginning of its id."""
    event: str = ""
    """As the client or as anyhook calls it."""
    effect: str = ""
    clients: tuple[str, ...] = ()
    hook: str = ""
    """A part of what it is called, or of its file."""
    project: str = ""
    below: str = ""
    """The folder of the project, or one above it."""
    repositories: tuple[str, ...] = ()
    """With ``below``: rows of a repository with one of these names match wherever it is checked out."""
    recording: str = ""
    since: str = ""

    @property
    def part(self) -> bytes:
        """What the JSON of every row that matches contains; one without it need not be decoded."""
        is_never_escaped = self.session.isascii() and self.session.replace("-", "").isalnum()
        return self.session.encode() if is_never_escaped else b""

    def matches(self, row: RecordedEvent) -> bool:
        if row.note:
            return self == RowFilter(since=self.since, below=self.below, repositories=self.repositories)
        return (
            row.session.startswith(self.session)
            and (not self.event or self.event.lower() in (row.event.lower(), row.canonical.lower()))
            and (not self.effect or self.effect == row.effect)
            and (not self.clients or row.client in self.clients)
            and self.project in ("", row.project)
            and self._is_of_project(row)
            and self.recording in ("", row.recording)
            and (not self.hook or any(self.hook in hook.hook or self.hook in hook.file for hook in row.hooks))
            and row.at >= self.since
        )

    def _is_of_project(self, row: RecordedEvent) -> bool:
        return not self.below or row.repository in self.repositories or is_below(row.project, self.below)


class Checkout(Struct, frozen=True):
    """The working tree that a folder is in, and what rows call its repository."""

    top: str = ""
    names: tuple[str, ...] = ()
    """The present name, then those from before it had an origin or a commit; empty: there is no git."""

    @property
    def name(self) -> str:
        return self.names[0] if self.names else ""

    def renamed(self, row: RecordedEvent) -> RecordedEvent:
        """A row of this repository as it would be written now."""
        if row.repository in self.names:
            return structs.replace(row, repository=self.name)
        within = row.project[len(self.top) + 1 :] if is_below(row.project, self.top) else ""
        is_here = bool(within) or row.project == self.top
        if self.names and is_here and (row.within == within or not row.repository):  # git init, or another origin
            return structs.replace(row, repository=self.name, within=within)
        return row


def checkout_of(folder: Path, environment: Mapping[str, str]) -> Checkout:
    repository = repository_of(folder)
    return Checkout(str(repository.top), names_of(repository, environment))


class NumberedRow(Struct, frozen=True):
    """A row with its number in the journal."""

    number: int
    event: RecordedEvent


def wanted_rows(rows: Iterable[StoredRow], wanted: RowFilter, *, with_bodies: bool = True) -> Iterator[NumberedRow]:
    """The rows that match, in the given order; one that cannot be read is left to ``anyhook log --verify``.

    Without ``with_bodies``, payloads and answers are not read.
    """
    part = wanted.part
    for row in rows:
        if part not in row.content:
            continue
        with suppress(ValueError, RecursionError):
            event = decode_row(row.content, with_bodies=with_bodies)
            if wanted.matches(event):
                yield NumberedRow(row.number, event)


@contextmanager
def open_journal(folder: Path) -> Iterator[JournalDatabase]:
    """The journal for reading, with the rows that still waited. AnyhookError: it cannot be read."""
    _store_waiting(folder)
    database = JournalDatabase(folder, is_read_only=True)
    try:
        with database:
            yield database
    except BrokenPipeError:  # of the program that reads our output
        raise
    except (OSError, sqlite3.Error) as error:
        if is_corrupt(error) and (aside := set_aside(folder)) is not None:
            raise AnyhookError(f"the journal was corrupt and is now {aside}; a new one begins") from error
        raise AnyhookError(explain_error(error, folder, verb="read")) from error


def _store_waiting(folder: Path) -> None:
    """Store the rows that wait, in a new database if the old one is corrupt; :func:`journal_notes` says why not.

    The daemon stores those that it holds. One that is busy or hangs is not waited for long.
    """
    if folder == journal_folder():
        ask_daemon(find_runtime_folder(os.environ), "store", STORE_SECONDS)
    for _ in range(2):
        try:
            store_spool_here(folder)
            return
        except (OSError, sqlite3.Error, AnyhookError) as error:
            if not is_corrupt(error):
                return
            with suppress(OSError, sqlite3.Error):
                set_aside(folder)


@contextmanager
def open_rows(folder: Path, url: str = "") -> Iterator[RowSource]:
    """The rows of the journal here, or those of a team in PostgreSQL. AnyhookError: they cannot be read."""
    if not url:
        with open_journal(folder) as journal:
            yield journal
        return
    from anyhook.record.store.postgres import PostgresRows, connected

    _store_waiting(folder)
    _send_waiting(folder)
    with connected(url) as connection:
        yield PostgresRows(connection)


def _send_waiting(folder: Path) -> tuple[str, ...]:
    """Send the rows that wait, and return which servers did not take them, and why."""
    try:
        return send_rows(folder, read_settings(None, os.environ).journal)
    except (OSError, sqlite3.Error):
        return ()  # :func:`journal_notes` says that the journal cannot be written


def journal_notes(folder: Path, url: str = "") -> list[str]:
    """What the user should know of the state of the journal. Rows that wait are stored and sent.

    ``url``: the database that is opened next, which sends the rows and says itself why it cannot.
    """
    _store_waiting(folder)
    why_unwritable = _why_unwritable(folder) if disk.exists(folder / DATABASE) else ""
    notes = [
        f"{file}: this journal was corrupt and was set aside; delete it if you do not need it"
        for file in corrupt_files(folder)
    ]
    notes += why_unusable(folder)
    if why_unwritable:
        notes.append(why_unwritable)
    elif not url:
        notes += _send_waiting(folder)
    if why := RowRedactor().problem:
        notes.append(why)
    return notes


def _why_unwritable(folder: Path) -> str:
    """Why no row can be added; empty: it can."""
    try:
        with JournalDatabase(folder) as database:
            database.set_facts({CHECKED: now()})  # a transaction that changes nothing succeeds on a full disk, too
    except (OSError, sqlite3.Error, AnyhookError) as error:
        if not is_corrupt(error):
            return explain_error(error, folder)
        with suppress(OSError, sqlite3.Error):
            set_aside(folder)
    return ""


# ---------------------------------------------------------------------------------------------------------- activity


class HookActivity(Struct, frozen=True, kw_only=True):
    """What one hook has done."""

    hook: str
    file: str
    known_as: str
    """Its file by the place in its repository, if it is in one."""
    pointer: str
    line: int
    clients: tuple[str, ...]
    fired: int
    blocked: int
    would_block: int
    """How often it would have blocked, if its level were not *shadow*."""
    failed: int
    timed_out: int
    p50_ms: float
    p95_ms: float
    total_ms: float
    last_at: str
    """When it last fired, as ISO text."""
    last_status: str
    last_effect: str
    """The effect of the event on which it last fired."""
    last_subject: str
    """What that event was about."""


class SessionTime(Struct, frozen=True):
    """How long sessions took, from their first event to their last answer, and how much of it was for hooks."""

    session_ms: float
    hooks_ms: float

    @property
    def share(self) -> float:
        return self.hooks_ms / self.session_ms if self.session_ms else 0.0


def hook_activity(rows: Iterable[RecordedEvent]) -> tuple[HookActivity, ...]:
    """What every hook in these rows has done for a client, the one that fired most first.

    A hook is known by its file and its place in it; in all checkouts of a repository it is the same hook.
    """
    runs: dict[tuple[str, str, str], list[tuple[RecordedEvent, HookRecord]]] = {}
    for row in rows:
        for hook in () if row.simulation else row.hooks:
            if hook.has_run:
                name = "" if hook.pointer else hook.hook
                runs.setdefault((row.known_as(hook.file), hook.pointer, name), []).append((row, hook))
    return tuple(sorted(map(_activity, runs.values()), key=lambda one: (-one.fired, one.file, one.line, one.hook)))


def activity_by_event(rows: Iterable[RecordedEvent]) -> Mapping[tuple[str, str, str, str], HookActivity]:
    """What every hook has done on each event of each client, by client, canonical event, and the hook's file and place.

    One guard hears of several events, and each client that it is deployed to fires it.
    """
    events: dict[tuple[str, str], list[RecordedEvent]] = {}
    for row in rows:
        events.setdefault((row.client, row.canonical), []).append(row)
    return {(*event, one.file, one.pointer): one for event, of in events.items() for one in hook_activity(of)}


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the sorted values that this share of them does not exceed."""
    return values[max(0, ceil(share * len(values)) - 1)] if values else 0.0


def session_time(rows: Iterable[RecordedEvent]) -> SessionTime:
    from datetime import datetime

    sessions: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        if row.session:
            end = datetime.fromisoformat(row.at).timestamp() * 1000
            sessions.setdefault((row.client, row.session), []).append((end - row.ms, end))
    total = sum(max(end for _, end in events) - min(start for start, _ in events) for events in sessions.values())
    return SessionTime(round(total, 3), round(sum(map(_covered, sessions.values())), 3))


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """How long at least one of these spans lasted: tools that run at once wait at once."""
    covered, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered


def _activity(runs: Sequence[tuple[RecordedEvent, HookRecord]]) -> HookActivity:
    last_row, last = max(runs, key=lambda run: run[0].at)
    times = sorted(hook.ms for _, hook in runs)
    statuses = [hook.status for _, hook in runs]
    failures = (Status.FAILED_OPEN, Status.FAILED_CLOSED)
    return HookActivity(
        hook=last.hook,
        file=last.file,
        known_as=last_row.known_as(last.file),
        pointer=last.pointer,
        line=last.line,
        clients=tuple(sorted({row.client for row, _ in runs})),
        fired=len(runs),
        blocked=statuses.count(Status.BLOCKED),
        would_block=sum(hook.would == "block" for _, hook in runs),
        failed=sum(status in failures for status in statuses),
        timed_out=statuses.count(Status.TIMED_OUT),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        total_ms=round(sum(times), 3),
        last_at=last_row.at,
        last_status=last.status,
        last_effect=last_row.effect or Effect.PROCEED.value,
        last_subject=last_row.subject,
    )
