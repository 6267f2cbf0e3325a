"""Failing hooks in the host's own log: the logger ``anyhook``, silent unless the host configures logging."""

from __future__ import annotations

import logging

from anyhook.model.outcome import Run, Status

_LOGGER = logging.getLogger("anyhook")
_LOGGER.addHandler(logging.NullHandler())  # else Python prints warnings to stderr, which clients read
_FAILURES = frozenset({Status.FAILED_OPEN, Status.FAILED_CLOSED, Status.TIMED_OUT})


def log_failure(event: str, run: Run) -> None:
    """Write down a run that failed."""
    if run.status in _FAILURES:
        _LOGGER.warning("%s hook %s (%s): %s: %s", event, run.summary, run.origin, run.status, run.reason)
