"""What nobody has approved is shown so by list, doctor and explain, and fire says that it was not asked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.bridge.bridging import make_package, run_anyhook, shell_call

WITH_ANYHOOK = f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"
FIRE = ("fire", "--client", "claude-code", "-e", "PreToolUse")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = make_package(tmp_path / "project")
    assert run_anyhook(made, "deploy", "--client", "claude-code").returncode == 0
    return made


def states(package: Path) -> dict[str, set[str]]:
    """The states in ``list``, and what ``doctor`` says of loading."""
    listed = json.loads(run_anyhook(package, "list", "--json").stdout)
    diagnosis = json.loads(run_anyhook(package, "doctor", "--json").stdout)
    return {
        "list": {f"{hook['state']}: {hook['why']}".rstrip(": ") for hook in listed["hooks"]},
        "doctor": {str(hook["loaded"]) for hook in diagnosis["hooks"]},
    }


def test_list_and_doctor_tell_new_from_changed_and_approved(package: Path) -> None:
    assert states(package)["list"] == {"untrusted: not trusted yet"}
    assert not states(package)["doctor"] & {"active", "yes", "True"}
    explained = run_anyhook(package, "explain", "PreToolUse", "-c", "claude-code").stdout
    assert "(hooks/hooks.json:1): untrusted: not trusted yet" in explained

    assert run_anyhook(package, "trust", "--yes").returncode == 0
    assert states(package)["list"] == {"active"}

    (package / "hooks/guard.sh").write_text("#!/bin/sh\n")
    assert states(package)["list"] == {"untrusted: changed since it was trusted: hooks/guard.sh"}


def test_fire_says_that_a_hook_was_not_asked_and_what_the_client_would_do(package: Path) -> None:
    done = run_anyhook(package, *FIRE, stdin=shell_call("echo DANGER"), PATH=WITH_ANYHOOK)
    assert "not asked: not trusted yet: hooks/hooks.json:1" in done.stdout
    assert "allowed" not in done.stdout
    assert "The client goes ahead" in done.stdout

    assert run_anyhook(package, "trust", "--yes").returncode == 0
    done = run_anyhook(package, *FIRE, stdin=shell_call("echo DANGER"), PATH=WITH_ANYHOOK)
    assert "not asked" not in done.stdout
    assert "The client blocks it: guard: no DANGER here" in done.stdout


def test_fire_says_that_the_client_does_not_find_anyhook(package: Path) -> None:
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    done = run_anyhook(package, *FIRE, stdin=shell_call("echo DANGER"), PATH="/usr/bin:/bin")
    assert "not asked: the client does not find anyhook" in done.stdout
