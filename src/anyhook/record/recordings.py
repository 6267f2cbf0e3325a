"""Recordings: rows of the journal with their payloads, under a name, and files that such rows were exported to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import UNSET, Struct, ValidationError, structs

from anyhook.model.origin import Origin
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.model.wording import join_and
from anyhook.record.own_patterns import own_patterns
from anyhook.record.recorded import RecordedEvent, decode_row, once_each
from anyhook.record.store.open_recordings import OpenRecording, open_recordings, remove_marker, write_marker
from anyhook.record.store.query import RowFilter, open_journal, wanted_rows
from anyhook.record.store.spool import journal_folder
from anyhook.sources import disk

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BODIES = "set bodies = true under [journal] in your anyhook.toml"


class Recording(Struct, frozen=True):
    """Everything that was recorded under one name, and what is wrong with its file."""

    name: str
    events: tuple[RecordedEvent, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def clients(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.client for event in self.events))

    @property
    def redacted(self) -> int:
        """How many values were taken out of its events."""
        return sum(event.redacted for event in self.events)


# ------------------------------------------------------------------------------------------------------------- making


def begin_recording(project: Path, clients: Sequence[str], name: str | None = None) -> OpenRecording:
    """Switch a recording of these clients on, named after the time unless it is given a name.

    UsageError: there is one of that name, or a pattern in ``anyhook.toml`` cannot be used.
    """
    patterns, journal = own_patterns(project), journal_folder()
    known = {found.name for found in _recordings()} | {found.name for found in open_recordings(journal)}
    if name is None:
        now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
        name = next(n for n in _numbered(now) if n not in known)
    elif not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a recording: use letters, digits, dots, dashes and underscores")
    elif name in known:
        raise UsageError(f"there is a recording {name} already; choose another name")
    recording = OpenRecording(name=name, project=str(project), clients=tuple(clients), patterns=patterns)
    write_marker(journal, recording)
    return recording


def end_recordings(project: Path, clients: Sequence[str]) -> tuple[str, ...]:
    """Switch the recordings of these clients in a project off, and return their names."""
    journal, ended = journal_folder(), []
    for recording in open_recordings(journal):
        left = tuple(client for client in recording.clients if client not in clients)
        if recording.project != str(project) or left == recording.clients:
            continue
        ended.append(recording.name)
        if left:
            write_marker(journal, structs.replace(recording, clients=left))
        else:
            remove_marker(journal, recording.name)
    return tuple(ended)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(2, 10_000))


# ------------------------------------------------------------------------------------------------------------ finding


def list_recordings(project: Path) -> tuple[Recording, ...]:
    """The recordings of a project, the newest first."""
    return tuple(recording for recording in _recordings() if recording.events[0].project == str(project))


def recorded_folder(start: Path) -> Path:
    """The folder, this one or the nearest above it, that has recordings; else this one."""
    projects = {recording.events[0].project for recording in _recordings()}
    return next((folder for folder in (start, *start.parents) if str(folder) in projects), start)


def open_recording(project: Path, name: str | None = None) -> Recording:
    """The recording of this name, the only one whose name begins so, a file that rows were exported to, or a session of
    the journal; without a name, the newest recording of the project.

    UsageError: there is none, there are several, or the rows have no payloads.
    """
    if name is None:
        if not (own := list_recordings(project)):
            raise UsageError(f"nothing has been recorded in {project}; start with: anyhook record on")
        return own[0]
    known = _recordings()
    exact = [recording for recording in known if recording.name == name]
    close = exact or [recording for recording in known if recording.name.startswith(name)]
    if len(close) > 1:
        raise UsageError(f"{name} can be any of {', '.join(sorted(one.name for one in close))}; write more of it")
    if close:
        return close[0]
    if Path(name).is_file():
        return read_recording(Path(name))
    if (session := _session(name)) is not None:
        return session
    if not known:
        raise UsageError(f"there is no recording {name!r}: nothing has been recorded")
    newest = join_and(one.name for one in known[:5])
    raise UsageError(f"there is no recording {name!r}; there {'is' if len(known) == 1 else 'are'} {newest}")


def recorded_rows(rows: Sequence[RecordedEvent]) -> tuple[RecordedEvent, ...]:
    """The events of a recording, in the order in which they came; each of them once."""
    return tuple(sorted(once_each([row for row in rows if row.payload is not UNSET]), key=lambda row: row.at))


def _recordings() -> tuple[Recording, ...]:
    """All recordings in the journal, the newest first."""
    by_name: dict[str, list[RecordedEvent]] = {}
    with open_journal(journal_folder()) as journal:
        for row in wanted_rows(journal.rows_after(0), RowFilter()):
            if row.event.recording:
                by_name.setdefault(row.event.recording, []).append(row.event)
    found = [Recording(name, recorded_rows(rows)) for name, rows in by_name.items()]
    return tuple(sorted((one for one in found if one.events), key=lambda one: one.events[-1].at, reverse=True))


def _session(session: str) -> Recording | None:
    """A session of the journal; None: it has none of this id."""
    with open_journal(journal_folder()) as journal:
        rows = [row.event for row in wanted_rows(journal.rows_after(0), RowFilter(session=session))]
    names = sorted({row.session for row in rows if row.session})
    if not names:
        return None
    if len(names) > 1 and session not in names:
        raise UsageError(f"{session} can be any of {', '.join(names[:5])}; write more of it")
    name = session if session in names else names[0]
    events = recorded_rows([row for row in rows if row.session == name])
    if not events:
        raise UsageError(f"session {name} is in the journal, but its events have no payloads; {_BODIES}")
    return Recording(name, events)


# ------------------------------------------------------------------------------------------------------------ reading


def read_recording(file: Path) -> Recording:
    """Everything in an export of the journal; lines that cannot be read are problems. UsageError when none can be."""
    try:
        with disk.open_file(file) as recorded:
            data = recorded.read()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    read = [_read_line(line, file, number) for number, line in lines]
    events = recorded_rows([item for item in read if isinstance(item, RecordedEvent) and not item.note])
    return Recording(file.name, events, tuple(item for item in read if isinstance(item, Problem)))


def _read_line(line: bytes, file: Path, number: int) -> RecordedEvent | Problem:
    where = Origin(file=str(file), line=number)
    try:
        event = decode_row(line)
    except ValidationError as error:
        return problem("F001", where, f"not a recorded event: {error}", "remove the line")
    except (ValueError, RecursionError):
        return problem("F001", where, "an event that was not written to the end", "remove the line")
    if event.payload is not UNSET or event.note:
        return event
    return problem("F001", where, "a row without a payload", f"record payloads: {_BODIES}")
