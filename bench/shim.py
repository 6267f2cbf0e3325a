"""What a client waits for when it starts a hook, as a ratio to ``sh -c true`` in the same run.

Run by ``make bench-daemon``. Every way is measured 60 times in a shuffled order, so that a slow moment of the machine
affects all of them. Exits with 1 when a row misses its budget. ``--peers`` also measures other libraries for hooks,
which it installs from the package index into a folder of its own. ``--also 'NAME=COMMAND'`` measures any program that
reads the same event on stdin, such as the client of another hook daemon (with its daemon running).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import anyhook
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.entries import daemon_client

ROUNDS = 60
LATER = str(Path(__file__).parents[1] / "tests/later.py")
"""anyhook with a clock that is ahead; the daemon itself keeps nothing of files that were just written."""
FLOOR, NATIVE = "sh -c true", "native client, daemon"
GUARDED = "the same, shell guard"
LARGE = "the same, 50 trusted files"
PAYLOAD = {
    "session_id": "bench",
    "transcript_path": "/dev/null",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git status", "description": "x" * 1500},
}
PYTHON_HOOK = """\
from anyhook import hook

@hook("PreToolUse", matcher="Bash")
def guard(event):
    return None
"""
SHELL_HOOK = """\
#!/bin/bash
input=$(cat)
tool=$(printf '%s' "$input" | jq -r .tool_name)
command=$(printf '%s' "$input" | jq -r .tool_input.command)
case "$tool $command" in *"rm -rf"*) exit 2 ;; esac
exit 0
"""


PEERS = {
    "cchooks": """\
from cchooks import create_context
context = create_context()
if "rm -rf" in context.tool_input.get("command", ""):
    context.output.exit_deny("no")
context.output.exit_success()
""",
}
"""Packages of the index, and an equivalent hook for each."""


class Row(NamedTuple):
    """A way to answer one event, as a client starts it."""

    name: str
    command: str
    budget: float | None = None
    """How many times as long as the floor it may take."""
    environment: dict[str, str] | None = None
    slower: float | None = None
    """How many times as long as the native client it takes at least."""
    beside: float | None = None
    """How many times as long as the native client it may take."""


def seconds(row: Row, payload: Path, folder: Path) -> float:
    """From the start of the shell until it has ended, without errors."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(payload), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    environment = {**os.environ, **(row.environment or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it, sources that have changed are compiled in every run
    os.chdir(folder)
    start = time.perf_counter()
    process = os.posix_spawn("/bin/sh", ["sh", "-c", row.command], environment, file_actions=actions)
    _, status = os.waitpid(process, 0)
    taken = time.perf_counter() - start
    if status:
        raise SystemExit(f"{row.name}: ended with {os.waitstatus_to_exitcode(status)}: {row.command}")
    return taken


def measure(rows: Sequence[Row], payload: Path, folder: Path) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {row.name: [] for row in rows}
    for row in rows:  # once to warm the caches
        seconds(row, payload, folder)
    turns = [row for row in rows for _ in range(ROUNDS)]
    random.Random(7).shuffle(turns)
    for row in turns:
        times[row.name].append(seconds(row, payload, folder))
    return times


