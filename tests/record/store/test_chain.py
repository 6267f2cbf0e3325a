"""A row that was removed, changed or moved is found, and retention breaks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.record.append import iso_time
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.query import RowFilter, wanted_rows
from tests.record.store.journals import breaks, change, filled, private, row, stored


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = private(tmp_path / "journal")
    list(filled(made, 20))
    return made


def texts(folder: Path) -> list[str]:
    return [finding.text for finding in breaks(folder)]


def test_untouched(folder: Path) -> None:
    assert texts(folder) == []


def test_one_changed_byte(folder: Path) -> None:
    changed = "CAST(replace(CAST(content AS TEXT), 'Bash', 'bash') AS BLOB)"
    change(folder, f"UPDATE rows SET content = {changed} WHERE number = 7")
    assert texts(folder) == ["row 7 was changed, or is not in its place"]


def test_one_row_that_an_editor_has_made_a_text(folder: Path) -> None:
    change(folder, "UPDATE rows SET content = 'x', hash = 'y' WHERE number = 7")
    assert texts(folder)[0] == "row 7 was changed, or is not in its place"
    with JournalDatabase(folder) as database:
        assert len(list(wanted_rows(database.rows_after(0), RowFilter()))) == 19


def test_one_removed_row(folder: Path) -> None:
    change(folder, "DELETE FROM rows WHERE number = 7")
    assert texts(folder) == ["row 7 is missing"]


def test_a_removed_row_whose_gap_was_closed(folder: Path) -> None:
    moved = "UPDATE rows SET number = number - 1 WHERE number = "
    change(
        folder, "DELETE FROM rows WHERE number = 19", f"{moved} 20", "UPDATE facts SET value = 19 WHERE name = 'number'"
    )
    assert texts(folder) == ["row 19 was changed, or is not in its place"]


def test_one_swapped_pair(folder: Path) -> None:
    change(
        folder,
        "UPDATE rows SET number = -1 WHERE number = 7",
        "UPDATE rows SET number = 7 WHERE number = 8",
        "UPDATE rows SET number = 8 WHERE number = -1",
    )
    found = texts(folder)
    assert "row 7 was changed, or is not in its place" in found
    assert "row 8 was changed, or is not in its place" in found


def test_rows_removed_from_the_end_and_the_beginning(folder: Path) -> None:
    change(folder, "DELETE FROM rows WHERE number > 18", "DELETE FROM rows WHERE number < 3")
    assert texts(folder) == ["rows before 3 are missing, and no retention removed them", "rows 19 to 20 are missing"]


def test_a_changed_column(folder: Path) -> None:
    change(folder, "UPDATE rows SET at = '2020-01-01T00:00:00.000Z' WHERE number = 5")
    assert texts(folder) == ["row 5 has another id or time than its content"]


def test_a_row_that_is_no_row(folder: Path) -> None:
    change(folder, "UPDATE rows SET content = x'ff' WHERE number = 20")
    assert texts(folder) == ["row 20 was changed, or is not in its place", "row 20 cannot be read"]


def test_retention_keeps_the_chain(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(at=iso_time(0)), row()])
        assert database.prune(days=30, megabytes=100) == 0, "older rows are among younger ones"
    old = private(folder.parent / "old")
    with JournalDatabase(old) as database:
        database.add([row(at=iso_time(number)) for number in range(10)])
        database.add([row()])
        assert database.prune(days=30, megabytes=100) == 10
        database.add([row()])
    assert texts(old) == []
    assert len(stored(old)) == 3
    change(old, "DELETE FROM rows WHERE number = 11")
    assert texts(old) == ["rows before 12 are missing, and no retention removed them"]


def test_retention_of_everything(tmp_path: Path) -> None:
    folder = private(tmp_path / "journal")
    with JournalDatabase(folder) as database:
        database.add([row(at=iso_time(number)) for number in range(10)])
        assert database.prune(days=30, megabytes=100) == 10
    assert texts(folder) == []
    assert len(stored(folder)) == 1


def test_retention_by_size(tmp_path: Path) -> None:
    folder = private(tmp_path / "journal")
    with JournalDatabase(folder) as database:
        rows = [row(project="x" * 1000) for _ in range(2000)]
        database.add(rows)
        removed = database.prune(days=30, megabytes=1)
        assert 900 < removed < 1900
        assert database.file.stat().st_size < 2_000_000
    assert stored(folder)[:-1] == [each.id for each in rows[removed:]]
    assert texts(folder) == []


def test_retention_goes_by_the_bytes_of_each_row(tmp_path: Path) -> None:
    """A few large rows, stored when there was no limit, and many small ones after them: only large ones go."""
    folder = private(tmp_path / "journal")
    with JournalDatabase(folder) as database:
        large = [row(project="x" * 1_500_000) for _ in range(4)]
        small = [row() for _ in range(1000)]
        database.add([*large, *small])
        assert database.prune(days=30, megabytes=5) == 2
        assert database.prune(days=30, megabytes=5) == 0
        assert database.file.stat().st_size < 5_000_000
    assert stored(folder)[:-1] == [each.id for each in (*large[2:], *small)]
    assert texts(folder) == []


def test_retention_keeps_what_was_not_sent(tmp_path: Path) -> None:
    folder = private(tmp_path / "journal")
    with JournalDatabase(folder) as database:
        database.add([row(at=iso_time(number)) for number in range(10)])
        assert database.prune(days=30, megabytes=100, keep_from=4) == 3
