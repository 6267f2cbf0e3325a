"""What one server shows: a project and a journal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from anyhook.record.store.query import Checkout, RowSource, checkout_of, open_rows
from anyhook.sources.discover import Roots


class Shown(Struct, frozen=True):
    """The project, the folder of the journal here, and the PostgreSQL database that is read instead, if any."""

    roots: Roots
    journal: Path
    url: str = ""

    @property
    def checkout(self) -> Checkout:
        """Found anew each time: while the page is open, the repository may get its first commit."""
        return checkout_of(self.roots.project, self.roots.environment)

    @contextmanager
    def rows(self) -> Iterator[RowSource]:
        """AnyhookError: the journal cannot be read."""
        with open_rows(self.journal, self.url) as source:
            yield source
