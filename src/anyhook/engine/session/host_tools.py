"""What a host's tools are, in the words of the client whose hooks run: ``shell(cmd=...)`` is a call of ``Bash``.

Hooks are written for a client's names. A host says which of its tools is which; where it says nothing, the name and the
inputs of a call tell it, if both do.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct, structs

from anyhook.dialects.bound_event import is_guard
from anyhook.dialects.translation.tool_kinds import call_kinds, plain_key, tools_for
from anyhook.dialects.translation.tools import (
    canonical_input,
    is_mcp_name,
    join_mcp_name,
    native_input,
    tool_names,
    tools_of_kind,
)
from anyhook.dialects.vocabulary import names
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.payload import PreToolUse

if TYPE_CHECKING:
    from anyhook.engine.engine import Engine

_LOGGER = logging.getLogger("anyhook")


class HostTool(Struct, frozen=True):
    """A tool of a host. The fields of its classes are the names of its inputs."""

    kind: ClassVar[str]
    """As in the tables of clients (:data:`anyhook.dialects.vocabulary.KINDS`)."""

    def names_in(self, dialect: str) -> tuple[str, ...]:
        """What a client calls such a tool, the usual name first; none: it has no such tool."""
        return tools_of_kind(self.kind, dialect)

    def in_client(self, dialect: str, tool_input: Mapping[str, Any]) -> dict[str, Any]:
        """The input of a call as the client's tool takes it."""
        canonical = {own: name for name, own in self._inputs().items()}
        renamed = {canonical.get(key, key): value for key, value in tool_input.items()}
        return native_input(renamed, self.kind, dialect)[0]

    def in_host(self, dialect: str, tool_input: Mapping[str, Any]) -> dict[str, Any]:
        """A client's input for a call as the host's tool takes it."""
        canonical, _ = canonical_input(tool_input, self.kind, dialect)
        own = self._inputs()
        return {own.get(key, key): value for key, value in canonical.items()}

    def _inputs(self) -> dict[str, str]:
        """The canonical name of each input, with the host's."""
        return structs.asdict(self)


class Shell(HostTool, frozen=True):
    """It runs a command line."""

    kind: ClassVar[str] = "shell"
    command: str = "command"


class Read(HostTool, frozen=True):
    """It reads a file."""

    kind: ClassVar[str] = "read"
    path: str = "file_path"

    def _inputs(self) -> dict[str, str]:
        return {"file_path": self.path}


class Write(HostTool, frozen=True):
    """It writes a whole file."""

    kind: ClassVar[str] = "write"
    path: str = "file_path"
    content: str = "content"

    def _inputs(self) -> dict[str, str]:
        return {"file_path": self.path, "content": self.content}


class Edit(HostTool, frozen=True):
    """It replaces a text in a file."""

    kind: ClassVar[str] = "edit"
    path: str = "file_path"
    old: str = "old_string"
    new: str = "new_string"

    def _inputs(self) -> dict[str, str]:
        return {"file_path": self.path, "old_string": self.old, "new_string": self.new}


class Search(HostTool, frozen=True):
    """It finds files by what is in them."""

    kind: ClassVar[str] = "grep"
    pattern: str = "pattern"
    path: str = "path"


class Fetch(HostTool, frozen=True):
    """It gets what is at an address."""

    kind: ClassVar[str] = "web fetch"
    url: str = "url"


class Mcp(HostTool, frozen=True):
    """It is a tool of an MCP server, whose inputs have no other names."""

    kind: ClassVar[str] = "mcp"
    server: str
    tool: str

    def names_in(self, dialect: str) -> tuple[str, ...]:
        return join_mcp_name(self.server, self.tool, dialect).names

    def in_client(self, dialect: str, tool_input: Mapping[str, Any]) -> dict[str, Any]:
        return dict(tool_input)

    def in_host(self, dialect: str, tool_input: Mapping[str, Any]) -> dict[str, Any]:
        return dict(tool_input)


