"""Hook files where their client never looks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.lint import check_paths
from tests.checkout import SOURCE
from tests.lint.projects import check, flat, found, groups, hook, roots

MANIFEST = {".claude-plugin/plugin.json": {"name": "p"}}


@pytest.mark.parametrize(
    ("path", "content", "client"),
    [
        (".claude-plugin/hooks/hooks.json", groups("Stop", hook("true")), "claude-code"),
        (".github/hook/a.json", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        (".github/hooks/a.jsonc", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        (".github/hooks/a.json5", "{hooks: {Stop: [{type: 'command', command: 'true'}]}}", "copilot-cli"),
        (".github/hooks/a.txt", flat("Stop", {"command": "true"}), "copilot-cli"),
        (".github/hooks/a.yml", "hooks:\n  Stop:\n    - command: 'true'\n", "copilot-cli"),
        (".github/hooks.json", flat("Stop", {"command": "true"}), "copilot-cli"),
        (".vscode/hooks.json", flat("Stop", {"command": "true"}), "copilot-vscode"),
        (".vscode/hooks/a.json", flat("Stop", {"command": "true"}), "copilot-vscode"),
        ("gemini-extension.json", {"name": "x", **groups("BeforeTool", hook("true"))}, "gemini-cli"),
        (".factory/hooks/settings.json", groups("PreToolUse", hook("true")), "factory-droid"),
    ],
)
def test_a_file_in_a_place_that_only_looks_right(path: str, content: Any, client: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, {**MANIFEST, path: content}, "F011")
    assert problem.origin.dialect == client
    report = check_paths([tmp_path / path], roots(tmp_path))
    assert [p.code for p in report.problems] == ["F011"]


def test_every_client_that_would_read_it_in_the_right_place_is_named(tmp_path: Path) -> None:
    files = {".github/hooks/a.txt": flat("Stop", {"command": "true"}), ".vscode/hooks.json": flat("Stop", hook("true"))}
    shared, own = found(tmp_path, files, "F011")
    assert shared.text.startswith("Copilot CLI and VS Code never read hooks")
    assert own.text.startswith("VS Code never reads hooks")
    (alone,) = check_paths([tmp_path / ".github/hooks/a.txt"], roots(tmp_path), "copilot-vscode").problems
    assert alone.text.startswith("VS Code never reads hooks")


def test_a_text_beside_hook_files_that_holds_no_hooks_is_fine(tmp_path: Path) -> None:
    notes = {".github/hooks/notes.txt": "command: run it by hand", ".github/hooks/README.md": '"hooks": {}'}
    assert not found(tmp_path, notes, "F011")


def test_a_file_that_the_manifest_names_is_read(tmp_path: Path) -> None:
    manifest = {".claude-plugin/plugin.json": {"name": "p", "hooks": "./.claude-plugin/hooks/hooks.json"}}
    files = {**manifest, ".claude-plugin/hooks/hooks.json": groups("Stop", hook("true"))}
    assert not found(tmp_path, files, "F011")


def test_a_manifest_without_hooks_is_fine(tmp_path: Path) -> None:
    assert not found(tmp_path, {"gemini-extension.json": {"name": "x", "version": "1"}}, "F011")


COUNT = """
import sys
from pathlib import Path
from anyhook.lint.lint import check_paths
from anyhook.sources.discover import Roots
top, listed = Path(sys.argv[1]), []
sys.addaudithook(lambda event, words: event in ("os.scandir", "os.listdir") and listed.append(str(words[0])))
check_paths([top], Roots(project=top, home=top / "home"))
print(listed.count(str(top / "a/b")))
"""


def test_the_folder_is_searched_once(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = [sys.executable, "-P", "-c", COUNT, str(tmp_path)]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("1\n", "")


AGENT = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: sh none.sh}\n---\nText\n"


def test_hooks_of_a_plugin_s_agent_never_run(tmp_path: Path) -> None:
    files = {**MANIFEST, "agents/a.md": AGENT, "README.md": ""}
    assert [(p.code, p.origin.line) for p in check(tmp_path, files).problems] == [("F011", 3)]
    for place in ("skills/a/SKILL.md", "commands/a.md", "notes/agents/a.md"):
        assert not found(tmp_path / place.replace("/", "-"), {**MANIFEST, place: AGENT}, "F011")
    assert not found(tmp_path / "project", {".claude/agents/a.md": AGENT}, "F011")


@pytest.mark.parametrize(
    "path", [".factory/hooks/hooks.json", ".factory/settings.json", ".github/hooks/a.json", "hooks/hooks.json"]
)
def test_a_file_in_its_place(path: str, tmp_path: Path) -> None:
    assert not found(tmp_path, {**MANIFEST, path: groups("PreToolUse", hook("true"))}, "F011")
