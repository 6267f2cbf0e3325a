"""Rows and journals for the tests of this folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from anyhook.model.outcome import Effect
from anyhook.record.append import now
from anyhook.record.recorded import Happened, HookRecord, RecordedEvent, new_id
from anyhook.record.store.chain import ChainBreak, find_breaks
from anyhook.record.store.database import DATABASE, JournalDatabase
from anyhook.sources.state import make_private


def row(**more: Any) -> RecordedEvent:
    """An event on which one hook ran, unless told otherwise."""
    usual: dict[str, Any] = {
        "id": new_id(),
        "at": now(),
        "client": "claude-code",
        "event": "PreToolUse",
        "canonical": "PreToolUse",
        "session": "s1",
        "tool": "Bash",
        "outcome": Happened(Effect.PROCEED),
        "hooks": (hook(),),
        "ms": 12.5,
    }
    return RecordedEvent(**{**usual, **more})


def hook(name: str = "guard.sh", status: str = "allowed", **more: Any) -> HookRecord:
    usual: dict[str, Any] = {"file": "/p/hooks/hooks.json", "line": 3, "pointer": f"/hooks/{name}", "ms": 10.0}
    return HookRecord(hook=name, status=status, **{**usual, **more})


def private(folder: Path) -> Path:
    make_private(folder)
    return folder


def stored(folder: Path) -> list[str]:
    """The ids of all rows, in their order."""
    with JournalDatabase(folder) as database:
        return [found.id for found in database.rows_after(0)]


def breaks(folder: Path) -> list[ChainBreak]:
    with JournalDatabase(folder) as database:
        head = database.head()
        return list(find_breaks(database.rows_after(0), (head.number, head.hash)))


def change(folder: Path, *statements: str) -> None:
    """Change the database behind anyhook's back."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def filled(folder: Path, number: int) -> Iterator[RecordedEvent]:
    """Rows that are stored one by one."""
    with JournalDatabase(folder) as database:
        for _ in range(number):
            made = row()
            database.add([made])
            yield made
