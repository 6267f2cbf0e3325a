"""What a tool call does, by a client's table or by the inputs of the call."""

from __future__ import annotations

from typing import Any

import pytest

from anyhook.dialects.translation.tool_kinds import call_kinds, is_of_kind, is_surely_of_kind, may_be_of_kind, tools_for
from anyhook.dialects.vocabulary import ANY_KIND, TOOL_KINDS

CALLS: tuple[tuple[str, str, dict[str, Any], set[str]], ...] = (
    ("claude-code", "Bash", {"command": "ls"}, {"shell"}),
    ("claude-code", "Write", {"file_path": "a", "content": "b"}, {"edit"}),
    ("claude-code", "NotebookEdit", {"notebook_path": "a"}, {"edit"}),
    ("claude-code", "Read", {"file_path": "a"}, {"read"}),
    ("claude-code", "WebFetch", {"url": "https://example.com"}, {"fetch"}),
    ("claude-code", "Grep", {"pattern": "a", "path": "b"}, {"search"}),
    ("claude-code", "TodoWrite", {"todos": []}, set()),
    ("gemini-cli", "run_shell_command", {"command": "ls"}, {"shell"}),
    ("claude-code", "mcp__box__execute", {"command": "ls"}, {"mcp", "shell"}),
    ("claude-code", "mcp__fs__write_file", {"path": "a", "content": "b"}, {"mcp", "edit"}),
    ("claude-code", "mcp__fs__deleteFile", {"path": "a"}, {"mcp", "edit"}),
    ("claude-code", "mcp__fs__move_file", {"source": "a", "destination": "b"}, {"mcp", "edit"}),
    ("claude-code", "mcp__fs__read_text_file", {"path": "a"}, {"mcp", "read"}),
    ("claude-code", "mcp__web__get", {"url": "https://example.com"}, {"mcp", "fetch"}),
    ("claude-code", "mcp__fs__batch", {"operations": [{"path": "a", "content": "b"}]}, {"mcp", "edit"}),
    ("claude-code", "mcp__box__batch", {"steps": [{"command": "ls"}]}, {"mcp", "shell"}),
    ("claude-code", "mcp__notes__post", {"blocks": [{"url": "https://example.com"}]}, {"mcp"}),
    ("claude-code", "mcp__fs__rename", {"from": "a", "to": "b"}, {"mcp", "edit"}),
    ("claude-code", "mcp__fs__cp", {"src": "a", "dst": "b"}, {"mcp", "edit"}),
    ("claude-code", "mcp__mail__send", {"from": "a", "to": "b", "text": "c"}, {"mcp"}),
    ("claude-code", "mcp__terminal__write", {"text": "ls"}, {"mcp", "shell"}),
    ("claude-code", "mcp__box__sendKeys", {"keys": ["ls", "Enter"]}, {"mcp", "shell"}),
    ("claude-code", "mcp__notes__add", {"text": "ls"}, {"mcp"}),
    ("claude-code", "mcp__chat__send_message", {"input": "ls"}, {"mcp"}),
    ("claude-code", "mcp__memory__search", {"query": "a"}, {"mcp"}),
    ("claude-code", "NewShell", {"cmd": "ls"}, {"shell"}),
    ("claude-code", "ReplaceInFile", {"filePath": "a", "newString": "b"}, {"edit"}),
    ("claude-code", "list_directory", {"dir_path": "a"}, {"search"}),
    ("claude-code", "LS", {"directory_path": "a"}, {"search"}),
    ("claude-code", "findFiles", {"pattern": "a"}, {"search"}),
    ("claude-code", "AlsoNew", {"mode": "a"}, set()),
    ("claude-code", "Unknown", {}, set()),
)


def test_every_kind_that_hooks_name_has_tools_or_is_about_servers() -> None:
    assert [kind for kind in TOOL_KINDS if not tools_for((kind,))] == [ANY_KIND]


@pytest.mark.parametrize(("client", "tool", "given", "expected"), CALLS)
def test_kinds(client: str, tool: str, given: dict[str, Any], expected: set[str]) -> None:
    assert call_kinds(tool, given, client) == expected
    assert all(is_of_kind([kind], tool, given, client) for kind in (*expected, "any"))
    assert all(may_be_of_kind([kind], tool, client) for kind in expected)


def test_what_a_name_tells_alone() -> None:
    assert is_surely_of_kind(["shell"], "Bash", "claude-code")
    assert not is_surely_of_kind(["shell"], "mcp__box__execute", "claude-code")
    assert not may_be_of_kind(["shell"], "Read", "claude-code")
    assert may_be_of_kind(["shell"], "NewTool", "claude-code")
    assert may_be_of_kind(["any"], "Read", "claude-code")
