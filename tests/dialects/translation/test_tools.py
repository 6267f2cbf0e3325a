"""Tool names and inputs translate between clients, and what is lost is said."""

from __future__ import annotations

import pytest

from anyhook.dialects.translation.tools import kinds_of, owners_of, tool_names, translate_input, translate_name


@pytest.mark.parametrize(
    ("name", "source", "target", "names"),
    [
        ("Bash", "claude-code", "cursor", ("Shell",)),
        ("Bash", "claude-code", "gemini-cli", ("run_shell_command",)),
        ("Bash", "universal", "codex", ("Bash",)),
        ("Edit", "claude-code", "gemini-cli", ("replace",)),
        ("run_shell_command", "gemini-cli", "copilot-cli", ("bash", "powershell")),
        ("Write", "cursor", "claude-code", ("Write", "Edit")),
        ("Read", "claude-code", "codex", ()),
        ("mcp__github__search", "claude-code", "gemini-cli", ("mcp_github_search",)),
        ("mcp__github__search", "claude-code", "cursor", ("MCP:search",)),
    ],
)
def test_names(name: str, source: str, target: str, names: tuple[str, ...]) -> None:
    assert translate_name(name, source, target).names == names


@pytest.mark.parametrize(
    ("name", "target"),
    [("Write", "codex"), ("Edit", "cursor"), ("Read", "codex"), ("Read", "openhands"), ("mcp__a__b", "cursor")],
)
def test_a_translation_that_loses_something_says_so(name: str, target: str) -> None:
    assert translate_name(name, "claude-code", target).losses


def test_inputs_are_renamed_there_and_back() -> None:
    given = {"file_path": "a.py", "old_string": "x", "new_string": "y", "custom": 1}
    vscode, losses = translate_input(given, "edit", "claude-code", "copilot-vscode")
    assert vscode == {"filePath": "a.py", "oldString": "x", "newString": "y", "custom": 1}
    assert losses == ()
    assert translate_input(vscode, "edit", "copilot-vscode", "claude-code")[0] == given


def test_a_merged_tool_gets_the_input_that_tells_it_apart() -> None:
    written, losses = translate_input({"file_path": "a", "content": "b"}, "write", "claude-code", "openhands")
    assert written == {"command": "create", "path": "a", "file_text": "b"}
    assert losses


def test_who_has_a_tool() -> None:
    assert "cursor" in owners_of("Shell")
    assert kinds_of("Write", "cursor") == ("write", "edit")
    assert "Bash" in tool_names("universal")
