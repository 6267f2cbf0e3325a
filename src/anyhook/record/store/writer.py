"""Writes rows to the journal in a thread of its own: an answer never waits for it, and no event fails because of it.

What cannot be written is reported once. Rows wait meanwhile; if too many wait, the oldest are given up, and the journal
says how many.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from anyhook.record.limit_rows import limited_row
from anyhook.record.recorded import RecordedEvent, note_row
from anyhook.record.store.database import JournalDatabase, explain_error, is_corrupt, set_aside
from anyhook.record.store.open_recordings import MARKERS, OpenRecording, open_recordings
from anyhook.record.store.redact_rows import RowFacts, RowRedactor
from anyhook.record.store.send import JournalSender, progress_facts
from anyhook.record.store.spool import has_spool, spooled_rows, take_spool
from anyhook.sources.load import FILE_NAME
from anyhook.sources.settings import JournalSettings, read_settings
from anyhook.sources.state import settings_folder

MAX_WAITING = 10_000
"""Rows that wait to be written."""
BATCH_SECONDS = 0.25
"""How long rows are collected before they are written together."""
SPOOL_SECONDS = 5.0
"""Seconds between two looks for rows that other processes have left."""
PRUNE_SECONDS = 600.0
RECOVERED = "events are recorded again"
_Read = TypeVar("_Read")
BATCH_ROWS = 500
"""Rows in one transaction: other processes wait for it."""


class ReadWhenChanged(Generic[_Read]):
    """What is read from a file or a folder, read again when that has changed."""

    def __init__(self, path: Path, read: Callable[[], _Read]) -> None:
        self._path, self._read = path, read
        self._seen: tuple[object, _Read] | None = None

    def now(self) -> _Read:
        stamp = _stamp_of(self._path)
        if self._seen is None or self._seen[0] != stamp:
            self._seen = stamp, self._read()
        return self._seen[1]


class _Waiting(Struct, frozen=True):
    """A row that waits to be written, and what it may contain secrets of."""

    row: RecordedEvent
    environment: Mapping[str, str] | None
    patterns: tuple[str, ...]


class JournalWriter:
    """Takes rows from any thread and writes them soon; :meth:`close` writes the rest."""

    def __init__(self, folder: Path, report: Callable[[str], None]) -> None:
        """``report`` is called in the writer's thread, once for every reason."""
        self._folder, self._report = folder, report
        self._settings = ReadWhenChanged(settings_folder() / FILE_NAME, _read_settings)
        self._recordings = ReadWhenChanged(folder / MARKERS, lambda: open_recordings(folder))
        self._waiting: deque[_Waiting] = deque()
        self._batch: list[RecordedEvent] = []
        """Rows that are being written, until that has succeeded."""
        self._lost = 0
        self._lock = threading.Lock()
        self._wake, self._hurry, self._end = threading.Event(), threading.Event(), threading.Event()
        self._when_stored: list[Callable[[], None]] = []
        self._reported: set[str] = set()
        self._redactor = ReadWhenChanged(settings_folder() / FILE_NAME, self._make_redactor)
        self._facts = RowFacts()
        self._database = JournalDatabase(folder)
        self._sender = JournalSender(folder, report)
        self._pruned_at = 0.0
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def settings(self) -> JournalSettings:
        return self._settings.now()

    def recordings(self) -> tuple[OpenRecording, ...]:
        """The recordings that are on."""
        return self._recordings.now()

    def put(
        self, row: RecordedEvent, environment: Mapping[str, str] | None = None, patterns: tuple[str, ...] = ()
    ) -> None:
        """Take a row; returns at once. Its event came from this environment, and its recording has these patterns."""
        row = limited_row(row)  # now, because many may wait
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.popleft()
                self._lost += 1
            self._waiting.append(_Waiting(row, environment, patterns))
        if not self._wake.is_set():
            self._wake.set()

    def store(self, when_stored: Callable[[], None]) -> None:
        """Write the rows that wait without collecting more; returns at once.

        ``when_stored`` is called in the writer's thread once they can be read, or cannot be written now.
        """
        with self._lock:
            self._when_stored.append(when_stored)
        self._write_now()

    def _write_now(self) -> None:
        self._hurry.set()
        self._wake.set()

    def close(self, wait: float = 5.0) -> None:
        """Write the rows that wait and send them, for at most these seconds, and end."""
        until = time.monotonic() + wait
        self._end.set()
        self._write_now()
        if threading.current_thread() is not self._thread:
            self._thread.join(wait)
        self._sender.close(max(0.0, until - time.monotonic()))
        atexit.unregister(self.close)

    def _run(self) -> None:
        while not self._end.is_set():
            if self._wake.wait(SPOOL_SECONDS):
                self._hurry.wait(BATCH_SECONDS)
            self._wake.clear()
            self._hurry.clear()
            self._work()
        self._work()
        self._database.close()

    def _work(self) -> None:
        with self._lock:
            asking, self._when_stored = self._when_stored, []
        try:
            settings = self._settings.now()
            if not settings.enabled:
                self._waiting.clear()
                return
            self._write_waiting()
            if not settings.url:  # else readers look there, and wait until they are sent
                _tell(asking)
            store_spool(self._folder, self._database, self._redact)
            self._prune(settings)
            self._sender.wake(settings)
            if self._reported:
                self._reported.clear()
                self._report(RECOVERED)
        except Exception as error:
            self._failed(error)
        finally:
            _tell(asking)

    def _write_waiting(self) -> None:
        while self._batch or self._waiting:
            self._batch = self._batch or self._take_batch()
            self._database.add(self._batch)
            self._batch = []

    def _take_batch(self) -> list[RecordedEvent]:
        with self._lock:
            lost, self._lost = self._lost, 0
            taken = [self._waiting.popleft() for _ in range(min(BATCH_ROWS, len(self._waiting)))]
        notes = [note_row(f"{lost} events were not recorded")] if lost else []
        return [*notes, *(self._redact(one.row, one.environment, one.patterns) for one in taken)]

    def _redact(
        self, row: RecordedEvent, environment: Mapping[str, str] | None = None, patterns: tuple[str, ...] = ()
    ) -> RecordedEvent:
        known = self._facts.complete(row, with_subject=self._settings.now().subjects)
        return self._redactor.now().clean(known, environment, patterns)

    def _make_redactor(self) -> RowRedactor:
        redactor = RowRedactor()
        if redactor.problem:
            self._report(redactor.problem)
        return redactor

    def _prune(self, settings: JournalSettings) -> None:
        if time.monotonic() - self._pruned_at > PRUNE_SECONDS:
            self._pruned_at = time.monotonic()
            prune(self._database, settings)

    def _failed(self, error: Exception) -> None:
        """Report an error once, and begin a new database where the old one is corrupt."""
        self._database.close()
        text = explain_error(error, self._folder)
        if is_corrupt(error):
            with suppress(OSError, sqlite3.Error):
                if (aside := set_aside(self._folder)) is not None:
                    text = f"the journal was corrupt and is now {aside}; a new one begins"
                self._report(text)
                self._wake.set()
                return
        place = text.partition(": ")[0]
        if place not in self._reported:
            self._reported.add(place)
            self._report(text)


