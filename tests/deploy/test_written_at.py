"""When an entry was deployed: what a client fired before, another one has answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.deploy.ledger import OriginalFile, forget, remember, written_at
from anyhook.record.append import now


def test_it_is_known_where_anyhook_has_changed_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    file = tmp_path / "hooks.json"
    assert written_at(file) == ""
    before = now()[:16]
    remember(file, OriginalFile(), None, b"{}")
    assert before <= written_at(file)[:16] <= now()[:16]
    forget(file)
    assert written_at(file) == ""
