"""A project whose hooks misbehave on purpose, and ways to see which of their processes are still there."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from anyhook.engine.engine import Engine
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.outcome import Outcome, Run
from anyhook.model.payload import PreToolUse

LONG = 600
"""Seconds that a hook takes if it is not ended: more than any limit here."""
SOON = 120.0
"""Seconds within which everything is over even on a busy machine; only a defect takes longer."""
TIMEOUTS_MS = (300, 2_000, 10_000, 60_000)
"""For a hook that hangs: short, and longer ones for a machine on which it did not even start in that time."""
PYTHON = f"{sys.executable} -S -E -c"
WAITS_FOR_PIPE = "qwen-code"
DOES_NOT_WAIT = "claude-code"


class Stage:
    """A project folder in which hooks leave their process numbers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def engine(self, *commands: str | Command, client: str = DOES_NOT_WAIT, timeout_ms: int = LONG * 1000) -> Engine:
        actions = [c if isinstance(c, Command) else Command(command=c, timeout_ms=timeout_ms) for c in commands]
        rule = Rule(event="PreToolUse", native_event="PreToolUse", actions=tuple(actions))
        return Engine(HookSet(dialect=client, rules=(rule,)), project=self.folder, home=self.folder)

    def payload(self, text: str = "ls") -> PreToolUse:
        return PreToolUse(tool_name="Bash", tool_input={"command": text}, session_id="s", cwd=str(self.folder))

    def fire(self, engine: Engine, text: str = "ls") -> Outcome:
        async def fire() -> Outcome:
            return await asyncio.wait_for(engine.fire(self.payload(text)), SOON)

        return asyncio.run(fire())

    def run(self, command: str | Command, text: str = "ls", **more: Any) -> Run:
        (run,) = self.fire(self.engine(command, **more), text).runs
        return run

    def time_out(self, command: str, *files: str, **more: Any) -> Run:
        """Run a command that hangs once it has written these files, with a timeout that is long enough for that."""
        for timeout_ms in TIMEOUTS_MS:
            run = self.run(command, timeout_ms=timeout_ms, **more)
            if all(self._is_written(name) for name in files):
                return run
            self._clean_up(files)
        raise AssertionError(f"the hook did not write {files} in {timeout_ms} ms")

    def _is_written(self, name: str) -> bool:
        file = self.folder / name
        return file.exists() and bool(file.read_text().strip())

    def _clean_up(self, files: tuple[str, ...]) -> None:
        for name in files:
            if self._is_written(name) and name.endswith(".outlives"):
                os.kill(self.pid(name), signal.SIGKILL)
            (self.folder / name).unlink(missing_ok=True)

    def pid(self, name: str) -> int:
        return int((self.folder / name).read_text())


def is_running(pid: int) -> bool:
    """Whether a process is there and not just waiting for its parent to take notice of its end."""
    status = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return not Path("/proc/self").exists() or status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def ends(pid: int) -> bool:
    """Whether a process that was sent a signal ends, which takes the kernel a moment."""
    deadline = time.monotonic() + SOON
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


async def appears(file: Path) -> None:
    async with asyncio.timeout(SOON):
        while not file.exists() or not file.read_text().strip():
            await asyncio.sleep(0.01)
