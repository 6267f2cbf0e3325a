"""The row of the journal, of a recording and of an export: one event, what ran on it and what came of it.

``anyhook exec`` imports this, so it needs nothing that exec has not loaded already.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from anyhook.model.lazyjson import load_any_json
from anyhook.model.outcome import Effect, Outcome
from anyhook.record.append import RECORDER, now

SKIPPED = "skipped"
"""The status of a hook that was planned and did not run."""


class Happened(Struct, frozen=True):
    """What came of a recorded event."""

    effect: Effect
    reason: str = ""
    """Why, in the words of the hook that decided, or how it was concluded."""
    is_concluded: bool = False
    """It was not observed: it follows from the events after it."""
    may_have_asked: bool = False
    """The user was asked on the way, by a hook or by the client itself."""
    decided_by: str = ""
    """The hook that decided, as ``file:line``, or "anyhook" where no hook could be asked; empty: none."""
    tool_runs: bool | None = None
    """Whether the tool runs that waits for the event; None: a person decides, no tool waits, or it is not known."""


class HookRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hook of an event: it ran, or it was planned and skipped."""

    hook: str
    """Its name, else what it runs, in one line."""
    file: str = ""
    line: int = 0
    pointer: str = ""
    status: str
    """How the run ended, or :data:`SKIPPED`."""
    reason: str = ""
    ms: float = 0.0
    would: str = ""
    """What a guard or a rule with the level *shadow* would have done."""
    word: str = ""
    """Whose word a hook of a project ran on: "approved on 2026-11-18", "signed by ana@example.com"."""

    @property
    def has_run(self) -> bool:
        return self.status != SKIPPED


class RecordedEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event as a client sent it, without its secrets.

    The rows of the recorder have a payload, and no hooks: it does not see other hooks.
    """

    at: str
    """When, as ISO text in UTC."""
    client: str
    event: str
    """The event's name, as the client spells it."""
    payload: Any = UNSET
    """JSON as it was sent; a text when it was none; unset: it was not recorded."""
    outcome: Happened | None = None
    """The outcome of the hooks; None: it was not observed."""
    unasked: bool = False
    """Hooks that this event concerns could not be asked, such as those that are not trusted; the outcome says why."""
    answer: Any = UNSET
    """What anyhook gave back to the client, JSON or a text; unset: it was not recorded."""
    redacted: int = 0
    """How many secrets were taken out."""
    cut: int = 0
    """How many characters were left out, because a row has a limit; texts say where."""
    recording: str = ""
    """The recording of ``anyhook record`` that it belongs to; empty: none."""
    id: str = ""
    """Random; the same event has the same id wherever its row goes."""
    canonical: str = ""
    """The event's canonical name; empty: not known."""
    release: str = ""
    """The release of the client; empty: not known."""
    session: str = ""
    tool: str = ""
    subject: str = ""
    """What it was about, in one line: a command, a file, an address, the words of a prompt; empty: not known."""
    project: str = ""
    repository: str = ""
    """The repository that the project is in: its origin, else its first commit, else git's folder; empty: none."""
    within: str = ""
    """Where the project is in the repository; empty: at its top."""
    via: str = ""
    """What has seen it: "daemon", "exec", "engine" or "record"."""
    simulation: str = ""
    """The command of anyhook that has played a client, such as "fire"; empty: a client has sent it."""
    hooks: tuple[HookRecord, ...] = ()
    ms: float = 0.0
    """How long the answer took."""
    bytes_in: int = 0
    """Bytes of the payload."""
    bytes_out: int = 0
    """Bytes of the answer."""
    note: str = ""
    """This row is no event: it says something about the journal itself."""
    pruned: str = ""
    """Of a note: the last row that retention has removed, as ``number:hash``."""

    @property
    def effect(self) -> str:
        return "" if self.outcome is None else self.outcome.effect.value

    def known_as(self, file: str) -> str:
        """A file by its place in the repository, which is the same in all checkouts; of any other its path."""
        return name_in_repository(file, self.project.removesuffix(self.within), self.repository)

    @property
    def was_answered(self) -> bool:
        """Whether anyhook answered it; the recorder only sees it."""
        return self.via != RECORDER


def is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder, or in it."""
    return path == folder or path.startswith(folder.rstrip("/\\") + ("\\" if "\\" in folder else "/"))


def name_in_repository(file: str, top: str, repository: str) -> str:
    """A file by its place in a repository that is checked out at ``top``; its path, if it is not in there."""
    top = top.rstrip("/\\")
    return f"{repository}:{file[len(top) + 1 :]}" if repository and top and is_below(file, top) else file


class _UnreadBodies(RecordedEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A row whose bodies are still JSON: payloads may be most of a journal."""

    payload: msgspec.Raw | msgspec.UnsetType = UNSET
    answer: msgspec.Raw | msgspec.UnsetType = UNSET


def decode_row(content: bytes, *, with_bodies: bool = True) -> RecordedEvent:
    """A row from its JSON, also with a payload that msgspec refuses. Raises ValueError or RecursionError.

    Without ``with_bodies``, payload and answer are not read; who asks does not look at them.
    """
    try:
        return _decoder(RecordedEvent if with_bodies else _UnreadBodies).decode(content)
    except (ValueError, RecursionError):
        return msgspec.convert(load_any_json(content), RecordedEvent)


@cache
def _decoder(kind: type[RecordedEvent]) -> msgspec.json.Decoder[RecordedEvent]:
    return msgspec.json.Decoder(kind)


def without_bodies(row: RecordedEvent) -> RecordedEvent:
    """The row without what the client sent and what it was answered."""
    return structs.replace(row, payload=UNSET, answer=UNSET)


def once_each(rows: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """The rows, without those of the recorder for events that anyhook has answered, too: such an event has two rows."""
    answered: dict[tuple[object, ...], int] = {}
    for row in rows:
        if row.was_answered:
            answered[_sighting(row)] = answered.get(_sighting(row), 0) + 1
    kept: list[RecordedEvent] = []
    for row in rows:
        if not row.was_answered and answered.get(_sighting(row), 0):
            answered[_sighting(row)] -= 1
        else:
            kept.append(row)
    return kept


def _sighting(row: RecordedEvent) -> tuple[object, ...]:
    """A client sends every hook of an event the same bytes."""
    return row.client, row.session, row.event, row.tool, row.bytes_in


def new_id() -> str:
    return os.urandom(12).hex()


def note_row(text: str, pruned: str = "") -> RecordedEvent:
    """A row about the journal itself."""
    return RecordedEvent(id=new_id(), at=now(), client="", event="", note=text, pruned=pruned)


def hook_records(outcome: Outcome) -> tuple[HookRecord, ...]:
    """The hooks of an event: those that ran, then those that were skipped."""
    ran = [
        HookRecord(
            hook=run.name or run.summary,
            file=run.origin.file,
            line=run.origin.line,
            pointer=run.origin.pointer,
            status=run.status.value,
            reason=run.reason,
            ms=round(run.duration_ms, 3),
            would=run.would,
        )
        for run in outcome.runs
    ]
    skipped = [
        HookRecord(
            hook=skip.name or skip.summary,
            file=skip.origin.file,
            line=skip.origin.line,
            pointer=skip.origin.pointer,
            status=SKIPPED,
            reason=skip.reason,
        )
        for skip in outcome.skipped
    ]
    return (*ran, *skipped)
