"""Writes rows of the journal as JSON Lines, which ``anyhook test --recording`` reads again, as CSV or as Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import UsageError
from anyhook.model.safe_json import escape_control_bytes
from anyhook.record.recorded import RecordedEvent

COLUMNS = (
    "id", "at", "client", "release", "session", "event", "canonical", "tool", "subject", "project", "repository",
    "within", "via", "simulation", "effect", "decided_by", "reason", "ms", "bytes_in", "bytes_out", "hooks_run",
    "hooks_skipped", "hooks",
)  # fmt: skip
"""The columns of a table; ``hooks`` is JSON."""
_NUMBERS = {"bytes_in", "bytes_out", "hooks_run", "hooks_skipped"}
_BATCH = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}")
"""What a spreadsheet takes for the beginning of a formula."""
_controls = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Signs that control a terminal, which may be where the table goes."""


def write_rows(rows: Iterable[RecordedEvent], form: str, to: BinaryIO) -> int:
    """Write rows in this form, and return how many."""
    return {"jsonl": _write_jsonl, "csv": _write_csv, "parquet": _write_parquet}[form](rows, to)


def _write_jsonl(rows: Iterable[RecordedEvent], to: BinaryIO) -> int:
    number = 0
    for row in rows:
        to.write(escape_control_bytes(dump_json(row)) + b"\n")
        number += 1
    return number


def _write_csv(rows: Iterable[RecordedEvent], to: BinaryIO) -> int:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    number = 0
    for row in rows:
        number += 1
        writer.writerow([_for_spreadsheet(value) for value in _flat(row).values()])
        to.write(text.getvalue().encode(errors="replace"))
        text.seek(0)
        text.truncate()
    to.write(text.getvalue().encode())
    return number


def _for_spreadsheet(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _controls.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), value)
    return f"'{text}" if value.startswith(_FORMULA) else text


def _write_parquet(rows: Iterable[RecordedEvent], to: BinaryIO) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        from anyhook.extras import install_command

        raise UsageError(f"Parquet needs pyarrow; install it: {install_command('parquet')}") from None
    types = {"ms": pa.float64(), **dict.fromkeys(_NUMBERS, pa.int64())}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    number = 0
    with pq.ParquetWriter(to, schema) as writer:
        for batch in _batches(map(_flat, rows)):
            number += len(batch)
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return number


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        yield batch


def _flat(row: RecordedEvent) -> dict[str, Any]:
    """A row as one line of a table."""
    ran = sum(hook.has_run for hook in row.hooks)
    known = {
        "effect": row.effect,
        "decided_by": row.outcome.decided_by if row.outcome else "",
        "reason": row.outcome.reason if row.outcome else "",
        "hooks_run": ran,
        "hooks_skipped": len(row.hooks) - ran,
        "hooks": dump_json(row.hooks).decode(),
    }
    return {name: known[name] if name in known else getattr(row, name) for name in COLUMNS}