def write_package(folder: Path) -> str:
    """A package with one hook that matches, and what it is: a Python function where there are such hooks."""
    hooks = folder / "hooks"
    hooks.mkdir(parents=True)
    rules = [] if hasattr(anyhook, "hook") else [{"matcher": "Read", "hooks": [{"type": "command", "command": "true"}]}]
    (hooks / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": rules} if rules else {}}))
    if rules:
        return "one hook that does not match"
    (hooks / "guard.py").write_text(PYTHON_HOOK)
    return "one Python hook that matches"


def write_large_package(folder: Path) -> None:
    """The same hook with 49 further files that belong to it."""
    write_package(folder)
    (folder / "hooks/lib").mkdir()
    for number in range(49):
        (folder / f"hooks/lib/rules_{number}.py").write_text(f"RULES = {list(range(200))}\n")


def write_guarded_package(folder: Path) -> None:
    """A package whose only hook is the shell guard of the library."""
    (folder / "hooks").mkdir(parents=True)
    (folder / "hooks/hooks.json").write_text(json.dumps({"version": 1, "hooks": {}}))
    (folder / "anyhook.toml").write_text("[guards.shell]\n")


@contextmanager
def warm_daemon(state: Path, packages: Sequence[Path]) -> Iterator[dict[str, str]]:
    """A running daemon, and the variables by which clients find it."""
    variables = {"ANYHOOK_STATE_DIR": str(state), "ANYHOOK_DAEMON": "0"}
    run = [sys.executable, "-m", "anyhook"]
    environment = {**os.environ, **variables}
    for package in packages:
        subprocess.run([*run, "trust", "--yes", str(package)], env=environment, check=True, stdout=subprocess.DEVNULL)
    daemon = subprocess.Popen([sys.executable, LATER, "daemon", "start", "--foreground"], env=environment, cwd="/")
    while ask_daemon(find_runtime_folder(environment), "status") is None:
        if daemon.poll() is not None:
            raise SystemExit("the daemon did not start")
        time.sleep(0.02)
    try:
        yield variables
    finally:
        subprocess.run([*run, "daemon", "stop"], env=environment, check=True, stdout=subprocess.DEVNULL)
        daemon.wait()


def our_rows(variables: dict[str, str], package: Path, guarded: Path, large: Path, elsewhere: Path) -> Iterator[Row]:
    yield Row(FLOOR, "true")
    program = shutil.which("anyhook", path=str(Path(sys.executable).parent))
    anyhook_words = (program,) if program else (sys.executable, "-m", "anyhook")
    asks = (*anyhook_words, "exec", "--client", "claude-code", "--event", "PreToolUse", "--package")
    words = (*asks, str(package))
    native = daemon_client.FOLDER / daemon_client.NAME
    if os.access(native, os.X_OK):
        yield Row(NATIVE, shlex.join((str(native), *words)), 4, variables)
        yield Row(GUARDED, shlex.join((str(native), *asks, str(guarded))), 4, variables)
        yield Row(LARGE, shlex.join((str(native), *asks, str(large))), 4, variables, beside=1.25)
    isolated = (sys.executable, "-I", "-S", str(daemon_client.FOLDER / "client.py"))
    yield Row("Python client, daemon", shlex.join((*isolated, *words)), 18, variables)
    # The package is trusted there, too, but no daemon listens.
    alone = {**variables, "ANYHOOK_STATE_DIR": str(elsewhere)}
    shutil.copytree(Path(variables["ANYHOOK_STATE_DIR"]) / "trust", elsewhere / "trust")
    yield Row("no daemon: anyhook exec", shlex.join(words), 100, alone)


def peer_rows(folder: Path) -> Iterator[Row]:
    """Other libraries, each in an environment of its own; one that cannot be installed is only named."""
    for name, hook in PEERS.items():
        print(f"installing {name} ...", file=sys.stderr)
        python, script = folder / name / "bin/python", folder / f"{name}-hook.py"
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "-q", name], capture_output=True, text=True)
        if done.returncode:
            print(f"{name} cannot be installed here: {done.stderr.splitlines()[-1]}", file=sys.stderr)
            continue
        script.write_text(hook)
        yield Row(name, shlex.join((str(python), str(script))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="install and measure other libraries, too")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=COMMAND", help="measure this, too")
    wanted = parser.parse_args()
    others = [text.partition("=") for text in wanted.also]
    with tempfile.TemporaryDirectory(prefix="ahk") as name:
        top = Path(name)
        package, guarded, payload, elsewhere = top / "package", top / "guarded", top / "payload.json", top / "elsewhere"
        large = top / "large"
        elsewhere.mkdir()
        what = write_package(package)
        write_guarded_package(guarded)
        write_large_package(large)
        payload.write_text(json.dumps({**PAYLOAD, "cwd": str(package)}))
        with warm_daemon(top / "state", (package, guarded, large)) as variables:
            rows = list(our_rows(variables, package, guarded, large, elsewhere))
            if shutil.which("jq") and shutil.which("bash"):
                (top / "hook.sh").write_text(SHELL_HOOK)
                rows.append(Row("bash + jq pattern", f"bash {top}/hook.sh", slower=10))
            rows += peer_rows(top) if wanted.peers else ()
            rows += [Row(name, command) for name, _, command in others]
            times = measure(rows, payload, package)
    return show(rows, times, what)


def show(rows: Sequence[Row], times: dict[str, list[float]], what: str) -> int:
    floor = statistics.median(times[FLOOR])
    native = statistics.median(times[NATIVE]) if NATIVE in times else None
    width = max(len(row.name) for row in rows)
    print(f"median of {ROUNDS}, shuffled; {what}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'through sh -c':<{width}} {'median ms':>10} {'p90 ms':>8} {'ratio':>7} {'budget':>7} {'x native':>9}")
    missed = False
    for row in rows:
        taken = sorted(times[row.name])
        median, p90 = statistics.median(taken), taken[len(taken) * 9 // 10]
        ratio, slower = median / floor, median / native if native else 0
        is_missed = ratio > (row.budget or ratio)
        is_missed |= native is not None and not (row.slower or 0) <= slower <= (row.beside or slower)
        missed = missed or is_missed
        budget = f"<= {row.budget:.0f}" if row.budget else ""
        beside = f"{slower:>9.1f}" + (f" (>= {row.slower:.0f})" if row.slower else "") if native else ""
        beside += f" (<= {row.beside})" if beside and row.beside else ""
        figures = f"{median * 1000:>10.2f} {p90 * 1000:>8.2f} {ratio:>7.2f} {budget:>7} {beside}"
        print(f"{row.name:<{width}} {figures}{'  MISSED' if is_missed else ''}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
