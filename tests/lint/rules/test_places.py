"""Hook files where their client never looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.lint import check_paths
from tests.lint.projects import flat, found, groups, hook, roots

MANIFEST = {".claude-plugin/plugin.json": {"name": "p"}}


@pytest.mark.parametrize(
    ("path", "content", "client"),
    [
        (".claude-plugin/hooks/hooks.json", groups("Stop", hook("true")), "claude-code"),
        (".github/hook/a.json", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        (".github/hooks/a.jsonc", flat("preToolUse", {"command": "true"}), "copilot-cli"),
        ("gemini-extension.json", {"name": "x", **groups("BeforeTool", hook("true"))}, "gemini-cli"),
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
