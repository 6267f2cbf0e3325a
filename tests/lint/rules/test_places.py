"""Hook files where their client never looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.lint import check_paths
from tests.lint.projects import check, flat, found, groups, hook, roots

MANIFEST = {".claude-plugin/plugin.json": {"name": "p"}}


@pytest.mark.parametrize(
    ("path", "content", "client"),
    [
        (".claude-plugin/hooks/hooks.json", groups("Stop", hook("true")), "claude-code"),
        (".github/hook/a.json", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        (".github/hooks/a.jsonc", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        ("gemini-extension.json", {"name": "x", **groups("BeforeTool", hook("true"))}, "gemini-cli"),
        (".factory/hooks/settings.json", groups("PreToolUse", hook("true")), "factory-droid"),
    ],
)
def test_a_file_in_a_place_that_only_looks_right(path: str, content: Any, client: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, {**MANIFEST, path: content}, "F011")
    assert problem.origin.dialect == client
    report = check_paths([tmp_path / path], roots(tmp_path))
    assert [p.code for p in report.problems] == ["F011"]


def test_a_file_that_the_manifest_names_is_read(tmp_path: Path) -> None:
    manifest = {".claude-plugin/plugin.json": {"name": "p", "hooks": "./.claude-plugin/hooks/hooks.json"}}
    files = {**manifest, ".claude-plugin/hooks/hooks.json": groups("Stop", hook("true"))}
    assert not found(tmp_path, files, "F011")


def test_a_manifest_without_hooks_is_fine(tmp_path: Path) -> None:
    assert not found(tmp_path, {"gemini-extension.json": {"name": "x", "version": "1"}}, "F011")


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
