"""Plugins and extensions, for the clients of which it is known how they are made and installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct


class Extensions(Struct, frozen=True, kw_only=True):
    """What a client demands of an extension in the folder of those that are installed."""

    manifest: str
    """The file that an extension must have."""
    needs: tuple[str, ...]
    """The keys that must be in it."""
    names: str
    """A regular expression for the names that are allowed."""
    metadata: str
    """The file that says where a linked extension really is."""
    manifest_hooks: bool = False
    """The manifest may hold the hooks, or name their file; that comes before hooks/hooks.json."""
    same_name_ends: bool = False
    """The client does not start with two extensions of the same name; else it loads the last one."""


class PluginForm(Struct, frozen=True, kw_only=True):
    """What a client installs as a plugin: a folder with manifests and a hook file.

    ``{name}``, ``{version}``, ``{description}``, ``{author}`` and ``{folder}`` are replaced in every text.
    """

    noun: Literal["plugin", "extension"]
    """What the client calls it."""
    manifests: Mapping[str, Any]
    """The JSON files besides the hook file, by their paths in the folder."""
    hook_file: str
    root: str
    """The name whose ${NAME} in a command is the folder of the installed plugin."""
    validation: str
    """The command by which the client checks the folder."""
    installation: tuple[str, ...]
    """The commands that install it."""
    installed: str
    """The folder from which the client then runs its hooks."""
