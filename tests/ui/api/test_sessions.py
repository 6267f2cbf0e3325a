"""Sessions and events come in pages: together they are complete, whatever the sizes are."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened, RecordedEvent, note_row
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.query import RowFilter, RowSource, open_rows
from anyhook.ui.api import sessions
from anyhook.ui.api.sessions import (
    EventsPage,
    SessionKey,
    SessionView,
    events_after,
    events_before,
    list_sessions,
    opened_newest,
)
from tests.bridge.bridging import make_package
from tests.record.store.journals import hook, private, row
from tests.ui.serving import Asked, serving

ROWS = 90


def mixed_rows() -> list[RecordedEvent]:
    """Events of four sessions of two clients in turn, with a note and three without a session, of two projects."""
    dice = random.Random(3)
    rows = [row(client=dice.choice(["codex", "claude-code"]), session=dice.choice(["a", "ab"])) for _ in range(ROWS)]
    return [*rows[:40], note_row("something about the journal"), *without_session(), *rows[40:]]


def without_session() -> list[RecordedEvent]:
    return [row(session="", project=project) for project in ("/src/shop", "/src/blog", "/src/shop")]


def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RowSource]:
    folder = private(tmp_path_factory.mktemp("state") / "journal")
    with JournalDatabase(folder) as database:
        database.add(mixed_rows())
    with open_rows(folder) as source:
        yield source


@pytest.fixture(scope="module", params=["SQLite", "PostgreSQL"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RowSource]:
    if request.param == "SQLite":
        yield from sources(tmp_path_factory)
        return
    pytest.importorskip("psycopg")
    if os.name != "posix":
        pytest.skip("needs a Unix socket")
    from anyhook.record.store.postgres import send_to_postgres
    from tests.record.store.postgres_server import postgres, why_not

    if why_not():
        pytest.skip(why_not())
    folder = private(tmp_path_factory.mktemp("state") / "journal")
    with postgres() as server:
        with JournalDatabase(folder) as database:
            database.add(mixed_rows())
            send_to_postgres(database, server.url)
        with open_rows(folder, server.url) as opened:
            yield opened


KEYS = [SessionKey(client, session) for client in ("codex", "claude-code") for session in ("a", "ab")]


LOOSE = {SessionKey("claude-code", "", "/src/shop"): 2, SessionKey("claude-code", "", "/src/blog"): 1}
"""What is not in a session, by client and project."""
EVERYTHING = RowFilter()


def whole(source: RowSource, wanted: SessionKey | RowFilter) -> list[int]:
    return [view.number for view in events_after(source, wanted, 0, 500).events]


def test_the_sessions_are_kept_apart(source: RowSource) -> None:
    found = [number for key in [*KEYS, *LOOSE] for number in whole(source, key)]
    assert len(set(found)) == len(found) == ROWS + 3
    assert len(whole(source, EVERYTHING)) == ROWS + 4  # a note, too


def test_events_without_a_session_are_kept_apart_by_project_and_client(source: RowSource) -> None:
    assert {key: len(whole(source, key)) for key in LOOSE} == LOOSE
    listed = [view for view in list_sessions(source, EVERYTHING, None, 500).sessions if not view.session]
    assert {SessionKey(view.client, "", view.project): view.events for view in listed} == LOOSE
    opened = opened_newest(source, list_sessions(source, RowFilter(below="/src/blog"), None, 500)).opened
    assert opened is not None
    assert {view.project for view in opened.events} == {"/src/blog"}


@pytest.mark.parametrize("scanned", [7, 20_000])
@pytest.mark.parametrize("limit", [1, 4, 500])
@pytest.mark.parametrize("key", [KEYS[1], EVERYTHING], ids=["one session", "all"])
def test_pages_of_events_are_complete(
    source: RowSource, key: SessionKey | RowFilter, limit: int, scanned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = whole(source, key)
    monkeypatch.setattr(sessions, "SCANNED_ROWS", scanned)
    forward: list[int] = []
    page = events_after(source, key, 0, limit)
    while True:
        forward += [view.number for view in page.events]
        if page.later is None:
            break
        page = events_after(source, key, page.later, limit)
    assert forward == expected
    backward: list[int] = []
    page = events_before(source, key, None, limit)
    while True:
        backward = [view.number for view in page.events] + backward
        if page.earlier is None:
            break
        page = events_before(source, key, page.earlier, limit)
    assert backward == expected


def test_until(source: RowSource) -> None:
    expected = whole(source, EVERYTHING)
    page: EventsPage = events_after(source, EVERYTHING, expected[3], 500, until=expected[9])
    assert ([view.number for view in page.events], page.later) == (expected[4:10], None)


@pytest.mark.parametrize("scanned", [7, 20_000])
@pytest.mark.parametrize("limit", [1, 2, 500])
def test_pages_of_sessions_are_complete(
    source: RowSource, limit: int, scanned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = LOOSE | {key: len(whole(source, key)) for key in KEYS}
    monkeypatch.setattr(sessions, "SCANNED_ROWS", scanned)
    found: dict[SessionKey, int] = {}
    before = None
    while True:
        page = list_sessions(source, RowFilter(), before, limit)
        assert len(page.sessions) <= limit
        for part in page.sessions:
            key = SessionKey(part.client, part.session, "" if part.session else part.project)
            found[key] = found.get(key, 0) + part.events
        before = page.earlier
        if before is None:
            break
    assert found == expected


def test_figures_of_a_session(tmp_path: Path) -> None:
    rows = [
        row(at="2026-11-16T10:00:00Z", ms=5.0),
        row(
            at="2026-11-16T10:00:05Z", ms=7.5, outcome=Happened(Effect.BLOCK), hooks=(hook(), hook(status="timed-out"))
        ),
        row(at="2026-11-16T10:00:09Z", ms=0.0, hooks=(hook(status="skipped"), hook(status="failed-so-allowed"))),
    ]
    with JournalDatabase(private(tmp_path)) as database:
        database.add(rows)
        [found] = list_sessions(database, RowFilter(), None, 10).sessions
        assert list_sessions(database, RowFilter(effect="block"), None, 10).sessions[0].events == 1
    assert found == SessionView(
        client="claude-code", session="s1", project="", first=1, last=3, first_at=rows[0].at, last_at=rows[2].at,
        about="", events=3, simulated=0, blocked=1, failed=2, hooks=4, waited_ms=12.5,
    )  # fmt: skip


def test_the_addresses(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as asked:
        assert asked.get("/api/sessions") == {"sessions": [], "earlier": None, "opened": None}
        with JournalDatabase(asked.journal) as database:
            database.add([row(session="with /?&# signs", payload={"prompt": "é<script>"})])
        [session] = asked.get("/api/sessions?client=claude-code&effect=proceed")["sessions"]
        assert session["session"] == "with /?&# signs"
        [event] = asked.get("/api/events?client=claude-code&session=with%20%2F%3F%26%23%20signs&after=0")["events"]
        assert asked.get(f"/api/events/{event['number']}")["payload"]["value"] == {"prompt": "é<script>"}
        assert asked.request("/api/events/99", Cookie=asked.log_in())[0] == 404
        for bad in ("before=x", "limit=-1", "after=1e9", f"after={10**30}"):
            assert asked.request(f"/api/events?{bad}", Cookie=asked.log_in())[0] == 400


def test_a_journal_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project", url="postgresql://nowhere.invalid/x") as asked:
        status, _, body = asked.request("/api/sessions", Cookie=asked.log_in())
        assert status == 503
        assert b"PostgreSQL of [journal] url" in body
        assert b"Traceback" not in body


def names(asked: Asked, address: str) -> list[str]:
    return sorted(each["session"] for each in asked.get(address)["sessions"])


def test_a_project_shows_its_own_events_first(tmp_path: Path) -> None:
    project = make_package(tmp_path / "shop")
    with serving(project) as asked:
        with JournalDatabase(asked.journal) as database:
            folders = {"here": project, "below": project / "api", "beside": tmp_path / "shop-2", "unknown": ""}
            database.add([row(session=name, project=str(folder)) for name, folder in folders.items()])
        assert asked.get("/api/about")["project"] == str(project)
        assert names(asked, "/api/sessions") == ["below", "here"]
        assert names(asked, "/api/sessions?everywhere=1") == sorted(folders)
        assert len(asked.get("/api/events")["events"]) == 2
        assert len(asked.get("/api/events?everywhere=1")["events"]) == 4


def test_a_folder_that_is_no_project_shows_everything(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with serving(tmp_path / "plain") as asked:
        with JournalDatabase(asked.journal) as database:
            database.add([row(session="other", project="/src/shop")])
        assert asked.get("/api/about")["project"] == ""
        assert names(asked, "/api/sessions") == ["other"]


def test_what_was_simulated_is_marked_and_not_counted_as_refused(tmp_path: Path) -> None:
    refused = {"outcome": Happened(Effect.BLOCK), "hooks": (hook("a", "blocked"), hook("b", "timed-out"))}
    rows = [row(session="fire", simulation="fire", **refused), row(session="real", **refused)]
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add(rows)
        found = list_sessions(database, EVERYTHING, None, 10).sessions
    counts = {one.session: (one.events, one.simulated, one.blocked, one.failed) for one in found}
    assert counts == {"fire": (1, 1, 0, 0), "real": (1, 0, 1, 1)}
