"""Pipes, sockets and devices in place of the files of the journal: no command waits for them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anyhook.record.store.open_recordings import OpenRecording, marker_of, write_marker
from tests.checkout import SOURCE
from tests.effort import mostly_long
from tests.record.store.journals import private
from tests.serve.daemons import PYTHON_CLIENT, Ran, Stage, make_stage
from tests.warm.commands import WARM

if os.name != "posix":
    pytest.skip("the files are those of a POSIX system", allow_module_level=True)

SECONDS = 120
FILES = ("spool.jsonl", "spool-1.jsonl", "journal.db", "journal.db-wal", "journal.db-shm")
READERS = (
    ("log",),
    ("log", "--verify"),
    ("log", "--stats"),
    ("log", "--export"),
    ("test", "--recording", "r"),
    ("record", "list"),
    ("doctor",),
)
RECORDER = SOURCE / "anyhook/cli/record_event.py"


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.trust()
        yield made


@pytest.mark.parametrize("name", mostly_long(FILES, short=["spool.jsonl"]))
@pytest.mark.parametrize("odd", mostly_long(ODD, short=["pipe"]))
def test_an_odd_file_holds_up_no_command(odd: str, name: str, stage: Stage) -> None:
    folder = private(stage.top / "s" / "journal")
    ODD[odd](folder / name)
    assert b"not that" in _run(stage, *stage.words(), stdin=stage.payload("forbidden")).stdout
    for words in READERS:
        ran = _run(stage, *words)
        assert b"Traceback" not in ran.stderr, ran
        assert ran.status in (0, 1, 2), ran
    said = _run(stage, "log").stderr.decode()
    assert f"{name}: " in said
    assert "not a regular file; remove it" in said
    (folder / name).rmdir() if odd == "folder" else (folder / name).unlink()
    for suffix in ("", "-wal", "-shm"):
        (folder / f"journal.db{suffix}").unlink(missing_ok=True)
    _run(stage, *stage.words(), stdin=stage.payload("forbidden"))
    assert b"not that" in _run(stage, "log").stdout


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_daemon_goes_on_beside_a_pipe(name: str, stage: Stage) -> None:
    folder = private(stage.top / "s" / "journal")
    os.mkfifo(folder / name)
    with stage.daemon():
        for _ in range(2):
            assert b"not that" in stage.ask(PYTHON_CLIENT, stage.payload("forbidden")).stdout
            assert _run(stage, "log").status in (0, 2)


@pytest.mark.long
@pytest.mark.parametrize("name", ["spool.jsonl", "recordings/r.json"])
@pytest.mark.parametrize("odd", ["pipe", "socket", "endless device"])
def test_the_recorder_does_not_wait(odd: str, name: str, stage: Stage) -> None:
    folder = private(stage.top / "s" / "journal")
    recording = OpenRecording(name="r", project=str(stage.project), clients=("claude-code",))
    marker = marker_of(folder, "r")
    private(marker.parent)
    if name == "spool.jsonl":
        marker.write_text(json.dumps({"name": "r", "project": recording.project, "clients": [], "patterns": []}))
    ODD[odd](folder / name)
    words = (sys.executable, "-IS", str(RECORDER), "claude-code", "PreToolUse", str(marker))
    ran = subprocess.run(words, input=stage.payload("ls"), capture_output=True, timeout=SECONDS)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert _run(stage, "log").status in (0, 2)


@pytest.mark.long
def test_the_recorder_records(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(stage.top / "s"))
    folder = private(stage.top / "s" / "journal")
    write_marker(folder, OpenRecording(name="r", project=str(stage.project), clients=("claude-code",)))
    words = (sys.executable, "-IS", str(RECORDER), "claude-code", "PreToolUse", str(marker_of(folder, "r")))
    subprocess.run(words, input=stage.payload("ls"), timeout=SECONDS, check=True)
    assert len((folder / "spool.jsonl").read_bytes().splitlines()) == 1


def _run(stage: Stage, *words: str, stdin: bytes = b"") -> Ran:
    return stage.run((*WARM, *words), stdin)
