"""What it would cost to call functions in one worker process per project, compared with comparing the daemon's state.

    python bench/project_worker.py

Prints processor time per event, which does not depend on what else the machine does, and memory per project.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from anyhook.dialects import NAMES, profile
from anyhook.serve.process_state import ProcessState

ROUNDS = 2000
PAYLOAD = b"{" + b" " * 2000 + b"}\n"
WORKER = """
import sys
from anyhook.engine.functions import function_calls, function_host, hook_modules
from pathlib import Path
lines = (line for line in Path("/proc/self/smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))
print(next(lines).split()[1], flush=True)
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
"""


def main() -> None:
    """Print both costs."""
    _load_modules_of_daemon()
    state = ProcessState()
    compared = _microseconds(lambda: bool(state.change()))
    print(f"compare the daemon's state after a call: {compared:7.0f} µs of processor time")
    with subprocess.Popen(
        [sys.executable, "-P", "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        memory = int(worker.stdout.readline())
        begin = _used_by(worker.pid)
        own = _microseconds(lambda: _ask(worker))
        other = 1e6 * (_used_by(worker.pid) - begin) / ROUNDS
        worker.stdin.close()
    print(f"ask a worker of the project instead:     {own + other:7.0f} µs of processor time (both processes)")
    print(f"memory of each such worker:              {memory / 1024:7.1f} MB")
    daemon = Path("/proc/self/smaps_rollup").read_text().split("Pss:")[1].split()[0]
    print(f"memory of the daemon, once for all:      {int(daemon) / 1024:7.1f} MB")


def _load_modules_of_daemon() -> None:
    """Load all that a daemon compares once it has answered its first events."""
    import_module("anyhook.serve.daemon")
    for name in NAMES:
        profile(name)
    for module in ("engine.executors.python", "engine.match", "sources.parsing.parse_json"):
        import_module(f"anyhook.{module}")


def _ask(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(PAYLOAD)
    worker.stdin.flush()
    worker.stdout.readline()


def _microseconds(action: Callable[[], object]) -> float:
    begin = time.process_time()
    for _ in range(ROUNDS):
        action()
    return 1e6 * (time.process_time() - begin) / ROUNDS


def _used_by(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
