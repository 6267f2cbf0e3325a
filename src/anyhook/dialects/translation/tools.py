"""Tools and their inputs in the words of another client, from the tables of both profiles.

A translation that cannot keep everything says what it loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.file_calls import file_calls
from anyhook.dialects.translation.patches import read_patch, write_patch
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, Tool, Tools


class Translation(Struct, frozen=True):
    """The other client's names for a tool (none: it has no such tool), and what is lost on the way."""

    names: tuple[str, ...]
    losses: tuple[str, ...] = ()


def _tools(dialect: str) -> Tools:
    return profile(dialect).tools


def is_same_vocabulary(one: str, other: str) -> bool:
    """Whether two clients have the same names for tools and their inputs."""
    return one == other or _tools(one).kinds is _tools(other).kinds


@cache
def tool_names(dialect: str) -> frozenset[str]:
    """Every tool name that a client is known to use, aside from those of MCP servers."""
    tools = _tools(dialect)
    return tools.others.union(*(tool.names for tool in tools.kinds.values()))


@cache
def owners_of(name: str) -> tuple[str, ...]:
    """The clients that have a tool of this name. Loads all clients."""
    return tuple(known.name for known in _clients_with_tools() if name in tool_names(known.name))


@cache
def former_owners_of(name: str) -> tuple[str, ...]:
    """The clients that once had a tool of this name. Loads all clients."""
    return tuple(known.name for known in _clients_with_tools() if name in known.tools.removed)


def _clients_with_tools() -> tuple[Profile, ...]:
    return tuple(known for known in all_profiles() if not known.tools.borrowed)


@cache
def kinds_of(name: str, dialect: str) -> tuple[str, ...]:
    """What a client's tool does; several kinds when the client merges them."""
    return tuple(kind for kind, tool in _tools(dialect).kinds.items() if name in tool.names)


def input_name(field: str, kind: str, dialect: str) -> str:
    """What a client calls an input, known by its canonical name, of its tool of this kind."""
    tool = _tools(dialect).kinds.get(kind)
    return tool.fields.get(field, field) if tool else field


def patch_input(kind: str, dialect: str) -> str:
    """The input that holds a patch in a client's tool of this kind; empty: it has inputs of its own for everything."""
    tool = _tools(dialect).kinds.get(kind)
    return tool.patch if tool else ""


def tools_of_kind(kind: str, dialect: str) -> tuple[str, ...]:
    """A client's names for its tools of a kind, the usual one first."""
    tool = _tools(dialect).kinds.get(kind)
    return tool.names if tool else ()


def kind_of_call(name: str, tool_input: Mapping[str, Any], dialect: str) -> str | None:
    """What one call does, told by its input where the client has one tool for several kinds; None: not known."""
    if found := file_calls(name, tool_input, dialect):
        return found[0].kind
    kinds = kinds_of(name, dialect)
    for kind in kinds:
        tool = _tools(dialect).kinds[kind]
        if tool.constants and all(tool_input.get(key) == value for key, value in tool.constants.items()):
            return kind
    if len(kinds) > 1 and "edit" in kinds and input_name("old_string", "edit", dialect) in tool_input:
        return "edit"
    return kinds[0] if kinds else None


def translate_name(name: str, source: str, target: str) -> Translation:
    """The target client's names for a tool of the source client."""
    if is_same_vocabulary(source, target):
        return Translation((name,))
    if mcp := split_mcp_name(name, source):
        return join_mcp_name(*mcp, target)
    kinds = kinds_of(_tools(source).removed.get(name, name), source)
    if not kinds:
        return Translation((), (f"{target} has no tool that {source}'s {name} is known to correspond to",))
    found = [tool for kind, tool in _tools(target).kinds.items() if kind in kinds]
    if not found:
        return Translation((), (f"{target} has no {kinds[0]} tool",))
    names = tuple(dict.fromkeys(n for tool in found for n in tool.names))
    losses = tuple(dict.fromkeys(tool.loss for tool in found if tool.loss))
    return Translation(names, losses)


def translate_input(
    tool_input: Mapping[str, Any], kind: str, source: str, target: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The same input under the target's field names; fields that neither client names keep theirs."""
    if kind not in _tools(target).kinds:
        return dict(tool_input), (f"{target} has no {kind} tool",)
    if is_same_vocabulary(source, target):
        return dict(tool_input), ()
    canonical, losses = canonical_input(tool_input, kind, source)
    renamed, more = native_input(canonical, kind, target)
    return renamed, (*losses, *more)


def canonical_input(tool_input: Mapping[str, Any], kind: str, source: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A client's input of a tool under the canonical field names."""
    tool = _tools(source).kinds.get(kind, Tool(()))
    if tool.patch:
        patched = read_patch(str(tool_input.get(tool.patch)))
        return (dict(patched[0].tool_input), ()) if patched else (dict(tool_input), ("the patch names no file",))
    names = {native: name for name, native in tool.fields.items()}
    return {names.get(key, key): value for key, value in tool_input.items() if key not in tool.constants}, ()


def native_input(canonical: Mapping[str, Any], kind: str, target: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A canonical input of a tool under a client's field names."""
    tool = _tools(target).kinds.get(kind)
    if tool is None:
        return dict(canonical), (f"{target} has no {kind} tool",)
    losses = (tool.loss,) if tool.loss else ()
    if tool.patch:
        return {tool.patch: write_patch(kind, canonical)}, losses
    return {**tool.constants, **{tool.fields.get(key, key): value for key, value in canonical.items()}}, losses


# ----------------------------------------------------------------------------------------------------------- MCP tools


def is_mcp_name(name: str, dialect: str) -> bool:
    prefix = (_tools(dialect).mcp or DOUBLE_UNDERSCORE).prefix
    return bool(prefix) and name.startswith(prefix)


def split_mcp_name(name: str, dialect: str) -> tuple[str, str] | None:
    """Server and tool of an MCP tool's name, the server empty where it is not named; None: it is another tool."""
    form = _tools(dialect).mcp
    if form is None or not name.startswith(form.prefix) or name in tool_names(dialect):
        return None
    if not form.separator:
        return "", name.removeprefix(form.prefix)
    server, found, tool = name.removeprefix(form.prefix).partition(form.separator)
    return (server, tool) if found else None


def join_mcp_name(server: str, tool: str, dialect: str) -> Translation:
    """A client's name for the tool of an MCP server."""
    form = _tools(dialect).mcp
    if form is None or not form.separator:
        losses = (f"{dialect} does not name the server: {server} is lost",) if server else ()
        return Translation(((form.prefix if form else "") + tool,), losses)
    if not server:
        return Translation((), (f"{dialect} names the server of a tool, and it is not known here",))
    losses = ("server and tool are joined with one underscore",) if form.separator == "_" else ()
    return Translation((f"{form.prefix}{server}{form.separator}{tool}",), losses)
