"""Plays scripted conversations to real clients, offline, each in a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from anyhook.entries.daemon_client import client_by_path
from anyhook.model.problems import AnyhookError
from anyhook.prove.installation import VARIABLE, cache_folder, install, read_release
from anyhook.prove.namespace import NamespaceUnavailableError, namespace_command
from tests.approving import approve
from tests.checkout import ROOT

PLAY = Path(__file__).with_name("play_one.py")
INSTALLED = str(cache_folder())
"""Before a test has a home folder of its own."""

Report = dict[str, Any]
Step = Mapping[str, Any]


def obstacle() -> str:
    """Why no real client can be run here; empty: one can."""
    if not os.environ.get("ANYHOOK_REAL_CLIENTS"):
        return "runs real clients: make test-clients"
    try:
        namespace_command()
    except NamespaceUnavailableError as error:
        return str(error)
    return next((f"{name} is not on PATH" for name in ("node", "npm") if shutil.which(name) is None), "")


def install_clients(names: Sequence[str]) -> None:
    """Install the recorded releases once; skips what needs them where that is impossible."""
    os.environ[VARIABLE] = INSTALLED
    for name in names:
        try:
            install(read_release(name))
        except AnyhookError as error:
            pytest.skip(f"{name} cannot be installed: {error}")


def play(client: str, folder: Path, script: Sequence[Step], *, runner: Sequence[str] = (), **case: Any) -> Report:
    """What became of a conversation in the folder's ``project``, with the folder's ``home`` if there is one.

    ``runner`` is a command that is to start the client; ``case`` is what situations may say besides.
    """
    case["env"] = {"ANYHOOK_DAEMON": "0", **case.get("env", {})}  # none is left behind
    situation = folder / "case.json"
    situation.write_text(json.dumps({"script": script, **case}))
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*runner, sys.executable, PLAY, client, situation, folder],
        cwd=folder / "project",
        env=_environment(PATH=path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: Report = json.loads(done.stdout)
    return report


def approved(folder: Path) -> dict[str, str]:
    """The variables of a client whose user has approved all hooks of the project."""
    approve(folder / "project", home=folder / "home", state=folder / "state")
    return {"ANYHOOK_STATE_DIR": str(folder / "state")}


def put_anyhook_on_path(folder: Path) -> None:
    """The anyhook under test, and its client, as commands that :func:`play` lets the client find."""
    programs = {"anyhook": (sys.executable, "-P", "-m", "anyhook"), "anyhook-client": client_by_path()}
    (folder / "bin").mkdir()
    for name, words in programs.items():
        program = folder / "bin" / name
        # Both have it: a daemon answers only those whose Python would find the same.
        program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT / "src"} exec {shlex.join(words)} "$@"\n')
        program.chmod(0o755)


def anyhook(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of anyhook in the project of a folder, with the state that the client's anyhook will have."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "anyhook", *words],
        cwd=folder / "project",
        env=_environment(ANYHOOK_STATE_DIR=str(folder / "state"), **variables),
        capture_output=True,
        text=True,
        check=False,
    )


def prove(folder: Path, *words: str, **variables: str) -> tuple[int, Report]:
    """``anyhook prove --json`` in the project of a folder: its exit status and what it found in the one client."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = anyhook(folder, "prove", "--install", "--json", *words, PATH=path, **variables)
    assert done.returncode in (0, 1), done.stderr
    [proved] = json.loads(done.stdout)["clients"]
    return done.returncode, proved


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), VARIABLE: INSTALLED, **more}
