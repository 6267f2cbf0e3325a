"""Claude Code's ``if`` and Factory's ``commandRegex``: conditions on a tool's input."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from anyhook.model.hooks import Action, Rule
from anyhook.model.payload_base import Payload


def holds(rule: Rule, action: Action, payload: Payload) -> bool:
    """Whether the conditions of a hook hold for a tool call."""
    if rule.command_pattern is not None:
        command = payload.command
        if not isinstance(command, str) or not _search(rule.command_pattern, command):
            return False
    return action.condition is None or permission_rule_holds(action.condition, payload)


def _search(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True


def permission_rule_holds(text: str, payload: Payload) -> bool:
    """``Bash(git *)``: the tool and, in brackets, what its command or path must look like."""
    if not text.strip():
        return True
    found = re.fullmatch(r"\s*([\w*]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if found is None:
        return False
    tool, pattern = found.groups()
    if getattr(payload, "tool_name", None) != tool:
        return False
    if pattern is None:
        return True
    command = payload.command
    if isinstance(command, str):
        pattern = re.sub(r":\*$", "*", pattern)
        return any(
            fnmatchcase(part.strip(), pattern) or fnmatchcase(part.strip() + " ", pattern)
            for part in re.split(r"&&|\|\||;|\||\n|\$\(|`|\)", command)
        )
    path = payload.file_path
    return isinstance(path, str) and fnmatchcase(path, "*" + pattern)