ToolNames = Mapping[str, "HostTool | Callable[..., Any] | None"]
"""A host's tools by name: what each is, or its function, or None for one that is like no tool of a client."""

# --- recognised by name and inputs

_PATHS = ("file_path", "path", "filename", "file", "target", "target_file", "absolute_path")
_SIGNATURES: tuple[tuple[type[HostTool], frozenset[str], Mapping[str, tuple[str, ...]]], ...] = (
    (
        Shell,
        names("shell bash zsh sh terminal command cmd powershell execute exec run"),
        {"command": ("command", "cmd", "commandline", "shell_command", "bash_command")},
    ),
    (
        Edit,
        names("edit replace patch update"),
        {
            "path": _PATHS,
            "old": ("old_string", "old_str", "old_text", "old", "search"),
            "new": ("new_string", "new_str", "new_text", "new", "replacement", "replace"),
        },
    ),
    (
        Write,
        names("write create save"),
        {"path": _PATHS, "content": ("content", "contents", "file_text", "text", "data")},
    ),
    (Read, names("read view cat open"), {"path": _PATHS}),
    (Search, names("grep search find ripgrep rg"), {"pattern": ("pattern", "regex"), "path": _PATHS}),
    (Fetch, names("fetch get http browse download web url"), {"url": ("url", "uri", "address")}),
)
"""Kinds of tools: a word of the name, and names of the inputs, all of which a tool of the kind has."""
_WORD = LazyPattern(r"[A-Z]?[a-z0-9]+|[A-Z]+")


def recognise(name: str, inputs: Collection[str]) -> HostTool | None:
    """What a tool is, by its name and the names of its inputs; None: they do not tell."""
    words = {word.lower() for word in _WORD.findall(name)}
    own = {plain_key(given): given for given in reversed(list(inputs))}
    for made, named, fields in _SIGNATURES:
        found = {
            field: own[key]
            for field, known in fields.items()
            if (key := next((plain_key(each) for each in known if plain_key(each) in own), None)) is not None
        }
        if found.keys() == fields.keys() and not named.isdisjoint(words):
            return made(**found)
    return None


class HostTools:
    """The tools of one session."""

    def __init__(self, engine: Engine, given: ToolNames) -> None:
        self._engine, self._dialect = engine, engine.profile.name
        self._known = {name: _from_function(name, tool) if callable(tool) else tool for name, tool in given.items()}
        self._told: set[str] = set()

    def find(self, name: str, tool_input: Mapping[str, Any]) -> HostTool | None:
        """What a tool is; None: hooks see it by its own name, which is told once if a guard misses it for that."""
        if name in self._known:
            known = self._known[name]
            return known if known is not None and known.names_in(self._dialect) else None
        if name in tool_names(self._dialect) or is_mcp_name(name, self._dialect):
            return None
        found = recognise(name, tool_input)
        if found is None and name not in self._told:
            self._told.add(name)
            self._tell_missed_guard(name, tool_input)
        return found if found is not None and found.names_in(self._dialect) else None

    def _tell_missed_guard(self, name: str, tool_input: Mapping[str, Any]) -> None:
        event = PreToolUse(tool_name=name, tool_input=tool_input)
        asked = {id(hook.action) for hook in self._engine.match(event).runs}
        for kind in sorted(tools_for(call_kinds(name, tool_input, self._dialect))):
            for other in tools_of_kind(kind, self._dialect)[:1]:
                for hook in self._engine.match(structs.replace(event, tool_name=other)).runs:
                    if id(hook.action) not in asked and is_guard(self._engine.profile, hook.rule, hook.action):
                        text = f"is not asked about the tool {name}, which may be like {other}"
                        hint = f"say what it is: tools={{{name!r}: ...}}"
                        _LOGGER.warning("%s: %s %s; %s", hook.action.origin, hook.action.summary(), text, hint)
                        return


def _from_function(name: str, function: Callable[..., Any]) -> HostTool | None:
    try:
        return recognise(name, inspect.signature(function).parameters)
    except ValueError:  # a built-in function may have no signature
        return None
