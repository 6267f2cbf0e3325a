"""``anyhook trust`` on a terminal: it asks, and only a yes counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")

DEFINITION = '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "./a.sh"}]}]}}'


def answered(folder: Path, answer: bytes) -> tuple[int, str]:
    """The exit status and the output of ``anyhook trust`` when a user types this."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ANYHOOK_STATE_DIR": str(folder / "state")}
    command = [sys.executable, "-P", "-m", "anyhook", "trust", str(folder / "shop")]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        os.write(controller, answer)
        output = b""
        try:
            while piece := os.read(controller, 4096):
                output += piece
        except OSError:  # how Linux reports that the other end is closed
            pass
        status = process.wait(timeout=60)
    os.close(controller)
    return status, output.decode()


@pytest.mark.parametrize(
    ("answer", "status", "said"), [(b"y\n", 0, "They may run"), (b"n\n", 1, "will not run"), (b"\n", 1, "will not run")]
)
def test_only_a_yes_counts(tmp_path: Path, answer: bytes, status: int, said: str) -> None:
    (tmp_path / "shop/hooks").mkdir(parents=True)
    (tmp_path / "shop/hooks/hooks.json").write_text(DEFINITION)
    seen, output = answered(tmp_path, answer)
    assert "Allow these hooks to run?" in output
    assert said in output
    assert seen == status
    assert bool(list(tmp_path.rglob("trust.json"))) is (status == 0)
