"""How the daemon serves many clients: 64 at once, 10,000 events, one Python hook that answers each with its own number.

Exits with 1 when an answer is lost, wrong or given twice, or when memory grows over the last half. ``--events`` changes
how many there are.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import anyhook
from anyhook.serve.control import ask_daemon, start_daemon, stop_daemon
from anyhook.serve.protocol import GO_ON, SIZE, Head, decode_answer, encode_head, pack_variables
from anyhook.serve.runtime_folder import RuntimeFolder, find_runtime_folder

CLIENTS = 64
MAY_GROW = 1.05
HOOK = """\
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def echo(event):
    return deny("<" + event.tool_input["command"] + ">")
"""


def ask(place: RuntimeFolder, head: bytes, folder: Path, number: int) -> tuple[float, bool]:
    """The seconds that one event took, and whether its answer is its own."""
    event = {"session_id": "load", "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    payload = json.dumps({**event, "tool_input": {"command": f"event-{number}"}}).encode()
    start = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        while connection.connect_ex(str(place.socket)):
            time.sleep(0.001)
        connection.sendall(head)
        if connection.recv(1) != GO_ON:
            return time.perf_counter() - start, False
        connection.sendall(SIZE.pack(len(payload)) + payload)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    answer = decode_answer(received)
    is_own = answer is not None and answer.stdout.count(f"<event-{number}>".encode()) == 1
    return time.perf_counter() - start, is_own


def memory(pid: int) -> int:
    """Kilobytes that a process holds."""
    listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(listed.stdout)


@contextmanager
def daemon_for(folder: Path) -> Iterator[RuntimeFolder]:
    os.environ["ANYHOOK_STATE_DIR"] = str(folder / "state")
    package = folder / "package"
    (package / "hooks").mkdir(parents=True)
    (package / "hooks/echo.py").write_text(HOOK)
    trust = [sys.executable, "-m", "anyhook", "trust", "--yes", str(package)]
    subprocess.run(trust, check=True, stdout=subprocess.DEVNULL)
    place = find_runtime_folder(os.environ)
    start_daemon(place)
    try:
        yield place
    finally:
        stop_daemon(place, wait=60)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    events = parser.parse_args().events
    with tempfile.TemporaryDirectory(prefix="ahk") as name, daemon_for(Path(name)) as place:
        package = Path(name) / "package"
        mask = os.umask(0)
        os.umask(mask)
        head = encode_head(
            Head(
                version=anyhook.__version__.encode(),
                umask=mask,
                cwd=os.fsencode(package),
                arguments=(b"exec", b"--client", b"claude-code"),
                environment=pack_variables(os.environ),
            )
        )
        pid = (ask_daemon(place, "status") or {})["pid"]
        times: list[float] = []
        right = 0
        sizes = []
        start = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            for tenth in range(10):
                numbers = range(tenth * events // 10, (tenth + 1) * events // 10)
                for taken, is_own in pool.map(lambda number: ask(place, head, package, number), numbers):
                    times.append(taken)
                    right += is_own
                sizes.append(memory(pid))
        seconds = time.perf_counter() - start
        answered = (ask_daemon(place, "status") or {})["answered"]
    times.sort()
    growth = sizes[-1] / sizes[len(sizes) // 2 - 1]
    print(f"{CLIENTS} clients, {len(times):,} events in {seconds:.1f} s; load {os.getloadavg()[0]:.1f}")
    print(f"right answers   {right:>8,}   answered by the daemon {answered:,}")
    print(f"median ms       {times[len(times) // 2] * 1000:>8.1f}")
    print(f"p99 ms          {times[len(times) * 99 // 100] * 1000:>8.1f}")
    print(f"memory MB       {sizes[-1] / 1024:>8.1f}   over the last half × {growth:.3f}")
    return int(not (right == answered == events and growth <= MAY_GROW))


if __name__ == "__main__":
    sys.exit(main())
