"""Hooks of a package that a client was to ask through entries, and for which its files have no entry."""

from __future__ import annotations

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.translation.equivalents import routes
from anyhook.entries.anyhook_entries import asking_of
from anyhook.model.wording import join_or
from anyhook.project.resolve import ProjectClient


class MissingEntry(Struct, frozen=True):
    """An event on which hooks of a package are not asked."""

    event: str
    """The canonical name."""
    hooks: tuple[str, ...]
    """The hooks, for people."""
    why: str
    """What is missing, and the remedy."""


def find_missing_entries(client: ProjectClient) -> tuple[MissingEntry, ...]:
    """The events on which a package has hooks, and the client no entry to ask them.

    A client with hooks of its own and no entry at all is one to which the package was not deployed.
    """
    asked = {hook.event for hook in client.hooks if asking_of(hook.action) is not None}
    if client.hooks and not asked:
        return ()
    found: dict[str, list[str]] = {}
    for hook in client.askable:
        events = [way.event for way in routes(hook.event, client.name)]
        if events and not asked.intersection(events):
            found.setdefault(events[0], []).append(hook.summary)
    return tuple(MissingEntry(event, tuple(names), _no_entry(client, event, names)) for event, names in found.items())


def why_no_hook(client: ProjectClient, event: str) -> str:
    """Why a client has no hook on an event: nothing is configured, or a package is not deployed."""
    behind = [
        hook.summary for hook in client.askable if any(way.event == event for way in routes(hook.event, client.name))
    ]
    if behind:
        return _no_entry(client, event, behind)
    return f"no hook is configured for {_native(client, event)}{_in_files(client)}"


def _no_entry(client: ProjectClient, event: str, names: list[str]) -> str:
    asked = ", ".join(names)
    return (
        f"no entry for {_native(client, event)} asks the hooks of the package ({asked}){_in_files(client)}; "
        f"write it: anyhook deploy --client {client.name}"
    )


def _native(client: ProjectClient, event: str) -> str:
    return next(iter(profile(client.name).events.get(event, ())), event)


def _in_files(client: ProjectClient) -> str:
    names = [str(file.path) for file in client.files]
    return f" in {join_or(names)}" if names else ""
