"""Every test of this folder has a journal of its own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path_factory.mktemp("state")
    state.chmod(0o700)
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(state))
