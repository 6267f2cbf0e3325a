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
