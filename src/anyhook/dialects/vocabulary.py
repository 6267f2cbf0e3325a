"""A client's words: what it calls its events, its tools and their inputs, and the tools of MCP servers.

Canonical names of events are those of :mod:`anyhook.model.events`; canonical names of inputs are Claude Code's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from anyhook.model.wording import did_you_mean

KINDS = (
    "shell",
    "read",
    "write",
    "edit",
    "notebook",
    "glob",
    "grep",
    "list",
    "web fetch",
    "web search",
    "subagent",
    "todo",
    "plan",
    "ask",
)
"""What tools do, in the order in which a client's tools are listed."""
ANY_KIND = "any"
TOOL_KINDS = ("shell", "edit", "read", "search", "fetch", "mcp", ANY_KIND)
"""What hooks, rules and guards can ask of a tool (:mod:`anyhook.dialects.translation.tool_kinds`)."""


def wrong_kinds(kinds: object) -> Iterator[tuple[str, str]]:
    """What is wrong with the kinds of tools that a hook names, and what to do about it."""
    if not isinstance(kinds, list) or not kinds:
        yield "the kind is neither a text nor a list of texts", f"write one of {', '.join(TOOL_KINDS)}"
        return
    for kind in kinds:
        if kind not in TOOL_KINDS:
            yield f"there is no kind {kind!r} of tools", did_you_mean(str(kind), TOOL_KINDS)


class Tool(Struct, frozen=True):
    """One client's tool of some kind. ``fields`` maps canonical input names to this client's, where they differ."""

    names: tuple[str, ...]
    """The usual one first."""
    fields: Mapping[str, str] = {}
    constants: Mapping[str, str] = {}
    """Inputs that tell this kind from others that share the tool (OpenHands)."""
    patch: str = ""
    """The input that holds a patch, where paths and contents are not inputs of their own (Codex)."""
    loss: str = ""
    """What cannot be distinguished or is hidden in this client's form."""


class McpForm(Struct, frozen=True):
    """How a client builds the name of an MCP server's tool."""

    prefix: str
    separator: str
    """Between server and tool; empty: the server is not named (Cursor)."""


DOUBLE_UNDERSCORE = McpForm("mcp__", "__")
"""The form that most clients use."""


class ManyFiles(Struct, frozen=True):
    """Where a tool has the files that one call of it concerns."""

    kind: str
    """What it does with each of them."""
    items: str = ""
    """The input that lists them: paths, or the inputs of a call for each. Empty: they are in the text of a patch."""


PATCH = ManyFiles("edit")
"""A tool that applies a patch, which can add, change, move and remove any number of files."""


class Tools(Struct, frozen=True, kw_only=True):
    """The tools of a client."""

    kinds: Mapping[str, Tool] = {}
    """By kind (:data:`KINDS`)."""
    others: frozenset[str] = frozenset()
    """Tools of no such kind, so that a matcher that names one is not called wrong."""
    many_files: Mapping[str, ManyFiles] = {}
    """Tools of which one call can concern several files, by name."""
    removed: Mapping[str, str] = {}
    """Tools that the client no longer has, with what took their place."""
    never_sent: frozenset[str] = frozenset()
    """Names that the client uses inside, but never shows to a matcher."""
    mcp: McpForm | None = None
    """None: a tool of an MCP server is called by its own name."""
    borrowed: bool = False
    """These are another client's names, which the document of this one uses."""


def tool(names: str, loss: str = "", **fields: str) -> Tool:
    """A tool by its names, separated by spaces, and its names for canonical inputs."""
    return Tool(tuple(names.split()), fields, loss=loss)


def event_names(same: str = "", **others: str) -> Mapping[str, tuple[str, ...]]:
    """A client's names for canonical events, the one it writes first.

    ``same`` lists the events that it calls by their canonical names; for the others, spellings are separated by spaces.
    """
    return {name: (name,) for name in same.split()} | {name: tuple(names.split()) for name, names in others.items()}


def names(*lines: str) -> frozenset[str]:
    """Names that are separated by spaces."""
    return frozenset(name for line in lines for name in line.split())
