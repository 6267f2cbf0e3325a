"""The overhead of the test runner: 500 trivial cases against 500 bare shells in the same run.

Both run alternately and with the same concurrency. Exits with 1 if a row exceeds its budget.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.runner import CaseStatus, Runner

CASES = 500
ROUNDS = 7
BUDGET = 1.5
COMMAND = "true"
HOOKS = {"version": 1, "hooks": {"pre-tool-use": [{"hooks": [{"type": "command", "command": COMMAND}]}]}}
CASE = """\
name: case-{number}
event: pre-tool-use
input:
  fixture: fixtures/write.json
expected:
  exit-code: 0
"""
FIXTURE = {"hookEventName": "pre-tool-use", "toolName": "Write", "toolInput": {"file_path": "a.txt", "content": "a"}}


def write_package(root: Path) -> None:
    tests = root / "hooks" / "tests"
    (tests / "cases").mkdir(parents=True)
    (tests / "fixtures").mkdir()
    (root / "hooks" / "hooks.json").write_text(json.dumps(HOOKS), encoding="utf-8")
    (tests / "fixtures" / "write.json").write_text(json.dumps(FIXTURE), encoding="utf-8")
    for number in range(CASES):
        (tests / "cases" / f"{number:03}.yaml").write_text(CASE.format(number=number), encoding="utf-8")


async def bare_shells(jobs: int) -> None:
    pipe = asyncio.subprocess.PIPE
    waiting = iter(range(CASES))

    async def work() -> None:
        for _ in waiting:
            process = await asyncio.create_subprocess_exec("sh", "-c", COMMAND, stdin=pipe, stdout=pipe, stderr=pipe)
            await process.communicate(b"{}")

    await asyncio.gather(*(work() for _ in range(jobs)))


def run_cases(root: Path, jobs: int) -> None:
    """What ``anyhook test`` does after it has started: read, run, compare."""
    suite = read_suite(root)
    with Runner(suite) as runner:
        results = runner.run_all(suite.everything, jobs=jobs)
    assert [result.state for result in results] == [CaseStatus.PASSED] * CASES


def measure(root: Path, jobs: int) -> tuple[float, float, float]:
    """Seconds for the bare shells and for the cases, and their ratio: medians of several rounds."""
    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        asyncio.run(bare_shells(jobs))
        between = time.perf_counter()
        run_cases(root, jobs)
        rounds.append((between - began, time.perf_counter() - between))
    bare, runner = (statistics.median(taken) for taken in zip(*rounds, strict=True))
    return bare, runner, statistics.median(cases / shells for shells, cases in rounds)


def main() -> int:
    is_over = False
    print(f"{f'{CASES} cases':<16} {'bare':>8} {'cases':>8} {'ratio':>8} {'budget':>8}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_package(root)
        for jobs in sorted({1, os.cpu_count() or 1}):
            bare, runner, ratio = measure(root, jobs)
            late = ratio > BUDGET
            is_over = is_over or late
            times = f"{bare:>6.2f} s {runner:>6.2f} s {ratio:>6.2f} x {BUDGET:>6} x"
            print(f"{f'{jobs} at once':<16} {times}{'  OVER' if late else ''}")
    return 1 if is_over else 0


if __name__ == "__main__":
    sys.exit(main())
