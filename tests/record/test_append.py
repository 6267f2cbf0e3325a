"""Lines that many write at once are taken away whole and once, also where an open file cannot be renamed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from anyhook.record import append as append_module
from anyhook.record.append import append_line, take_lines

WRITERS, LINES = 4, 100


@pytest.mark.parametrize("renames", [append_module.RENAMES_OPEN_FILES, False])
def test_every_line_is_taken_once(renames: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append_module, "RENAMES_OPEN_FILES", renames)
    monkeypatch.setattr(append_module, "LOCK_SECONDS", 60.0)
    spool, taken = str(tmp_path / "spool"), 0

    def write(writer: int) -> None:
        for number in range(LINES):
            append_line(spool, f"{writer} {number}".encode())

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        taken += take_lines(spool, str(tmp_path / f"taken-{taken}"))
    take_lines(spool, str(tmp_path / "taken-last"))
    lines = [line for file in tmp_path.glob("taken-*") for line in file.read_text(encoding="utf-8").splitlines()]
    assert sorted(lines) == sorted(f"{writer} {number}" for writer in range(WRITERS) for number in range(LINES))


def test_there_is_nothing_to_take(tmp_path: Path) -> None:
    assert not take_lines(str(tmp_path / "spool"), str(tmp_path / "taken"))
    assert not list(tmp_path.iterdir())
