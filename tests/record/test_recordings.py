"""A recording is rows of the journal, from many processes at once, found by its name, or a file that has them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from anyhook import Engine, HookSet, PreToolUse
from anyhook.model.outcome import Effect
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.record.append import SPOOL
from anyhook.record.record_payload import record_payload
from anyhook.record.recordings import (
    begin_recording,
    end_recordings,
    list_recordings,
    open_recording,
    read_recording,
    recorded_folder,
)
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.observe import JournalObserver
from anyhook.record.store.open_recordings import open_recordings
from anyhook.record.store.query import RowFilter, open_journal, wanted_rows
from anyhook.record.store.spool import journal_folder
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.checkout import SOURCE
from tests.record.recordings import bash, begin, record
from tests.record.store.journals import private, row

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")


def add(marker: str, event: str = "PreToolUse", **payload: object) -> None:
    record_payload(marker, "claude-code", event, json.dumps(payload).encode())


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """anyhook with the journal of this test."""
    return run_anyhook(folder, *words, ANYHOOK_STATE_DIR=os.environ["ANYHOOK_STATE_DIR"], **variables)


def payloads(name: str) -> list[Any]:
    return [event.payload for event in open_recording(Path(), name).events]


def test_what_is_recorded_is_a_row_of_the_journal_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    add(begin(tmp_path), session_id="s1", tool_name="Bash", tool_input={"command": "API_KEY=abc cat /home/ada/x"})
    with open_journal(journal_folder()) as journal:
        (event,) = [found.event for found in wanted_rows(journal.rows_after(0), RowFilter(recording="one"))]
    assert event.payload["tool_input"] == {"command": "API_KEY=<redacted> cat ~/x"}
    assert (event.client, event.event, event.canonical) == ("claude-code", "PreToolUse", "PreToolUse")
    assert (event.session, event.tool, event.project) == ("s1", "Bash", str(tmp_path))
    assert (event.redacted, event.via, event.outcome) == (2, "record", None)
    assert open_recording(tmp_path).events == (event,)


@pytest.mark.parametrize(
    "data",
    [b'"cut \\ud83d here"', b"NaN", b"[" * 300 + b"]" * 300, b"7" * 4100, b"\xff", b""],
    ids=["half a pair", "not a number", "deep", "long number", "not UTF-8", "nothing"],
)
def test_odd_payloads_are_recorded_and_the_journal_stays_intact(tmp_path: Path, data: bytes) -> None:
    record_payload(begin(tmp_path), "codex", "Stop", data)
    (event,) = open_recording(tmp_path).events
    assert event.payload is not None
    verified = run(tmp_path, "log", "--verify")
    assert (verified.returncode, verified.stdout) == (0, "intact up to row 1\n")


WRITER = """
import json, sys
from anyhook.record.record_payload import record_payload
marker, who = sys.argv[1:]
for number in range(20):
    payload = {"who": who, "n": number, "big": "x" * 300_000}
    record_payload(marker, "codex", "PreToolUse", json.dumps(payload).encode())
