"""Takes secrets out of rows before they are written."""

from __future__ import annotations

from functools import lru_cache

from msgspec import UNSET, structs

from anyhook.model.problems import UsageError
from anyhook.record.recorded import HookRecord, RecordedEvent
from anyhook.record.redact import Redactor, redactor_of_this_machine
from anyhook.sources import disk
from anyhook.sources.state import settings_folder

CACHED_TEXTS = 1000


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
