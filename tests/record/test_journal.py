"""A recording takes whole events from many processes at once, belongs to its owner alone, and is found by its name."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook import Engine, HookSet, PreToolUse
from anyhook.model.outcome import Effect
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.record.append import EVENTS_FILE, append_event, append_line
from anyhook.record.journal import (
    Journal,
    create_recording,
    discard_if_empty,
    find_recording,
    list_recordings,
    read_recording,
)
from anyhook.record.recorded import Happened
from anyhook.record.redact import Redactor
from tests.checkout import SOURCE

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
REDACTOR = Redactor({}, home="/home/ada", user="ada")
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")


def add(folder: Path, event: str = "PreToolUse", **payload: object) -> None:
    append_event(str(folder), REDACTOR, "claude-code", event, payload)


def test_what_is_appended_is_read_back_without_its_secrets(tmp_path: Path) -> None:
    add(tmp_path, tool_name="Bash", tool_input={"command": "API_KEY=abc cat /home/ada/x"})
    (event,) = read_recording(tmp_path).events
    assert event.client == "claude-code"
    assert event.event == "PreToolUse"
    assert event.payload == {"tool_name": "Bash", "tool_input": {"command": "API_KEY=<redacted> cat ~/x"}}
    assert event.redacted == 2
    assert event.at.endswith("Z")
    assert event.outcome is None


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    add(tmp_path, prompt="cut \ud83d here")
    assert read_recording(tmp_path).events[0].payload == {"prompt": "cut \ud83d here"}


WRITER = """
import sys
from anyhook.record.append import append_event
from anyhook.record.recorded import Happened
from anyhook.record.redact import Redactor
folder, who = sys.argv[1:]
for number in range(20):
    append_event(folder, Redactor({}), "codex", "PreToolUse", {"who": who, "n": number, "big": "x" * 300_000})
"""


def start_writers(folder: Path, number: int) -> list[subprocess.Popen[bytes]]:
    python = [sys.executable, "-c", WRITER, str(folder)]
    return [subprocess.Popen([*python, str(n)], env=ENVIRONMENT) for n in range(number)]


def test_many_processes_append_at_once_and_no_line_is_torn(tmp_path: Path) -> None:
    writers = start_writers(tmp_path, 8)
    assert [writer.wait() for writer in writers] == [0] * 8
    recording = read_recording(tmp_path)
    assert recording.problems == ()
    seen = [(event.payload["who"], event.payload["n"]) for event in recording.events]
    assert sorted(seen) == sorted((str(who), n) for who in range(8) for n in range(20))
    for who in range(8):
        assert [n for name, n in seen if name == str(who)] == list(range(20))


def test_writers_that_are_killed_cost_at_most_their_own_line(tmp_path: Path) -> None:
    writers = start_writers(tmp_path, 6)
    while not (tmp_path / EVENTS_FILE).exists():
        pass
    for writer in writers[:3]:
        writer.kill()
    assert [writer.wait() for writer in writers[3:]] == [0] * 3
    for writer in writers[:3]:
        writer.wait()
    recording = read_recording(tmp_path)
    assert len(recording.problems) <= 3
    assert sum(event.payload["who"] in ("3", "4", "5") for event in recording.events) == 60


def test_a_torn_line_is_reported_and_the_next_event_is_whole(tmp_path: Path) -> None:
    add(tmp_path, n=1)
    with (tmp_path / EVENTS_FILE).open("ab") as file:
        file.write(b'{"at":"2026-01-01T00:00:00.000Z","client":"cod')
    add(tmp_path, n=2)
    recording = read_recording(tmp_path)
    assert [event.payload["n"] for event in recording.events] == [1, 2]
    (torn,) = recording.problems
    assert torn.text == "an event that was not written to the end"
    assert torn.origin.line == 2


def test_a_line_of_something_else_is_reported(tmp_path: Path) -> None:
    append_line(str(tmp_path / EVENTS_FILE), b'{"at": 1}')
    (wrong,) = read_recording(tmp_path).problems
    assert wrong.text.startswith("not a recorded event: ")


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_FSIZE, which acts like a full disk")
def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from anyhook.record.append import append_event
from anyhook.record.recorded import Happened
from anyhook.record.redact import Redactor
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
append_event(sys.argv[1], Redactor({}), "codex", "Stop", {"n": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    append_event(sys.argv[1], Redactor({}), "codex", "Stop", {"big": "x" * 10_000})
except OSError:
    sys.exit(7)
"""
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=ENVIRONMENT)
    assert ran.returncode == 7
    add(tmp_path, n=2)
    recording = read_recording(tmp_path)
    assert recording.problems == ()
    assert [event.payload["n"] for event in recording.events] == [1, 2]


