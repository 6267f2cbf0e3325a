"""``anyhook daemon status`` in words."""

from __future__ import annotations

import pytest

from anyhook import __version__
from anyhook.cli.main import main


@pytest.mark.parametrize(("answered", "text"), [(0, "0 events"), (1, "1 event"), (2, "2 events")])
def test_status_counts_events(
    answered: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"pid": 7, "seconds": 1.0, "answered": answered, "declined": 0, "version": __version__}
    monkeypatch.setattr("anyhook.daemon_socket.ask.ask_daemon", lambda *_: said)
    assert main(["daemon", "status"]) == 0
    assert f"It has answered {text} and left 0 to anyhook exec." in capsys.readouterr().out
