"""What the tests of the bridge share: a package, and the anyhook under test as clients start it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.approving import approve
from tests.checkout import SOURCE
from tests.warm.commands import WARM, run_program

GUARD = """#!/bin/sh
payload=$(cat)
case $payload in *DANGER*) echo "guard: no DANGER here" >&2; exit 2 ;; esac
"""
HOOKS = {
    "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}]
}


def make_package(folder: Path, hooks: Mapping[str, Any] = HOOKS, **scripts: str) -> Path:
    """A universal package with these hooks; scripts by their names without ``.sh``."""
    place = folder / "hooks"
    place.mkdir(parents=True, exist_ok=True)
    (place / "hooks.json").write_text(json.dumps({"version": 1, "hooks": hooks}))
    for name, text in {"guard": GUARD, **scripts}.items():
        (place / f"{name}.sh").write_text(text)
        (place / f"{name}.sh").chmod(0o755)
    return folder


def shell_call(command: str, **more: Any) -> dict[str, Any]:
    """A shell call as Claude Code, Codex and most others send it."""
    return {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "t",
        **more,
    }


def run_anyhook(
    folder: Path, *words: str, stdin: object = "", run: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run anyhook, or the program ``run``, in a folder, with a home and a state folder beside it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    ran = run_program(
        run or WARM,
        words,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANYHOOK_STATE_DIR": str(folder.parent / "state"),
            "ANYHOOK_DAEMON": "0",
            "PYTHONPATH": str(SOURCE),
            **variables,
        },
        stdin=(stdin if isinstance(stdin, str) else json.dumps(stdin)).encode(),
    )
    return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def run_trusted(
    folder: Path, *words: str, stdin: object = "", run: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """The same after the user has approved the hooks of the folder as they are."""
    approve(folder, home=folder.parent / "home", state=folder.parent / "state")
    return run_anyhook(folder, *words, stdin=stdin, run=run, **variables)
