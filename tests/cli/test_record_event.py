"""The hook that records: quick, silent, and never in an agent's way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.cli import record_event
from anyhook.record.recordings import open_recording
from tests.checkout import SOURCE
from tests.record.recordings import begin

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}


def test_the_hook_records_whatever_it_is_given_says_nothing_and_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    marker = begin(tmp_path, "one", "codex")
    hook = [sys.executable, "-IS", record_event.__file__]
    given = [b'{"a": 1}', b"", b"not json \xff", b"[1]", b"[" * 100_000]
    for data in given:
        ran = subprocess.run([*hook, "codex", "Stop", marker], input=data, capture_output=True, env=ENVIRONMENT)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    payloads = [event.payload for event in open_recording(tmp_path).events]
    assert payloads == [{"a": 1}, "", "not json \ufffd", [1], "[" * 100_000]
    for arguments in (["codex"], ["codex", "Stop", str(tmp_path / "recordings" / "none.json")]):
        ran = subprocess.run([*hook, *arguments], input=b"{}", capture_output=True, env=ENVIRONMENT)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_the_hook_loads_nothing_that_takes_long(tmp_path: Path) -> None:
    code = "from anyhook.cli.record_event import main; import sys; main(['c', 'E', 'F/x']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], input=b"{}", capture_output=True, env=ENVIRONMENT, cwd=tmp_path)
    loaded = set(ran.stdout.decode().split())
    assert "anyhook.record.append" in loaded
    assert not loaded & {"click", "msgspec", "rich", "asyncio", "subprocess", "typing", "pathlib", "anyhook.cli.main"}
