"""Hooks that name the shell in which they run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from anyhook.dialects import profile
from anyhook.engine.executors.command import command_line
from anyhook.model.hooks import Command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are found by their mode")
HOOK = Command(command="Write-Output x", shell="powershell")


def folder_with(folder: Path, *names: str) -> dict[str, str]:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.parametrize("client", ["claude-code", "qwen-code"])
def test_nothing_is_started_without_the_shell(client: str, tmp_path: Path) -> None:
    assert command_line(profile(client), HOOK, folder_with(tmp_path), {}) == []


def test_claude_code_prefers_the_new_powershell(tmp_path: Path) -> None:
    variables = folder_with(tmp_path, "powershell", "pwsh")
    program, *options, text = command_line(profile("claude-code"), HOOK, variables, {})
    assert program == shutil.which("pwsh", path=str(tmp_path))
    assert options[-1] == "-Command"
    assert text.startswith("Write-Output x\n; if")


def test_qwen_code_knows_one_name_only(tmp_path: Path) -> None:
    assert command_line(profile("qwen-code"), HOOK, folder_with(tmp_path, "pwsh"), {}) == []
    line = command_line(profile("qwen-code"), HOOK, folder_with(tmp_path, "powershell"), {})
    assert line == [str(tmp_path / "powershell"), "-Command", "Write-Output x"]


def test_another_value_means_the_shell_of_the_client(tmp_path: Path) -> None:
    hook = Command(command="true", shell="pwsh")
    assert command_line(profile("qwen-code"), hook, folder_with(tmp_path), {}) == ["bash", "-c", "true"]
