"""Real clients, offline, with a scripted model: what they do is recorded, and they do not notice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anyhook.dialects import all_profiles
from anyhook.record.infer import conclude, read_payloads
from anyhook.record.recordings import open_recording
from tests.realclients.playing import play

RECORDED = [known.name for known in all_profiles() if known.basis == "recorded"]

SCRIPT = [{"shell": "echo API_KEY=abc123 > fine.txt"}, {"text": "bye"}]


@pytest.mark.usefixtures("clients")
@pytest.mark.parametrize("client", RECORDED)
def test_a_real_client_is_recorded_and_works_as_ever(client: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    record = (sys.executable, "-m", "anyhook", "record", "--client", client, "--name", client, "--")
    report = play(client, tmp_path, SCRIPT, runner=record)
    assert [call["ran"] for call in report["tool_results"]] == [True]
    assert list(project.iterdir()) == []

    recording = open_recording(project, client)
    assert "abc123" not in repr(recording)
    events = read_payloads(recording.events)
    happened = dict(zip((event.payload.event for event in events), conclude(events), strict=True))
    assert happened.keys() >= {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}
    for name in ("UserPromptSubmit", "PreToolUse"):
        outcome = happened[name]
        assert outcome is not None
        assert (outcome.effect, outcome.is_concluded) == ("proceed", True)
