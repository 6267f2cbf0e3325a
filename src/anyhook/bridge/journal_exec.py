"""Records one event of ``anyhook exec`` in the journal, after its answer was written. Nothing here can fail it."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from anyhook.bridge.journal_event import Observed, journal_row, recording_on
from anyhook.record.store.open_recordings import open_recordings
from anyhook.record.store.redact_rows import RowRedactor
from anyhook.record.store.spool import FULL_BYTES, add_to_spool, is_switched_off, journal_folder
from anyhook.sources import disk
from anyhook.sources.state import settings_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anyhook.bridge.prepare_event import Prepared
    from anyhook.dialects.wire.answers import ProcessAnswer
    from anyhook.sources.settings import JournalSettings


class ExecJournal:
    """Records the event that this process answers."""

    def __init__(self, stdin: bytes) -> None:
        self.seen = Observed()
        self._stdin, self._began = stdin, time.monotonic()

    def record(self, prepared: Prepared, sent: ProcessAnswer) -> None:
        """Record the event: a client still waits for this process, so the row is only spooled. Never raises."""
        with suppress(Exception):
            settings = _users_settings()
            if is_switched_off(os.environ) or (settings and not settings.enabled):
                return
            folder = journal_folder()
            recording = recording_on(prepared, open_recordings(folder))
            row = journal_row(
                prepared,
                self.seen,
                sent,
                via="exec",
                seconds=time.monotonic() - self._began,
                stdin=self._stdin,
                with_body=settings is not None and settings.bodies,
                with_subject=settings is None or settings.subjects,
                recording=recording,
            )
            row = RowRedactor().clean(row, own=() if recording is None else recording.patterns)
            if add_to_spool(folder, row) > FULL_BYTES:
                from anyhook.record.store.writer import store_spool_here

                store_spool_here(folder)


def _users_settings() -> JournalSettings | None:
    """The user's settings; None: there are none, as for most users."""
    if not disk.exists(settings_folder() / "anyhook.toml"):
        return None
    from anyhook.sources.settings import read_settings

    return read_settings(None, os.environ).journal
