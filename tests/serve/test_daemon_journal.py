"""The daemon writes what it answers to the journal, also what exec has left, and reports what it cannot write."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from anyhook.record.recordings import end_recordings
from anyhook.record.store import query
from anyhook.record.store.database import DATABASE
from tests.record.recordings import begin
from tests.record.store.journals import breaks, private, stored
from tests.serve.daemons import PYTHON_CLIENT, Stage, wait_until
from tests.warm.commands import WARM


def journal_of(stage: Stage) -> Path:
    return stage.top / "s" / "journal"


def test_every_answered_event_is_a_row(stage: Stage) -> None:
    stage.ask_without(stage.payload())
    with stage.daemon():
        for command in ("ls", "forbidden", "ls"):
            stage.ask(PYTHON_CLIENT, stage.payload(command))
        stage.ask(PYTHON_CLIENT, stage.payload(), ANYHOOK_JOURNAL="0")
        assert not stage.fell_back()
    lines = stage.run((*WARM, "log", "--json")).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert sorted(row["subject"] for row in rows) == ["forbidden", "ls", "ls", "ls"]
    assert sorted((row["via"], row["outcome"]["effect"]) for row in rows) == [
        ("daemon", "block"),
        ("daemon", "proceed"),
        ("daemon", "proceed"),
        ("exec", "proceed"),
    ]
    assert breaks(journal_of(stage)) == []


def test_an_event_that_is_recorded_has_its_payload_without_the_secrets_of_its_client(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(stage.top / "s"))
    with stage.daemon():
        begin(stage.project, "monday", "claude-code")
        stage.ask(PYTHON_CLIENT, stage.payload("forbidden zebra-crossing"), DEPLOY_TOKEN="zebra-crossing")
        # The row is written after the answer: until then the recording must be on.
        wait_until(lambda: (journal_of(stage) / DATABASE).exists() and len(stored(journal_of(stage))) == 1)
        end_recordings(stage.project, ["claude-code"])
        stage.ask(PYTHON_CLIENT, stage.payload("forbidden"))
        assert not stage.fell_back()
    rows = [json.loads(line) for line in stage.run((*WARM, "log", "--json")).stdout.splitlines()]
    assert [row.get("recording") for row in rows] == ["monday", None]
    assert rows[0]["payload"]["tool_input"]["command"] == "forbidden <redacted>"
    assert "answer" in rows[0]
    assert not rows[1].keys() & {"payload", "answer"}


def test_rows_are_stored_while_it_runs(stage: Stage) -> None:
    with stage.daemon():
        stage.ask(PYTHON_CLIENT, stage.payload())
        wait_until(lambda: (journal_of(stage) / DATABASE).exists() and len(stored(journal_of(stage))) == 1)


def test_a_journal_that_cannot_be_written_is_reported_and_the_event_goes_on(stage: Stage) -> None:
    private(journal_of(stage))
    (journal_of(stage) / DATABASE).mkdir()
    with stage.daemon():
        ran = stage.ask(PYTHON_CLIENT, stage.payload("forbidden"), SECRET="x")
        assert b"not that" in ran.stdout
        wait_until(lambda: "cannot be written" in stage.place.log.read_text())
    shown = stage.run((*WARM, "log"))
    assert b"cannot be written" in shown.stderr
    assert stage.place.log.read_text().count("cannot be written") == 1


def test_a_command_that_reads_the_journal_shows_the_event_that_was_answered_just_before(stage: Stage) -> None:
    with stage.daemon():
        for number in (1, 3, 5):
            stage.ask(PYTHON_CLIENT, stage.payload("forbidden"))
            assert len(stage.run((*WARM, "log", "--json")).stdout.splitlines()) == number
            stage.ask(PYTHON_CLIENT, stage.payload("ls"))
            assert json.loads(stage.run((*WARM, "log", "--stats", "--json")).stdout)["events"] == number + 1
        assert not stage.fell_back()


def test_a_daemon_that_hangs_does_not_keep_the_journal_from_being_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(stage.top / "s"))
    monkeypatch.setattr(query, "STORE_SECONDS", 0.01)
    stage.ask_without(stage.payload())
    with stage.daemon() as process:
        process.send_signal(signal.SIGSTOP)
        try:
            with query.open_journal(journal_of(stage)) as journal:
                assert journal.last_number() == 1
        finally:
            process.send_signal(signal.SIGCONT)
