"""What the shell guard adds to a call, in this process: microseconds, and as a ratio to splitting the same line.

Run by ``make bench``. The lines differ in every round, so that nothing remembered is measured; the compared calls
alternate. Exits with 1 if a ratio exceeds its budget. 300 µs are for a quiet machine.
"""

from __future__ import annotations

import shlex
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from anyhook.guards.call import GuardCall
from anyhook.guards.shell_commands import judge
from anyhook.model.payload import PreToolUse

ROUNDS = 400
RATIOS = {"harmless": 2.5, "refused": 3.0, "seven commands": 5.0, "nine commands": 5.5}
"""Of the guard's time to that of ``shlex.split``, which takes some 70 µs for such a line."""
MICROSECONDS = 300.0
MEGABYTE_SECONDS = 1.0
LINES = {
    "harmless": "cd services/api && docker compose -f compose.test.yml run --rm -e LOG_LEVEL=debug -e RUN={number:06} "
    "api python -m pytest -q tests/unit tests/integration --maxfail=1 -k 'not slow' --junitxml=build/report.xml",
    "refused": "cd services/api && docker compose -f compose.test.yml run --rm -e LOG_LEVEL=debug -e RUN={number:06} "
    "api python -m pytest -q tests/unit tests/integration --maxfail=1 -k 'not slow' && git push origin +main",
    "seven commands": "cd services/api && git status --short && python -m pytest -q tests/unit -k 'not slow' | "
    "tail -n 20 && echo \"done {number:06}\" >> build/log.txt && grep -rn 'mkfs.ext4' docs | head -n 3",
    "nine commands": "git add -A && git commit -qm 'fix {number:06}' && npm ci && npm run build | tee build.log && "
    "cp dist/a.js dist/b.js && rm -rf node_modules/.cache && sed -i 's/a/b/' src/*.py; python3 -c 'print(1)'",
}


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ask(line: str) -> bool:
    """Whether the guard refuses a line."""
    event = PreToolUse(session_id="s", cwd="/tmp", tool_name="Bash", tool_input={"command": line})
    return judge(GuardCall(event=event)) is not None


def main() -> int:
    failed = False
    for name, form in LINES.items():
        guard: list[float] = []
        split: list[float] = []
        for number in range(ROUNDS):
            line = form.format(number=number)
            assert ask(line) is (name == "refused")
            line = form.format(number=number + ROUNDS)
            guard.append(seconds(partial(ask, line)))
            split.append(seconds(partial(shlex.split, line)))
        took, other = statistics.median(guard), statistics.median(split)
        ratio = took / other
        failed |= ratio > RATIOS[name]
        print(
            f"shell guard, {name}, {len(line)} characters: {took * 1e6:.0f} µs (quiet machine: {MICROSECONDS:.0f}), "
            f"{ratio:.1f} times shlex.split (budget {RATIOS[name]:.1f})"
        )
    megabyte = "true " + "x" * 1_000_000 + "; rm -rf ~"
    took = seconds(lambda: ask(megabyte))
    failed |= took > MEGABYTE_SECONDS or not ask(megabyte)
    print(f"shell guard, 1 MB: {took * 1e3:.1f} ms, refused")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
