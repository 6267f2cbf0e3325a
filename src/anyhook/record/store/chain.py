"""The chain of hashes over the rows: a row that was removed, changed or moved is noticed. Pure.

The hash of a row is over the hash before it, its number and its bytes. Retention removes the oldest rows and adds a row
that names the last of them with its hash: the chain goes on from there. The database also keeps the last number and
hash, so that rows that were removed from the end are noticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from msgspec import Struct

from anyhook.record.recorded import RecordedEvent, decode_row

FIRST = bytes(32)
"""In place of a hash before the first row."""


class StoredRow(Struct, frozen=True):
    """A row as it is in the database."""

    number: int
    id: str
    at: str
    content: bytes
    hash: bytes


class ChainBreak(Struct, frozen=True):
    """A break in the chain."""

    number: int
    text: str


def chain_hash(before: bytes, number: int, content: bytes) -> bytes:
    return hashlib.sha256(before + number.to_bytes(8, "big") + content).digest()


def anchor_text(number: int, hash_: bytes) -> str:
    """What the row of a retention says of the last row that it removed."""
    return f"{number}:{hash_.hex()}"


def find_breaks(rows: Iterable[StoredRow], head: tuple[int, bytes]) -> Iterator[ChainBreak]:
    """Every break in the chain, up to its head: the number and the hash of the row that was added last."""
    anchors: set[str] = set()
    first: StoredRow | None = None
    last: StoredRow | None = None
    for row in rows:
        before: bytes | None = None
        if last is None:
            first = row
            before = FIRST if row.number == 1 else None
        elif row.number == last.number + 1:
            before = last.hash
        else:
            yield ChainBreak(last.number + 1, _missing(last.number + 1, row.number - 1))
        if before is not None and chain_hash(before, row.number, row.content) != row.hash:
            yield ChainBreak(row.number, f"row {row.number} was changed, or is not in its place")
        event = _read(row.content)
        if event is None:
            yield ChainBreak(row.number, f"row {row.number} cannot be read")
        elif (event.id, event.at) != (row.id, row.at):
            yield ChainBreak(row.number, f"row {row.number} has another id or time than its content")
        else:
            anchors.add(event.pruned)
        last = row
    if first is not None and first.number > 1 and not _is_anchored(first, anchors):
        yield ChainBreak(first.number - 1, f"rows before {first.number} are missing, and no retention removed them")
    end = (0, FIRST) if last is None else (last.number, last.hash)
    if end[0] < head[0]:
        yield ChainBreak(head[0], _missing(end[0] + 1, head[0]))
    elif end != head:
        yield ChainBreak(end[0], f"row {end[0]} is not the one that was added last")


def _read(content: bytes) -> RecordedEvent | None:
    try:
        return decode_row(content)
    except (ValueError, RecursionError):
        return None


def _is_anchored(row: StoredRow, anchors: set[str]) -> bool:
    """Whether a retention names the hash from which the first row that is left goes on."""
    hashes = [text.partition(":")[2] for text in anchors if text.startswith(f"{row.number - 1}:")]
    try:
        return any(chain_hash(bytes.fromhex(text), row.number, row.content) == row.hash for text in hashes)
    except ValueError:
        return False


def _missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"
