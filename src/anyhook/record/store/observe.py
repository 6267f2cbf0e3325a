"""Writes the events of an engine to the journal, for programs that embed one."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from msgspec import UNSET

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.outcome import Outcome
from anyhook.model.payload_base import Payload
from anyhook.record.append import now
from anyhook.record.recorded import Happened, RecordedEvent, hook_records, new_id
from anyhook.record.store.spool import journal_folder
from anyhook.record.store.writer import JournalWriter
from anyhook.record.subject import raw_subject


class JournalObserver:
    """The user's journal, or one in another folder: ``Engine(hooks, observe=journal.observe)``.

    With the name of a recording, rows belong to it and have their payloads, without their secrets. What cannot be
    written is logged as a warning of the logger ``anyhook.journal``.
    """

    def __init__(self, folder: Path | None = None, *, recording: str = "") -> None:
        self._recording = recording
        self._writer = JournalWriter(folder or journal_folder(), logging.getLogger("anyhook.journal").warning)

    def observe(self, payload: Payload, outcome: Outcome) -> None:
        """Add an event that an engine has fired, with what came of it."""
        decided_by = "" if outcome.decided_by is None else str(outcome.decided_by)
        self._writer.put(
            RecordedEvent(
                id=new_id(),
                at=now(),
                client=outcome.client,
                event=payload.native_event or outcome.native_event,
                canonical=outcome.event,
                session=_text(payload.session_id),
                tool=_text(getattr(payload, "tool_name", "")),
                subject=raw_subject(payload, outcome.client) if self._writer.settings.subjects else "",
                project=_text(payload.cwd),
                via="engine",
                outcome=Happened(outcome.effect, outcome.reason, decided_by=decided_by, tool_runs=outcome.tool_runs),
                hooks=hook_records(outcome),
                ms=round(sum(run.duration_ms for run in outcome.runs), 3),
                recording=self._recording,
                payload=self._body(payload, outcome),
            )
        )

    def _body(self, payload: Payload, outcome: Outcome) -> Any:
        if not self._recording and not self._writer.settings.bodies:
            return UNSET
        return encode_payload(bind_payload(profile(outcome.client), payload), payload)

    def close(self) -> None:
        """Write the rows that wait."""
        self._writer.close()

    def __enter__(self) -> JournalObserver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
