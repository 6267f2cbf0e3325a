"""Attacks by the pipes that a client hands over: ones that do not block deliver the event and the answer in parts."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.conftest import native_client as native_client
from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, make_stage
from tests.warm.commands import COLD

pytestmark = pytest.mark.long

if os.name != "posix":
    pytest.skip("the clients use pipes of a POSIX system", allow_module_level=True)

SIZE = 400_000
LOUD = f"""\
#!/bin/sh
case "$(cat)" in *forbidden*) ;; *) exit 0 ;; esac
reason=$(head -c {SIZE} /dev/zero | tr '\\0' x)
echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "deny",'
echo "\\"permissionDecisionReason\\": \\"$reason\\"}}}}"
"""


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.write("guard.sh", LOUD)
        made.trust()
        yield made


@pytest.mark.parametrize("way", ["exec", "python", "native", "python alone", "native alone"])
def test_pipes_that_do_not_block_lose_nothing(stage: Stage, way: str, native_client: Path) -> None:
    asks = (str(native_client),) if way.startswith("native") else PYTHON_CLIENT
    program = COLD if way == "exec" else (*asks, str(stage.top / "anyhook"))
    words = (*program, *stage.words("--event", "PreToolUse"))
    if way in ("exec", "python alone", "native alone"):
        answer = asked(stage, words)
    else:
        with stage.daemon():
            answer = asked(stage, words)
        assert not stage.fell_back()
    said = json.loads(answer)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"] == "x" * SIZE


def asked(stage: Stage, words: tuple[str, ...]) -> bytes:
    """The answer to an event that comes late and in two parts, read only after a while."""
    stdin, event = os.pipe()
    answer, stdout = os.pipe()
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    process = subprocess.Popen(words, stdin=stdin, stdout=stdout, cwd=stage.project, env=stage.environment)
    os.close(stdin)
    os.close(stdout)
    payload = stage.payload("forbidden", more="y" * 30_000)  # a half fits into every pipe
    with os.fdopen(event, "wb", buffering=0) as sent, os.fdopen(answer, "rb") as received:
        for part in (payload[:20_000], payload[20_000:]):
            time.sleep(0.3)  # so that it finds nothing; the answer is the same without
            sent.write(part)
        sent.close()
        told = received.read()
    assert process.wait(SOON) == 90
    return told