"""


def start_writers(marker: str, number: int) -> list[subprocess.Popen[bytes]]:
    python = [sys.executable, "-c", WRITER, marker]
    return [subprocess.Popen([*python, str(n)], env=ENVIRONMENT) for n in range(number)]


@pytest.mark.long
def test_many_processes_record_at_once_and_no_event_is_lost(tmp_path: Path) -> None:
    writers = start_writers(begin(tmp_path), 8)
    assert [writer.wait() for writer in writers] == [0] * 8
    seen = [(payload["who"], payload["n"]) for payload in payloads("one")]
    assert sorted(seen) == sorted((str(who), n) for who in range(8) for n in range(20))


@pytest.mark.long
def test_writers_that_are_killed_cost_at_most_their_own_line(tmp_path: Path) -> None:
    writers = start_writers(begin(tmp_path), 6)
    while not (journal_folder() / SPOOL).exists():
        pass
    for writer in writers[:3]:
        writer.kill()
    assert [writer.wait() for writer in writers[3:]] == [0] * 3
    for writer in writers[:3]:
        writer.wait()
    assert sum(payload["who"] in ("3", "4", "5") for payload in payloads("one")) == 60


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_FSIZE, which acts like a full disk")
def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from anyhook.record.record_payload import record_payload
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
record_payload(sys.argv[1], "codex", "Stop", b'{"n": 1}')
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    record_payload(sys.argv[1], "codex", "Stop", b'"' + b"x" * 10_000 + b'"')
except OSError:
    sys.exit(7)
"""
    marker = begin(tmp_path)
    environment = {**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"}
    assert subprocess.run([sys.executable, "-c", code, marker], env=environment).returncode == 7
    add(marker, n=2)
    assert payloads("one") == [{"n": 1}, {"n": 2}]


@POSIX
@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_only_the_owner_may_look_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        marker = begin(tmp_path)
        add(marker)
    finally:
        os.umask(before)
    for path in (Path(marker).parent, journal_folder()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in (Path(marker), journal_folder() / SPOOL):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@POSIX
def test_an_entry_that_names_a_folder_of_others_records_nothing(tmp_path: Path) -> None:
    """A repository may contain an entry that looks like the recorder, and a link in place of the spool."""
    marker = tmp_path / "planted" / "recordings" / "one.json"
    marker.parent.mkdir(parents=True)
    marker.write_text('{"name": "one", "project": "/", "clients": [], "patterns": []}')
    marker.parents[1].chmod(0o755)
    with pytest.raises(PermissionError):
        add(str(marker))
    marker.parents[1].chmod(0o700)
    (marker.parents[1] / SPOOL).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        add(str(marker))
    assert not (tmp_path / "elsewhere").exists()


def test_names(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a recording"):
        begin_recording(tmp_path, ["codex"], "../up")
    begin(tmp_path, "one")
    with pytest.raises(UsageError, match="there is a recording one already"):
        begin_recording(tmp_path, ["codex"], "one")
    assert len({begin_recording(tmp_path, ["codex"]).name for _ in range(3)}) == 3


def test_a_recording_ends_with_the_last_of_its_clients(tmp_path: Path) -> None:
    begin(tmp_path, "both", "codex", "gemini-cli")
    assert end_recordings(tmp_path / "other", ["codex"]) == ()
    assert end_recordings(tmp_path, ["codex"]) == ("both",)
    assert [one.clients for one in open_recordings(journal_folder())] == [("gemini-cli",)]
    assert end_recordings(tmp_path, ["codex", "gemini-cli"]) == ("both",)
    assert open_recordings(journal_folder()) == ()


def test_a_recording_that_is_off_takes_nothing(tmp_path: Path) -> None:
    marker = begin(tmp_path)
    end_recordings(tmp_path, ["claude-code"])
    with pytest.raises(FileNotFoundError):
        add(marker)


def test_recordings_are_found_by_the_beginning_of_their_name_and_from_folders_below(tmp_path: Path) -> None:
    for name in ("monday", "tuesday", "tuesday-2"):
        record(tmp_path, bash("PreToolUse", name), name=name)
    record(tmp_path / "other", bash("PreToolUse", "x"), name="wednesday")
    assert [one.name for one in list_recordings(tmp_path)] == ["tuesday-2", "tuesday", "monday"]
    assert open_recording(tmp_path).name == "tuesday-2"
    assert open_recording(Path("nowhere"), "mon").name == "monday"
    assert open_recording(tmp_path, "tuesday").name == "tuesday"
    assert recorded_folder(tmp_path / "a" / "b") == tmp_path
    with pytest.raises(UsageError, match="tuesday, tuesday-2"):
        open_recording(tmp_path, "tue")
    with pytest.raises(UsageError, match="no recording 'sunday'"):
        open_recording(tmp_path, "sunday")


def test_without_recordings_the_message_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="anyhook record on"):
        open_recording(tmp_path)


def test_an_engine_can_be_recorded_with_what_came_of_its_events() -> None:
    with JournalObserver(recording="mine") as journal:
        engine = Engine(HookSet(dialect="claude-code"), observe=journal.observe)
        engine.register("PreToolUse", lambda _: {"decision": "block", "reason": "not with password=hunter2"})
        engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "deploy --token abc123"}))
    (event,) = open_recording(Path(), "mine").events
    assert event.payload["hook_event_name"] == "PreToolUse"
    assert event.payload["tool_input"] == {"command": "deploy --token <redacted>"}
    assert event.outcome is not None
    assert (event.outcome.effect, event.outcome.reason) == (Effect.BLOCK, "not with password=<redacted>")


