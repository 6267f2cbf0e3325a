"""What guards remember on disk: by client, package and session, from many processes, private, and not for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anyhook.bridge.stored_state import MAX_AGE_SECONDS, MAX_LOG_BYTES, StoredMemory
from anyhook.guards.session.memory import LostMemoryError
from anyhook.sources.state import VARIABLE
from tests.checkout import SOURCE


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state" / "guards"


def test_a_log_is_that_of_a_client_a_package_and_a_session() -> None:
    assert StoredMemory("codex", Path("/p")).add("s", "a") == ("a",)
    assert StoredMemory("codex", Path("/p")).add("s", "b") == ("a", "b")
    assert StoredMemory("codex", Path("/p")).add("t", "c") == ("c",)
    assert StoredMemory("codex", Path("/q")).add("s", "c") == ("c",)
    assert StoredMemory("qwen-code", Path("/p")).add("s", "c") == ("c",)
    StoredMemory("codex", Path("/p")).forget("s")
    assert StoredMemory("codex", Path("/p")).add("s", "d") == ("d",)


def test_texts_are_kept_for_the_project() -> None:
    memory = StoredMemory("codex", Path("/p"))
    assert memory.recall("passed") == ""
    memory.keep("passed", "abc")
    assert StoredMemory("codex", Path("/p")).recall("passed") == "abc"
    assert StoredMemory("codex", Path("/q")).recall("passed") == ""


def test_every_process_sees_its_own_line_last() -> None:
    code = (
        "from pathlib import Path; from anyhook.bridge.stored_state import StoredMemory\n"
        "memory = StoredMemory('codex', Path('/p'))\n"
        "for _ in range(50): print(len(memory.add('s', 'call')))"
    )
    command = [sys.executable, "-P", "-c", code]
    variables = {**os.environ, "PYTHONPATH": str(SOURCE)}
    started = [subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    seen = [int(line) for process in started for line in process.communicate()[0].split()]
    assert sorted(seen) == list(range(1, 201))


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_only_the_user_can_read_it(state: Path) -> None:
    memory = StoredMemory("codex", Path("/p"))
    before = os.umask(0)
    try:
        memory.add("s", "a")
        memory.keep("passed", "abc")
    finally:
        os.umask(before)
    assert {file.stat().st_mode & 0o777 for file in state.iterdir()} == {0o600}
    assert state.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
@pytest.mark.parametrize("damage", ["shared", "folder", "link"])
def test_a_log_that_cannot_be_trusted_is_lost(state: Path, damage: str, tmp_path: Path) -> None:
    memory = StoredMemory("codex", Path("/p"))
    memory.add("s", "a")
    (file,) = state.iterdir()
    if damage == "shared":
        file.chmod(0o666)
    else:
        file.unlink()
        file.mkdir() if damage == "folder" else file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LostMemoryError, match=file.name):
        memory.add("s", "b")
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_log_does_not_grow(state: Path) -> None:
    memory = StoredMemory("codex", Path("/p"))
    memory.add("s", "a" * MAX_LOG_BYTES)
    assert len(memory.add("s", "b")) == 1
    (file,) = state.iterdir()
    assert file.stat().st_size == MAX_LOG_BYTES + 1


@pytest.mark.parametrize("later", ["another session begins", "another session ends"])
def test_what_is_older_than_a_week_is_removed(state: Path, later: str) -> None:
    memory = StoredMemory("codex", Path("/p"))
    memory.add("old", "a")
    (old,) = state.iterdir()
    memory.add("young", "a")
    week = time.time() - MAX_AGE_SECONDS
    os.utime(old, (week - 60, week - 60))
    if later == "another session begins":
        memory.add("new", "a")
    else:
        memory.forget("young")
    assert not old.exists()
