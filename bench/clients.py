"""How fast real clients can be driven: seconds of one start, and situations a minute.

``python bench/clients.py [CLIENT[@VERSION]]...``: installs the clients unless they are in the cache. A situation is one
tool call with one hook; the second figure plays many of them in one start.
"""

from __future__ import annotations

import statistics
import sys
import time

from anyhook.dialects import all_profiles
from anyhook.prove.clients import DRIVEN
from anyhook.prove.installation import InstallProgress, install, read_release
from anyhook.prove.run import ClientRunner
from anyhook.prove.script import ShellStep, TextStep
from anyhook.prove.situation import Situation

STARTS = 3
IN_ONE_START = 20


def main(names: list[str]) -> None:
    recorded = [known.name for known in all_profiles() if known.basis == "recorded" and known.name in DRIVEN]
    print(f"{'client':24} {'seconds a start':>16} {'situations a minute':>20}")
    with ClientRunner() as runner:
        for name in names or recorded:
            installed = install(read_release(name), show)
            times = []
            for _ in range(STARTS):
                began = time.perf_counter()
                runner.play(installed, calls(1))
                times.append(time.perf_counter() - began)
            began = time.perf_counter()
            report = runner.play(installed, calls(IN_ONE_START))
            played = sum(1 for result in report.tool_results if result.ran)
            minutes = (time.perf_counter() - began) / 60
            print(f"{installed!s:24} {statistics.median(times):16.2f} {played / minutes:20.0f}", flush=True)


def calls(number: int) -> Situation:
    """So many shell calls, each in a turn of its own."""
    steps = [(ShellStep(f"touch ran-{index}"),) for index in range(number)]
    return Situation(script=(*steps, (TextStep("done"),)))


def show(progress: InstallProgress) -> None:
    print(f"{progress.release}: {progress.stage}, {progress.megabytes} MB", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
