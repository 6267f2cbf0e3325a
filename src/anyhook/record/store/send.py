"""Sends the rows of the journal to the servers of a team: PostgreSQL and an OpenTelemetry collector.

The journal is the spool: it knows how far its rows were sent. A server that is slow or away holds up no row on its way
into the journal, because the sender has a thread and a connection of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from anyhook.model.problems import AnyhookError
from anyhook.record.store.database import (
    BUSY_SECONDS,
    COLLECTOR_SENT,
    POSTGRES_SENT,
    JournalDatabase,
    explain_error,
)
from anyhook.sources.settings import JournalSettings

LOCK = "send.lock"
RETRY_SECONDS = 10.0
"""Seconds until a server that could not be reached is tried again."""
SENT_AGAIN = "events are sent again"


def progress_facts(settings: JournalSettings) -> tuple[str, ...]:
    """The facts that tell how far the rows were sent, one for each server that the user wants them in."""
    goals = ((POSTGRES_SENT, settings.url), (COLLECTOR_SENT, settings.otlp))
    return tuple(name for name, url in goals if url)


def send_rows(folder: Path, settings: JournalSettings) -> tuple[str, ...]:
    """Send the rows that were not sent yet, and return which servers did not take them, and why.

    One process at a time sends: values of metrics that arrive late would look as if the counters had begun anew.
    Raises OSError or sqlite3.Error: the journal cannot be read.
    """
    from filelock import FileLock, Timeout

    goals = progress_facts(settings)
    if not goals:
        return ()
    with JournalDatabase(folder) as database:
        facts, last = database.facts(), database.last_number()
        if all(int(facts.get(goal, 0)) >= last for goal in goals):
            return ()
        try:
            with FileLock(folder / LOCK, mode=0o600, timeout=BUSY_SECONDS):
                return _send(database, settings)
        except Timeout:
            return ()  # another process sends them


def _send(database: JournalDatabase, settings: JournalSettings) -> tuple[str, ...]:
    failures: list[str] = []
    if settings.url:
        from anyhook.record.store.postgres import send_to_postgres  # few users have one

        try:
            send_to_postgres(database, settings.url, with_bodies=settings.bodies)
        except AnyhookError as error:
            failures.append(str(error))
    if settings.otlp:
        from anyhook.record.store.collector import OtlpCollector
        from anyhook.record.store.otlp import send_to_collector

        try:
            send_to_collector(database, OtlpCollector(settings.otlp, settings.otlp_headers))
        except AnyhookError as error:
            failures.append(str(error))
    return tuple(failures)


class JournalSender:
    """Sends rows in a thread of its own, which begins when there is a server to send them to."""

    def __init__(self, folder: Path, report: Callable[[str], None]) -> None:
        """``report`` is called in the sender's thread: once when a server fails, and once when all take rows again."""
        self._folder, self._report = folder, report
        self._settings = JournalSettings()
        self._wake, self._end = threading.Event(), threading.Event()
        self._reported: set[str] = set()
        self._retry_at = 0.0
        self._thread: threading.Thread | None = None

    def wake(self, settings: JournalSettings) -> None:
        """Send what was added; returns at once."""
        if not progress_facts(settings):
            return
        self._settings = settings
        self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="journal-sender", daemon=True)
            self._thread.start()

    def close(self, wait: float) -> None:
        """Send the rest, for at most these seconds; the journal keeps what was not sent."""
        self._end.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(wait)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            self._wake.wait()
            self._wake.clear()
            is_last = self._end.is_set()
            if is_last or time.monotonic() >= self._retry_at:
                self._try()

    def _try(self) -> None:
        try:
            failures = send_rows(self._folder, self._settings)
        except Exception as error:
            failures = (explain_error(error, self._folder),)
        self._retry_at = time.monotonic() + RETRY_SECONDS if failures else 0.0
        with suppress(Exception):  # of the report: rows are still sent
            self._tell(failures)

    def _tell(self, failures: tuple[str, ...]) -> None:
        for text in failures:
            place = text.partition(": ")[0]  # a server may fail in several ways while it stops
            if place not in self._reported:
                self._reported.add(place)
                self._report(text)
        if self._reported and not failures:
            self._reported.clear()
            self._report(SENT_AGAIN)
