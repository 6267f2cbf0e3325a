"""Rows go to a real PostgreSQL server: each once, also if it is away for a while, and from several machines."""

from __future__ import annotations

import os
import random
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import UNSET, structs

from anyhook.doctor.machine import journal_problems
from anyhook.model.codes import Severity
from anyhook.model.problems import AnyhookError
from anyhook.record.append import iso_time
from anyhook.record.cut import MAX_NAME, cut_text
from anyhook.record.recorded import new_id
from anyhook.record.store import postgres as postgres_module
from anyhook.record.store import send as send_module
from anyhook.record.store import writer as writer_module
from anyhook.record.store.database import POSTGRES_SENT, JournalDatabase
from anyhook.record.store.postgres import PostgresRows, connected, send_to_postgres
from anyhook.record.store.query import RowFilter, wanted_rows
from anyhook.record.store.send import SENT_AGAIN
from anyhook.record.store.spool import add_to_spool
from anyhook.record.store.writer import JournalWriter, prune
from anyhook.sources.settings import JournalSettings
from tests.bridge.bridging import run_anyhook
from tests.record.store.journals import change, private, row
from tests.serve.daemons import wait_until

pytest.importorskip("psycopg")
if os.name != "posix":
    pytest.skip("needs a Unix socket", allow_module_level=True)

from tests.record.store.postgres_server import Server, postgres, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can")
EVENTS = 10_000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgres() as started:
        yield started


