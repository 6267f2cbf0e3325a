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


class Follower:
    """Knows which rows it has seen: those up to a number, else all that there are."""

    def __init__(self, source: RowSource, after: int | None = None) -> None:
        self._last = source.last_number() if after is None else after
        start = max(0, self._last - OVERLAP)
        self._known = {row.id for row in source.rows_after(start, OVERLAP) if row.number <= self._last}

    def new_rows(self, source: RowSource) -> list[StoredRow]:
        """The rows that were added since, in their order; if they are very many, the first of them."""
        recent = list(source.rows_after(max(0, self._last - OVERLAP), OVERLAP + BATCH_ROWS))
        new = [row for row in recent if row.id not in self._known]
        if recent:
            self._known = {row.id for row in recent}
            self._last = max(self._last, recent[-1].number)
        return new
