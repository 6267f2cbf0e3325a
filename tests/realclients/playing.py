"""Plays scripted conversations to real clients, offline: ``../shared/realclients`` does it, if it is there."""

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

from anyhook.bridge.entries.daemon_client import client_by_path
from tests.checkout import ROOT

REALCLIENT = ROOT.parent / "shared" / "realclients" / "realclient"
INSTALLED = os.environ.get("REALCLIENTS_DIR") or str(Path.home() / ".cache" / "realclients")
NO_NAMESPACES = 77

Report = dict[str, Any]
Step = Mapping[str, Any]


def obstacle() -> str:
    """Why no real client can be run here; empty: one can."""
    if not os.environ.get("ANYHOOK_REAL_CLIENTS"):
        return "runs real clients: make test-clients"
    if not REALCLIENT.exists():
        return "shared/realclients is not beside this checkout"
    return next((f"{name} is not on PATH" for name in ("node", "npm", "unshare") if shutil.which(name) is None), "")


def install_clients() -> None:
    """Bring the pinned clients here once; skips what needs them where that is impossible."""
    done = subprocess.run([REALCLIENT, "install"], env=_environment(), capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"npm cannot install the clients: {done.stderr.strip()[-200:]}")


def play(client: str, folder: Path, script: Sequence[Step], *, runner: Sequence[str] = (), **case: Any) -> Report:
    """What became of a conversation in the folder's ``project``, with the folder's ``home`` if there is one.

    ``runner`` is a command that is to start the client; ``case`` is what realclient's cases may say besides.
    """
    file = folder / "case.json"
    case["env"] = {"ANYHOOK_DAEMON": "0", **case.get("env", {})}  # none is left behind
    file.write_text(json.dumps({"script": script, **case}))
    command: list[str | Path] = [*runner, REALCLIENT, "run", client, "--script", file, "--clip", "0"]
    command += ["--project", folder / "project"]
    command += ["--home", folder / "home"] if (folder / "home").is_dir() else []
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder / "project", env=_environment(PATH=path), capture_output=True, text=True, check=False
    )
    if done.returncode == NO_NAMESPACES:
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
    report: Report = json.loads(done.stdout)
    return report


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


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "REALCLIENTS_DIR": INSTALLED, **more}
