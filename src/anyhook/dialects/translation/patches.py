"""The text of a patch, for clients that change files by patches alone (``apply_patch`` of Codex)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_FILE = r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>.+)$"


class Patched(Struct, frozen=True):
    """What a patch does to its first file, under the canonical names of inputs."""

    kind: str
    """write: a new file; edit: a change of an old one."""
    tool_input: Mapping[str, Any]
    other_files: tuple[str, ...] = ()


def write_patch(kind: str, tool_input: Mapping[str, Any]) -> str:
    """The patch that does what a tool that writes or edits one file would do."""
    path = tool_input.get("file_path", "")
    if kind == "write":
        body = [f"*** Add File: {path}", *_marked("+", tool_input.get("content"))]
    else:
        old, new = tool_input.get("old_string"), tool_input.get("new_string")
        body = [f"*** Update File: {path}", "@@", *_marked("-", old), *_marked("+", new)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"])


def read_patch(text: str) -> Patched | None:
    """What the text of a patch is about; None when it names no file."""
    files = list(re.finditer(_FILE, text, re.MULTILINE))
    if not files:
        return None
    first = files[0]
    end = files[1].start() if len(files) > 1 else len(text)
    lines = text[first.end() : end].splitlines()
    added = "\n".join(line[1:] for line in lines if line.startswith("+"))
    others = tuple(found["path"] for found in files[1:])
    if first["what"] == "Add":
        return Patched("write", {"file_path": first["path"], "content": added}, others)
    removed = "\n".join(line[1:] for line in lines if line.startswith("-"))
    return Patched("edit", {"file_path": first["path"], "old_string": removed, "new_string": added}, others)


def _marked(sign: str, text: object) -> list[str]:
    return [sign + line for line in text.splitlines()] if isinstance(text, str) else []
