"""Rules about timeouts: the wrong unit, a name that is not read, and values that the client does not allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.profile import TOO_SHORT_MS, Profile, Unit
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.lint.checked_file import Hook
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Unreadable
from anyhook.model.problems import Edit, Problem
from anyhook.sources.editing.json_edits import is_editable, replace_value

SECONDS_END = 1000
"""From here on a number of seconds is more likely one of milliseconds."""
NO_TIME = 1e15
"""Such numbers are no time in any unit, and too large ones cannot be divided; a client drops the entry."""


def check_timeouts(hook: Hook) -> Iterator[Problem]:
    """T001, T002 and T004. An entry of anyhook waits for its hooks, whose own timeouts are checked in their file.

    Only that it has time to start is checked: another client may count in another unit.
    """
    is_entry = is_own_call(hook.action)
    for key, value in _timeouts(hook).items():
        unit = hook.profile.timeouts.unit_of(hook.action.kind)
        if is_entry:
            if unit is Unit.MILLISECONDS and 0 < value < TOO_SHORT_MS:
                yield _too_small_for_anyhook(hook, key, value)
            continue
        if unit is Unit.SECONDS and value >= SECONDS_END and not _is_round_minutes(value):
            yield _too_large(hook, key, value)
        elif unit is Unit.MILLISECONDS and 0 < value < SECONDS_END:
            yield _too_small(hook, key, value)
        elif unit is Unit.EITHER and 0 < value < SECONDS_END:
            text = (
                f"{hook.profile.title} {hook.profile.release} takes {value:g} as seconds, its documents and other "
                "releases as milliseconds"
            )
            fix = f"write {value * 1000:g}, which means the same in both"
            yield hook.file.problem("T002", hook.at(key), text, fix, severity=Severity.NOTE)
        else:
            yield from _out_of_range(hook, key)


def _timeouts(hook: Hook) -> Mapping[str, float]:
    """The numbers that the client reads as this hook's timeout."""
    kind = _kind(hook.action)
    found: dict[str, float] = {}
    for key in _timeout_keys(hook.profile, kind):
        value: Any = hook.entry.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < NO_TIME:
            found[key] = value
    return found


def _timeout_keys(profile: Profile, kind: str) -> tuple[str, ...]:
    return tuple(key for key, field in keys_of(profile.layout, kind).items() if field == "timeout")


def _kind(action: Action) -> str:
    return "command" if isinstance(action, Unreadable) else action.kind


def _is_round_minutes(value: float) -> bool:
    """1800 and 3600 are half an hour and an hour; 5000 and 30000 are milliseconds."""
    return value % 60 == 0 and value % 1000 != 0


def _too_large(hook: Hook, key: str, value: float) -> Problem:
    meant = value / 1000
    text = f"{value:g} counts as seconds in {hook.profile.title}, which is {_duration(value)}"
    edits = _new_value(hook, key, value // 1000) if value % 1000 == 0 else ()
    return hook.file.problem("T001", hook.at(key), text, f"write {meant:g} for {_duration(meant)}", edits=edits)


def _too_small(hook: Hook, key: str, value: float) -> Problem:
    text = f"{value:g} counts as milliseconds in {hook.profile.title}, so the hook is killed almost at once"
    is_sure = value < TOO_SHORT_MS
    return hook.file.problem(
        "T002",
        hook.at(key),
        text if is_sure else f"{value:g} counts as milliseconds in {hook.profile.title}: {value / 1000:g} s",
        f"write {value * 1000:g} for {_duration(value)}",
        severity=None if is_sure else Severity.WARNING,
        edits=_new_value(hook, key, value * 1000) if is_sure else (),
    )


def _too_small_for_anyhook(hook: Hook, key: str, value: float) -> Problem:
    """No edit: another client, for which the entry was written, counts seconds in the same file."""
    text = f"{value:g} counts as milliseconds in {hook.profile.title}, so it ends the entry before anyhook answers"
    fix = f"use the file with one client: {value * 1000:g} is right for {hook.profile.title}, wrong for the other"
    return hook.file.problem("T002", hook.at(key), text, fix)


def _new_value(hook: Hook, key: str, value: float) -> tuple[Edit, ...]:
    document, pointer = hook.file.document, hook.at(key)
    if not is_editable(document, pointer):
        return ()
    return replace_value(document, pointer, int(value) if value == int(value) else value)


def _out_of_range(hook: Hook, key: str) -> Iterator[Problem]:
    rules, action, event = hook.profile.timeouts, hook.action, hook.rule.event
    if action.timeout_ms is None:
        return
    effective = rules.effective_ms(action.timeout_ms, action.kind, event)
    if effective is not None and effective != action.timeout_ms:
        asked, given = _duration(action.timeout_ms / 1000), _duration(effective / 1000)
        text = f"{hook.profile.title} allows {given} on {hook.rule.native_event}, not {asked}"
        yield hook.file.problem("T004", hook.at(key), text, f"expect {given}, or do the work elsewhere")


def _duration(seconds: float) -> str:
    for size, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds:g} s"
