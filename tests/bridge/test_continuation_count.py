"""The count of continuations on disk: by client, package, session, event and subagent."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.bridge.stored_state import StoredCount
from anyhook.sources.state import VARIABLE


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_it_counts_until_it_is_reset() -> None:
    key = ("s", "Stop", None)
    assert [StoredCount("codex", Path("/p")).increment(key) for _ in range(3)] == [1, 2, 3]
    StoredCount("codex", Path("/p")).reset(key)
    assert StoredCount("codex", Path("/p")).increment(key) == 1


def test_each_client_package_session_event_and_subagent_is_counted_alone() -> None:
    count = StoredCount("codex", Path("/p"))
    count.increment(("s", "Stop", None))
    assert count.increment(("t", "Stop", None)) == 1
    assert count.increment(("s", "SubagentStop", "a")) == 1
    assert count.increment(("s", "SubagentStop", "b")) == 1
    assert StoredCount("qwen-code", Path("/p")).increment(("s", "Stop", None)) == 1
    assert StoredCount("codex", Path("/q")).increment(("s", "Stop", None)) == 1


def test_a_damaged_file_counts_as_zero(state: Path) -> None:
    count = StoredCount("codex", Path("/p"))
    count.increment(("s", "Stop", None))
    (file,) = (state / "kept-going").iterdir()
    file.write_text("many")
    assert count.increment(("s", "Stop", None)) == 1
