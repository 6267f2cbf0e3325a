"""An export has every row: as JSON Lines, as CSV that no spreadsheet runs, and as Parquet."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import msgspec
import pytest

from anyhook.model.outcome import Effect
from anyhook.model.problems import UsageError
from anyhook.record.recorded import Happened, RecordedEvent
from anyhook.record.store.export import COLUMNS, write_rows
from tests.record.store.journals import row

ROWS = [row(payload={"a": 1}), row(outcome=Happened(Effect.BLOCK, "=cmd|' /C calc'!A0", decided_by="x:1"), tool="ä,\n")]


def exported(form: str) -> bytes:
    to = io.BytesIO()
    assert write_rows(ROWS, form, to) == 2
    return to.getvalue()


def test_json_lines() -> None:
    lines = exported("jsonl").splitlines()
    assert [msgspec.json.decode(line, type=RecordedEvent) for line in lines] == ROWS


def test_csv() -> None:
    first, second = csv.DictReader(io.StringIO(exported("csv").decode(), newline=""))
    assert tuple(first) == COLUMNS
    assert (second["effect"], second["decided_by"], second["tool"]) == ("block", "x:1", "ä,\n")
    assert second["reason"] == "'=cmd|' /C calc'!A0"
    assert msgspec.json.decode(first["hooks"])[0]["status"] == "allowed"


def test_a_table_cannot_control_a_terminal() -> None:
    to = io.BytesIO()
    write_rows([row(tool="\x1b]0;x\x07\u202ea\nb\tc\u00e4")], "csv", to)
    (line,) = csv.DictReader(io.StringIO(to.getvalue().decode()))
    assert line["tool"] == "\\x1b]0;x\\x07\\u202ea\nb\tc\u00e4"


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "rows.parquet").write_bytes(exported("parquet"))
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert table.column("ms").to_pylist() == [12.5, 12.5]
    assert table.column("id").to_pylist() == [each.id for each in ROWS]


def test_parquet_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"Parquet needs pyarrow; install it: .*\[parquet\]"):
        write_rows([], "parquet", io.BytesIO())
