"""Which client really starts an entry: some read the hook files of others, and send payloads of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.payloads import Members
from anyhook.model.hooks import Http


def recognise_caller(
    written_for: Profile, members: Members, environment: Mapping[str, str], *, is_process: bool = True
) -> Profile:
    """The client that sent a payload to an entry; the one that the entry was written for, unless signs show another.

    ``is_process`` is False for a request to an HTTP entry: it has no environment, and only some clients send any.
    """
    readers = written_for.recognition.also_called_by
    others = [name for name, key in readers.items() if key in members]
    if not others:  # most events: no other client's profile is loaded
        return written_for
    known = [each for each in (written_for, *map(profile_of, others)) if is_process or has_http_hooks(each)]
    possible = [client for client in known if _has_keys(client, members)]
    if not is_process:
        return possible[0] if possible else written_for
    # A variable may be inherited (VS Code started from a shell of Copilot CLI); the name of a tool is not.
    tool = _tool_name(members)
    possible = [client for client in possible if tool in _names_of_tools(client)] or possible
    certain_first = sorted(possible, key=lambda client: not client.recognition.caller_environment)
    return next((client for client in certain_first if _is_set(client, environment)), written_for)


def can_recognise(written_for: Profile, reader: Profile) -> bool:
    """Whether an entry that was written for one client can know that another one calls it."""
    return reader.name in written_for.recognition.also_called_by and bool(reader.recognition.caller_keys)


def has_http_hooks(client: Profile) -> bool:
    return Http.kind in client.layout.action_keys


def _has_keys(client: Profile, keys: Collection[str]) -> bool:
    wanted = client.recognition.caller_keys
    return bool(wanted) and all(key in keys for key in wanted)


def _is_set(client: Profile, environment: Mapping[str, str]) -> bool:
    names = client.recognition.caller_environment
    return not names or any(environment.get(name) for name in names)


def _tool_name(members: Members) -> object:
    return members["tool_name"].value if "tool_name" in members else None


def _names_of_tools(client: Profile) -> frozenset[str]:
    """The names that a client sends for its own tools, whichever way it spells the event."""
    from anyhook.dialects.translation.tools import tool_names

    variants = (client, *client.variants.values())
    return tool_names(client.name).union(*(each.matching.renamed_tools.values() for each in variants))
