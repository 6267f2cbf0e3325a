"""An entry is no hook: it is shown by the hooks that it asks, and they count."""

from __future__ import annotations

import json
from pathlib import Path

from anyhook.dialects import profile
from anyhook.entries.command_entries import EntryOptions, entry_line
from anyhook.project.hook import ResolvedHook
from anyhook.project.project import Project
from anyhook.sources.discover import Roots

PACKAGE = """{
  "version": 1,
  "hooks": {
    "pre-tool-use": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh" }] }],
    "stop": [{ "hooks": [{ "type": "command", "command": "gate.sh" }] }]
  }
}"""


def write_entry(file: Path, client: str, native: str, options: EntryOptions) -> None:
    line = entry_line(profile(client), native, options)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": {native: [{"hooks": [{"type": "command", "command": line}]}]}}))


def project_in(folder: Path, *clients: str) -> Project:
    return Project(Roots(project=folder, home=folder / "home", system=folder / "system"), clients)


def the_hook(project: Project, client: str) -> ResolvedHook:
    [hook] = [hook for hook in project.hooks if hook.client == client]
    return hook


def test_the_hooks_of_the_nearest_package_above(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/hooks.json").write_text(PACKAGE)
    write_entry(tmp_path / "sub/.gemini/settings.json", "gemini-cli", "BeforeTool", EntryOptions())
    project = project_in(tmp_path / "sub")
    entry = the_hook(project, "gemini-cli")
    assert entry.is_entry
    assert [(hook.matcher, hook.summary, hook.client) for hook in entry.behind] == [("Bash", "guard.sh", "universal")]
    assert entry.text() == "anyhook: guard.sh"


def test_the_package_and_the_client_that_the_entry_names(tmp_path: Path) -> None:
    (tmp_path / "package/.claude").mkdir(parents=True)
    (tmp_path / "package/.claude/settings.json").write_text(
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]}}'
    )
    options = EntryOptions(package=str(tmp_path / "package"), source="claude-code")
    write_entry(tmp_path / "project/.codex/hooks.json", "codex", "Stop", options)
    project = project_in(tmp_path / "project")
    assert [hook.summary for hook in the_hook(project, "codex").behind] == ["mine.sh"]
    assert [hook.hook.summary for hook in project.written] == ["mine.sh"], "a hook elsewhere is one that runs here"


def test_a_hook_that_several_clients_have_is_one_with_several_readers(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/hooks.json").write_text(PACKAGE)
    write_entry(tmp_path / ".claude/settings.json", "claude-code", "PreToolUse", EntryOptions())
    write_entry(tmp_path / ".codex/hooks.json", "codex", "PreToolUse", EntryOptions())
    guard, gate = project_in(tmp_path).written
    assert (guard.hook.summary, gate.hook.summary) == ("guard.sh", "gate.sh")
    assert [(reading.client, reading.is_asked) for reading in guard.readings] == [
        ("claude-code", True),
        ("codex", True),
        ("universal", False),
    ]
    assert [reading.client for reading in gate.readings] == ["universal"]


def test_an_entry_that_leaves_its_events_to_another_asks_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/hooks.json").write_text(PACKAGE)
    write_entry(tmp_path / ".claude/settings.json", "claude-code", "PreToolUse", EntryOptions())
    line = entry_line(profile("cursor"), "preToolUse", EntryOptions())
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/hooks.json").write_text(
        json.dumps({"version": 1, "hooks": {"preToolUse": [{"command": line}]}})
    )
    entries = [hook for hook in project_in(tmp_path, "cursor").hooks if hook.is_entry]
    assert sorted((Path(hook.file).parent.name, hook.is_left) for hook in entries) == [
        (".claude", True),
        (".cursor", False),
    ]
    assert [len(hook.readings) for hook in project_in(tmp_path, "cursor").written] == [1]
