"""Recordings of a project: made, found, read and listed. :mod:`anyhook.record.append` adds events to them.

    .anyhook/recordings/.gitignore               nothing in here is committed by accident
    .anyhook/recordings/SESSION/events.jsonl     one line for each event: when, which client, what it sent

The folders and files are the user's alone, whatever the umask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.lazyjson import load_json
from anyhook.model.origin import Origin
from anyhook.model.outcome import Outcome
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.record.append import EVENTS_FILE, append_event, make_private_folder
from anyhook.record.own_patterns import own_patterns
from anyhook.record.recorded import RecordedEvent
from anyhook.record.redact import OWN_PATTERNS_FILE, Redactor, redactor_of_this_machine
from anyhook.sources.editing.replace_file import refuse_links, replace_file

RECORDINGS = Path(".anyhook", "recordings")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Recording(Struct, frozen=True):
    """Everything that was recorded under one name, and what is wrong with the file."""

    folder: Path
    events: tuple[RecordedEvent, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def clients(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.client for event in self.events))


class Journal:
    """An open recording, for programs that embed an engine: ``Engine(hooks, observe=journal.observe)``."""

    def __init__(self, folder: Path, redactor: Redactor | None = None) -> None:
        self.folder = folder
        self._redactor = redactor or redactor_of_this_machine(str(folder))

    def observe(self, payload: Payload, outcome: Outcome) -> None:
        """Add an event that an engine has fired, with what came of it."""
        plain = encode_payload(bind_payload(profile(outcome.client), payload), payload)
        happened = {"effect": outcome.effect.value, "reason": outcome.reason}
        native = payload.native_event or outcome.native_event
        append_event(str(self.folder), self._redactor, outcome.client, native, plain, happened)


# ------------------------------------------------------------------------------------------------------------- making


def create_recording(project: Path, name: str | None = None) -> Path:
    """A folder for a new recording, named after the time unless it is given a name.

    UsageError: there is one of that name, or a pattern in ``anyhook.toml`` cannot be used.
    """
    folder, patterns = project / RECORDINGS, own_patterns(project)
    ignore = folder / ".gitignore"
    refuse_links(project, ignore)
    make_private_folder(str(folder))
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    if name is None:
        now = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
        name = next(n for n in _numbered(now) if not (folder / n).exists())
    elif not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a recording: use letters, digits, dots, dashes and underscores")
    made = folder / name
    refuse_links(project, made / EVENTS_FILE)
    if (made / EVENTS_FILE).exists():
        raise UsageError(f"there is a recording {name} already; choose another name, or remove {made}")
    make_private_folder(str(made))
    if patterns:
        replace_file(made / OWN_PATTERNS_FILE, msgspec.json.encode(patterns), 0o600)
    return made


def discard_if_empty(folder: Path) -> None:
    """Remove a recording into which nothing was recorded."""
    with suppress(OSError):  # it is not empty, or gone already
        if [file.name for file in folder.iterdir()] == [OWN_PATTERNS_FILE]:
            (folder / OWN_PATTERNS_FILE).unlink()
        folder.rmdir()


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in range(2, 10_000))


# ------------------------------------------------------------------------------------------------------------ finding


def list_recordings(project: Path) -> tuple[Path, ...]:
    """The folders of all recordings of a project, the newest first."""
    try:
        folders = [folder for folder in (project / RECORDINGS).iterdir() if folder.is_dir()]
    except OSError:
        return ()
    return tuple(sorted(folders, key=lambda folder: (_last_change(folder), folder.name), reverse=True))


def _last_change(folder: Path) -> float:
    try:
        return (folder / EVENTS_FILE).stat().st_mtime
    except OSError:
        return folder.stat().st_mtime


def find_recording(project: Path, session: str | None = None) -> Path:
    """The recording of this name, the only one whose name starts so, or a path to one; without a name, the newest.

    UsageError when there is none or more than one.
    """
    known = list_recordings(project)
    if session is None:
        filled = [folder for folder in known if (folder / EVENTS_FILE).exists()]
        if not filled:
            raise UsageError(f"nothing has been recorded in {project / RECORDINGS}; start with: anyhook record on")
        return filled[0]
    exact = [folder for folder in known if folder.name == session]
    close = exact or [folder for folder in known if folder.name.startswith(session)]
    if len(close) > 1:
        raise UsageError(
            f"{session} can be any of {', '.join(sorted(folder.name for folder in close))}; write more of it"
        )
    if close:
        return close[0]
    path = Path(session)
    folder = path.parent if path.name == EVENTS_FILE else path
    if (folder / EVENTS_FILE).is_file() or path.is_file():
        return folder.absolute()
    there = f"there are {', '.join(folder.name for folder in known[:5])}" if known else "nothing has been recorded here"
    raise UsageError(f"there is no recording {session!r}: {there}")


# ------------------------------------------------------------------------------------------------------------ reading


def read_recording(folder: Path) -> Recording:
    """Everything in a recording; lines that cannot be read are problems. UsageError when the file itself cannot be."""
    file = folder if folder.is_file() else folder / EVENTS_FILE  # the former: an export of the journal
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Recording(folder)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    read = [_read_line(line, file, number) for number, line in lines]
    events = tuple(item for item in read if isinstance(item, RecordedEvent) and not item.note)
    return Recording(folder, events, tuple(item for item in read if isinstance(item, Problem)))


def _read_line(line: bytes, file: Path, number: int) -> RecordedEvent | Problem:
    try:
        event = msgspec.convert(load_json(line), RecordedEvent)
        if event.payload is not UNSET or event.note:
            return event
        text, fix = "a row without a payload", "record payloads: set bodies = true under [journal] in your anyhook.toml"
        return problem("F001", Origin(file=str(file), line=number), text, fix)
    except (ValueError, RecursionError) as error:
        where = Origin(file=str(file), line=number)
        if isinstance(error, msgspec.ValidationError):
            return problem("F001", where, f"not a recorded event: {error}", "remove the line")
        return problem("F001", where, "an event that was not written to the end", "remove the line")


def count_redacted(events: Sequence[RecordedEvent]) -> int:
    """How many values were taken out of these events."""
    return sum(event.redacted for event in events)
