#!/usr/bin/env python3
"""A formatter: removes blanks at the ends of lines from a file that the agent has just written."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INPUTS = ("tool_input", "toolInput", "toolArgs", "tool_info", "args")
PATHS = ("file_path", "filePath", "path", "TargetFile")
"""What the clients call the input of a tool, and the file in it."""
PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$", re.MULTILINE)
BLANKS_COUNT = (".md", ".markdown", ".diff", ".patch")
"""Files in which blanks at the end of a line mean something."""


def written_files(event: dict[str, Any]) -> Iterator[str]:
    call = event.get("toolCall", event)
    given: Any = next((call[key] for key in INPUTS if key in call), {})
    tool_input = json.loads(given) if isinstance(given, str) else given
    yield from (tool_input[key] for key in PATHS if key in tool_input)
    yield from PATCHED.findall(str(tool_input.get("command", "")))  # Codex writes files with patches


def strip_blanks(path: Path) -> int:
    """The number of lines that were changed."""
    before = path.read_bytes()
    after, changed = re.subn(rb"[ \t]+(?=\r?$)", b"", before, flags=re.MULTILINE)
    if not changed or b"\0" in before:
        return 0
    path.write_bytes(after)
    return changed


for name in written_files(json.load(sys.stdin)):
    path = Path(name)
    if path.is_file() and path.suffix not in BLANKS_COUNT and (lines := strip_blanks(path)):
        print(f"{path.name}: removed blanks at the ends of {lines} lines", file=sys.stderr)
