"""Finds the rows that are added to a journal while it is read."""

from __future__ import annotations

from anyhook.record.store.chain import StoredRow
from anyhook.record.store.query import RowSource

FOLLOW_SECONDS = 0.5
"""How long to wait before looking again."""
OVERLAP = 1000
"""Rows before the last one that are looked at again: in PostgreSQL, one may become visible after a larger number."""
BATCH_ROWS = 500
"""New rows that are read at once."""
BATCH_BYTES = 1_000_000
"""Bytes of new rows after which no more are read at once: they wait in memory while a follower does not read."""


class Follower:
    """Knows which rows it has seen: those up to a number, else all that there are."""

    def __init__(self, source: RowSource, after: int | None = None) -> None:
        self._last = source.last_number() if after is None else after
        rows = source.rows_after(max(0, self._last - OVERLAP), OVERLAP)
        self._known = {row.id: row.number for row in rows if row.number <= self._last}

    def new_rows(self, source: RowSource) -> list[StoredRow]:
        """The rows that were added since, in their order; if they are many or large, the first of them."""
        new: list[StoredRow] = []
        size = 0
        for row in source.rows_after(max(0, self._last - OVERLAP), OVERLAP + BATCH_ROWS):
            if row.id not in self._known:
                new.append(row)
                size += len(row.content)
                if size >= BATCH_BYTES:
                    break
        if new:
            self._last = max(self._last, new[-1].number)
            self._known |= {row.id: row.number for row in new}
            self._known = {id_: number for id_, number in self._known.items() if number > self._last - OVERLAP}
        return new
