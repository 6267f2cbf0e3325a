"""One call that concerns several files, or several places of one, as the calls of single files that it amounts to.

Hooks of another dialect know tools of one file only: a guard on paths that heard of the first file alone would be
evaded by the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anyhook.dialects import profile
from anyhook.dialects.translation.patches import FileCall, read_patch
from anyhook.dialects.vocabulary import ManyFiles, Tool
from anyhook.model.lazyjson import LazyJson
from anyhook.model.payload import EditPayload


def file_calls(name: str, tool_input: object, dialect: str) -> tuple[FileCall, ...]:
    """The calls that a call of a client's tool amounts to; none when it is no tool for many files, or names no file."""
    many = profile(dialect).tools.many_files.get(name)
    if many is None:
        return ()
    if not many.items:
        return tuple(call for text in _texts(tool_input) for call in read_patch(text))
    items = tool_input.get(many.items) if isinstance(tool_input, Mapping) else None
    return tuple(_listed(items, many, profile(dialect).tools.kinds.get(many.kind, Tool(()))))


def edit_calls(payload: EditPayload) -> tuple[FileCall, ...]:
    """The calls that an event about the edits of one file amounts to: one for each edit."""
    path = {"file_path": payload.file_path} if isinstance(payload.file_path, str) else {}
    edits = payload.edits.value if isinstance(payload.edits, LazyJson) else None
    found = [edit for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    return tuple(_edit(path, edit) for edit in found or [{}])


def _edit(path: Mapping[str, Any], edit: Mapping[str, Any]) -> FileCall:
    old, new = edit.get("old_string"), edit.get("new_string", "")
    if old:
        return FileCall("edit", {**path, "old_string": old, "new_string": new})
    return FileCall("write", {**path, "content": new})


def _texts(tool_input: object) -> Iterator[str]:
    """Every text of an input: not all clients document which one holds the patch, or whether it is the input itself."""
    values = tool_input.values() if isinstance(tool_input, Mapping) else (tool_input,)
    return (value for value in values if isinstance(value, str))


def _listed(items: object, many: ManyFiles, tool: Tool) -> Iterator[FileCall]:
    names = {native: name for name, native in tool.fields.items()}
    for item in items if isinstance(items, list) else ():
        if isinstance(item, str):
            yield FileCall(many.kind, {"file_path": item})
        elif isinstance(item, Mapping):
            named = {names.get(str(key), str(key)): value for key, value in item.items()}
            yield FileCall(many.kind, named)
