"""Failing hooks in the host's own log: the logger ``anyhook``, silent unless the host configures logging."""

from __future__ import annotations

import logging

from anyhook.model.outcome import Run

_LOGGER = logging.getLogger("anyhook")
_LOGGER.addHandler(logging.NullHandler())  # else Python prints warnings to stderr, which clients read


def log_failure(event: str, run: Run) -> None:
    """Log a run that failed. Half of a surrogate pair is escaped: a handler that writes UTF-8 would fail on it."""
    if run.status.is_failure:
        text = f"{event} hook {run.summary} ({run.origin}): {run.status}: {run.reason}"
        _LOGGER.warning("%s", text.encode(errors="backslashreplace").decode())