def test_an_observer_that_fails_does_not_disturb_the_engine() -> None:
    def observe(_: Payload, __: object) -> None:
        raise RuntimeError("full disk")

    engine = Engine(HookSet(dialect="claude-code"), observe=observe)
    assert engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash", tool_input={})).effect == "proceed"


# -------------------------------------------------------------------------------------- sessions, and events seen twice


@pytest.fixture
def package(tmp_path: Path) -> Path:
    with JournalDatabase(private(journal_folder())) as database:
        database.add(
            [
                row(session="abc-1", payload=shell_call("echo DANGER")),
                row(session="abc-1", payload=shell_call("ls")),
                row(session="abc-2", payload=shell_call("ls")),
                row(session="bare"),
            ]
        )
    return make_package(tmp_path / "project")


def test_a_session_of_the_journal(package: Path) -> None:
    recording = open_recording(package, "abc-1")
    assert (recording.name, len(recording.events)) == ("abc-1", 2)
    with pytest.raises(UsageError, match="abc can be any of abc-1, abc-2"):
        open_recording(package, "abc")
    with pytest.raises(UsageError, match="no payloads; set bodies = true"):
        open_recording(package, "bare")
    with pytest.raises(UsageError, match="there is no recording 'other'"):
        open_recording(package, "other")


def test_replay_of_the_journal_and_of_its_export(package: Path) -> None:
    exported = run(package, "log", "--export", "--session", "abc-1", "--output", "rows.jsonl")
    assert exported.stdout == "2 rows in rows.jsonl\n"
    for session in ("abc-1", "rows.jsonl"):
        ran = run(package, "test", "--recording", session)
        assert ran.returncode == 1, ran.stderr
        assert "2 events: 1 would change" in ran.stdout


def test_cases_from_the_journal(package: Path) -> None:
    ran = run(package, "new", "case", "--recording=abc-1")
    assert ran.returncode == 0, ran.stderr
    assert "2 cases from 2 events of abc-1." in ran.stdout


def test_an_event_that_the_recorder_and_anyhook_have_seen_is_one_event(tmp_path: Path) -> None:
    call = bash("PreToolUse", "ls")[1]
    size = len(json.dumps(call).encode())
    recorded = record(tmp_path, ("PreToolUse", call), ("PreToolUse", call), ("Stop", {"session_id": "s1"}))
    seen = row(recording="one", bytes_in=size, payload=call, answer={"ok": 1}, project=str(tmp_path))
    with JournalDatabase(journal_folder()) as database:
        database.add([seen, row(session="another", bytes_in=size)])
    events = open_recording(tmp_path, "one").events
    assert len(recorded.events) == len(events) == 3
    assert sorted(event.via for event in events) == ["", "record", "record"]
    assert seen in events
    stats = json.loads(run(tmp_path, "log", "--stats", "--json").stdout)
    assert stats["events"] == 4


# -------------------------------------------------------------------------------------------------------------- files


def test_an_export_of_a_recording_names_no_folder_of_this_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    (before,) = record(project, bash("PreToolUse", f"cat {tmp_path}/x")).events
    exported = run(project, "log", "--export", "--recording", "one", "--output", "one.jsonl", HOME=str(tmp_path))
    assert exported.stdout == "1 row in one.jsonl\n"
    assert str(tmp_path) not in (project / "one.jsonl").read_text()
    (event,) = read_recording(project / "one.jsonl").events
    assert event == structs.replace(before, project="~/project")


def test_lines_of_a_file_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "monday.jsonl"
    line = b'{"at":"2026-01-01T00:00:00.000Z","client":"codex","event":"Stop","payload":{}}'
    file.write_bytes(b"\n".join([line, line[:40], b'{"at": 1}', line.replace(b',"payload":{}', b"")]))
    recording = read_recording(file)
    assert (recording.name, len(recording.events)) == ("monday.jsonl", 1)
    torn, wrong, bare = recording.problems
    assert (torn.text, torn.origin.line) == ("an event that was not written to the end", 2)
    assert wrong.text.startswith("not a recorded event: ")
    assert bare.text == "a row without a payload"
