"""The completion scripts work in the real shells, as far as these are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.cli.main import main
from tests.checkout import SOURCE

LAUNCHER = f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -P -m anyhook "$@"\n'
BASH = """\
source "$1"
COMP_WORDS=({words}); COMP_CWORD={last}
_anyhook_completion anyhook
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def script_for(shell: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """The completion script in a file, and an environment whose PATH has ``anyhook``."""
    program = folder / "bin" / "anyhook"
    program.parent.mkdir()
    program.write_text(LAUNCHER, encoding="utf-8")
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(folder)}
    written = subprocess.run([program, "completion", shell], env=environment, capture_output=True, check=True)
    script = folder / "completion"
    script.write_bytes(written.stdout)
    return script, environment


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("anyhook che", "check"),
        ("anyhook list --cl", "--client"),
        ("anyhook deploy --client gem", "gemini-cli"),
        ("anyhook deploy --client codex,gem", "codex,gemini-cli"),
        ("anyhook explain pre", "PreToolUse"),
        ("anyhook fire --event Stop", "StopFailure"),
        ("anyhook log --event UserP", "UserPromptSubmit"),
        ("anyhook check --explain c00", "C001"),
        ("anyhook check --explain syntax", "syntax-error"),
    ],
)
def test_bash_completes(words: str, expected: str, tmp_path: Path) -> None:
    script, environment = script_for("bash", tmp_path)
    text = BASH.format(words=words, last=len(words.split()) - 1)
    done = subprocess.run(
        ["bash", "-c", text, "bash", script], env=environment, capture_output=True, text=True, check=True
    )
    assert expected in done.stdout.split()


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(tmp_path: Path) -> None:
    script, environment = script_for("fish", tmp_path)
    text = "source $argv[1]; complete -C 'anyhook che'; complete -C 'anyhook check --explain C001'"
    done = subprocess.run(["fish", "-c", text, script], env=environment, capture_output=True, text=True, check=True)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["check", "C001"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_their_script(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script, environment = script_for(shell, tmp_path)
    subprocess.run([shell, "-n", script], env=environment, check=True)


def test_a_missing_shell_is_answered_with_a_readable_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 2
    assert "Choose from:\n  bash,\n  zsh,\n  fish\n" in capsys.readouterr().err
