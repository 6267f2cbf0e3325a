"""The referee agrees: `anyhook fire` does what the real clients were recorded to do (``shared/vectors``)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.checkout import ROOT

VECTORS = ROOT.parent / "shared" / "vectors"
CLIENTS = sorted(path.stem for path in VECTORS.glob("*.jsonl"))

pytestmark = pytest.mark.skipif(not CLIENTS, reason="shared/vectors is not beside this checkout")


@pytest.mark.parametrize("client", CLIENTS)
def test_every_vector_agrees(client: str) -> None:
    result = subprocess.run(
        [sys.executable, VECTORS / "run", client, "--only-failing", "-j", "2", "--cmd", f"{sys.executable} -m anyhook"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-2000:]
    assert "agree" in result.stdout.splitlines()[-1]