def _tell(asking: list[Callable[[], None]]) -> None:
    while asking:
        asking.pop()()


def store_spool_here(folder: Path) -> None:
    """Store the rows that wait, and remove the oldest: for a process that has no writer."""
    if not has_spool(folder):
        return
    settings = _read_settings()
    redactor, facts = RowRedactor(), RowFacts()
    with JournalDatabase(folder) as database:
        store_spool(folder, database, lambda row: redactor.clean(facts.complete(row, with_subject=settings.subjects)))
        prune(database, settings)


def prune(database: JournalDatabase, settings: JournalSettings) -> None:
    """Remove the oldest rows, but none that was not sent yet."""
    facts = database.facts()
    sent = [int(facts.get(goal, 0)) for goal in progress_facts(settings)]
    database.prune(settings.days, settings.megabytes, min(sent) + 1 if sent else None)


def store_spool(folder: Path, database: JournalDatabase, redact: Callable[[RecordedEvent], RecordedEvent]) -> None:
    """Store the rows that ``anyhook exec`` has left. Each is stored once, also if a process dies meanwhile."""
    for file in take_spool(folder):
        rows = map(redact, spooled_rows(file))
        while batch := list(islice(rows, BATCH_ROWS)):
            database.add(batch)
        file.unlink(missing_ok=True)


def _read_settings() -> JournalSettings:
    return read_settings(None, os.environ).journal


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_mtime_ns, facts.st_size
