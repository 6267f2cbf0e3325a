"""The recordings that are on: a file for each, in the folder ``recordings`` of the journal.

A row of an event that anyhook answers belongs to the recording of its client and folder, and has its payload then.
``anyhook exec`` imports this: it needs nothing but what the answer has loaded already.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from anyhook.sources.state import read_private, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARKERS = "recordings"
_ENDING = ".json"


class OpenRecording(Struct, frozen=True, kw_only=True):
    """A recording that is on."""

    name: str
    project: str
    clients: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    """Of the user and of the project, in addition to what is redacted anyway."""

    def is_of(self, client: str, folders: Iterable[str]) -> bool:
        """Whether it records this client in one of these folders."""
        return client in self.clients and any(_is_below(folder, self.project) for folder in folders)


def marker_of(journal: Path, name: str) -> Path:
    """The file that says that a recording is on; the entries that record name it."""
    return journal / MARKERS / f"{name}{_ENDING}"


def write_marker(journal: Path, recording: OpenRecording) -> None:
    """Say that a recording is on. AnyhookError: the file cannot be written."""
    write_private(marker_of(journal, recording.name), msgspec.json.encode(recording))


def remove_marker(journal: Path, name: str) -> None:
    with suppress(FileNotFoundError):
        marker_of(journal, name).unlink()


def open_recordings(journal: Path) -> tuple[OpenRecording, ...]:
    """The recordings that are on, by name; nearly always none."""
    try:
        names = sorted(os.listdir(journal / MARKERS))  # noqa: PTH208  a client waits
    except OSError:
        return ()
    found = (read_private(journal / MARKERS / name) for name in names if name.endswith(_ENDING))
    return tuple(filter(None, map(_read, found)))


def recording_of(recordings: Sequence[OpenRecording], client: str, folders: Iterable[str]) -> OpenRecording | None:
    """The recording that an event of this client in these folders belongs to; None: none."""
    if not recordings:
        return None
    known = [folder for folder in folders if folder]
    return next((recording for recording in recordings if recording.is_of(client, known)), None)


def _read(content: bytes | None) -> OpenRecording | None:
    with suppress(ValueError):
        return None if content is None else msgspec.json.decode(content, type=OpenRecording)
    return None


def _is_below(folder: str, project: str) -> bool:
    return folder == project or folder.startswith(project.rstrip(os.sep) + os.sep)
