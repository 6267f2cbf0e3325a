from __future__ import annotations

from pathlib import Path

from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.follow import BATCH_BYTES, BATCH_ROWS, OVERLAP, Follower
from tests.record.store.journals import private, row


def test_new_rows_are_found_once(tmp_path: Path) -> None:
    with JournalDatabase(private(tmp_path)) as database:
        database.add([row() for _ in range(3)])
        follower = Follower(database)
        assert follower.new_rows(database) == []
        added = [row(), row()]
        database.add(added)
        assert [found.id for found in follower.new_rows(database)] == [each.id for each in added]
        assert follower.new_rows(database) == []


def test_rows_after_a_number_are_new(tmp_path: Path) -> None:
    rows = [row() for _ in range(OVERLAP + BATCH_ROWS + 700)]
    with JournalDatabase(private(tmp_path)) as database:
        database.add(rows)
        follower = Follower(database, 200)
        found: list[str] = []
        while new := follower.new_rows(database):
            assert len(new) <= OVERLAP + BATCH_ROWS
            found += [each.id for each in new]
    assert found == [each.id for each in rows[200:]]


def test_large_rows_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    rows = [row(payload="x" * 300_000) for _ in range(12)]
    with JournalDatabase(private(tmp_path)) as database:
        follower = Follower(database)
        database.add(rows)
        found: list[str] = []
        while new := follower.new_rows(database):
            assert sum(len(each.content) for each in new) < BATCH_BYTES + 400_000
            found += [each.id for each in new]
    assert found == [each.id for each in rows]


def test_rows_before_a_number(tmp_path: Path) -> None:
    with JournalDatabase(private(tmp_path)) as database:
        database.add([row() for _ in range(9)])
        assert [found.number for found in database.rows_before(5, 3)] == [4, 3, 2]
        assert [found.number for found in database.rows_before(100, 2)] == [9, 8]
