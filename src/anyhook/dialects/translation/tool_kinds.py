"""What a tool call does, whatever the tool is called: from a client's table of tools, else from the name and the input.

A client may get a new tool, and an MCP server may have one that does the same as a client's own. Neither is in a table,
so the names of its inputs count: one that is given a ``command`` is taken for a shell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from anyhook.dialects.translation.equivalents import MCP
from anyhook.dialects.translation.tools import is_mcp_name, kind_of_call, kinds_of, tool_names
from anyhook.dialects.vocabulary import ANY_KIND
from anyhook.lazy_pattern import LazyPattern

_TOOLS_OF = {
    "shell": ("shell",),
    "edit": ("write", "edit", "notebook"),
    "read": ("read",),
    "search": ("glob", "grep", "list", "web search"),
    "fetch": ("web fetch",),
    MCP: (),
}
"""The kinds that hooks, rules and guards name (TOOL_KINDS) -> the kinds of tools in the tables of clients."""
_NAMED = {kind: name for name, kinds in _TOOLS_OF.items() for kind in kinds}

_COMMAND_INPUTS = ("command", "cmd", "commandline", "shell_command", "bash_command", "script", "commands", "argv")
_TYPED_INPUTS = (
    "text", "input", "code", "keys", "keystrokes", "line", "lines", "data", "content", "stdin", "body", "program",
    "snippet", "chars", "characters", "sequence",
)  # fmt: skip
"""Command lines, too, where the name of the tool says that it runs them; a note or a message has such inputs, too."""
_PATH_INPUTS = (
    "file_path", "path", "filepath", "filename", "file", "notebook_path", "absolute_path", "target_file", "uri",
    "destination", "source", "new_path", "old_path", "paths", "files", "dest", "dst", "destination_path", "source_path",
    "target_path", "from_path", "to_path", "src_path", "dst_path", "dest_path", "input_path", "output_path",
    "save_path", "local_path", "input_file", "output_file", "source_file", "destination_file", "new_file", "old_file",
    "new_file_path", "old_file_path",
)  # fmt: skip
_MOVED_INPUTS = ("from", "to", "src", "old", "new", "old_name", "new_name", "target", "link", "link_name", "origin")
"""Paths, too, where the name of the tool says that it moves, copies or links; a mail has ``from`` and ``to``."""
CONTENT_INPUTS = (
    "content", "contents", "new_string", "new_text", "new_str", "new_source", "file_text", "text", "insert_text",
    "edits", "patch", "diff", "data", "replacement", "code",
)  # fmt: skip
URL_INPUTS = ("url", "uri", "urls", "href", "endpoint")
_WRITES = LazyPattern(
    r"(?:^|[_.\-])(?:write|edit|create|save|delete|remove|move|rename|append|patch|replace|insert|update|put|upload|copy)",
)
_MOVES = LazyPattern(
    r"(?:^|[_.\-])(?:move|rename|copy|symlink|duplicate|relocate|(?:mv|cp|ln|link)(?![a-z]))",
)
_SEARCHES = LazyPattern(r"(?:^|[_.\-])(?:list|ls$|glob|grep|search|find)")
_SHELL_WORDS = frozenset(
    (
        "terminal", "shell", "bash", "zsh", "sh", "powershell", "pwsh", "cmd", "command", "commands", "commandline",
        "subprocess", "pty", "tmux", "ssh", "keystrokes",
    )
)  # fmt: skip
"""Words in the names of tools and servers that run commands."""
_RUNNING_WORDS = frozenset({"exec", "execute"})
_OTHER_LANGUAGES = frozenset(
    (
        "python", "py", "ipython", "jupyter", "notebook", "kernel", "cell", "sql", "query", "db", "database", "graphql",
        "javascript", "js", "browser", "page", "workflow",
    )
)  # fmt: skip
"""With one of these, what is executed is no command line."""
_SENDS_KEYS = ("send", "keys")
_NONE = (None, "")
_WORD_START = LazyPattern(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = LazyPattern(r"[a-z0-9]+")


def call_kinds(tool_name: str, tool_input: Mapping[str, Any], dialect: str) -> frozenset[str]:
    """Every kind that a call is, in the terms of a client; none: it is of no kind that rules and guards name."""
    if is_mcp_name(tool_name, dialect):
        return frozenset({MCP, *_by_input(tool_name, tool_input)})
    if tool_name not in tool_names(dialect):
        # What lists files has no input of its own that tells it; the search of a server may be one of anything.
        return _by_input(tool_name, tool_input) | ({"search"} if _SEARCHES.search(_plain_name(tool_name)) else set())
    kind = kind_of_call(tool_name, tool_input, dialect)
    return frozenset({_NAMED[kind]}) if kind in _NAMED else frozenset()


def is_of_kind(kinds: Collection[str], tool_name: str, tool_input: Mapping[str, Any], dialect: str) -> bool:
    """Whether a call is of one of these kinds."""
    return ANY_KIND in kinds or not call_kinds(tool_name, tool_input, dialect).isdisjoint(kinds)


def may_be_of_kind(kinds: Collection[str], tool_name: str, dialect: str) -> bool:
    """The same, told by the tool's name alone: a tool that no table names may do anything."""
    if ANY_KIND in kinds or is_mcp_name(tool_name, dialect) or tool_name not in tool_names(dialect):
        return True
    return not tools_for(kinds).isdisjoint(kinds_of(tool_name, dialect))


