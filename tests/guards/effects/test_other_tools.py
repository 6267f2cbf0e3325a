"""What the guards say about tools other than a shell: ``other_tools.jsonl``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import guard_function
from anyhook.model.payload import PreToolUse

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("other_tools.jsonl").read_text(encoding="utf-8").splitlines()
]


def is_refused(guard: str, row: dict[str, Any], top: Path) -> bool:
    """The home folder of the rows is made anew: this machine may have one of its name."""
    home = f"{top}/home/me"
    given = json.loads(json.dumps(row["input"]).replace("/home/me", home))
    dialect = "codex" if row["tool"] == "apply_patch" else "claude-code"
    event = PreToolUse(session_id="s", cwd=f"{home}/app", tool_name=row["tool"], tool_input=given)
    call = GuardCall(event=event, project=Path(home, "app"), environment={"HOME": home}, dialect=dialect)
    return guard_function(guard)(call) is not None


def name(row: dict[str, Any]) -> str:
    return f"{row['tool']} {str(row['input'])[:60]}"


@pytest.mark.parametrize("row", [row for row in ROWS if row["refused"]], ids=name)
def test_what_a_shell_may_not_do_no_other_tool_may(row: dict[str, Any], tmp_path: Path) -> None:
    assert is_refused(row["refused"], row, tmp_path)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["refused"]], ids=name)
def test_other_calls_are_allowed(row: dict[str, Any], tmp_path: Path) -> None:
    assert not is_refused("shell", row, tmp_path)
    assert not is_refused("secrets", row, tmp_path)
