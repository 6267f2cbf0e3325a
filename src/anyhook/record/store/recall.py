"""Finds the events to replay: those of a recording, or of a session in the journal."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from anyhook.model.problems import UsageError
from anyhook.record.journal import Recording, find_recording, read_recording
from anyhook.record.store.query import RowFilter, open_journal, wanted_rows
from anyhook.record.store.spool import journal_folder


def open_recording(project: Path, session: str | None = None) -> Recording:
    """The recording of this name, or a session of the journal whose id begins so; without a name, the newest recording.

    UsageError: there is none, there are several, or the rows of the session have no payloads.
    """
    try:
        return read_recording(find_recording(project, session))
    except UsageError:
        if session is None or (found := _from_journal(session)) is None:
            raise
        return found


def _from_journal(session: str) -> Recording | None:
    """A session of the journal; None: it has none of this id."""
    with open_journal(journal_folder()) as journal:
        rows = [row.event for row in wanted_rows(journal.rows_after(0), RowFilter(session=session))]
    names = sorted({row.session for row in rows if row.session})
    if not names:
        return None
    if len(names) > 1 and session not in names:
        raise UsageError(f"{session} can be any of {', '.join(names[:5])}; write more of it")
    name = session if session in names else names[0]
    events = tuple(row for row in rows if row.session == name and row.payload is not UNSET)
    if not events:
        why = "its events have no payloads; set bodies = true under [journal] in your anyhook.toml"
        raise UsageError(f"session {name} is in the journal, but {why}")
    return Recording(Path(name), events)
