"""Makes rows ready to be stored: without secrets, and with what is known of their client."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import UNSET, structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.problems import UsageError
from anyhook.record.recorded import HookRecord, RecordedEvent
from anyhook.record.redact import Redactor, redactor_of_this_machine, secret_variables
from anyhook.sources import disk
from anyhook.sources.state import settings_folder

CACHED_TEXTS = 1000
CACHED_REDACTORS = 16
RELEASE_SECONDS = 60.0
_Scope = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""The secret variables of an environment, and patterns of a recording."""


class ClientFacts:
    """Completes rows with what is known of their client; its release is looked for again when it is no longer new."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, str]] = {}

    def complete(self, row: RecordedEvent) -> RecordedEvent:
        """The row with the release that PATH finds; a row that has one keeps it.

        The recorder has no profiles: a row of it also gets its session, its tool and the canonical name of its event.
        """
        if row.client not in NAMES:
            return row
        if not row.was_answered and not row.canonical:
            row = _described(row)
        if row.release:
            return row
        at, release = self._found.get(row.client, (-RELEASE_SECONDS, ""))
        if time.monotonic() - at >= RELEASE_SECONDS:
            from anyhook.sources.installed_release import installed_release  # not for a process that a client waits for

            release = installed_release(profile(row.client))
            self._found[row.client] = time.monotonic(), release
        return structs.replace(row, release=release)


def _described(row: RecordedEvent) -> RecordedEvent:
    plain = row.payload if isinstance(row.payload, dict) else {}
    payload = decode_payload(profile(row.client), plain, row.event)[0]
    tool = getattr(payload, "tool_name", "")
    return structs.replace(
        row,
        canonical=payload.event,
        session=payload.session_id if isinstance(payload.session_id, str) else "",
        tool=tool if isinstance(tool, str) else "",
    )


class RowRedactor:
    """Redacts rows with the patterns of the user, and the secrets of the environment that an event came from."""

    def __init__(self) -> None:
        self.problem = ""
        """Why the user's own patterns cannot be used: then rows have neither reasons nor payloads."""
        self._own: tuple[str, ...] = ()
        try:
            self._own = _users_patterns()
        except UsageError as error:
            self.problem = f"{error}; events are recorded without reasons and payloads"
        self._redactor = lru_cache(CACHED_REDACTORS)(self._make_redactor)
        self._text = lru_cache(CACHED_TEXTS)(self._redact_text)

    def clean(
        self, row: RecordedEvent, environment: Mapping[str, str] | None = None, own: tuple[str, ...] = ()
    ) -> RecordedEvent:
        """The row without secrets in its texts, its payload and its answer.

        ``environment``: that of the client, by default this process's. ``own``: the patterns of its recording.
        """
        variables = os.environ if environment is None else environment
        scope = (tuple(sorted(secret_variables(variables).items())) if row.has_text else (), own)
        redacted = row.redacted
        bodies = {"payload": row.payload, "answer": row.answer}
        for name, body in bodies.items():
            if body is not UNSET:
                bodies[name], more = (UNSET, 0) if self.problem else self._redact_body(body, scope)
                redacted += more
        outcome = row.outcome
        if outcome is not None and outcome.reason:
            outcome = structs.replace(outcome, reason=self._text(outcome.reason, scope))
        hooks = tuple(self._clean_hook(hook, scope) for hook in row.hooks)
        return structs.replace(row, **bodies, redacted=redacted, outcome=outcome, hooks=hooks)

    def without_folders(self, row: RecordedEvent) -> RecordedEvent:
        """The row without the home folder and the user's name in its paths, too."""
        scope: _Scope = ((), ())
        outcome = row.outcome
        if outcome is not None:
            outcome = structs.replace(outcome, decided_by=self._text(outcome.decided_by, scope))
        hooks = tuple(structs.replace(hook, file=self._text(hook.file, scope)) for hook in row.hooks)
        return structs.replace(row, project=self._text(row.project, scope), outcome=outcome, hooks=hooks)

    def _clean_hook(self, hook: HookRecord, scope: _Scope) -> HookRecord:
        return structs.replace(hook, hook=self._text(hook.hook, scope), reason=self._text(hook.reason, scope))

    def _redact_body(self, body: Any, scope: _Scope) -> tuple[Any, int]:
        """One that is nested too deep to be read is left out: no other row could be stored after it."""
        try:
            return self._redactor(scope).redact(body)
        except RecursionError:
            return UNSET, 0

    def _redact_text(self, text: str, scope: _Scope) -> str:
        return "" if self.problem else self._redactor(scope).text(text)[0]

    def _make_redactor(self, scope: _Scope) -> Redactor:
        variables, own = scope
        return redactor_of_this_machine((*self._own, *own), dict(variables))


def _users_patterns() -> tuple[str, ...]:
    if not disk.exists(settings_folder() / "anyhook.toml"):
        return ()
    from anyhook.record.own_patterns import own_patterns  # slow to import, and most users have no such file

    return own_patterns(None)
