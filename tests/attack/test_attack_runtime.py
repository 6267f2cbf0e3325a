"""Attacks on the running parts: odd payloads, odd surroundings, hooks of other projects, other processes of the user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.serve.daemons import RUN, Stage, make_stage

if os.name != "posix":
    pytest.skip("the attacks use processes of a POSIX system", allow_module_level=True)

CLOSED = ("--event", "PreToolUse", "--fail", "closed")


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.trust()
        yield made


def is_refused(stdout: bytes, stderr: bytes = b"") -> bool:
    return b'"deny"' in stdout


def test_a_deleted_working_folder_does_not_silence_the_guard(stage: Stage) -> None:
    gone = stage.top / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD" && exec "$@"'
    words = ("sh", "-c", line, "sh", *RUN, *stage.words(*CLOSED))
    ran = subprocess.run(
        words, cwd=gone, env=stage.environment, input=stage.payload("forbidden"), capture_output=True, timeout=60
    )
    assert (ran.returncode, is_refused(ran.stdout)) == (90, True)
