"""The hints by which files, and the calls of hooks, are recognised as a client's where nothing else tells."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

_JSON_ONLY = "a file that ends in .json; no other is read"
NEAR_GITHUB_HOOKS: Mapping[str, str] = {
    ".github/hooks.json": ".github/hooks/",
    ".github/hook/*.json": ".github/hooks/",
    **{f".github/hooks/*.{ending}": _JSON_ONLY for ending in ("jsonc", "json5", "txt", "yaml", "yml")},
}
"""Wrong places of the clients that read ``.github/hooks/*.json``."""


class Recognition(Struct, frozen=True, kw_only=True):
    words: tuple[str, ...] = ()
    """Words in a path that name the client: ``hooks-cursor.json``, ``gemini/hooks.json``."""
    keys: tuple[str, ...] = ()
    """Keys of a hook that only this client reads; ``matcher.tool_name`` is a key inside the object of another."""
    flat_keys: tuple[str, ...] = ()
    """Keys that tell the client only where hooks are not in groups: people add them to Claude Code's files, too."""
    hooks_by_name: bool = False
    """A file holds hooks by names that people chose, each with its events."""
    event_style: str = ""
    """A pattern of event names that no other client has."""
    variables: tuple[str, ...] = ()
    """Texts, mostly variables, that only this client fills in."""
    shared_variables: tuple[str, ...] = ()
    """Texts that other clients fill in, too, so that a word in the path says more."""
    plugin_folders: tuple[str, ...] = ()
    """Folders of a project or home folder in which each folder is a plugin of this client."""
    signs: tuple[str, ...] = ()
    """Files and folders of a project that show that the client is used there, besides those it reads hooks from."""
    also_called_by: Mapping[str, str] = {}
    """Clients that read this client's hook files too, and so start entries that were written for this one; each with a
    key of its payloads that this client never sends."""
    caller_keys: tuple[str, ...] = ()
    """Top-level keys of a payload that together show that this client sent it, where others share its files."""
    caller_environment: tuple[str, ...] = ()
    """Variables, one of which this client sets for every hook, where the keys alone do not tell it from others."""
    release_variable: str = ""
    """The variable with its release that this client sets for every hook; empty: none."""
    wrong_places: Mapping[str, str] = {}
    """Places where people put hook files and the client never looks, each with the right one."""
    sibling: str = ""
    """A client that reads the same files. One is this client's if it is spelled this client's way, else the other's."""
