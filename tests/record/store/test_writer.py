"""The writer stores rows in the background, reports once what keeps it from that, and loses few."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store import database as database_module
from anyhook.record.store import writer as writer_module
from anyhook.record.store.database import DATABASE, JournalDatabase, corrupt_files
from anyhook.record.store.query import RowFilter, journal_notes, open_journal, wanted_rows
from anyhook.record.store.spool import add_to_spool
from anyhook.record.store.writer import RECOVERED, JournalWriter, store_spool_here
from tests.checkout import ROOT, SOURCE
from tests.record.store.journals import breaks, hook, private, row, stored

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions and limits")
LONG = 60.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(writer_module, "SPOOL_SECONDS", 0.05)
    monkeypatch.setattr(writer_module, "BATCH_SECONDS", 0.01)
    return private(tmp_path / "state" / "journal")


@contextmanager
def writing(folder: Path) -> Iterator[tuple[JournalWriter, list[str]]]:
    reports: list[str] = []
    writer = JournalWriter(folder, reports.append)
    try:
        yield writer, reports
    finally:
        writer.close(LONG)


def wait_for(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_rows_are_stored_at_once_for_a_reader_that_asks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "BATCH_SECONDS", LONG)
    with writing(folder) as (writer, _):
        for number in range(3):
            writer.put(row(session=f"s{number}"))
            is_stored = threading.Event()
            writer.store(is_stored.set)
            assert is_stored.wait(LONG / 2)
            assert len(stored(folder)) == number + 1


def test_who_asks_is_told_even_if_nothing_can_be_written(folder: Path) -> None:
    (folder / DATABASE).mkdir()
    with writing(folder) as (writer, reports):
        writer.put(row())
        is_told = threading.Event()
        writer.store(is_told.set)
        assert is_told.wait(LONG)
        assert reports


def test_a_database_that_is_just_being_made_reads_as_empty(folder: Path) -> None:
    (folder / DATABASE).touch(mode=0o600)
    with open_journal(folder) as journal:
        assert (journal.last_number(), list(journal.rows_after(0))) == (0, [])


def test_rows_are_stored_in_order_and_without_secrets(folder: Path) -> None:
    secret = "token=abcdef0123456789abcdef"
    rows = [row(), row(outcome=Happened(Effect.BLOCK, secret), hooks=(hook(reason=secret),), payload={"text": secret})]
    with writing(folder) as (writer, reports):
        for each in rows:
            writer.put(each)
    assert stored(folder) == [each.id for each in rows]
    assert reports == []
    with open_journal(folder) as journal:
        last = next(wanted_rows(journal.newest_first(), RowFilter())).event
    assert last.outcome is not None
    assert last.outcome.reason == last.hooks[0].reason == last.payload["text"] == "token=<redacted>"
    assert last.redacted == 1


@POSIX
def test_files_are_the_users_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        with writing(folder) as (writer, _):
            writer.put(row())
            add_to_spool(folder, row())
            wait_for(lambda: len(stored(folder)) == 2)
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    finally:
        os.umask(before)
    assert set(modes) >= {DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"}
    assert set(modes.values()) == {0o600}


def test_what_exec_has_left_is_stored_once(folder: Path) -> None:
    rows = [row() for _ in range(3)]
    for each in rows:
        add_to_spool(folder, each)
    with (folder / "spool.jsonl").open("ab") as file:
        file.write(b'{"at": "unfinished')
    (folder / "spool-1.jsonl").write_bytes((folder / "spool.jsonl").read_bytes())  # left by a process that was killed
    with writing(folder):
        wait_for(lambda: len(stored(folder)) == 3)
        wait_for(lambda: not list(folder.glob("spool*")))
    assert sorted(stored(folder)) == sorted(each.id for each in rows)


def test_a_locked_database_is_reported_once_and_rows_wait(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    with JournalDatabase(folder) as database:
        database.add([row()])
    with closing(sqlite3.connect(folder / DATABASE)) as other, writing(folder) as (writer, reports):
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(5):
            writer.put(row())
            wait_for(lambda: reports)
        assert len(reports) == 1
        assert "locked" in reports[0]
        other.execute("ROLLBACK")
        wait_for(lambda: len(stored(folder)) == 6)
        wait_for(lambda: len(reports) == 2)
    assert reports[1] == RECOVERED


def test_a_corrupt_database_is_set_aside_and_a_new_one_begins(folder: Path) -> None:
    (folder / DATABASE).write_bytes(b"this is no database, and never was one" * 100)
    with writing(folder) as (writer, reports):
        writer.put(made := row())
        wait_for(lambda: corrupt_files(folder) and len(stored(folder)) == 1)
    assert stored(folder) == [made.id]
    assert len(reports) == 1
    assert "a new one begins" in reports[0]
    assert corrupt_files(folder)[0].read_bytes().startswith(b"this is no database")
    assert any("set aside" in note for note in journal_notes(folder))


def test_a_damaged_page_is_noticed(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row() for _ in range(500)])
    file = folder / DATABASE
    content = bytearray(file.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    file.write_bytes(content)
    with writing(folder) as (writer, reports):
        writer.put(made := row())
        wait_for(lambda: corrupt_files(folder))
        wait_for(lambda: stored(folder) == [made.id])
    assert len(reports) == 1


def test_rows_beyond_the_limit_are_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MAX_WAITING", 10)
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    with JournalDatabase(folder) as database:
        database.add([row()])
    with closing(sqlite3.connect(folder / DATABASE)) as other, writing(folder) as (writer, reports):
        other.execute("BEGIN EXCLUSIVE")
        writer.put(row())
        wait_for(lambda: reports)  # the first row is now on its way
        for _ in range(25):
            writer.put(row())
        other.execute("ROLLBACK")
        wait_for(lambda: len(stored(folder)) == 1 + 1 + 10 + 1)
    with open_journal(folder) as journal:
        notes = [found.event.note for found in wanted_rows(journal.rows_after(0), RowFilter()) if found.event.note]
    assert notes == ["15 events were not recorded"]


@POSIX
@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_a_disk_that_takes_nothing_is_reported_once(fault: str) -> None:
    """In a process of its own: with a limit for the size of files, or as a user who may not write."""
    top = Path(tempfile.mkdtemp())
    folder = private(top / "state" / "journal")
    with JournalDatabase(folder) as database:
        database.add([row()])
    code = (
        "import json, os, sqlite3, sys, time, resource\n"  # a user who may write nothing may not read them, either
        "from pathlib import Path\n"
        "import anyhook.sources.installed_release  # before the user changes: the other one may not read it\n"
        "from anyhook.record.store import writer as module\n"
        "from tests.record.store.journals import row\n"
        "module.SPOOL_SECONDS, module.BATCH_SECONDS = 0.05, 0.01\n"
        "if sys.argv[2] == 'full': resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "elif os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "reports = []\n"
        "writer = module.JournalWriter(Path(sys.argv[1]), reports.append)\n"
        "until = time.monotonic() + 120\n"
        "while not reports and time.monotonic() < until: writer.put(row()); time.sleep(0.01)\n"
        "for _ in range(50): writer.put(row()); time.sleep(0.01)\n"
        "writer.close()\n"
        "print(len(reports), reports[0])\n"
    )
    if fault == "read-only":
        for path in (folder / DATABASE, folder, top / "state"):
            path.chmod(0o400 if path.is_file() else 0o500)
        if os.geteuid() == 0:
            for path in (top, top / "state", folder, *folder.iterdir()):
                os.chown(path, 65534, 65534)
    ran = subprocess.run(
        [sys.executable, "-c", code, str(folder), fault],
        env={
            "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}",
            "PYTHONDONTWRITEBYTECODE": "1",  # with the limit, they would be cut off
            "HOME": str(top),
            "ANYHOOK_STATE_DIR": str(top / "state"),
        },
        capture_output=True,
        text=True,
        cwd="/",
    )
    for path in (top / "state", folder):
        path.chmod(0o700)
    assert ran.stdout.startswith("1 "), ran.stdout + ran.stderr
    assert "the journal cannot be written" in ran.stdout or "full" in ran.stdout
    if os.geteuid() == 0:
        for path in (top, top / "state", folder, *folder.iterdir()):
            os.chown(path, 0, 0)
    assert len(stored(folder)) == 1
    assert breaks(folder) == []


def test_switched_off_in_the_settings(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anyhook").mkdir()
    (tmp_path / "anyhook" / "anyhook.toml").write_text("[journal]\nenabled = false\n")
    with writing(folder) as (writer, _):
        writer.put(row())
    assert not (folder / DATABASE).exists()


@pytest.mark.parametrize(
    "text",
    [
        b'[redact]\npatterns = ["("]\n',
        b'[redact]\npatterns = ["ACME-1"\n[journal\n',
        b"[journal]\nenabld = false\n",
        b'[journal]\ndays = "x"\n',
        b'[redct]\npatterns = ["ACME-1"]\n',
        b"journal = false\n",
        "[journal]\nenabled = false\n".encode("utf-16"),
    ],
)
def test_rows_without_texts_when_the_users_settings_cannot_be_used(
    text: bytes, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anyhook").mkdir()
    (tmp_path / "anyhook" / "anyhook.toml").write_bytes(text)
    with writing(folder) as (writer, reports):
        writer.put(row(outcome=Happened(Effect.BLOCK, "ACME-1"), payload={"a": "ACME-1"}))
    assert "without reasons and payloads" in reports[0]
    assert str(tmp_path / "anyhook" / "anyhook.toml") + ":" in reports[0]
    assert journal_notes(folder) == reports
    assert b"ACME-1" not in (folder / DATABASE).read_bytes()
    assert len(stored(folder)) == 1


def has_rows(folder: Path, number: int) -> bool:
    return (folder / DATABASE).exists() and len(stored(folder)) == number


def test_settings_that_break_and_are_corrected_while_the_writer_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anyhook").mkdir()
    with writing(folder) as (writer, _):
        for number, text in enumerate(("[journal]\n", "[journal\n", "[journal]\ndays = 3\n"), 1):
            (tmp_path / "anyhook" / "anyhook.toml").write_text(text)
            writer.put(row(outcome=Happened(Effect.BLOCK, f"reason {number}")))
            wait_for(partial(has_rows, folder, number))
    with open_journal(folder) as journal:
        rows = [each.event for each in wanted_rows(journal.rows_after(0), RowFilter())]
    found = [each.outcome.reason for each in rows if each.outcome]
    assert found == ["reason 1", "", "reason 3"]


@pytest.mark.parametrize("text", ["[models]\nmodel = 1\n", "[guards.shell]\n", "[clients]\nnone = '1'\n"])
def test_mistakes_in_other_settings_hide_no_texts(
    text: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anyhook").mkdir()
    (tmp_path / "anyhook" / "anyhook.toml").write_text(text)
    with writing(folder) as (writer, reports):
        writer.put(row(outcome=Happened(Effect.BLOCK, "no")))
    assert not reports
    assert b"no" in (folder / DATABASE).read_bytes()


@POSIX
def test_the_installed_release_of_the_client(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "versions" / "2.1.7" / "claude"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    add_to_spool(folder, row())
    add_to_spool(folder, row(release="2.0.0"))
    add_to_spool(folder, row(client="codex"))
    store_spool_here(folder)
    with open_journal(folder) as journal:
        found = [each.event.release for each in wanted_rows(journal.rows_after(0), RowFilter())]
    assert found == ["2.1.7", "2.0.0", ""]


def test_own_patterns_of_the_user(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "anyhook").mkdir()
    (tmp_path / "anyhook" / "anyhook.toml").write_text('[redact]\npatterns = ["ACME-[0-9]{1,9}"]\n')
    add_to_spool(folder, row(outcome=Happened(Effect.BLOCK, "not with ACME-1")))
    store_spool_here(folder)
    with open_journal(folder) as journal:
        (found,) = wanted_rows(journal.rows_after(0), RowFilter())
    assert found.event.outcome == Happened(Effect.BLOCK, "not with <redacted>")


def test_a_payload_that_is_nested_too_deep_holds_up_no_other_row(folder: Path) -> None:
    deep: list[object] = []
    for _ in range(700):
        deep = [deep]
    rows = [row(payload=deep), row(payload={"a": 1})]
    for one in rows:
        add_to_spool(folder, one)
    store_spool_here(folder)
    assert stored(folder) == [one.id for one in rows]
    with open_journal(folder) as journal:
        found = [one.event.payload for one in wanted_rows(journal.rows_after(0), RowFilter())]
    assert found == [msgspec.UNSET, {"a": 1}]
