"""What one server shows: a project and a journal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import NAMES
from anyhook.record.store.query import RowSource, open_rows
from anyhook.sources.discover import Roots, find_for_project
from anyhook.sources.state import checkout_of


class Shown(Struct, frozen=True):
    """The project, the folder of the journal here, and the PostgreSQL database that is read instead, if any."""

    roots: Roots
    journal: Path
    url: str = ""

    @contextmanager
    def rows(self) -> Iterator[RowSource]:
        """AnyhookError: the journal cannot be read."""
        with open_rows(self.journal, self.url) as source:
            yield source


def project_of(roots: Roots) -> str:
    """The folder whose events the pages show first: the checkout, else a folder with hooks; empty: no project.

    The home folder and those above it hold the projects of its user, and are none.
    """
    top = checkout_of(roots.project)
    if roots.home.is_relative_to(top):
        return ""
    has_hooks = any(file.path.is_relative_to(top) for name in NAMES for file in find_for_project(name, roots))
    return str(top) if has_hooks or (top / ".git").exists() else ""
