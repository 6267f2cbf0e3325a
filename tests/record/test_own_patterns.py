"""Patterns of secrets in anyhook.toml: they are used, and one that cannot be is reported with file and line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.cli import record_event
from anyhook.model.problems import UsageError
from anyhook.record.append import SPOOL
from anyhook.record.own_patterns import own_patterns
from anyhook.record.recordings import begin_recording, open_recording
from anyhook.record.store.spool import journal_folder
from anyhook.sources.settings import read_settings
from tests.record.recordings import begin


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(folder: Path, *patterns: str, before: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    listed = "\n".join(f"  '''{pattern}'''," for pattern in patterns)
    (folder / "anyhook.toml").write_text(f"{before}[redact]\npatterns = [\n{listed}\n]\n")


@pytest.mark.skipif(os.name != "posix", reason="the user's folder is elsewhere")
def test_patterns_of_user_and_project_hide_what_they_match(project: Path, tmp_path: Path) -> None:
    write(project, "ACME-[0-9A-F]{8}")
    write(tmp_path / "config/anyhook", r"(?i)employee no\. [0-9]{3}")
    marker = begin(project, "one", "codex")
    payload = {"prompt": "ACME-0123ABCD of Employee No. 007, not ACME-1"}
    record_event_in_process(marker, payload)
    (event,) = open_recording(project, "one").events
    assert event.payload == {"prompt": "<redacted> of <redacted>, not ACME-1"}
    assert event.redacted == 2


def record_event_in_process(marker: str, payload: object) -> None:
    words = [sys.executable, "-IS", record_event.__file__, "codex", "Stop", marker]
    subprocess.run(words, input=json.dumps(payload).encode(), check=True)


def test_nothing_is_recorded_if_the_patterns_cannot_be_read(project: Path) -> None:
    write(project, "ACME-[0-9A-F]{8}")
    marker = begin(project, "one", "codex")
    Path(marker).write_text("{")
    record_event_in_process(marker, {"prompt": "ACME-0123ABCD"})
    assert not (journal_folder() / SPOOL).exists()


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("ACME-(", "not a valid regular expression"),
        ("(a+)+b", "can take very long"),
        ("a+b", "can take very long"),
        ("(?:a{1,20}){1,20}b", "can take very long"),
        ("x*", "matches the empty text"),
        ("<?redacted", "matches <redacted>"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_reported_with_its_line(pattern: str, why: str, project: Path) -> None:
    write(project, "fine", pattern, before="# a comment\n")
    with pytest.raises(UsageError, match=why) as raised:
        begin_recording(project, ["codex"])
    assert f"{project}/anyhook.toml:3" in str(raised.value)
    assert not journal_folder().exists()


@pytest.mark.parametrize("text", ["patterns = 'x'", "patterns = [1]", "pattern = ['x']"])
def test_other_values_are_reported(text: str, project: Path) -> None:
    (project / "anyhook.toml").write_text(f"[redact]\n{text}\n")
    with pytest.raises(UsageError, match=r"anyhook\.toml:2"):
        own_patterns(project)


@pytest.mark.parametrize("pattern", ["ACME-[0-9]{1,64}x", "key_[a-z]+", "(?:ab|cd){4}", "(?i)number: ?[0-9]{4}"])
def test_ordinary_patterns_are_accepted(pattern: str, project: Path) -> None:
    write(project, pattern)
    assert own_patterns(project) == (pattern,)
    assert not read_settings(project, {}).problems
