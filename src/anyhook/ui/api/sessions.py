"""*Sessions*: the sessions of the journal, the events of one, and one event.

A journal may have a million rows. Each answer looks at a limited number of them and says where to go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from msgspec import Struct, structs

from anyhook.model.problems import UsageError
from anyhook.record.recorded import SKIPPED, RecordedEvent
from anyhook.record.store.chain import StoredRow
from anyhook.record.store.query import NumberedRow, RowFilter, RowSource, wanted_rows
from anyhook.ui.api.problems import REFUSALS
from anyhook.ui.event_view import EventDetail, EventView, event_detail, event_view

SCANNED_ROWS = 20_000
"""Rows that one answer looks at."""
MAX_LISTED = 500
"""Sessions or events in one answer."""
LISTED_SESSIONS = 25
"""Sessions in one answer, unless the page wants another number: more than a screen shows."""
OPENED_EVENTS = 200
"""Events of the newest session that come with the sessions."""


class SessionView(Struct, kw_only=True):
    """A session, or the part of it that was looked at; or the events without a session of one client in one project.

    Not frozen: rows are counted into it until it is answered.
    """

    client: str
    session: str
    project: str
    about: str
    """Its first prompt, else what its last event was about."""
    first: int
    """The number of its first row."""
    last: int
    first_at: str
    last_at: str
    events: int
    simulated: int
    """Events that a command of anyhook has played; what was refused or failed there is not counted."""
    blocked: int
    failed: int
    """Hooks that failed or timed out."""
    hooks: int
    """Hooks that ran."""
    waited_ms: float
    """How long the client waited for answers."""


class EventsPage(Struct, frozen=True):
    events: tuple[EventView, ...]
    """In the order of their rows."""
    earlier: int | None
    """Earlier events may be before this number; None: there are none."""
    later: int | None
    """Later events may be after this number; None: there are none yet."""
    last: int
    """The number of the journal's last row."""


class SessionsPage(Struct, frozen=True):
    sessions: tuple[SessionView, ...]
    """The one with the newest event first."""
    earlier: int | None
    """Rows before this number were not looked at; None: all were."""
    opened: EventsPage | None = None
    """The first events of the first session, if they are wanted, too."""


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
    found: dict[SessionKey, SessionView] = {}
    is_cut = False
    for row in wanted_rows(scan, wanted, with_bodies=False):
        key = key_of(row.event)
        if row.event.note:
            continue
        if key not in found:
            if len(found) == limit:
                is_cut = True
                break
            found[key] = _empty_view(key, row)
        _count(found[key], row)
    rest = scan.rest(is_cut)
    # The row that was looked at last belongs to the next answer.
    return SessionsPage(tuple(found.values()), None if rest is None else rest + is_cut)


def _empty_view(key: SessionKey, newest: NumberedRow) -> SessionView:
    event = newest.event
    return SessionView(
        client=key.client, session=key.session, project=event.project, about="", first=newest.number,
        last=newest.number, first_at=event.at, last_at=event.at, events=0, simulated=0, blocked=0, failed=0, hooks=0,
        waited_ms=0.0,
    )  # fmt: skip


def _count(view: SessionView, earlier: NumberedRow) -> None:
    """Runs for thousands of rows before a page shows anything."""
    event, outcome = earlier.event, earlier.event.outcome
    view.first = earlier.number
    if event.at < view.first_at:
        view.first_at = event.at
    elif event.at > view.last_at:
        view.last_at = event.at
    if event.subject and (event.canonical == "UserPromptSubmit" or not view.about):
        view.about = event.subject
    view.events += 1
    view.waited_ms += event.ms
    is_real = not event.simulation
    view.simulated += not is_real
    if is_real and outcome is not None and outcome.effect in REFUSALS:
        view.blocked += 1
    for hook in event.hooks:
        if hook.status != SKIPPED:
            view.hooks += 1
            view.failed += is_real and hook.status.startswith(("failed", "timed"))


class SessionKey(Struct, frozen=True):
    """What a session is known by. Events without a session are kept apart by their project, too."""

    client: str
    session: str
    project: str = ""
    """Of events without a session; empty otherwise: one session may go from folder to folder."""


def key_of(event: RecordedEvent) -> SessionKey:
    return SessionKey(event.client, event.session, "" if event.session else event.project)


def opened_newest(source: RowSource, page: SessionsPage) -> SessionsPage:
    """The sessions, and the first events of the newest one: a page need not ask twice before it shows something."""
    if not page.sessions:
        return page
    newest = page.sessions[0]
    key = SessionKey(newest.client, newest.session, "" if newest.session else newest.project)
    return structs.replace(page, opened=events_after(source, key, newest.first - 1, OPENED_EVENTS, newest.last))


def events_after(
    source: RowSource, wanted: SessionKey | RowFilter, after: int, limit: int, until: int | None = None
) -> EventsPage:
    """The first events after a row, and not after ``until``."""
    last = source.last_number()
    rows = source.rows_after(after, SCANNED_ROWS, wanted.session)
    scan = _Scan(takewhile(lambda row: until is None or row.number <= until, rows))
    found, is_cut = _take(scan, wanted, limit)
    later = scan.rest(is_cut)
    return EventsPage(tuple(found), after + 1 if after > 0 else None, None if later is None else later - is_cut, last)


def events_before(source: RowSource, wanted: SessionKey | RowFilter, before: int | None, limit: int) -> EventsPage:
    """The last events before a row; without one, the last of all."""
    last = source.last_number()
    start = last + 1 if before is None else before
    scan = _Scan(source.rows_before(start, SCANNED_ROWS, wanted.session))
    found, is_cut = _take(scan, wanted, limit)
    earlier = scan.rest(is_cut)
    later = start - 1 if start <= last else None
    return EventsPage(tuple(reversed(found)), None if earlier is None else earlier + is_cut, later, last)


def _take(scan: _Scan, wanted: SessionKey | RowFilter, limit: int) -> tuple[list[EventView], bool]:
    """At most so many events, and whether there is one more."""
    key = wanted if isinstance(wanted, SessionKey) else None
    rows = wanted if isinstance(wanted, RowFilter) else RowFilter(clients=(wanted.client,), session=wanted.session)
    found: list[EventView] = []
    for row in wanted_rows(scan, rows, with_bodies=False):
        if key in (None, key_of(row.event)):
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
