"""Makes rows ready to be stored: without secrets, and with what is known of their client and their project."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec import UNSET, structs

from anyhook.dialects import NAMES, profile
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.problems import UsageError
from anyhook.record.limit_rows import limited_row
from anyhook.record.recorded import HookRecord, RecordedEvent
from anyhook.record.redact import Redactor, redactor_of_this_machine, secret_variables
from anyhook.record.subject import one_line, raw_subject
from anyhook.sources import disk
from anyhook.sources.state import settings_folder
from anyhook.trust.repository import identity_of, repository_of

CACHED_TEXTS = 1000
CACHED_CHARACTERS = 1000
"""Of a text that is remembered."""
CACHED_REDACTORS = 16
FRESH_SECONDS = 60.0
_NAMES = ("session", "tool", "event", "canonical", "release")
_T = TypeVar("_T")
_Scope = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]
"""The secret variables of an environment, and patterns of a recording."""


class RowFacts:
    """Completes rows, off the path of answers, with what takes longer to find; found anew after a minute."""

    def __init__(self) -> None:
        self._releases: dict[str, tuple[float, str]] = {}
        self._places: dict[str, tuple[float, tuple[str, str]]] = {}
        self._identities: dict[str, str] = {}
        """By git's folder and the origin: to find one may start git."""

    def complete(self, row: RecordedEvent, *, with_subject: bool) -> RecordedEvent:
        """The row with the release of its client that PATH finds, unless it has one, and its repository.

        The recorder has no profiles: a row of it also gets its session, its tool, the canonical name of its event and,
        if it is wanted, its subject.
        """
        if row.client not in NAMES:
            return row
        if not row.was_answered and not row.canonical:
            row = _described(row, with_subject=with_subject)
        if not row.release:
            row = structs.replace(row, release=self._fresh(self._releases, row.client, _installed))
        if row.project and not row.repository:
            repository, within = self._fresh(self._places, row.project, self._place)
            row = structs.replace(row, repository=repository, within=within)
        return row

    def _fresh(self, known: dict[str, tuple[float, _T]], about: str, find: Callable[[str], _T]) -> _T:
        if about in known and time.monotonic() - known[about][0] < FRESH_SECONDS:
            return known[about][1]
        if len(known) >= CACHED_TEXTS:
            known.clear()
        found = find(about)
        known[about] = time.monotonic(), found
        return found

    def _place(self, project: str) -> tuple[str, str]:
        """The repository of a project, and where the project is in it."""
        repository = repository_of(Path(project))
        key = f"{repository.folder}\0{repository.origin}"
        identity = self._identities.get(key) or identity_of(repository, os.environ)
        if identity != str(repository.folder):  # until the first commit, which changes it
            self._identities[key] = identity
        within = os.path.relpath(os.path.realpath(project), repository.top)
        return identity, "" if within == "." else within


def _installed(client: str) -> str:
    from anyhook.sources.installed_release import installed_release  # not for a process that a client waits for

    return installed_release(profile(client))


def _described(row: RecordedEvent, *, with_subject: bool) -> RecordedEvent:
    plain = row.payload if isinstance(row.payload, dict) else {}
    payload = decode_payload(profile(row.client), plain, row.event)[0]
    tool = getattr(payload, "tool_name", "")
    return structs.replace(
        row,
        canonical=payload.event,
        session=payload.session_id if isinstance(payload.session_id, str) else "",
        tool=tool if isinstance(tool, str) else "",
        subject=raw_subject(payload, row.client) if with_subject else "",
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
        self._name = lru_cache(CACHED_TEXTS)(lambda text, scope: self._redactor(scope).name(text) if text else "")
        self._path = lru_cache(CACHED_TEXTS)(lambda text, scope: self._redactor(scope).path(text) if text else "")
        self._cached_text = lru_cache(CACHED_TEXTS)(self._redact_text)

    def clean(
        self, row: RecordedEvent, environment: Mapping[str, str] | None = None, own: tuple[str, ...] = ()
    ) -> RecordedEvent:
        """The row without secrets in its texts, its payload and its answer, and no larger than a row may be.

        ``environment``: that of the client, by default this process's. ``own``: the patterns of its recording.
        """
        row = limited_row(row)
        variables = os.environ if environment is None else environment
        scope = (tuple(sorted(secret_variables(variables).items())), own)
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
        if outcome is not None and outcome.decided_by:
            outcome = structs.replace(outcome, decided_by=self._path(outcome.decided_by, scope))
        names = {name: self._name(getattr(row, name), scope) for name in _NAMES}
        names |= {name: self._path(getattr(row, name), scope) for name in ("project", "repository", "within")}
        redacted += sum(getattr(row, name) != new for name, new in names.items())
        names["subject"] = one_line(self._text(row.subject, scope))
        return structs.replace(row, **bodies, **names, redacted=redacted, outcome=outcome, hooks=hooks)

    def without_folders(self, row: RecordedEvent) -> RecordedEvent:
        """The row without the home folder and the user's name in its paths, too."""
        scope: _Scope = ((), ())
        outcome = row.outcome
        if outcome is not None:
            outcome = structs.replace(outcome, decided_by=self._text(outcome.decided_by, scope))
        hooks = tuple(structs.replace(hook, file=self._text(hook.file, scope)) for hook in row.hooks)
        folders = {name: self._text(getattr(row, name), scope) for name in ("project", "repository")}
        return structs.replace(row, **folders, outcome=outcome, hooks=hooks)

    def _clean_hook(self, hook: HookRecord, scope: _Scope) -> HookRecord:
        return structs.replace(
            hook,
            hook=self._text(hook.hook, scope),
            reason=self._text(hook.reason, scope),
            file=self._path(hook.file, scope),
            pointer=self._path(hook.pointer, scope),
        )

    def _redact_body(self, body: Any, scope: _Scope) -> tuple[Any, int]:
        """One that is nested too deep to be read is left out: no other row could be stored after it."""
        try:
            return self._redactor(scope).redact(body)
        except RecursionError:
            return UNSET, 0

    def _text(self, text: str, scope: _Scope) -> str:
        """Most texts come again and again; long ones would take much memory and rarely do."""
        return (self._cached_text if len(text) <= CACHED_CHARACTERS else self._redact_text)(text, scope)

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
