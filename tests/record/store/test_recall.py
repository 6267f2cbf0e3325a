"""A session of the journal is replayed like a recording, and so is an export of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.model.outcome import Effect
from anyhook.model.problems import UsageError
from anyhook.record.recorded import Happened
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.recall import open_recording
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.record.store.journals import private, row


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    with JournalDatabase(private(tmp_path / "state" / "journal")) as database:
        proceeded = Happened(Effect.PROCEED)
        database.add(
            [
                row(session="abc-1", payload=shell_call("echo DANGER"), outcome=proceeded),
                row(session="abc-1", payload=shell_call("ls"), outcome=proceeded),
                row(session="abc-2", payload=shell_call("ls")),
                row(session="bare"),
            ]
        )
    return make_package(tmp_path / "project")


def test_a_session_of_the_journal(project: Path) -> None:
    recording = open_recording(project, "abc-1")
    assert (recording.name, len(recording.events)) == ("abc-1", 2)
    with pytest.raises(UsageError, match="abc can be any of abc-1, abc-2"):
        open_recording(project, "abc")
    with pytest.raises(UsageError, match="no payloads; set bodies = true"):
        open_recording(project, "bare")
    with pytest.raises(UsageError, match="there is no recording 'other'"):
        open_recording(project, "other")


def test_replay_of_the_journal_and_of_its_export(project: Path) -> None:
    exported = run_anyhook(project, "log", "export", "--session", "abc-1", "--output", "rows.jsonl")
    assert exported.stdout == "2 rows in rows.jsonl\n"
    for session in ("abc-1", "rows.jsonl"):
        ran = run_anyhook(project, "replay", session)
        assert ran.returncode == 1, ran.stderr
        assert "2 events: 1 would change" in ran.stdout


def test_cases_from_the_journal(project: Path) -> None:
    ran = run_anyhook(project, "test", "--from-recording=abc-1")
    assert ran.returncode == 0, ran.stderr
    assert "2 cases from 2 events of abc-1." in ran.stdout
