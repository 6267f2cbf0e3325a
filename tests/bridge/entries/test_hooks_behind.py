"""An entry is shown by the hooks that it asks."""

from __future__ import annotations

from pathlib import Path

from anyhook.bridge.entries.command_entries import EntryOptions, entry_line
from anyhook.bridge.entries.hooks_behind import hooks_behind
from anyhook.dialects import profile
from anyhook.model.hooks import Command

PACKAGE = """{
  "version": 1,
  "hooks": {
    "pre-tool-use": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh" }] }],
    "stop": [{ "hooks": [{ "type": "command", "command": "gate.sh" }] }]
  }
}"""


def entry(client: str, native: str, options: EntryOptions) -> Command:
    return Command(command=entry_line(profile(client), native, options))


def test_the_hooks_of_the_nearest_package_above(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/hooks.json").write_text(PACKAGE)
    (tmp_path / "sub").mkdir()
    found = hooks_behind(
        entry("gemini-cli", "BeforeTool", EntryOptions()), "gemini-cli", "PreToolUse", tmp_path / "sub"
    )
    assert [(rule.matcher, hook.summary()) for rule, hook in found] == [("Bash", "guard.sh")]


def test_the_package_and_the_client_that_the_entry_names(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]}}'
    )
    options = EntryOptions(package=str(tmp_path), source="claude-code")
    found = hooks_behind(entry("codex", "Stop", options), "codex", "Stop", Path("/"))
    assert [hook.summary() for _, hook in found] == ["mine.sh"]


def test_a_hook_that_is_no_entry_has_none_behind_it(tmp_path: Path) -> None:
    assert hooks_behind(Command(command="guard.sh"), "codex", "Stop", tmp_path) == ()
