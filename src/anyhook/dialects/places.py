"""Where a client keeps its hook files: scopes, folders, patterns, and the order in which they count."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

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


class Writing(enum.StrEnum):
    """Whether anyhook puts entries into the file of a source."""

    NEVER = "never"
    IF_USED = "if hooks are in it already"
    PREFERRED = "and the file is made if no other one of the scope is used"


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
    globbed: bool = False
    """The files are listed by a glob: not under names that start with a dot, also in linked folders (one deep), those
    of sub-folders last, by name in reverse, and each once. One client; as a field, for finding files is not pure."""
    events: Mapping[str, str] = {}
    """Events that mean another one in this file: Stop of a subagent is SubagentStop."""
    only_first: bool = False
    """Read only if no earlier source with this flag in the same scope was found."""
    writing: Writing = Writing.NEVER
    own_file: str = ""
    """Of a pattern that matches many files, the one that anyhook makes for its own entries."""
    default_file: str = ""
    """Of a manifest: the hook file that counts without being named. Empty: that, and how paths are written, is open."""
    ignored: str = ""
    """Why the client passes over the hooks of such a file; empty: it runs them."""


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
