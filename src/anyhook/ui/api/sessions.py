"""*Sessions*: the sessions of the journal, the events of one, and one event.

A journal may have a million rows. Each answer looks at a limited number of them and says where to go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from msgspec import Struct, structs

from anyhook.model.outcome import Effect
from anyhook.model.problems import UsageError
from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.chain import StoredRow
from anyhook.record.store.query import NumberedRow, RowFilter, RowSource, wanted_rows
from anyhook.ui.event_view import EventDetail, EventView, event_detail, event_view

SCANNED_ROWS = 20_000
"""Rows that one answer looks at."""
MAX_LISTED = 500
"""Sessions or events in one answer."""
_BLOCKED = (Effect.BLOCK.value, Effect.STOP.value)


class SessionView(Struct, frozen=True, kw_only=True):
    """A session, or the part of it that was looked at."""

    client: str
    session: str
    project: str
    first: int
    """The number of its first row."""
    last: int
    first_at: str
    last_at: str
    events: int
    blocked: int
    failed: int
    """Hooks that failed or timed out."""
    hooks: int
    """Hooks that ran."""
    hooks_ms: float


class SessionsPage(Struct, frozen=True):
    sessions: tuple[SessionView, ...]
    """The one with the newest event first."""
    earlier: int | None
    """Rows before this number were not looked at; None: all were."""


class EventsPage(Struct, frozen=True):
    events: tuple[EventView, ...]
    """In the order of their rows."""
    earlier: int | None
    """Earlier events may be before this number; None: there are none."""
    later: int | None
    """Later events may be after this number; None: there are none yet."""


class _Scan:
    """Iterates over rows, and knows the last one."""

    def __init__(self, rows: Iterable[StoredRow]) -> None:
        self._rows = rows
        self.number: int | None = None
        self.count = 0

    def __iter__(self) -> Iterator[StoredRow]:
        for row in self._rows:
            self.number, self.count = row.number, self.count + 1
            yield row

    def rest(self, is_cut: bool) -> int | None:
        """Where the rows go on that were not looked at."""
        return self.number if is_cut or self.count == SCANNED_ROWS else None


def list_sessions(source: RowSource, wanted: RowFilter, before: int | None, limit: int) -> SessionsPage:
    """The sessions with matching events before a row, the newest first."""
    scan = _Scan(source.rows_before(source.last_number() + 1 if before is None else before, SCANNED_ROWS))
    found: dict[tuple[str, str], SessionView] = {}
    is_cut = False
    for row in wanted_rows(scan, wanted):
        key = row.event.client, row.event.session
        if row.event.note:
            continue
        if key not in found and len(found) == limit:
            is_cut = True
            break
        found[key] = _with_row(found.get(key), row)
    rest = scan.rest(is_cut)
    # The row that was looked at last belongs to the next answer.
    return SessionsPage(tuple(found.values()), None if rest is None else rest + is_cut)


def _with_row(known: SessionView | None, row: NumberedRow) -> SessionView:
    event = row.event
    part = SessionView(
        client=event.client,
        session=event.session,
        project=event.project,
        first=row.number,
        last=row.number,
        first_at=event.at,
        last_at=event.at,
        events=1,
        blocked=int(event.effect in _BLOCKED),
        failed=sum(hook.status.startswith(("failed", "timed")) for hook in event.hooks),
        hooks=sum(hook.has_run for hook in event.hooks),
        hooks_ms=event.ms,
    )
    if known is None:
        return part
    return structs.replace(
        known,
        first=part.first,
        first_at=min(known.first_at, part.first_at),
        last_at=max(known.last_at, part.last_at),
        events=known.events + 1,
        blocked=known.blocked + part.blocked,
        failed=known.failed + part.failed,
        hooks=known.hooks + part.hooks,
        hooks_ms=round(known.hooks_ms + part.hooks_ms, 3),
    )


class SessionKey(Struct, frozen=True):
    """Whose events: of one session, or of all."""

    client: str
    session: str

    def matches(self, event: RecordedEvent) -> bool:
        return (event.client, event.session) == (self.client, self.session)


def events_after(
    source: RowSource, key: SessionKey | None, after: int, limit: int, until: int | None = None
) -> EventsPage:
    """The first events after a row, and not after ``until``."""
    scan = _Scan(takewhile(lambda row: until is None or row.number <= until, source.rows_after(after, SCANNED_ROWS)))
    found, is_cut = _take(scan, key, limit)
    later = scan.rest(is_cut)
    return EventsPage(tuple(found), after + 1 if after > 0 else None, None if later is None else later - is_cut)


def events_before(source: RowSource, key: SessionKey | None, before: int | None, limit: int) -> EventsPage:
    """The last events before a row; without one, the last of all."""
    last = source.last_number()
    start = last + 1 if before is None else before
    scan = _Scan(source.rows_before(start, SCANNED_ROWS))
    found, is_cut = _take(scan, key, limit)
    earlier = scan.rest(is_cut)
    later = start - 1 if start <= last else None
    return EventsPage(tuple(reversed(found)), None if earlier is None else earlier + is_cut, later)


def _take(scan: _Scan, key: SessionKey | None, limit: int) -> tuple[list[EventView], bool]:
    """At most so many events, and whether there is one more."""
    wanted = RowFilter() if key is None else RowFilter(client=key.client, session=key.session)
    found: list[EventView] = []
    for row in wanted_rows(scan, wanted):
        if key is None or key.matches(row.event):
            if len(found) == limit:
                return found, True
            found.append(event_view(row))
    return found, False


def one_event(source: RowSource, number: int) -> EventDetail:
    """UsageError: there is no such row."""
    for row in wanted_rows(source.rows_after(number - 1, 1), RowFilter()):
        if row.number == number:
            return event_detail(row)
    raise UsageError(f"row {number} is not in the journal; retention removes the oldest rows")
