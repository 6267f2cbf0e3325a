"""How long a client waits for ``anyhook exec`` without a daemon, as a ratio to ``sh -c true`` in the same run.

Run by ``make bench``. On every event the hooks are loaded and their trust is checked. If no hook matches, nothing is
started and the engine is not imported; the rows with a hook include the time of that hook. Nearly all of the rest is
imports, most of them msgspec and pathlib, and asyncio as soon as a hook runs. msgspec also imports
typing_extensions where it is installed, as in a developer's environment; a user's has only anyhook's dependencies.
Exits with 1 when a row is over its budget.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROUNDS = 20
HOOKS = {"pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
FUNCTION = """\
from anyhook import hook

@hook("PreToolUse", matcher="Bash")
def guard(event):
    return None
"""
EXEC = (sys.executable, "-P", "-m", "anyhook", "exec", "--client", "codex", "--event", "PreToolUse")


class Row(NamedTuple):
    """A command to time; without a budget it is only shown."""

    name: str
    command: Sequence[str]
    tool: str = ""
    budget: float | None = None
    package: str = "command"


FLOOR = Row("sh -c true", ("sh", "-c", "true"))
ROWS = (
    Row("python -c pass", (sys.executable, "-c", "pass")),
    Row("exec, no hook for the tool", EXEC, "web_search", budget=100),
    Row("exec, with a hook", EXEC, "Bash", budget=100),
    Row("exec, with a Python hook", EXEC, "Bash", budget=100, package="function"),
    Row("exec, starter package: shell guard", EXEC, "Bash", budget=100, package="starter"),
)


def seconds(row: Row, top: Path) -> float:
    """Wall time of one run, which must succeed."""
    call = {"session_id": "s", "tool_name": row.tool, "tool_input": {"command": "ls"}, "tool_use_id": "t"}
    environment = {**os.environ, "ANYHOOK_STATE_DIR": str(top / "state"), "ANYHOOK_DAEMON": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, sources that have changed are compiled in every run
    start = time.perf_counter()
    subprocess.run(
        row.command,
        input=json.dumps({**call, "hook_event_name": "PreToolUse"}).encode(),
        cwd=top / row.package,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


def main() -> int:
    rows = (FLOOR, *ROWS)
    times: list[list[float]] = [[] for _ in rows]
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        for package, name, text in (
            ("command", "hooks.json", json.dumps({"version": 1, "hooks": HOOKS})),
            ("function", "guard.py", FUNCTION),
        ):
            (top / package / "hooks").mkdir(parents=True)
            (top / package / "hooks" / name).write_text(text)
            trust = (sys.executable, "-P", "-m", "anyhook", "trust", "--yes", ".")
            seconds(Row("trust", trust, package=package), top)
        (top / "starter").mkdir()  # what anyhook init gives every new user
        seconds(Row("init", (sys.executable, "-P", "-m", "anyhook", "init"), package="starter"), top)
        seconds(Row("trust", trust, package="starter"), top)
        for row in rows:
            seconds(row, top)
        for _ in range(ROUNDS):  # by turns, so that a slow moment of the machine affects all rows
            for row, taken in zip(rows, times, strict=True):
                taken.append(seconds(row, top))
    floor, *medians = (statistics.median(taken) for taken in times)
    print(f"{'command':<34} {'median ms':>10} {'ratio':>7} {'budget':>7}")
    print(f"{FLOOR.name:<34} {floor * 1000:>10.1f} {1:>7.1f}")
    over = False
    for row, median in zip(ROWS, medians, strict=True):
        late = row.budget is not None and median / floor > row.budget
        over = over or late
        budget = "" if row.budget is None else f"{row.budget:.0f}"
        print(f"{row.name:<34} {median * 1000:>10.1f} {median / floor:>7.1f} {budget:>7}{'  OVER' if late else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