@pytest.fixture
def settings(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings with the server, and an empty table."""
    file = tmp_path / "home" / ".config" / "anyhook" / "anyhook.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'[journal]\nurl = "{server.url}"\n')
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(writer_module, "SPOOL_SECONDS", 0.05)
    monkeypatch.setattr(writer_module, "BATCH_SECONDS", 0.01)
    monkeypatch.setattr(send_module, "RETRY_SECONDS", 0.2)
    with connected(server.url) as connection:
        connection.execute("TRUNCATE anyhook_journal")
    return file


def ids(server: Server) -> list[str]:
    with connected(server.url) as connection:
        return [str(found[0]) for found in connection.execute("SELECT id FROM anyhook_journal ORDER BY position")]


def count(server: Server) -> int:
    with connected(server.url) as connection:
        found = connection.execute("SELECT count(*) FROM anyhook_journal").fetchone()
        assert found is not None
        return int(found[0])


@pytest.mark.long
@pytest.mark.usefixtures("settings")
def test_the_server_goes_away_amid_ten_thousand_events(server: Server, tmp_path: Path) -> None:
    folder = private(tmp_path / "state" / "journal")
    reports: list[str] = []
    writer = JournalWriter(folder, reports.append)
    rows = [row() for _ in range(EVENTS)]
    try:
        for number, each in enumerate(rows):
            if number == EVENTS // 3:
                wait_until(lambda: count(server) > 0)
                server.stop()
            if number == EVENTS * 2 // 3:
                wait_until(lambda: reports)
                server.start()
            if number % (EVENTS // 4) == 0:  # less than what may wait
                wait_until(lambda number=number: not writer._waiting)  # type: ignore[misc]
            writer.put(each)
        wait_until(lambda: count(server) == EVENTS)
        wait_until(lambda: len(reports) == 2)
    finally:
        writer.close(60)
    assert ids(server) == [each.id for each in rows]
    assert reports[0].startswith("PostgreSQL of [journal] url: ")
    assert reports[1] == SENT_AGAIN
    with JournalDatabase(folder) as database:
        assert database.facts()[POSTGRES_SENT] == database.last_number() == EVENTS


def test_rows_that_were_sent_before_a_crash_are_not_doubled(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with JournalDatabase(private(tmp_path / "state" / "journal")) as database:
        database.add([row() for _ in range(700)])
        assert send_to_postgres(database, server.url) == 700
        assert send_to_postgres(database, server.url) == 0
        database.set_facts({POSTGRES_SENT: 0})  # as if the process had died before this was noted
        assert send_to_postgres(database, server.url) == 700
    assert count(server) == 700


def test_payloads_of_recordings_stay_here_and_odd_texts_keep_no_row_back(server: Server, tmp_path: Path) -> None:
    rows = [row(recording="monday", payload={"prompt": "mine"}, answer="yes"), row(tool="cut \ud83d \0")]
    for name, with_bodies in (("without", False), ("with", True)):
        with JournalDatabase(private(tmp_path / name)) as database:
            database.add([structs.replace(each, id=new_id()) for each in rows])
            assert send_to_postgres(database, server.url, with_bodies=with_bodies) == 2
    with connected(server.url) as connection:
        found = [each.event for each in wanted_rows(PostgresRows(connection).rows_after(0), RowFilter())][-4:]
    assert [(each.recording, each.payload, each.answer) for each in found[::2]] == [
        ("monday", UNSET, UNSET),
        ("monday", {"prompt": "mine"}, "yes"),
    ]
    assert found[1].tool == "cut \ud83d \0"


def test_the_rows_of_another_machine_are_beside_the_first(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    for machine in ("one", "two"):
        with JournalDatabase(private(tmp_path / machine)) as database:
            database.add([row(session=machine) for _ in range(3)])
            send_to_postgres(database, server.url)
    with connected(server.url) as connection:
        rows = PostgresRows(connection)
        sessions = [found.event.session for found in wanted_rows(rows.rows_after(0), RowFilter())]
        machines = connection.execute("SELECT count(DISTINCT machine) FROM anyhook_journal").fetchone()
        assert [found.event.session for found in wanted_rows(rows.newest_first(), RowFilter(session="one"))] == [
            "one"
        ] * 3
    assert sessions == ["one"] * 3 + ["two"] * 3
    assert machines == (2,)


def test_the_rows_of_one_session_are_found_by_an_index(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(session=f"s{number % 100}") for number in range(2000)] + [row(session="odd \0\ud83d")])
        send_to_postgres(database, server.url)
    with connected(server.url) as connection:
        rows = PostgresRows(connection)
        for session, expected in (("s7", 20), ("odd \0\ud83d", 1)):
            assert len(list(rows.rows_after(0, 500, session))) == expected
            assert len(list(rows.rows_before(rows.last_number() + 1, 500, session))) == expected
        connection.execute("ANALYZE anyhook_journal")
        sql = "SELECT content FROM anyhook_journal WHERE position < 999999 AND session = 's7' ORDER BY position DESC"
        plan = "\n".join(line for (line,) in connection.execute(f"EXPLAIN {sql} LIMIT 20"))
    assert "anyhook_journal_session" in plan
    assert "Seq Scan" not in plan


def test_rows_that_were_not_sent_are_not_pruned(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with JournalDatabase(private(tmp_path / "state" / "journal")) as database:
        database.add([row(at=iso_time(number)) for number in range(10)])
        prune(database, JournalSettings(url=server.url))
        assert database.last_number() == 10
        send_to_postgres(database, server.url)
        prune(database, JournalSettings(url=server.url))
        assert [found.number for found in database.rows_after(0)] == [11]


@pytest.mark.usefixtures("settings")
def test_log_and_stats_read_the_server(server: Server, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    folder = private(tmp_path / "state" / "journal")
    with JournalDatabase(private(tmp_path / "elsewhere")) as database:
        database.add([row(session="far", tool="Nul\0Tool")])
        send_to_postgres(database, server.url)
    add_to_spool(folder, row(session="near"))
    logged = run_anyhook(project, "log", "--json")
    assert logged.stderr == ""
    assert [line.count('"session":') for line in logged.stdout.splitlines()] == [1, 1]
    assert "far" in logged.stdout
    assert "far" not in run_anyhook(project, "log", "--json", "--local").stdout
    assert run_anyhook(project, "log", "--stats").stdout.splitlines()[-1].startswith("2 events, 1 hook")
    exported = run_anyhook(project, "log", "--export", "--session", "far").stdout
    assert exported.count("\n") == 1
    assert count(server) == 2


@pytest.mark.usefixtures("settings")
def test_a_reader_that_has_seen_enough_leaves_nothing_open(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "FETCHED_ROWS", 3)
    added = [row(at=iso_time(number // 2)) for number in range(10)]
    with JournalDatabase(private(tmp_path / "state" / "journal")) as database:
        database.add(added)
        send_to_postgres(database, server.url)
    with connected(server.url) as connection:
        rows = PostgresRows(connection)
        started = [rows.newest_first(), rows.rows_after(0), rows.rows_before(rows.last_number() + 1, 9)]
        assert [next(each).id for each in started] == [added[-1].id, added[0].id, added[-1].id]
        assert [each.id for each in rows.newest_first()] == [each.id for each in reversed(added)]
        assert [each.id for each in rows.newest_first(iso_time(3))] == [each.id for each in reversed(added[6:])]
        assert [each.id for each in rows.rows_after(0)] == [each.id for each in added]
        assert [each.id for each in rows.rows_after(0, 4)] == [each.id for each in added[:4]]
        assert [each.id for each in rows.rows_before(rows.last_number(), 6)] == [
            each.id for each in reversed(added[3:9])
        ]
        assert not list(rows.rows_after(0, 0))
    project = tmp_path / "project"
    project.mkdir()
    ran = run_anyhook(project, "log", "-n", "2", "--json", "--all-projects")
    assert (ran.returncode, ran.stderr, ran.stdout.count("\n")) == (0, "", 2)


@pytest.fixture
def unreachable(tmp_path: Path) -> Path:
    """A project whose user has a server in the settings that does not exist, and one event on this machine."""
    settings = tmp_path / "home" / ".config" / "anyhook"
    settings.mkdir(parents=True)
    (settings / "anyhook.toml").write_text(f'[journal]\nurl = "postgresql://ada:hunter2@/x?host={tmp_path}"\n')
    project = tmp_path / "project"
    project.mkdir()
    return project


@pytest.mark.parametrize(
    ("words", "shown"), [(("log",), "The journal is empty."), (("log", "--stats"), "No such events")]
)
def test_without_a_server_the_events_of_this_machine_are_shown(
    unreachable: Path, words: tuple[str, ...], shown: str
) -> None:
    ran = run_anyhook(unreachable, *words)
    assert (ran.returncode, ran.stdout[: len(shown)]) == (0, shown)
    assert ran.stderr.startswith("anyhook: PostgreSQL of [journal] url: ")
    assert ran.stderr.endswith("; check the server and the url; only the events of this machine are shown\n")
    assert "hunter2" not in ran.stderr
    assert ran.stderr.count("PostgreSQL") == 1


def test_an_export_without_its_server_is_refused(unreachable: Path) -> None:
    """A file that has only a part of the rows would look complete."""
    ran = run_anyhook(unreachable, "log", "--export")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("anyhook: PostgreSQL of [journal] url: ")


def test_doctor_says_that_the_server_cannot_be_reached(unreachable: Path) -> None:
    ran = run_anyhook(unreachable, "doctor")
    assert "PostgreSQL of [journal] url: " in ran.stdout
    assert "events are kept on this machine until it can be reached" in ran.stdout.replace("\n", " ")
    assert "hunter2" not in ran.stdout


def test_a_missing_driver_is_found_by_doctor(unreachable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setenv("HOME", str(unreachable.parent / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (found,) = journal_problems(os.environ)
    assert (found.code, found.severity) == ("H015", Severity.WARNING)
    assert found.text.startswith("[journal] url needs psycopg; ")
    assert found.fix.startswith("install it: ")


@pytest.mark.parametrize(
    "url",
    [
        "ada:hunter2@host/db",
        "mysql://ada:hunter2@host/db",
        "postgresql://ada:hunt/er2@host/db",
        "postgresql://ada:12/hunter2@host/db",
        "postgresql://ada:hunter2@er2@host/db",
        "postgresql://ada:hun@ter2@host/db",
        "postgresql://ada:hunter2%zz@host/db",
        "postgresql://ada:hunter2@host/db?no_such=1",
        "host=x password='hunter2",
    ],
)
def test_a_url_that_cannot_be_read_is_not_shown(url: str) -> None:
    with pytest.raises(AnyhookError, match="url: this is no url of a database; write") as raised, connected(url):
        pass
    assert not re.search("hun|ter2|er2|zz|no_such", str(raised.value))
    assert raised.value.__cause__ is None


def test_rows_that_the_server_could_not_take_keep_no_other_back(server: Server, settings: Path, tmp_path: Path) -> None:
    """An index takes no long text, and a row that was edited by hand may be anything."""
    assert settings.exists()
    session = "".join(random.Random(7).choices(string.ascii_letters, k=20_000))
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(session=session), row(), row(at="never"), row(tool="x" * 5_000_000), row()])
        change(database.file.parent, "UPDATE rows SET content = '{' WHERE number = 2")
        assert send_to_postgres(database, server.url) == 5
    with connected(server.url) as connection:
        rows = PostgresRows(connection)
        assert len(list(rows.rows_after(0))) == 3
        [found] = wanted_rows(rows.rows_after(0, 9, session), RowFilter())
        assert found.event.session == cut_text(session, MAX_NAME)[0]


def test_an_answer_without_a_payload_stays_here_too(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(recording="monday", answer="mine")])
        send_to_postgres(database, server.url)
    with connected(server.url) as connection:
        assert "mine" not in next(PostgresRows(connection).rows_after(0)).content.decode()


def test_the_table_of_an_older_version_gets_what_is_new(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row()])
        send_to_postgres(database, server.url)
        with connected(server.url) as connection:
            connection.execute("ALTER TABLE anyhook_journal DROP COLUMN subject, DROP COLUMN repository")
        database.add([row(subject="ls", repository="host/shop")])
        send_to_postgres(database, server.url)
    with connected(server.url) as connection:
        found = connection.execute("SELECT subject, repository FROM anyhook_journal ORDER BY position").fetchall()
    assert found == [("", ""), ("ls", "host/shop")]


def test_what_to_do_about_a_table_that_cannot_be_used(server: Server, settings: Path, tmp_path: Path) -> None:
    assert settings.exists()
    with connected(server.url) as connection:
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.anyhook_journal (id text)")
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row()])
        with pytest.raises(
            AnyhookError, match="permission denied for table anyhook_journal; grant the user SELECT and"
        ):
            send_to_postgres(database, server.url.replace("postgres@", "reader@"))
        with pytest.raises(AnyhookError, match="does not exist; the table anyhook_journal is not anyhook's"):
            send_to_postgres(database, f"{server.url}&options=-csearch_path%3Dother")
        assert send_to_postgres(database, server.url) == 1
