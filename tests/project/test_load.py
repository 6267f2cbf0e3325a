"""What ``load`` says of paths and files in which something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook import load


def test_a_path_that_does_not_exist_is_no_project_without_hooks(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        load(tmp_path / "nowhere", "claude-code")
    assert load(tmp_path, "claude-code").rules == ()


def test_a_broken_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"hooks": {')
    hooks = load(tmp_path, "claude-code")
    assert [(each.code, each.severity) for each in hooks.problems] == [("F001", "error")]
