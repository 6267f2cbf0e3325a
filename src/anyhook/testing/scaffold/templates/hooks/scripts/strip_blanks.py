#!/usr/bin/env python3
"""A formatter: removes blanks at the ends of lines from a file that the agent has just written."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INPUT = re.compile(r"tool_?(input|args|info)|args", re.IGNORECASE)
FILE = re.compile(r"(file_?)?path|target_?file", re.IGNORECASE)
"""What the clients call the input of a tool, and the file in it."""
PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$", re.MULTILINE)
BLANKS_COUNT = re.compile(r"\.(md|markdown|diff|patch)", re.IGNORECASE)
"""Files in which blanks at the end of a line mean something."""


def written_files(event: dict[str, Any]) -> Iterator[str]:
    call = event.get("toolCall", event)
    for given in (value for key, value in call.items() if INPUT.fullmatch(key)):
        tool_input = json.loads(given) if isinstance(given, str) else given
        yield from (value for key, value in tool_input.items() if FILE.fullmatch(key))
        yield from PATCHED.findall(str(tool_input.get("command", "")))  # Codex writes files with patches


def strip_blanks(path: Path) -> int:
    """The number of lines that were changed."""
    before = path.read_bytes()
    after, changed = re.subn(rb"[ \t]+(?=\r?$)", b"", before, flags=re.MULTILINE)
    if changed and b"\0" not in before:  # a file with NUL bytes is not a text
        path.write_bytes(after)
        return changed
    return 0


for name in written_files(json.load(sys.stdin)):
    path = Path(name)
    if path.is_file() and not BLANKS_COUNT.fullmatch(path.suffix) and (lines := strip_blanks(path)):
        print(f"{path.name}: removed blanks at the ends of {lines} lines", file=sys.stderr)
