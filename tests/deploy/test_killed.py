"""``deploy`` and ``undeploy``, killed before changes of a file (``make explore``: all of them): the next cleans up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT, SOURCE
from tests.effort import IS_EXPLORING

pytestmark = pytest.mark.long


@pytest.mark.skipif(os.name != "posix", reason="it forks")
def test_the_next_command_cleans_up(tmp_path: Path) -> None:
    script = Path(__file__).with_name("killing.py")
    paths = os.pathsep.join((str(SOURCE), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-P", str(script), str(tmp_path), "native", "1" if IS_EXPLORING else "3"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    attempts = json.loads(done.stdout)
    assert len(attempts) >= (250 if IS_EXPLORING else 90)
    assert {name for name, *_ in attempts} == {"deploy", "undeploy"}
    assert [attempt for attempt in attempts if attempt[-1]] == []
