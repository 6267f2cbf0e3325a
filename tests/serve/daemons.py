"""Real daemons and real clients for the tests of this folder, each in a short folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyhook
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.daemon_socket.protocol import Head, encode_head, pack_variables
from anyhook.daemon_socket.runtime_folder import RuntimeFolder
from tests.approving import approve
from tests.checkout import SOURCE
from tests.warm.commands import COLD, WARM, run_program

PYTHON_CLIENT = (sys.executable, "-I", "-S", str(SOURCE / "anyhook/serve/client/client.py"))
SOON = 180.0
"""Seconds within which everything has happened even on a busy machine; only a defect takes longer."""
GUARD = """\
#!/bin/sh
input=$(cat)
case "$input" in
*forbidden*) echo "not that: $SECRET" >&2; exit 2 ;;
*sleepy*) until [ -e "$GATE" ]; do sleep 0.05; done ;;
*count*) echo once >> "$COUNTED" ;;
esac
exit 0
"""


class Ran(NamedTuple):
    status: int
    stdout: bytes
    stderr: bytes


class Stage:
    """A project with a hook, a folder for our state, and the ways to ask."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.project = top / "p"
        self.place = RuntimeFolder(top / "s" / "run")
        self.gate = top / "gate"
        """A hook that is asked about "sleepy" ends when this file exists."""
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(top / "h"),
            "PYTHONPATH": str(SOURCE),
            "ANYHOOK_STATE_DIR": str(top / "s"),
            "ANYHOOK_DAEMON": "0",
            "GATE": str(self.gate),
        }
        (top / "h").mkdir()
        self.write_hooks({"pre-tool-use": [self.rule("guard.sh")]})
        self.write("guard.sh", GUARD)

    @staticmethod
    def rule(script: str, **more: Any) -> dict[str, Any]:
        action = {"type": "command", "command": f"${{PACKAGE_ROOT}}/hooks/{script}", **more}
        return {"matcher": "Bash", "hooks": [action]}

    def write_hooks(self, hooks: Mapping[str, Any]) -> None:
        self.write("hooks.json", json.dumps({"version": 1, "hooks": hooks}))

    def write(self, name: str, text: str) -> None:
        file = self.project / "hooks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def trust(self) -> None:
        home, state = (Path(self.environment[name]) for name in ("HOME", "ANYHOOK_STATE_DIR"))
        approve(self.project, home=home, state=state)

    def payload(self, command: str = "ls", **more: Any) -> bytes:
        event = {"session_id": "s", "cwd": str(self.project), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
        return json.dumps({**event, "tool_input": {"command": command}, **more}).encode()

    def words(self, *more: str) -> tuple[str, ...]:
        return ("exec", "--client", "claude-code", *more, "--answered", "90")

    def run(self, words: Sequence[str], stdin: bytes = b"", **variables: str) -> Ran:
        ran = run_program(
            words[:1],
            words[1:],
            cwd=self.project if self.project.is_dir() else Path("/"),  # not where the state is: that would not count
            env={**self.environment, **variables},
            stdin=stdin,
            timeout=SOON,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def ask(self, client: Sequence[str], stdin: bytes, *more: str, **variables: str) -> Ran:
        """Ask through a client; the program that it falls back to leaves a trace."""
        return self.run((*client, str(self.top / "anyhook"), *self.words(*more)), stdin, **variables)

    def ask_without(self, stdin: bytes, *more: str, **variables: str) -> Ran:
        return self.run((*WARM, *self.words(*more)), stdin, **variables)

    def fell_back(self) -> bool:
        """Whether a client has run the program itself since the last time this was asked."""
        trace = self.top / "fell-back"
        was_there = trace.exists()
        trace.unlink(missing_ok=True)
        return was_there

    def status(self) -> dict[str, Any]:
        """What a running daemon says of itself; a busy one may need more than the time that one question has."""
        until = time.monotonic() + SOON
        while (said := ask_daemon(self.place, "status")) is None:
            assert time.monotonic() < until, "no daemon answers"
            time.sleep(0.01)
        return said

    @contextmanager
    def daemon(self, *arguments: str, run: Sequence[str] = COLD, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            (*run, "daemon", "start", "--foreground", *arguments),
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
        )
        try:
            wait_until(lambda: ask_daemon(self.place, "status") is not None or process.poll() is not None)
            assert process.poll() is None, process.communicate()[1]
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=SOON)


def head_of(cwd: Path, words: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """The first half of a request, as a client of this process would send it."""
    umask = os.umask(0o077)
    os.umask(umask)
    head = Head(
        version=anyhook.__version__.encode(),
        umask=umask,
        cwd=os.fsencode(cwd),
        arguments=tuple(map(os.fsencode, words)),
        environment=pack_variables(environment),
    )
    return encode_head(head)


@contextmanager
def make_stage() -> Iterator[Stage]:
    top = Path(tempfile.mkdtemp(prefix="ahk"))  # a socket's name must be short
    try:
        stage = Stage(top)
        program = top / "anyhook"
        program.write_text(f'#!/bin/sh\n: > "{top}/fell-back"\nexec {sys.executable} -P -m anyhook "$@"\n')
        program.chmod(0o755)
        yield stage
    finally:
        shutil.rmtree(top, ignore_errors=True)


def wait_until(is_so: Callable[[], object], seconds: float = SOON) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
