"""Commands and scripts that no shell can parse, that only bash or Windows has, or that split the event."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, flat, found, guard

needs_bash = pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="bash parses the texts")


@needs_bash
@pytest.mark.parametrize(
    "command",
    [
        "echo 'don't stop'",
        "if true; then echo yes",
        "jq -r '.a | .b",
        "case x in a) true",
        "echo “hello there”",
    ],
)
def test_what_no_shell_can_parse(command: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", command), "C013")
    assert problem.severity is Severity.ERROR


@needs_bash
@pytest.mark.parametrize(
    "command",
    [
        'echo "don\'t stop"',
        "if true; then echo yes; fi",
        "[[ $x =~ ^(a|b)$ ]] && diff <(a) <(b)",
        'echo "it says “hello”"',
        "echo !(a|b)",
        "cat <<'E'\n“text”\nE\n",
    ],
)
def test_what_bash_can_parse(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("gemini-cli", command), "C013")


@needs_bash
def test_nothing_of_a_text_is_run(tmp_path: Path) -> None:
    target = tmp_path / "ran"
    found(tmp_path, guard("claude-code", f"(touch {target}); echo 'open"), "C013")
    assert not target.exists()


@needs_bash
def test_a_script_is_parsed_by_what_its_first_line_says(tmp_path: Path) -> None:
    command = guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh')
    assert found(tmp_path / "a", {**command, "a.sh 755": "#!/bin/bash\nif true; then\n"}, "C013")
    assert not found(tmp_path / "b", {**command, "a.sh 755": "#!/usr/bin/env zsh\nif true; then\n"}, "C013")


@pytest.mark.parametrize("command", ["[[ -f x ]] && rm x", "wc -l <<< text", "make &> log", 'echo "${x//a/b}"'])
def test_syntax_of_bash_where_sh_runs_it(command: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", guard("claude-code", command), "C014")
    assert "dash" in problem.text
    assert not found(tmp_path / "b", guard("gemini-cli", command), "C014")
    assert not found(tmp_path / "c", guard("claude-code", f"bash -c '{command}'"), "C014")


def test_syntax_of_bash_in_a_script_of_sh(tmp_path: Path) -> None:
    files = guard("gemini-cli", "sh a.sh")
    assert found(tmp_path / "a", {**files, "a.sh": "[[ -f x ]] && rm x\n"}, "C014")
    assert not found(tmp_path / "b", {**guard("gemini-cli", "bash a.sh"), "a.sh": "[[ -f x ]] && rm x\n"}, "C014")


@pytest.mark.parametrize("command", ["powershell -File a.ps1", "powershell.exe -c x", "cmd /c dir", "scripts/a.bat"])
def test_a_program_of_windows_alone(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", command), "C015")


@pytest.mark.parametrize("command", ["cmd=1; echo $cmd", "pwsh -File a.ps1", "echo powershell", "cmd-runner x"])
def test_what_only_looks_like_windows(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", command), "C015")


def test_a_command_for_each_system_is_right(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "./a", "powershell": "powershell -File a.ps1"}
    assert not found(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", entry)}, "C015")


def test_a_part_of_the_event_without_quotes(tmp_path: Path) -> None:
    fill = "f=$(jq -r .tool_input.file_path); "
    (problem,) = found(tmp_path / "a", guard("claude-code", f"{fill}prettier $f"), "C017")
    assert problem.fix == 'write "$f"'
    assert not found(tmp_path / "b", guard("claude-code", f'{fill}prettier "$f"; g=$f; [[ $f == x ]]'), "C017")
    assert not found(tmp_path / "c", guard("claude-code", "f=$(pwd); prettier $f"), "C017")
    script = {**guard("gemini-cli", "bash a.sh"), "a.sh": f"#!/bin/bash\n{fill}\nprettier $f\n"}
    assert "a.sh" in found(tmp_path / "d", script, "C017")[0].text
