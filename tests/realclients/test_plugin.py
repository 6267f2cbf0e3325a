"""Real clients install what ``anyhook plugin`` makes, check it, and run its hooks once they are trusted."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import NAMES, dialect
from anyhook.prove.installation import install, read_release
from anyhook.prove.namespace import namespace_command
from tests.realclients.playing import anyhook, play, put_anyhook_on_path

PACKAGE = Path(__file__).parent / "package"
CLIENTS = [name for name in NAMES if dialect(name).plugin_form]
CONSENT = {"gemini-cli": ("--consent",)}
"""It asks twice, and takes only one answer from a pipe."""
SECONDS = 120

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", CLIENTS)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an empty project, a package elsewhere, and anyhook where clients find it."""
    shutil.copytree(PACKAGE, tmp_path / "no danger")
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    put_anyhook_on_path(tmp_path)
    return tmp_path


def make_plugin(folder: Path, client: str) -> dict[str, Any]:
    words = ["plugin", str(folder / "no danger"), "--client", client, "-o", str(folder / "made for users"), "--json"]
    made = anyhook(folder, *words)
    assert made.returncode == 0, made.stderr
    report: dict[str, Any] = json.loads(made.stdout)
    return report


def run_client(folder: Path, client: str, command: str, *more: str) -> str:
    """Run a command line of the client without a network, and answer its questions with yes."""
    _, *words = shlex.split(command)
    done = subprocess.run(
        [*namespace_command(), install(read_release(client)).program, *words, *more],
        cwd=folder / "project",
        env={"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "NO_COLOR": "1"},
        input="y\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_client_accepts_the_plugin(client: str, folder: Path) -> None:
    made = make_plugin(folder, client)
    assert "valid" in run_client(folder, client, made["validation"]).lower()


def test_an_installed_plugin_blocks_once_its_hooks_are_trusted(client: str, folder: Path) -> None:
    *installation, trust = make_plugin(folder, client)["steps"]
    for command in installation:
        run_client(folder, client, command, *CONSENT.get(client, ()))

    script = [
        {"shell": "echo DANGER > untrusted.txt"},
        {"shell": f"{trust} --yes"},  # as its user types it, with the home folder of the run
        {"shell": "echo DANGER > trusted.txt"},
        {"shell": "touch done.txt"},
        {"text": "bye"},
    ]
    report = play(client, folder, script, env={"ANYHOOK_STATE_DIR": str(folder / "state")}, timeout=SECONDS)
    before, _, after, fine = report["tool_results"]
    assert before["ran"]
    assert not after["ran"]
    assert "guard: no DANGER here" in after["model_saw"]
    assert fine["ran"]
    assert (report["exit_status"], report["turns_left"]) == (0, 0)
