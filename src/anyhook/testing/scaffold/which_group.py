"""How a new case names the group that it tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from anyhook.model.hooks import Action, DeclaredRule, Guard, Python, Rule, RuleCommand
from anyhook.testing.runner import is_named

_PLAIN = re.compile(r"[A-Za-z0-9_][\w./ -]*(?::\w+)?")
"""What YAML reads as text without quotes."""


def which_group(rules: Sequence[Rule], index: int, root: Path) -> str:
    """The line of a case for one of these groups: what is not in a hook file by its name, because its place moves."""
    name = _name(rules[index].actions[0])
    is_unique = bool(name) and sum(is_named(rule, name, root) for rule in rules) == 1
    return f"hook: {name}" if is_unique and _PLAIN.fullmatch(name) else f"hook-index: {index}"


def _name(action: Action) -> str:
    """A name that stays when the settings change; empty: there is none."""
    if isinstance(action, DeclaredRule | RuleCommand):
        return str(action.settings.get("name", ""))
    if isinstance(action, Guard):
        return f"{action.guard} guard"
    return action.summary() if isinstance(action, Python) else ""
