"""How long commands take, as a ratio to an empty Python process in the same run.

Run by ``make bench``. The commands alternate, so that a slow moment of the machine affects all of them. Exits with 1
if a row exceeds its budget: a ratio, or seconds for ``anyhook list``.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = 20


class Row(NamedTuple):
    """A command to measure; without a budget it is only shown."""

    name: str
    command: Sequence[str]
    budget: float | None = None
    limit: float | None = None
    """Maximum in seconds."""


FLOOR = Row("python -c pass", (sys.executable, "-c", "pass"))
ROWS = (
    Row("anyhook --help", (sys.executable, "-m", "anyhook", "--help"), budget=8),
    Row("anyhook --version", (sys.executable, "-m", "anyhook", "--version"), budget=8),
)


def seconds(command: Sequence[str]) -> float:
    """Wall time of one run, which must succeed."""
    start = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def medians(rows: Sequence[Row], rounds: int) -> list[float]:
    """The median time of each row, measured alternately after one run that warms the caches."""
    for row in rows:
        seconds(row.command)
    times: list[list[float]] = [[] for _ in rows]
    for _ in range(rounds):
        for row, taken in zip(rows, times, strict=True):
            taken.append(seconds(row.command))
    return [statistics.median(taken) for taken in times]


def make_projects(folder: Path, projects: int = 100, hooks: int = 100) -> None:
    """A folder of projects with 10,000 hooks in all."""
    for number in range(projects):
        groups = [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": f"./guard-{number}-{hook}.sh", "timeout": 10}]}
            for hook in range(hooks)
        ]
        file = folder / f"project-{number}" / ".codex" / "hooks.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"hooks": {"PreToolUse": groups}}, indent=2))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        make_projects(Path(folder))
        arguments = (sys.executable, "-m", "anyhook", "list", folder, "--home", folder)
        rows = (*ROWS, Row("anyhook list, 10,000 hooks", arguments, limit=2))
        floor, *rest = medians((FLOOR, *rows), ROUNDS)
    print(f"{'command':<28} {'median ms':>10} {'ratio':>7} {'budget':>7}")
    print(f"{FLOOR.name:<28} {floor * 1000:>10.1f} {1:>7.2f}")
    over = False
    for row, median in zip(rows, rest, strict=True):
        ratio = median / floor
        late = (row.budget is not None and ratio > row.budget) or (row.limit is not None and median > row.limit)
        over = over or late
        budget = f"{row.limit:.0f} s" if row.limit is not None else f"{row.budget:.0f}"
        print(f"{row.name:<28} {median * 1000:>10.1f} {ratio:>7.2f} {budget:>7}{'  OVER' if late else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
