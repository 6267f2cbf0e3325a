"""Runs a client offline with a scripted model, and reports which hooks fired, what took effect and what the model saw.

Every run has a temporary folder of its own with a new home and a copy of the project, a network namespace with loopback
alone, and a process namespace, so that nothing it starts outlives it. Keys are invented.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

import anyhook
from anyhook.model.problems import AnyhookError
from anyhook.prove.inside import REPORT, SITUATION, Task, encode_task
from anyhook.prove.installation import Installed
from anyhook.prove.namespace import namespace_command
from anyhook.prove.report import RunReport
from anyhook.prove.situation import Situation, encode_situation
from anyhook.prove.workspace import Workspace, lay_out


class RunError(AnyhookError):
    """A client that could not be run at all."""


class ClientRunner:
    """Plays situations to clients, one after another, in one namespace. For one thread; several can work side by side.

    Raises NamespaceUnavailableError where the machine does not allow namespaces.
    """

    def __init__(self, *, protect: bool = False) -> None:
        """``protect``: the client and its tools can change no file outside of the temporary folder."""
        inside = [sys.executable, "-P", "-m", "anyhook.prove.inside"]
        self._command = (*namespace_command(), *inside)
        self._protect = protect
        self._root: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the namespace with every process in it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)
            self._root = None

    def play(self, installed: Installed, situation: Situation, *, keep_in: Path | None = None) -> RunReport:
        """One start of a client. ``keep_in``: an empty folder for the workspace, which is kept then."""
        process = self._process or self._start()
        root = Path(tempfile.mkdtemp(prefix="run-", dir=self._root)) if keep_in is None else keep_in
        try:
            workspace = Workspace(root.resolve())
            filled = lay_out(workspace, situation)
            (root / SITUATION).write_bytes(encode_situation(filled))
            self._ask(process, Task(workspace, installed))
            return msgspec.json.decode((root / REPORT).read_bytes(), type=RunReport)
        except BaseException:
            self.close()  # what the client does now belongs to no run
            raise
        finally:
            if keep_in is None:
                shutil.rmtree(root, ignore_errors=True)

    def _ask(self, process: subprocess.Popen[bytes], task: Task) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(encode_task(task) + b"\n")
            process.stdin.flush()
        if not process.stdout.readline():
            raise RunError(f"{task.installed} could not be run: {self._complaint(process)}")

    def _start(self) -> subprocess.Popen[bytes]:
        self._root = Path(tempfile.mkdtemp(prefix="anyhook-prove-")).resolve()
        command = (*self._command, *([str(self._root)] if self._protect else ()))
        source = str(Path(anyhook.__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": source}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
        return self._process

    def _complaint(self, process: subprocess.Popen[bytes]) -> str:
        """The last line that the process inside printed before it ended."""
        _, printed = process.communicate()
        lines = printed.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with status {process.returncode}"
