"""Problems are those of ``anyhook check`` and ``anyhook doctor``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.ui.api import problems
from tests.bridge.bridging import make_package, run_anyhook
from tests.record.store.journals import hook, row
from tests.ui.serving import serving


def test_they_are_those_of_check_and_doctor(tmp_path: Path) -> None:
    hooks = {"pre-tool-use": [{"matcher": "Bash(", "hooks": [{"type": "command", "command": "./missing.sh"}]}]}
    package = make_package(tmp_path / "project", hooks)
    checked = json.loads(run_anyhook(package, "check", "--json").stdout)
    with serving(package) as asked:
        page = asked.get_job("/api/problems")
        rule = asked.get("/api/rules/M001")
        assert asked.request("/api/rules/..%2Fx", Cookie=asked.log_in())[0] == 404
    assert checked["problems"]
    assert [each for each in page["problems"] if each["code"][0] != "H"] == checked["problems"]
    assert "H005" in {each["code"] for each in page["problems"]}
    assert "M001" in rule["text"]


def test_only_the_newest_rows_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from anyhook.record.store.database import JournalDatabase

    monkeypatch.setattr(problems, "COUNTED_ROWS", 3)
    package = make_package(tmp_path / "project")
    with serving(package) as asked:
        with JournalDatabase(asked.journal) as database:
            database.add([row(project=str(package), hooks=(hook(name),)) for name in ("old", "a", "b", "c")])
        page = asked.get_job("/api/hooks")
    assert sorted(each["hook"] for each in page["others"]) == ["a", "b", "c"]
    assert not page["is_counted_fully"]


def test_a_journal_that_cannot_be_read_costs_only_the_figures(tmp_path: Path) -> None:
    with serving(make_package(tmp_path / "project"), url="postgresql://nowhere.invalid/x") as asked:
        page = asked.get_job("/api/hooks")
    assert len(page["hooks"]) == 1
    assert "PostgreSQL" in page["journal_error"]
