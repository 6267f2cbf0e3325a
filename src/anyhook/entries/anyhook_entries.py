"""Recognises entries of a hook file that only call anyhook: they are not hooks of the project.

They run nothing but the anyhook of this machine, which checks itself what may run. An entry counts only if it is
exactly the line that anyhook would write; one that is merely similar is a hook like any other.
"""

from __future__ import annotations

from msgspec import Struct, structs

from anyhook.entries.command_entries import client_of, entry_of, rewritten
from anyhook.entries.daemon_client import client_by_name, client_by_path, program_of_installation
from anyhook.model.hooks import Action, Command, HookSet, Http
from anyhook.record.entries import recorder_like
from anyhook.sources import disk


def without_own_calls(hooks: HookSet, path: str | None = None) -> HookSet:
    """The hooks without the entries that call anyhook; ``path`` is the PATH by which a client finds it."""
    rules = (
        structs.replace(rule, actions=tuple(action for action in rule.actions if not is_own_call(action, path)))
        for rule in hooks.rules
    )
    return structs.replace(hooks, rules=tuple(rule for rule in rules if rule.actions))


class Asking(Struct, frozen=True):
    """What an entry asks anyhook for, by command or by HTTP."""

    client: str
    """The client that it was written for."""
    package: str
    source: str


def asking_of(action: Action) -> Asking | None:
    """What an entry asks that anyhook wrote; None: it did not write it."""
    if isinstance(action, Http):
        from anyhook.entries.http_entries import query_of

        query = query_of(action)
        if query is None:
            return None
        return Asking(query.client, query.options.get("package", ""), query.options.get("from", ""))
    entry = entry_of(action)
    return None if entry is None else Asking(client_of(action), entry.package, entry.source)


def is_own_call(action: Action, path: str | None = None) -> bool:
    """Whether an entry is exactly what anyhook writes, for some client and event, and runs the anyhook of this machine.

    For which client does not matter: some read the files of others.
    """
    if isinstance(action, Http):
        from anyhook.entries.http_entries import query_of  # few projects have such hooks

        return query_of(action) is not None
    if not isinstance(action, Command) or action.args is not None or action.env or action.shell:
        return False
    lines = action.commands()
    return any("anyhook" in line for line in lines) and lines == (_line_like(action, path),)


def _line_like(action: Command, path: str | None) -> str | None:
    """What anyhook would write in place of an entry that looks like one of its own."""
    if (recorded := recorder_like(action)) is not None:
        return recorded.command
    entry = entry_of(action)
    if entry is None:
        return None
    if entry.program not in ("anyhook", program_of_installation(), disk.find_program("anyhook", path)):
        return None
    if entry.client not in ((), client_by_name(), client_by_path()):
        return None
    return rewritten(action)
