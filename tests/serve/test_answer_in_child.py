"""A hook may say, once it runs, that nobody needs to wait for it: it then goes on, with and without a daemon."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.serve.daemons import PYTHON_CLIENT, RUN, Stage, wait_until

FROM = ("--from", "claude-code")


@pytest.fixture
def marks(stage: Stage) -> Path:
    """A folder for what a hook leaves behind that waits for a file before it does so."""
    folder = stage.top / "marks"
    folder.mkdir()
    lines = [
        "cat > /dev/null",
        f"touch {folder}/began",
        'test -n "$WAITED_FOR" || echo \'{"async": true}\'',
        f"until test -e {folder}/go; do sleep 0.05; done",
        f"touch {folder}/done",
    ]
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "; ".join(lines)}]}]}
    stage.write("../.claude/settings.json", json.dumps({"hooks": hooks}))
    stage.trust()
    return folder


def test_it_goes_on_after_exec_has_answered(stage: Stage, marks: Path) -> None:
    asked = stage.ask_without(stage.payload(), *FROM)  # ends only when nobody holds its output any more
    assert (asked.status, asked.stdout, asked.stderr) == (90, b"", b"")
    assert not (marks / "done").exists()
    (marks / "go").touch()
    wait_until((marks / "done").exists)


def test_it_goes_on_in_the_daemon_which_waits_for_it(stage: Stage, marks: Path) -> None:
    with stage.daemon() as daemon:
        asked = stage.ask(PYTHON_CLIENT, stage.payload(), *FROM)
        assert not stage.fell_back()
        assert (asked.status, asked.stdout, asked.stderr) == (90, b"", b"")
        assert stage.status()["background"] == 1
        daemon.terminate()
        (marks / "go").touch()
    assert (marks / "done").exists()


def test_a_hook_ends_with_the_client_that_does_not_wait_for_its_answer(stage: Stage, marks: Path) -> None:
    words = (*RUN, *stage.words(*FROM))
    environment = {**stage.environment, "WAITED_FOR": "1"}
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=stage.project, env=environment)
    assert process.stdin is not None
    process.stdin.write(stage.payload())
    process.stdin.close()
    wait_until((marks / "began").exists)
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    assert process.stdout.read() == b"", "all that held it are gone"
    process.wait()
    process.stdout.close()
    (marks / "go").touch()
    with pytest.raises(AssertionError, match="it did not happen"):
        wait_until((marks / "done").exists, 0.5)
