"""What share of dangerous and of harmless commands the guard refuses, on sets by authors who had not seen it.

``dangerous.jsonl`` (family, form) and ``benign.jsonl`` (kind) were written from the definition in docs/guards.md alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from anyhook.guards.shell.judge import judge_command_line

HERE = Path(__file__).parent


def commands(name: str) -> list[str]:
    return [json.loads(line)["command"] for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def test_nearly_all_dangerous_commands_are_refused() -> None:
    dangerous = commands("dangerous.jsonl")
    missed = [command for command in dangerous if not judge_command_line(command)]
    assert len(missed) <= 0.03 * len(dangerous), missed


def test_hardly_any_harmless_command_is_refused() -> None:
    benign = commands("benign.jsonl")
    refused = [command for command in benign if judge_command_line(command)]
    assert len(refused) <= 0.005 * len(benign), refused
