"""What a new user types, from a clone to a dangerous command that the real client does not run: five commands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.prove.installation import VARIABLE
from tests.checkout import ROOT
from tests.realclients.playing import INSTALLED

COMMANDS = (
    "git clone -q {repository} anyhook",
    "pip install -q ./anyhook",
    "anyhook init demo",
    "anyhook deploy demo --to claude-code --yes",
    "anyhook prove demo --client claude-code --install",
)


@pytest.mark.usefixtures("clients")
@pytest.mark.skipif(not ROOT.joinpath(".git").exists(), reason="this is not a clone")
def test_five_commands_from_a_clone_to_a_blocked_command(tmp_path: Path) -> None:
    for name in ("user", "home"):
        (tmp_path / name).mkdir()
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    removed = ("PYTHONPATH", "ANYHOOK_STATE_DIR", "XDG_STATE_HOME")
    environment = {
        **{name: value for name, value in os.environ.items() if name not in removed},
        "PATH": f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "COLUMNS": "200",
        VARIABLE: INSTALLED,
    }
    for command in COMMANDS:
        words = shlex.split(command.format(repository=shlex.quote(str(ROOT))))
        done = subprocess.run(
            words, cwd=tmp_path / "user", env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    [guard] = [line for line in done.stdout.splitlines() if line.startswith("PreToolUse")]
    assert "shell guard" in guard
    assert "  blocked: rm -rf /  -> This command deletes everything in /." in done.stdout
    assert guard.split()[-4:] == ["yes", "2", "times", "yes"]  # loaded, fired, in effect
