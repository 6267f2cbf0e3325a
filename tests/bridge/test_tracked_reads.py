"""Every path that is opened, listed or tested while hooks are found is in the snapshot on which caches rest."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.dialects import NAMES
from tests.checkout import ROOT, SOURCE
from tests.effort import mostly_long

EXAMPLES = ROOT / "examples"
PACKAGES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
PROGRAM = Path(__file__).with_name("watch_prepare.py")


def make_rich_package(folder: Path) -> None:
    """Hooks that use files in many ways, entries that call anyhook, and files that are broken or missing."""
    hooks = folder / "hooks"
    (hooks / "lib").mkdir(parents=True)
    (hooks / "guard.sh").write_text("#!/bin/sh\n. ./hooks/lib/common.sh\nexec python3 hooks/guard.py ./missing.sh\n")
    (hooks / "lib" / "common.sh").write_text("source $HOME/.guardrc\n")
    (hooks / "guard.py").write_text("import lib.inner\nfrom anyhook import hook\n\n@hook('Stop')\ndef f(e): ...\n")
    (hooks / "linked.sh").symlink_to("guard.sh")
    (hooks / "outside").symlink_to("/etc/hosts")
    commands = ["${PACKAGE_ROOT}/hooks/guard.sh", "node ./hooks/x.js", "anyhook exec --client codex --event Stop"]
    actions = [{"type": "command", "command": command} for command in commands]
    (hooks / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": [{"hooks": actions}]}}))
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": actions}]}}))
    (folder / ".claude" / "settings.local.json").symlink_to("nowhere.json")
    (folder / ".codex").mkdir()
    (folder / ".codex" / "hooks.json").mkdir()
    (folder / ".gemini").write_text("a file where clients expect a folder")
    (folder / "anyhook.toml").write_text("[models]\ndefault = 'openai:x'\n")


def make_organisation(system: Path) -> None:
    (system / "etc/anyhook").mkdir(parents=True)
    (system / "etc/anyhook/hooks.json").write_text('{"version": 1, "hooks": {}}')


@pytest.mark.skipif(sys.platform == "win32", reason="the rich package has links")
@pytest.mark.parametrize("name", ["rich", *mostly_long(PACKAGES, short=[])])
def test_nothing_is_read_behind_the_back_of_the_snapshot(name: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    if name == "rich":
        make_rich_package(project)
        make_organisation(tmp_path / "system")
    else:
        shutil.copytree(EXAMPLES / name, project, symlinks=True)
    for folder in ("project/sub", "home", "state", "bin"):
        (tmp_path / folder).mkdir(0o700, exist_ok=True)
    ran = subprocess.run(
        [sys.executable, "-P", PROGRAM, tmp_path, *NAMES],
        env={
            "PYTHONPATH": str(SOURCE),
            "HOME": str(tmp_path / "home"),
            "PATH": str(tmp_path / "bin"),
            "ANYHOOK_STATE_DIR": str(tmp_path / "state"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=tmp_path / "project",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for found in map(json.loads, ran.stdout.splitlines()):
        assert {"read", "followed", "itself"} <= {*found["kinds"]}, f"the test sees too little: {found}"
        assert not found["untracked"], found
