"""64 processes write 10,000 events and 100 of them are killed: the journal has every acknowledged row once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from anyhook.record.store.database import DATABASE
from anyhook.record.store.writer import store_spool_here
from tests.checkout import ROOT, SOURCE
from tests.record.store.journals import breaks, private, stored

pytestmark = pytest.mark.long

EVENTS, KILLS = 10_000, 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_no_acknowledged_row_is_lost_or_doubled(tmp_path: Path) -> None:
    folder = private(tmp_path / "journal")
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("many_writers.py")), str(folder), str(EVENTS), str(KILLS)],
        env={**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{ROOT}", "ANYHOOK_STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    acknowledged = ran.stdout.split()
    store_spool_here(folder)
    found = stored(folder)
    assert len(acknowledged) >= EVENTS
    assert set(acknowledged) - set(found) == set()
    assert len(found) == len(set(found))
    # Killed after the row was written and before that was acknowledged: one row, or one transaction of 20.
    assert len(found) - len(acknowledged) <= (KILLS + 64) * 20
    assert breaks(folder) == []
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