@POSIX
@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_only_the_owner_may_look_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    (tmp_path / ".anyhook").mkdir()
    before = os.umask(umask)
    try:
        folder = create_recording(tmp_path, "one")
        add(folder)
    finally:
        os.umask(before)
    for path in (folder.parent, folder):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / EVENTS_FILE).stat().st_mode) == 0o600


@POSIX
def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / EVENTS_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        add(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_recordings_are_ignored_by_git(tmp_path: Path) -> None:
    folder = create_recording(tmp_path)
    assert (folder.parent / ".gitignore").read_text() == "*\n"


def test_recordings_made_in_the_same_second_have_names_of_their_own(tmp_path: Path) -> None:
    assert len({create_recording(tmp_path).name for _ in range(3)}) == 3


def test_a_name_that_is_a_path_or_taken_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a recording"):
        create_recording(tmp_path, "../up")
    add(create_recording(tmp_path, "one"))
    with pytest.raises(UsageError, match="already"):
        create_recording(tmp_path, "one")


def test_a_recording_is_found_by_name_prefix_path_or_as_the_newest(tmp_path: Path) -> None:
    for number, name in enumerate(("monday", "tuesday", "tuesday-2")):
        add(create_recording(tmp_path, name))
        os.utime(tmp_path / ".anyhook/recordings" / name / EVENTS_FILE, (number, number))
    assert find_recording(tmp_path).name == "tuesday-2"
    assert find_recording(tmp_path, "tuesday").name == "tuesday"
    assert find_recording(tmp_path, "mon").name == "monday"
    assert find_recording(Path("nowhere"), str(tmp_path / ".anyhook/recordings/monday")).name == "monday"
    assert find_recording(Path("nowhere"), str(tmp_path / ".anyhook/recordings/monday" / EVENTS_FILE)).name == "monday"
    assert [folder.name for folder in list_recordings(tmp_path)] == ["tuesday-2", "tuesday", "monday"]
    with pytest.raises(UsageError, match="tuesday, tuesday-2"):
        find_recording(tmp_path, "tue")
    with pytest.raises(UsageError, match="no recording 'sunday'"):
        find_recording(tmp_path, "sunday")


def test_without_recordings_the_message_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="anyhook record on"):
        find_recording(tmp_path)


def test_an_engine_can_be_recorded_with_what_came_of_its_events(tmp_path: Path) -> None:
    engine = Engine(HookSet(dialect="claude-code"), observe=Journal(tmp_path, REDACTOR).observe)
    engine.register("PreToolUse", lambda _: {"decision": "block", "reason": "not with password=hunter2"})
    engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"}))
    (event,) = read_recording(tmp_path).events
    assert event.payload["hook_event_name"] == "PreToolUse"
    assert event.payload["tool_input"] == {"command": "ls"}
    assert event.outcome == Happened(Effect.BLOCK, "not with password=<redacted>")


def test_an_observer_that_fails_does_not_disturb_the_engine() -> None:
    def observe(_: Payload, __: object) -> None:
        raise RuntimeError("full disk")

    engine = Engine(HookSet(dialect="claude-code"), observe=observe)
    assert engine.fire_sync(PreToolUse(session_id="s", tool_name="Bash", tool_input={})).effect == "proceed"


def test_events_are_plain_lines_of_json(tmp_path: Path) -> None:
    add(tmp_path, a=1)
    assert json.loads((tmp_path / EVENTS_FILE).read_text()).keys() == {"at", "client", "event", "payload"}


def test_only_an_empty_recording_is_discarded(tmp_path: Path) -> None:
    empty, full = create_recording(tmp_path, "empty"), create_recording(tmp_path, "full")
    add(full)
    for folder in (empty, full, tmp_path / "never there"):
        discard_if_empty(folder)
    assert list_recordings(tmp_path) == (full,)
