"""The text of a patch, for tools that change files by patches (``apply_patch`` of Codex)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

# Codex trims the lines of headers, so an indented one counts.
_FILE = r"(?m)^[ \t]*\*\*\* (?P<what>Add|Update|Delete) File: *(?P<path>.*\S)[ \t]*\r?$"
_MOVE = r"(?m)^[ \t]*\*\*\* Move to: *(?P<path>.*\S)[ \t]*\r?$"


class FileCall(Struct, frozen=True):
    """What a call does to one file."""

    kind: str
    """write: a new file; edit: a change of an old one, or its removal; read."""
    tool_input: Mapping[str, Any]
    """Under the canonical names of inputs."""


def write_patch(kind: str, tool_input: Mapping[str, Any]) -> str:
    """The patch that does what a tool that writes or edits one file would do."""
    path = tool_input.get("file_path", "")
    if kind == "write":
        body = [f"*** Add File: {path}", *_marked("+", tool_input.get("content"))]
    else:
        old, new = tool_input.get("old_string"), tool_input.get("new_string")
        body = [f"*** Update File: {path}", "@@", *_marked("-", old), *_marked("+", new)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"])


def read_patch(text: str) -> tuple[FileCall, ...]:
    """What the text of a patch does to each of its files; nothing when it names none."""
    files = list(re.finditer(_FILE, text))
    ends = [*(found.start() for found in files[1:]), len(text)]
    return tuple(
        call
        for found, end in zip(files, ends, strict=False)
        for call in _section(found["what"], found["path"], text[found.end() : end])
    )


def _section(what: str, path: str, body: str) -> Iterator[FileCall]:
    lines = body.splitlines()
    added = "\n".join(line[1:] for line in lines if line.startswith("+"))
    if what == "Add":
        yield FileCall("write", {"file_path": path, "content": added})
        return
    removed = "\n".join(line[1:] for line in lines if line.startswith("-"))
    yield FileCall("edit", {"file_path": path, "old_string": removed, "new_string": added})
    if moved := re.search(_MOVE, body):  # a new file, of which only the lines around the changes are known
        kept = "\n".join(line[1:] for line in lines if line.startswith(("+", " ")))
        yield FileCall("write", {"file_path": moved["path"], "content": kept})


def _marked(sign: str, text: object) -> list[str]:
    return [sign + line for line in text.splitlines()] if isinstance(text, str) else []
