"""Makes rows ready to be stored: without secrets, and with the release of their client."""

from __future__ import annotations

import time
from functools import lru_cache

from msgspec import UNSET, structs

from anyhook.dialects import NAMES, profile
from anyhook.model.problems import UsageError
from anyhook.record.recorded import HookRecord, RecordedEvent
from anyhook.record.redact import Redactor, redactor_of_this_machine
from anyhook.sources import disk
from anyhook.sources.state import settings_folder

CACHED_TEXTS = 1000
RELEASE_SECONDS = 60.0


class InstalledReleases:
    """Which release of each client is installed; a release is looked for again when it is no longer new."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, str]] = {}

    def add_to(self, row: RecordedEvent) -> RecordedEvent:
        """The row with the release that PATH finds; a row that has one keeps it."""
        if row.release or row.client not in NAMES:
            return row
        at, release = self._found.get(row.client, (-RELEASE_SECONDS, ""))
        if time.monotonic() - at >= RELEASE_SECONDS:
            from anyhook.sources.installed_release import installed_release  # not for a process that a client waits for

            release = installed_release(profile(row.client))
            self._found[row.client] = time.monotonic(), release
        return structs.replace(row, release=release)


class RowRedactor:
    """Redacts rows with the patterns of the user."""

    def __init__(self) -> None:
        self.problem = ""
        """Why the user's own patterns cannot be used: then rows have neither reasons nor payloads."""
        self._redactor: Redactor | None = None
        try:
            self._redactor = redactor_of_this_machine(own=_users_patterns())
        except UsageError as error:
            self.problem = str(error)
        self._text = lru_cache(CACHED_TEXTS)(self._redact_text)

    def clean(self, row: RecordedEvent) -> RecordedEvent:
        """The row without secrets in its texts and its payload."""
        payload, redacted = row.payload, row.redacted
        if payload is not UNSET:
            payload, more = (UNSET, 0) if self._redactor is None else self._redactor.redact(payload)
            redacted += more
        outcome = row.outcome
        if outcome is not None and outcome.reason:
            outcome = structs.replace(outcome, reason=self._text(outcome.reason))
        hooks = tuple(map(self._clean_hook, row.hooks))
        return structs.replace(row, payload=payload, redacted=redacted, outcome=outcome, hooks=hooks)

    def _clean_hook(self, hook: HookRecord) -> HookRecord:
        return structs.replace(hook, hook=self._text(hook.hook), reason=self._text(hook.reason))

    def _redact_text(self, text: str) -> str:
        return "" if self._redactor is None else self._redactor.text(text)[0]


def _users_patterns() -> tuple[str, ...]:
    if not disk.exists(settings_folder() / "anyhook.toml"):
        return ()
    from anyhook.record.own_patterns import own_patterns  # slow to import, and most users have no such file

    return own_patterns(None)
