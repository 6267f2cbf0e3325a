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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

import anyhook
from anyhook.model.problems import AnyhookError
from anyhook.prove.clients import DRIVEN, driver
from anyhook.prove.confine import Confinement, encode_confinement
from anyhook.prove.inside import SITUATION, Task, encode_task
from anyhook.prove.installation import Installed, cache_folder
from anyhook.prove.namespace import namespace_command
from anyhook.prove.report import RunReport
from anyhook.prove.situation import Situation, encode_situation
from anyhook.prove.workspace import Workspace
from anyhook.testing.sandbox import INHERITED

_SOURCE = Path(anyhook.__file__).parents[1]


class RunError(AnyhookError):
    """A client that could not be run at all."""


class ClientRunner:
    """Plays situations to clients, one after another, in one namespace. For one thread; several can work side by side.

    Raises NamespaceUnavailableError where the machine does not allow namespaces.
    """

    def __init__(self, *, protect: bool = False, shown: Sequence[Path] = ()) -> None:
        """``protect``: the client, its hooks and its tools are confined as :mod:`anyhook.prove.confine` says.

        ``shown``: files that they may read although they are hidden in the user's home folder, such as the project.
        """
        inside = [sys.executable, "-P", "-m", "anyhook.prove.inside"]
        self._command = (*namespace_command(), *inside)
        self._protect, self._shown = protect, tuple(shown)
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
            try:
                (root / SITUATION).write_bytes(encode_situation(situation))
            except UnicodeEncodeError:
                raise RunError("a path or a text of the case is not UTF-8, which clients need; rename it") from None
            return self._ask(process, Task(Workspace(root.resolve()), installed))
        except BaseException:
            self.close()  # what the client does now belongs to no run
            raise
        finally:
            if keep_in is None:
                shutil.rmtree(root, ignore_errors=True)

    def _ask(self, process: subprocess.Popen[bytes], task: Task) -> RunReport:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(encode_task(task) + b"\n")
            process.stdin.flush()
        if report := process.stdout.readline():
            return msgspec.json.decode(report, type=RunReport)
        raise RunError(f"{task.installed} could not be run: {self._complaint(process)}")

    def _start(self) -> subprocess.Popen[bytes]:
        self._root = Path(tempfile.mkdtemp(prefix="anyhook-prove-")).resolve()
        command = (*self._command, *([encode_confinement(self._confinement())] if self._protect else ()))
        # Keys and tokens stay outside: hooks might find them in the memory of a process inside.
        kept = {name: os.environ[name] for name in (*INHERITED, "HOME") if name in os.environ}
        environment = {**kept, "PYTHONPATH": str(_SOURCE)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
        return self._process

    def _confinement(self) -> Confinement:
        assert self._root is not None
        shown = (self._root, *self._shown, *_programs(os.environ["PATH"]))
        return Confinement(writable=self._root, homes=_homes(), shown=shown)

    def _complaint(self, process: subprocess.Popen[bytes]) -> str:
        """The last line that the process inside printed before it ended."""
        _, printed = process.communicate()
        lines = printed.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with status {process.returncode}"


def _homes() -> tuple[Path, ...]:
    """The user's home folder by the environment, and by the system's list of users."""
    import pwd  # not on Windows

    homes = [Path.home()]
    with suppress(KeyError):
        homes.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return tuple(dict.fromkeys(home.resolve() for home in homes))


def _programs(path: str) -> tuple[Path, ...]:
    """Where the programs are that a client may need: anyhook, the clients, and everything on PATH."""
    names = ("node", "anyhook", *(driver(client).package.command for client in DRIVEN))
    found = (shutil.which(name, path=path) for name in names)
    own = (sys.prefix, sys.base_prefix, *filter(None, sys.path), *path.split(os.pathsep))
    return (_SOURCE, cache_folder(), *map(Path, (*own, *filter(None, found))))
