"""Entries of a hook file that only call anyhook: they are no hooks of the project, whoever put them there.

They run nothing but the anyhook of this machine, which checks by itself what may run. An entry that merely looks like
one is a hook like any other: only the very line that anyhook would write counts.
"""

from __future__ import annotations

import shutil

from msgspec import structs

from anyhook.deploy.bridge_entries import entry_line, entry_of
from anyhook.dialects import profile
from anyhook.model.hooks import Action, Command, HookSet
from anyhook.record.entries import recorded_folder, recorder


def without_own_calls(hooks: HookSet) -> HookSet:
    """The hooks without the entries that call anyhook."""
    rules = (
        structs.replace(
            rule, actions=tuple(a for a in rule.actions if not is_own_call(a, hooks.dialect, rule.native_event))
        )
        for rule in hooks.rules
    )
    return structs.replace(hooks, rules=tuple(rule for rule in rules if rule.actions))


def is_own_call(action: Action, client: str, native_event: str) -> bool:
    """Whether an entry is exactly what anyhook writes for this client and event, with the anyhook of this machine."""
    if not isinstance(action, Command) or action.args is not None or action.env or action.shell:
        return False
    return action.commands() in {(line,) for line in _own_lines(action, client, native_event)}


def _own_lines(action: Action, client: str, native_event: str) -> tuple[str, ...]:
    """What anyhook would write in place of an entry that looks like one of its own."""
    folder, entry = recorded_folder(action), entry_of(action)
    if folder is not None:
        return recorder(client, native_event, folder).commands()
    if entry is not None and entry.program in ("anyhook", shutil.which("anyhook")):
        return (entry_line(profile(client), native_event, entry),)
    return ()
