"""Calls of tools as universal hooks receive them, for the tests of single guards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import guard_function
from anyhook.model.payload import PostToolUse, PreToolUse, UserPromptSubmit
from anyhook.model.payload_base import Payload

PROJECT = Path("/work/shop")


def said(guard: str, event: Payload, **settings: Any) -> str:
    """What a guard says about an event; empty: it has no objection."""
    call = GuardCall(event=event, settings=settings, project=PROJECT, client="codex")
    reply = guard_function(guard)(call)
    return "" if reply is None else (reply.reason or reply.context or "")


def tool(name: str, **given: Any) -> Payload:
    return PreToolUse(session_id="s", cwd=str(PROJECT), tool_name=name, tool_input=given)


def bash(command: str) -> Payload:
    return tool("Bash", command=command)


def write(path: str, content: str = "x") -> Payload:
    return tool("Write", file_path=path, content=content)


def output(text: Any) -> Payload:
    return PostToolUse(session_id="s", tool_name="Bash", tool_input={"command": "env"}, tool_response=text)


def prompt(text: str) -> Payload:
    return UserPromptSubmit(session_id="s", prompt=text)
