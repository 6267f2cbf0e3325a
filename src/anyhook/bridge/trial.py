"""Tells ``anyhook try`` what the hooks behind an entry did: a client's answer does not name the one that decided.

Who tries puts the name of an empty file of its own into the environment of the entry. What answers the entry, a process
or the daemon, adds the row that the journal gets for the event. A project may set variables, too, so the file must
exist already, in one folder of the user's state.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path

from anyhook.daemon_socket.simulation import SIMULATION
from anyhook.sources import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from anyhook.bridge.journal_event import Observed
    from anyhook.bridge.prepare_event import Prepared
    from anyhook.dialects.wire.answers import ProcessAnswer
    from anyhook.record.recorded import RecordedEvent

VARIABLE = "ANYHOOK_TRIAL"
_NAME_LENGTH = 24


class Trial:
    """The file of one trial."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @property
    def variables(self) -> Mapping[str, str]:
        """With which an entry is started."""
        return {VARIABLE: self._file.name, SIMULATION: "try"}

    def take(self) -> tuple[RecordedEvent, ...]:
        """What the hooks behind entries did since the last call."""
        from anyhook.record.recorded import decode_row

        with suppress(OSError):
            lines = self._file.read_bytes().splitlines()
            os.truncate(self._file, 0)
            return tuple(map(decode_row, lines))
        return ()


@contextmanager
def open_trial(environment: Mapping[str, str]) -> Iterator[Trial]:
    """A trial of which entries that are started with this environment can tell.

    Where the file cannot be written, nothing is told.
    """
    from anyhook.model.problems import AnyhookError
    from anyhook.record.recorded import new_id

    file = _folder(environment) / new_id()
    with suppress(OSError, AnyhookError):
        state.make_private(file.parent)
        file.touch(mode=0o600, exist_ok=False)
    try:
        yield Trial(file)
    finally:
        with suppress(OSError):
            file.unlink()


def tell_trial(prepared: Prepared, seen: Observed, answered: ProcessAnswer) -> None:
    """Add an event to the trial that it belongs to, before it is answered. Never raises."""
    name = prepared.call.caller.environment.get(VARIABLE, "")
    if len(name) != _NAME_LENGTH or not name.isalnum():
        return
    with suppress(Exception):
        from anyhook.bridge.journal_event import journal_row
        from anyhook.model.lazyjson import dump_json

        row = journal_row(prepared, seen, answered, via="trial", seconds=0.0, stdin=b"")
        handle = os.open(_folder(os.environ) / name, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        try:
            os.write(handle, dump_json(row) + b"\n")
        finally:
            os.close(handle)


def _folder(environment: Mapping[str, str]) -> Path:
    return state.state_folder(environment) / "trials"
