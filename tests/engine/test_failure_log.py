"""What the logger ``anyhook`` gets of hooks that fail."""

from __future__ import annotations

import pytest

from anyhook.engine.failure_log import log_failure
from anyhook.model.outcome import Run, Status


def test_a_hook_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    log_failure("Stop", Run(summary="guard.sh", status=Status.FAILED_OPEN, reason="exited with 1"))
    [message] = caplog.messages
    assert message.startswith("Stop hook guard.sh (")
    assert message.endswith("exited with 1")


def test_a_hook_that_ends_well_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    log_failure("Stop", Run(summary="guard.sh", status=Status.ALLOWED))
    assert caplog.messages == []


def test_what_cannot_be_encoded_is_escaped(caplog: pytest.LogCaptureFixture) -> None:
    log_failure("Stop", Run(summary="echo \ud83d", status=Status.FAILED_OPEN, reason="failed"))
    assert "echo \\ud83d" in caplog.messages[0]
    caplog.messages[0].encode()
