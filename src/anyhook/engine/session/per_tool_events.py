"""File, shell and MCP events (Open Plugins spec), which some dialects fire besides the tool events. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anyhook.dialects.events import native_name
from anyhook.dialects.translation.tools import input_name, is_mcp_name, kinds_of, split_mcp_name
from anyhook.engine.session.results import as_json_value, as_text
from anyhook.model.payload import (
    AfterFileEdit,
    AfterMCPExecution,
    AfterReadFile,
    AfterShellExecution,
    BeforeFileEdit,
    BeforeMCPExecution,
    BeforeReadFile,
    BeforeShellExecution,
)
from anyhook.model.payload_base import FILE_INPUTS, Payload

ToolInput = Mapping[str, Any]


def events_before(name: str, tool_input: ToolInput, dialect: str) -> Iterator[Payload]:
    """The further events before a tool runs, by the kinds that the tool table gives it."""
    for kind in _kinds(name, dialect):
        match kind:
            case "shell" if _has(dialect, BeforeShellExecution):
                yield BeforeShellExecution(command=_command(tool_input, dialect))
            case "read" if _has(dialect, BeforeReadFile):
                yield BeforeReadFile(file_path=_file(tool_input, kind, dialect))
            case "edit" if _has(dialect, BeforeFileEdit):
                yield BeforeFileEdit(file_path=_file(tool_input, kind, dialect), edits=_edits(tool_input, dialect))
            case "mcp" if _has(dialect, BeforeMCPExecution):
                yield BeforeMCPExecution(tool_name=name, tool_input=tool_input, mcp_server_name=_server(name, dialect))


def events_after(name: str, tool_input: ToolInput, output: Any, dialect: str) -> Iterator[Payload]:
    """The further events after a tool has run."""
    for kind in _kinds(name, dialect):
        match kind:
            case "shell" if _has(dialect, AfterShellExecution):
                yield AfterShellExecution(command=_command(tool_input, dialect), output=as_text(output))
            case "read" if _has(dialect, AfterReadFile):
                yield AfterReadFile(file_path=_file(tool_input, kind, dialect))
            case "edit" if _has(dialect, AfterFileEdit):
                yield AfterFileEdit(file_path=_file(tool_input, kind, dialect), edits=_edits(tool_input, dialect))
            case "mcp" if _has(dialect, AfterMCPExecution):
                yield AfterMCPExecution(
                    tool_name=name,
                    tool_input=tool_input,
                    mcp_server_name=_server(name, dialect),
                    tool_response=as_json_value(output),
                )


def _kinds(name: str, dialect: str) -> list[str]:
    """What a tool does; to write a file is to edit it, as no dialect has an event for each."""
    if is_mcp_name(name, dialect):
        return ["mcp"]
    return list(dict.fromkeys("edit" if kind == "write" else kind for kind in kinds_of(name, dialect)))


def _has(dialect: str, event: type[Payload]) -> bool:
    return native_name(event.__name__, dialect) is not None


def _command(tool_input: ToolInput, dialect: str) -> str:
    """The command; the whole input when it has another name, so that a guard has something to check."""
    command = tool_input.get(input_name("command", "shell", dialect))
    return command if isinstance(command, str) else as_text(tool_input)


def _file(tool_input: ToolInput, kind: str, dialect: str) -> str | None:
    names = (input_name("file_path", kind, dialect), *FILE_INPUTS)
    return next((tool_input[name] for name in names if isinstance(tool_input.get(name), str)), None)


def _server(name: str, dialect: str) -> str | None:
    parts = split_mcp_name(name, dialect)
    return parts[0] if parts else None


def _edits(tool_input: ToolInput, dialect: str) -> list[dict[str, Any]]:
    """What is replaced by what; where a whole file is written, the old text is empty."""
    old, new = (tool_input.get(input_name(field, "edit", dialect)) for field in ("old_string", "new_string"))
    if new is None:
        old, new = "", tool_input.get(input_name("content", "write", dialect))
    return [] if new is None else [{"old_string": old, "new_string": new}]
