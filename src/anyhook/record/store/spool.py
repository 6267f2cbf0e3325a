"""Rows that wait to be stored: ``anyhook exec`` appends a line here, which costs less than to open the database.

A client waits for the process that imports this.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from anyhook.model.lazyjson import dump_json
from anyhook.record.append import SPOOL, append_line, take_lines
from anyhook.record.limit_rows import limited_row
from anyhook.record.recorded import RecordedEvent, decode_row, new_id
from anyhook.sources import disk, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VARIABLE = "ANYHOOK_JOURNAL"
"""``0``: nothing is recorded; ``enabled = false`` under ``[journal]`` in anyhook.toml means the same."""
_SPOOLS = "spool*.jsonl"
FULL_BYTES = 256 * 1024
"""From this size on, the process that adds a row stores all of them: without a daemon, no other one may do it."""


def journal_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of the journal, in the user's folder for state."""
    return state.state_folder(environment) / "journal"


def is_switched_off(environment: Mapping[str, str]) -> bool:
    """Whether the environment switches the journal off."""
    return environment.get(VARIABLE) == "0"


def add_to_spool(folder: Path, row: RecordedEvent) -> int:
    """Add a row, and return the size of the spool. Raises OSError or AnyhookError when it cannot be written."""
    state.make_private(folder)
    return append_line(str(folder / SPOOL), dump_json(limited_row(row)))


def has_spool(folder: Path) -> bool:
    """Whether rows wait to be stored."""
    return any(map(disk.is_file, folder.glob(_SPOOLS)))


def why_unusable(folder: Path) -> list[str]:
    """What keeps rows from being spooled or stored: a pipe, a device or a socket in place of a file."""
    odd = sorted(file for file in folder.glob(_SPOOLS) if disk.exists(file) and not disk.is_file(file))
    return [f"{file}: events cannot be written there: not a regular file; remove it" for file in odd]


def take_spool(folder: Path) -> list[Path]:
    """The files with all rows that wait. No process adds to them any more; who has stored their rows deletes them."""
    with suppress(OSError):  # locked for too long, the next time; or no file
        take_lines(str(folder / SPOOL), str(folder / f"spool-{new_id()}.jsonl"))
    return sorted(filter(disk.is_file, folder.glob("spool-*.jsonl")))


def spooled_rows(file: Path) -> Iterator[RecordedEvent]:
    """The rows in a file; a line that a killed process has left unfinished was never acknowledged."""
    with suppress(FileNotFoundError):  # another process has stored them
        with disk.open_file(file) as spooled:
            lines = spooled.read().splitlines()
        for line in lines:
            with suppress(ValueError, RecursionError):
                yield decode_row(line)
