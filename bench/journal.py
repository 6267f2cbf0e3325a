"""What the journal costs the answers of the daemon: one client, one Python hook, rounds with and without it in turn.

Prints the ratio of the medians, and how many rows were written. Exits with 1 if the journal costs more than 5 %, or if
a row is missing. ``--rounds`` and ``--events`` (in a round) set how much is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyhook
from anyhook.daemon_socket.protocol import GO_ON, SIZE, Head, decode_answer, encode_head, pack_variables
from anyhook.daemon_socket.runtime_folder import RuntimeFolder, find_runtime_folder
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.spool import VARIABLE, journal_folder
from anyhook.serve.control import start_daemon, stop_daemon

LIMIT = 1.05
HOOK = """\
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def refuse(event):
    return deny("not now")
"""


def head_for(package: Path, **variables: str) -> bytes:
    mask = os.umask(0)
    os.umask(mask)
    return encode_head(
        Head(
            version=anyhook.__version__.encode(),
            umask=mask,
            cwd=os.fsencode(package),
            arguments=(b"exec", b"--client", b"claude-code"),
            environment=pack_variables({**os.environ, **variables}),
        )
    )


def ask(runtime: RuntimeFolder, head: bytes, payload: bytes) -> float:
    """The seconds for one event."""
    start = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(runtime.socket))
        connection.sendall(head)
        if connection.recv(1) != GO_ON:
            raise SystemExit("the daemon has declined an event")
        connection.sendall(SIZE.pack(len(payload)) + payload)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    taken = time.perf_counter() - start
    answer = decode_answer(received)
    if answer is None or b"not now" not in answer.stdout:
        raise SystemExit("the daemon has not asked the hook")
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--events", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ahk") as name:
        os.environ["ANYHOOK_STATE_DIR"] = str(Path(name) / "state")
        package = Path(name) / "package"
        (package / "hooks").mkdir(parents=True)
        (package / "hooks/refuse.py").write_text(HOOK)
        trust = [sys.executable, "-P", "-m", "anyhook", "trust", "--yes", str(package)]
        subprocess.run(trust, check=True, stdout=subprocess.DEVNULL)
        event = {"session_id": "bench", "cwd": str(package), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
        payload = json.dumps({**event, "tool_input": {"command": "ls"}}).encode()
        heads = {"with": head_for(package), "without": head_for(package, **{VARIABLE: "0"})}
        times: dict[str, list[float]] = {"with": [], "without": []}
        ratios = []
        runtime = find_runtime_folder(os.environ)
        start_daemon(runtime)
        try:
            for head in heads.values():
                for _ in range(50):
                    ask(runtime, head, payload)
            for number in range(arguments.rounds):
                order = list(heads) if number % 2 else list(reversed(heads))
                medians = {}
                for way in order:
                    taken = [ask(runtime, heads[way], payload) for _ in range(arguments.events)]
                    times[way] += taken
                    medians[way] = statistics.median(taken)
                    time.sleep(0.4)  # until its rows are written: they must not cost the next round
                ratios.append(medians["with"] / medians["without"])
        finally:
            stop_daemon(runtime, wait=60)
        with JournalDatabase(journal_folder()) as database:
            rows = sum(1 for _ in database.rows_after(0))
    ratio = statistics.median(ratios)
    expected = 50 + arguments.rounds * arguments.events
    for way, taken in times.items():
        print(f"{way:8} the journal: median ms {statistics.median(taken) * 1000:.3f}")
    print(f"ratio of the medians, round by round: {ratio:.3f} (at most {LIMIT}); load {os.getloadavg()[0]:.1f}")
    print(f"rows: {rows:,} of {expected:,}")
    return int(ratio > LIMIT or rows != expected)


if __name__ == "__main__":
    sys.exit(main())
