"""The entries that record: for every event, loaded by their client, never in its way."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from anyhook.dialects import dialect, profile, real_clients
from anyhook.dialects.events import native_names
from anyhook.model.hooks import Command
from anyhook.record.entries import is_recorder, recorder_like, recording_rules, unrecorded_events
from anyhook.record.recordings import open_recording
from tests.record.recordings import begin

CLIENTS = [known.name for known in real_clients() if known.runs_hooks]
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@pytest.mark.parametrize("name", CLIENTS)
def test_every_event_of_a_client_is_recorded_once_unless_a_silent_hook_would_disturb_it(name: str) -> None:
    facts = profile(name)
    recorded = [rule.event for rule in recording_rules(facts, Path("here"))]
    everything = {event.name for event in native_names(name).values()}
    assert len(recorded) == len(set(recorded))
    assert set(recorded) == everything - unrecorded_events(facts).keys()


def test_a_hook_that_would_take_the_place_of_git_is_left_out() -> None:
    assert "WorktreeCreate" in unrecorded_events(profile("claude-code"))
    assert "PreToolUse" not in unrecorded_events(profile("claude-code"))


def test_an_event_that_a_silent_hook_blocks_is_left_out() -> None:
    assert profile("antigravity").answers.silence_blocks_on
    assert unrecorded_events(profile("antigravity")).keys() >= profile("antigravity").answers.silence_blocks_on


@pytest.mark.parametrize("name", CLIENTS)
def test_the_client_can_write_them(name: str) -> None:
    assert "record_event.py" in json.dumps(dialect(name).write(recording_rules(profile(name), Path("here"))))


def test_an_entry_of_ours_is_recognised(tmp_path: Path) -> None:
    (action,) = recording_rules(profile("codex"), tmp_path / "a folder's name")[0].actions
    assert is_recorder(action)
    assert recorder_like(action) == action
    other = Command(command="echo record_event")
    assert not is_recorder(other)
    assert recorder_like(other) is None


@POSIX
def test_its_command_works_in_a_shell_without_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / 'a folder\'s "name" $HOME'))
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    (action,) = recording_rules(profile("claude-code"), Path(begin(tmp_path)))[0].actions
    assert isinstance(action, Command)
    shell = ["/bin/sh", "-c", action.command]
    poor = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(shell, input=b'{"source": "startup"}', capture_output=True, env=poor, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert [event.payload for event in open_recording(tmp_path).events] == [{"source": "startup"}]


@POSIX
def test_a_recorder_that_is_gone_is_not_the_clients_trouble(tmp_path: Path) -> None:
    (action,) = recording_rules(profile("copilot-cli"), tmp_path)[0].actions
    assert isinstance(action, Command)
    gone = action.command.replace("record_event.py", "gone.py")
    for command in (gone, f"/nowhere/{action.command.lstrip('/')}"):
        ran = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True)
        assert (ran.returncode, ran.stdout) == (0, b"")