def is_surely_of_kind(kinds: Collection[str], tool_name: str, dialect: str) -> bool:
    """Whether a call is of one of these kinds whatever its input is."""
    own = kinds_of(tool_name, dialect)
    return ANY_KIND in kinds or (bool(own) and tools_for(kinds).issuperset(own))


def tools_for(kinds: Collection[str]) -> frozenset[str]:
    """The kinds of tools in the tables of clients that rules with these kinds are for."""
    return frozenset(kind for name in kinds for kind in _TOOLS_OF.get(name, ())) | (frozenset(kinds) & {MCP})


def inputs_of(tool_input: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The input of a call, and every object in it: a tool may take several commands or files, each as an object."""
    waiting: list[object] = [tool_input]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            yield value
        if isinstance(value, Mapping | list):
            waiting += value.values() if isinstance(value, Mapping) else value


@lru_cache(maxsize=256)
def command_inputs(tool_name: str) -> frozenset[str]:
    """The inputs of a tool that are command lines, by their plain names."""
    words = _WORD.findall(_WORD_START.sub("_", tool_name).lower())
    runs_commands = (
        not _SHELL_WORDS.isdisjoint(words)
        or _SENDS_KEYS in pairwise(words)
        or (not _RUNNING_WORDS.isdisjoint(words) and _OTHER_LANGUAGES.isdisjoint(words))
    )
    return _plain(_COMMAND_INPUTS + _TYPED_INPUTS) if runs_commands else _plain(_COMMAND_INPUTS)


@lru_cache(maxsize=256)
def path_inputs(tool_name: str) -> frozenset[str]:
    """The inputs of a tool that are paths, by their plain names."""
    return _plain(_PATH_INPUTS + _MOVED_INPUTS) if _MOVES.search(_plain_name(tool_name)) else _plain(_PATH_INPUTS)


def _by_input(tool_name: str, tool_input: Mapping[str, Any]) -> frozenset[str]:
    given = {plain_key(str(key)) for each in inputs_of(tool_input) for key, value in each.items() if value not in _NONE}
    found = set()
    if given & command_inputs(tool_name):
        found.add("shell")
    if any(plain_key(str(key)) in _plain(URL_INPUTS) and value not in _NONE for key, value in tool_input.items()):
        found.add("fetch")  # an address deeper in the input is rather a part of what is sent
    if given & path_inputs(tool_name):
        name = _plain_name(tool_name)
        found.add("edit" if given & _plain(CONTENT_INPUTS) or _WRITES.search(name) or _MOVES.search(name) else "read")
    return frozenset(found)


def _plain_name(tool_name: str) -> str:
    """The name of a tool without its server and its style."""
    return _WORD_START.sub("_", tool_name.rpartition("__")[2]).lower()


def plain_key(key: str) -> str:
    """The name of an input without its style: ``filePath`` and ``file_path`` are one."""
    return key.replace("_", "").replace("-", "").lower()


@cache
def _plain(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(plain_key, names))
