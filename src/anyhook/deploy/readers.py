"""Which clients a file with entries serves: some clients read the files of others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from anyhook.bridge.recognise_caller import can_recognise
from anyhook.dialects import profile as profile_of
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.model.hooks import FateState, HookFile
from anyhook.sources.discover import Found
from anyhook.sources.load import Loader
from anyhook.sources.recognise import recognise_path


class EntryFile(Struct, frozen=True):
    """A file with entries."""

    client: str
    """The client that they were written for."""
    path: Path
    content: bytes | None = None
    """None: what is on the disk."""


class Readers(Struct, frozen=True):
    """The other clients that run the entries of a file, by name."""

    served: tuple[str, ...] = ()
    """They have no entries of their own, and are answered by those in this file, in their own terms."""
    left: tuple[str, ...] = ()
    """They are answered by the entries in another file; those in this one leave them to these."""
    unrecognised: tuple[str, ...] = ()
    """An entry cannot tell them from the client that it was written for, and answers in that client's terms."""


def readers_of(files: Sequence[EntryFile], loader: Loader) -> tuple[Readers, ...]:
    """For each of all files with entries, the other clients that run them."""
    found = [_found(file, loader) for file in files]
    answering = {file.client: -1 for file in files}  # a client's own entries come first
    for each in (each for readers in found for each in readers):
        answering[each.dialect] = min(answering.get(each.dialect, each.rank[0]), each.rank[0])
    return tuple(_sorted(file.client, readers, answering) for file, readers in zip(files, found, strict=True))


def _found(file: EntryFile, loader: Loader) -> list[Found]:
    """The file as the other clients find it that load entries from it."""
    if file.content is not None:
        loader = Loader({file.path: file.content.decode("utf-8", "replace")})
    return [
        found
        for found in recognise_path(file.path)
        if found.dialect != file.client and profile_of(found.dialect).basis != "specified"
        if _has_entries(loader.load(found))
    ]


def _has_entries(file: HookFile) -> bool:
    return any(
        action.fate.state is FateState.ACTIVE and is_own_call(action) for rule in file.rules for action in rule.actions
    )


def _sorted(written_for: str, readers: Sequence[Found], answering: dict[str, int]) -> Readers:
    owner = profile_of(written_for)
    known = [found for found in readers if can_recognise(owner, profile_of(found.dialect))]
    return Readers(
        served=tuple(found.dialect for found in known if found.rank[0] == answering[found.dialect]),
        left=tuple(found.dialect for found in known if found.rank[0] != answering[found.dialect]),
        unrecognised=tuple(found.dialect for found in readers if found not in known),
    )
