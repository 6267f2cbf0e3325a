"""The daemon under load: 64 concurrent clients, 10,000 events, one Python hook that replies with the event's number.

Then the same hook through the real clients, eight at once, while two other processes keep the processors busy: how many
of them gave up on the daemon and ran ``anyhook exec`` themselves.

Exits with 1 if an answer is lost, wrong or duplicated, if memory grows during the last half, or if a client gave up.
``--events`` sets the number of events, ``--busy-events`` that on the busy machine.
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
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.protocol import GO_ON, SIZE, Head, decode_answer, encode_head, pack_variables
from anyhook.daemon_socket.runtime_folder import RuntimeFolder, find_runtime_folder
from anyhook.entries.daemon_client import FOLDER, client_by_path
from anyhook.serve.control import start_daemon, stop_daemon

CLIENTS = 64
BUSY_PROCESSES = 2
BUSY_CLIENTS = 8
MAY_GROW = 1.05
HOOK = """\
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def echo(event):
    return deny("<" + event.tool_input["command"] + ">")
"""


def ask(runtime: RuntimeFolder, head: bytes, folder: Path, number: int) -> tuple[float, bool]:
    """The seconds for one event, and whether the answer belongs to it."""
    payload = payload_of(folder, number)
    start = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        while connection.connect_ex(str(runtime.socket)):
            time.sleep(0.001)
        connection.sendall(head)
        if connection.recv(1) != GO_ON:
            return time.perf_counter() - start, False
        connection.sendall(SIZE.pack(len(payload)) + payload)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    answer = decode_answer(received)
    is_own = answer is not None and answer.stdout.count(f"<event-{number}>".encode()) == 1
    return time.perf_counter() - start, is_own


def payload_of(folder: Path, number: int) -> bytes:
    event = {"session_id": "load", "cwd": str(folder), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**event, "tool_input": {"command": f"event-{number}"}}).encode()


@contextmanager
def busy_machine() -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY_PROCESSES)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def ask_by_client(client: tuple[str, ...], folder: Path, number: int) -> tuple[float, bool]:
    """The seconds for one event through a client, and whether it ran the program, which does nothing, itself."""
    words = [*client, "false", "exec", "--client", "claude-code", "--answered", "90"]
    start = time.perf_counter()
    done = subprocess.run(words, input=payload_of(folder, number), capture_output=True, cwd=folder)
    is_own = done.returncode >= 90 and f"<event-{number}>".encode() in done.stdout + done.stderr
    return time.perf_counter() - start, not is_own


def fallbacks_when_busy(folder: Path, events: int) -> int:
    """Print a row for each client; returns how many events the daemon did not answer."""
    fallbacks = 0
    clients = {"native client": client_by_path(), "Python client": (sys.executable, "-I", "-S", f"{FOLDER}/client.py")}
    with busy_machine(), ThreadPoolExecutor(BUSY_CLIENTS) as pool:
        for name, client in clients.items():
            asked = list(pool.map(lambda number, client=client: ask_by_client(client, folder, number), range(events)))
            times = sorted(taken for taken, _ in asked)
            fell_back = sum(is_fallback for _, is_fallback in asked)
            fallbacks += fell_back
            p99 = times[len(times) * 99 // 100] * 1000
            row = f"median ms {times[len(times) // 2] * 1000:.1f}, p99 ms {p99:.1f}, fallbacks {fell_back}"
            print(f"{BUSY_PROCESSES} busy processes, {name}, {events} events: {row}")
    return fallbacks


def memory(pid: int) -> int:
    """Resident memory of a process in kilobytes."""
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
    runtime = find_runtime_folder(os.environ)
    start_daemon(runtime)
    try:
        yield runtime
    finally:
        stop_daemon(runtime, wait=60)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--busy-events", type=int, default=400)
    arguments = parser.parse_args()
    events = arguments.events
    with tempfile.TemporaryDirectory(prefix="ahk") as name, daemon_for(Path(name)) as runtime:
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
        pid = (ask_daemon(runtime, "status") or {})["pid"]
        times: list[float] = []
        right = 0
        sizes = []
        start = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            for tenth in range(10):
                numbers = range(tenth * events // 10, (tenth + 1) * events // 10)
                for taken, is_own in pool.map(lambda number: ask(runtime, head, package, number), numbers):
                    times.append(taken)
                    right += is_own
                sizes.append(memory(pid))
        seconds = time.perf_counter() - start
        answered = (ask_daemon(runtime, "status") or {})["answered"]
        fallbacks = fallbacks_when_busy(package, arguments.busy_events)
    times.sort()
    growth = sizes[-1] / sizes[len(sizes) // 2 - 1]
    print(f"{CLIENTS} clients, {len(times):,} events in {seconds:.1f} s; load {os.getloadavg()[0]:.1f}")
    print(f"right answers   {right:>8,}   answered by the daemon {answered:,}")
    print(f"median ms       {times[len(times) // 2] * 1000:>8.1f}")
    print(f"p99 ms          {times[len(times) * 99 // 100] * 1000:>8.1f}")
    print(f"memory MB       {sizes[-1] / 1024:>8.1f}   over the last half × {growth:.3f}")
    return int(not (right == answered == events and growth <= MAY_GROW and not fallbacks))


if __name__ == "__main__":
    sys.exit(main())
