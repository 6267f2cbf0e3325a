"""What an event was about, in one line: a command, a file, an address, a tool of an MCP server, the words of a prompt.

``anyhook exec`` imports this after its answer. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anyhook.dialects.translation.file_calls import file_calls
from anyhook.dialects.translation.tool_kinds import (
    URL_INPUTS,
    call_kinds,
    command_inputs,
    inputs_of,
    path_inputs,
    plain_key,
)
from anyhook.dialects.translation.tools import split_mcp_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from anyhook.model.payload_base import Payload

MAX_SUBJECT = 200
"""Characters of a subject in the journal."""
MAX_RAW = 4_000
"""Characters in which secrets are looked for before the line is cut."""
_MAX_VALUE = 100
"""Characters of one of several inputs."""
_URLS = frozenset(map(plain_key, URL_INPUTS))
_FIELDS = (
    "command", "file_path", "prompt", "message", "task", "task_subject", "todo_content", "command_name", "source",
    "reason", "trigger", "error", "to_model", "new_cwd", "directory", "worktree_path", "name", "agent_type",
)  # fmt: skip
"""The fields of events without a tool; the first that is a text counts."""


def raw_subject(payload: Payload, dialect: str) -> str:
    """What an event is about, as the client sent it: it may hold secrets and line breaks. Empty: nothing is known."""
    tool, given = payload.get("tool_name"), payload.get("tool_input")
    if isinstance(tool, str):
        text = _of_call(tool, given if isinstance(given, Mapping) else {"": given}, dialect)
        server = payload.get("mcp_server_name")
        name = split_mcp_name(tool, dialect) or ((server, tool) if isinstance(server, str) else None)
        text = f"{'/'.join(filter(None, name))} {text}".rstrip() if name else text
    else:
        fields = (payload.get(name) for name in _FIELDS)
        text = next((value for value in fields if isinstance(value, str) and value), "")
    if isinstance(payload.cwd, str) and payload.cwd not in ("", "/"):
        text = text.removeprefix(f"{payload.cwd.rstrip('/')}/")
    return text if len(text) <= MAX_RAW else text[:MAX_RAW].rpartition(" ")[0]


def one_line(text: str) -> str:
    """A subject as the journal has it: control characters as escapes, and no longer than it may be."""
    text = text.strip()
    if not text.isprintable():
        text = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return text if len(text) <= MAX_SUBJECT else f"{text[: MAX_SUBJECT - 1].rstrip()}…"


def _of_call(tool: str, given: Mapping[str, Any], dialect: str) -> str:
    """The command, address or files of a call; of any other call its inputs."""
    kinds = call_kinds(tool, given, dialect)
    if "shell" in kinds and (lines := list(_texts(given, command_inputs(tool)))):
        return lines[0]
    if "fetch" in kinds and (urls := list(_texts(given, _URLS))):
        return urls[0]
    if not kinds.isdisjoint({"edit", "read"}):
        called = (call.tool_input.get("file_path") for call in file_calls(tool, given, dialect))
        if paths := [str(path) for path in called if path] or list(_texts(given, path_inputs(tool))):
            return " ".join(dict.fromkeys(paths))
    plain = {key: value for key, value in given.items() if isinstance(value, str | int | float)}
    if len(plain) == 1:
        return str(*plain.values())[:MAX_RAW]
    return " ".join(f"{key}={str(value)[:_MAX_VALUE]}" for key, value in plain.items())


def _texts(given: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    """The texts under these names; a list of texts is the words of one command, or several files."""
    for each in inputs_of(given):
        for key, value in each.items():
            if plain_key(str(key)) in names:
                words = value if isinstance(value, list) else [value]
                if words and all(isinstance(word, str) for word in words):
                    yield " ".join(words)
