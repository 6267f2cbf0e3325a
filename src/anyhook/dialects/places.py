"""Where a client keeps its hook files: scopes, folders, patterns, and the order in which they count."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from anyhook.model.origin import Scope


class Root(enum.StrEnum):
    """The folder that a source's pattern starts from."""

    PROJECT = "project"
    HOME = "home"
    SYSTEM = "system"
    PLUGIN = "plugin"  # any folder that holds the source's marker


class FileKind(enum.StrEnum):
    """What kind of file it is, and so how hooks are found in it."""

    SETTINGS = "settings"  # "hooks" is one key among a client's other settings
    HOOKS = "hooks"  # a file of its own for hooks
    MANIFEST = "manifest"  # a plugin's manifest, whose "hooks" is a path or the hooks themselves
    COMPONENT = "component"  # front matter of a skill, agent or command
    TOML = "toml"  # [hooks] tables of a TOML file
    EMBEDDED = "embedded"  # a shape that only this dialect knows


class FileOrder(enum.StrEnum):
    """In which order files that match one pattern are used."""

    NAME = "by name"
    REVERSE = "by name, last first"


class Writing(enum.StrEnum):
    """Whether anyhook puts entries into the file of a source."""

    NEVER = "never"
    IF_USED = "if hooks are in it already"
    PREFERRED = "and the file is made if no other one of the scope is used"


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


class Source(Struct, frozen=True, kw_only=True):
    scope: Scope
    root: Root
    pattern: str
    """Below the root; ``*`` stays within a folder, ``**`` does not."""
    kind: FileKind
    shared: bool = False
    """Another client's file that this client reads too."""
    written_in: str = ""
    """The dialect whose names and shape the file has, if not this one's."""
    home_variable: str = ""
    """Environment variable that replaces the first folder of a pattern below the home folder."""
    marker: str = ""
    """For plugins: a file or folder beside which the pattern counts."""
    sniffed: bool = False
    """Several clients use this place, so the file counts only if its content was written for this one."""
    order: FileOrder = FileOrder.NAME
    reads_hidden: bool = True
    """``*`` and ``**`` also match names that start with a dot."""
    reads_linked_folders: bool = False
    """``**`` also matches a link to a folder: the files in it are read, what is deeper is not."""
    reads_once: bool = False
    """A file that links give several names counts once, by the first of them in the client's order."""
    events: Mapping[str, str] = {}
    """Events that mean another one in this file: Stop of a subagent is SubagentStop."""
    only_first: bool = False
    """Read only if no earlier source with this flag in the same scope was found."""
    writing: Writing = Writing.NEVER
    own_file: str = ""
    """Of a pattern that matches many files, the one that anyhook makes for its own entries."""
    default_file: str = ""
    """Of a manifest: the hook file that counts without being named. Empty: that, and how paths are written, is open."""
    extensions: Extensions | None = None
    """The pattern's ``*`` are the folders of extensions, which count under these conditions."""
    ignored: str = ""
    """Why the client passes over the hooks of such a file; empty: it runs them."""


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


def managed(pattern: str, kind: FileKind = FileKind.HOOKS, **more: Any) -> Source:
    return Source(scope=Scope.MANAGED, root=Root.SYSTEM, pattern=pattern, kind=kind, **more)


def user(pattern: str, kind: FileKind = FileKind.HOOKS, **more: Any) -> Source:
    return Source(scope=Scope.USER, root=Root.HOME, pattern=pattern, kind=kind, **more)


def project(pattern: str, kind: FileKind = FileKind.HOOKS, **more: Any) -> Source:
    return Source(scope=Scope.PROJECT, root=Root.PROJECT, pattern=pattern, kind=kind, **more)


def local(pattern: str, **more: Any) -> Source:
    return Source(scope=Scope.LOCAL, root=Root.PROJECT, pattern=pattern, kind=FileKind.SETTINGS, **more)


def plugin(
    pattern: str, marker: str = "", kind: FileKind = FileKind.HOOKS, root: Root = Root.PLUGIN, **more: Any
) -> Source:
    return Source(scope=Scope.PLUGIN, root=root, pattern=pattern, kind=kind, marker=marker, **more)


def component(pattern: str, root: Root = Root.PROJECT, kind: FileKind = FileKind.COMPONENT, **more: Any) -> Source:
    return Source(scope=Scope.COMPONENT, root=root, pattern=pattern, kind=kind, **more)
