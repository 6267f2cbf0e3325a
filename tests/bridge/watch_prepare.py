"""Prepares events in a process whose every access to the disk is noted, and prints what the snapshot does not hold.

    watch_prepare.py FOLDER CLIENT ...

Opening and listing raise audit events. Testing a path (stat, lstat, readlink, access) does not, so those functions are
replaced. A question that is asked again as a whole (a real path, a program on the PATH) may access any path.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anyhook.bridge.exec_options import read_options
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.dialects import NAMES
from anyhook.project.asked_packages import find_packages
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.settings import read_settings

TOP = os.path.realpath(sys.argv[1])
TESTS = {"stat": "followed", "access": "followed", "lstat": "itself", "readlink": "target"}
ANSWERED_BY = {
    "read": {"facts"},
    "followed": {"facts", "mode"},
    "itself": {"own mode"},
    "target": {"target"},
}
"""The questions of which one must hold the path of an access."""
WHOLE_QUESTIONS = ("real path", "program")


class Accesses:
    """The kinds and paths of accesses below the top folder while it is active."""

    def __init__(self) -> None:
        self.noted: set[tuple[str, str]] = set()
        self.is_active = False

    def note(self, kind: str, path: Any) -> None:
        if self.is_active and isinstance(path, str | bytes | os.PathLike):
            text = os.path.normpath(Path(TOP, os.fsdecode(path)))  # the working folder is the top
            if text.startswith(TOP + os.sep):
                self.noted.add((kind, text))

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir"):
            self.note("read", arguments[0])

    def noting(self, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, follow_symlinks: bool = True, **more: Any) -> Any:
            self.note(kind if follow_symlinks else "itself", path)
            if not follow_symlinks:
                more["follow_symlinks"] = False
            return function(path, *rest, **more)

        return call

    def pausing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            before, self.is_active = self.is_active, False
            try:
                return function(*arguments)
            finally:
                self.is_active = before

        return call


@contextmanager
def active(accesses: Accesses) -> Iterator[None]:
    accesses.noted.clear()
    accesses.is_active = True
    yield
    accesses.is_active = False


def main() -> None:
    accesses = Accesses()
    sys.addaudithook(accesses.hear)
    for name, kind in TESTS.items():
        setattr(os, name, accesses.noting(kind, getattr(os, name)))
    questions: Any = disk._QUESTIONS
    for name in WHOLE_QUESTIONS:
        questions[name] = accesses.pausing(questions[name])
    for client in sys.argv[2:]:
        for dialect in (None, client):
            for is_approved in (False, True):
                if is_approved:
                    TrustedProject(Project(roots()), NAMES).approve_all()
                for _ in range(2):  # the first time imports what is imported on use
                    with active(accesses), disk.tracking_reads() as snapshot:
                        answer(client, dialect)
                print(json.dumps(report(accesses.noted, snapshot) | {"client": client, "from": dialect}))


def roots() -> Roots:
    top = Path(TOP)
    environment = {"PATH": os.environ["PATH"], "CLAUDE_CONFIG_DIR": str(top / "home/claude")}
    return Roots(top / "project", top / "home", top / "system", environment)


def answer(client: str, dialect: str | None) -> None:
    top, environment = Path(TOP), roots().environment
    caller = Caller(cwd=top / "project/sub", home=top / "home", environment=environment)
    words = ("--client", client, *(("--from", dialect) if dialect else ()))

    def find(roots: Roots, **more: Any) -> Any:
        return find_packages(Roots(roots.project, roots.home, top / "system", roots.environment), **more)

    payload = json.dumps({"cwd": str(top / "project/sub")}).encode()
    prepare(read_options(words), caller, payload, find)
    read_settings(top / "project", environment, top / "home/config")


def report(noted: set[tuple[str, str]], snapshot: disk.FileSnapshot) -> dict[str, Any]:
    asked = {(question, os.path.normpath(arguments[0] or "")) for question, arguments in snapshot.answers}
    untracked = [
        (kind, path) for kind, path in noted if not any((question, path) in asked for question in ANSWERED_BY[kind])
    ]
    return {"kinds": sorted({kind for kind, _ in noted}), "untracked": sorted(untracked)}


if __name__ == "__main__":
    main()
