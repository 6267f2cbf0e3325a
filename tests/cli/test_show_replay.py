"""``anyhook test --recording`` of hooks that are deployed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.bridge.bridging import make_package, run_anyhook, shell_call

BODIES = "[journal]\nbodies = true\n"


@pytest.mark.skipif(os.name == "nt", reason="the hooks of this package are shell scripts")
def test_a_replayed_event_is_not_recorded_again(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("anyhook", "anyhook"), ("anyhook-client", "anyhook.serve.client.launcher")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m {module} "$@"\n')
        (programs / name).chmod(0o755)
    settings = tmp_path / "config" / "anyhook" / "anyhook.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(BODIES)
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "XDG_CONFIG_HOME": str(settings.parents[1])}
    run_anyhook(package, "deploy", "--client", "claude-code", "--yes", **variables)
    call = shell_call("echo DANGER")
    assert "DANGER" in run_anyhook(package, "exec", "--client", "claude-code", stdin=call, **variables).stdout
    for _ in range(2):
        replayed = run_anyhook(package, "test", "--recording", call["session_id"], **variables)
        assert "1 event: 0 would change" in replayed.stdout, replayed.stdout + replayed.stderr
