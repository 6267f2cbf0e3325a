"""Hooks that only restrict tool calls: they are anyhook's own code with settings as data, and need no trust.

A hostile repository can at worst be too strict in its own folder. What it has written reaches no model and no notice:
the reason is anyhook's own, with the file and the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.model.hooks import PLACE, Action, DeclaredRule, Guard, Rule
from anyhook.trust.seen_files import name_of

EVENTS = ("PreToolUse", "PermissionRequest")
EFFECTS = ("block", "ask", "warn")
_TEXTS = ("message", "name")


def only_restricts(rule: Rule, action: Action) -> bool:
    """Whether all that a hook can do is to block, ask or warn before a tool runs, without starting a program."""
    if not isinstance(action, Guard) or rule.matcher is not None:
        return False
    if not isinstance(action, DeclaredRule):
        from anyhook.guards.catalogue import GUARDS  # most events have no guard

        guard = GUARDS.get(action.guard)
        return rule.event in EVENTS and guard is not None and guard.only_restricts
    settings = action.settings
    if settings.get("then") not in EFFECTS or _searches_the_disk(settings):
        return False
    return rule.event in EVENTS or bool(settings.get("remembers"))  # what a rule remembers, it only compares


def _searches_the_disk(settings: Mapping[str, Any]) -> bool:
    """Whether a condition would look through folders without an end."""
    tables = [table for key in ("when", "unless") if isinstance(table := settings.get(key), Mapping)]
    globs = [table.get(key, ()) for table in tables for key in ("exists", "missing")]
    words = [word for value in globs for word in ((value,) if isinstance(value, str) else value)]
    return any("**" in word or word.startswith(("/", "~", "..")) for word in words)


def in_our_words(action: Action, root: Path) -> Action:
    """A guard or rule without any text of the project: it says the file and the line."""
    assert isinstance(action, Guard)
    file = Path(action.origin.file)
    place = f"{name_of(file, root)}:{action.origin.line}"
    settings = {name: value for name, value in action.settings.items() if name not in _TEXTS}
    if isinstance(action, DeclaredRule):
        settings["message"] = f"A rule of this project applies: {place}."
    else:
        settings[PLACE] = place
    return structs.replace(action, settings=settings, name=None, status_message=None)
