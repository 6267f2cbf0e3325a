"""Runs the tests of a guard against changed modules, each in a process of its own that is forked when all is loaded.

A child imports the guards with the change, tries the cheap cases first, then runs the guard's tests with pytest.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tools.mutation.operators import SourceMutant

SECONDS = 90
"""A change that makes the tests take longer is noticed."""
PREFIX = ("anyhook.guards", "anyhook.record")
"""Packages that are imported anew in each child."""


Quick = Callable[["Task", ast.Module, list[str]], str]
"""What notices a change among cheap cases, those that noticed earlier changes first; empty: nothing does."""


class Task(NamedTuple):
    """One change, and what could notice it."""

    module: str
    """Its full name."""
    mutant: SourceMutant
    tests: tuple[str, ...]
    """Paths for pytest."""


class _ChangedLoader(SourceFileLoader):
    """Loads one module from a changed tree."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self._tree, self.get_filename(fullname), "exec", dont_inherit=True)
        return code


class _ChangedFinder(MetaPathFinder):
    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name, self._tree = name, tree

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _ChangedLoader(fullname, spec.origin, self._tree)
        return spec


def preload() -> None:
    """Import what every child needs, but no guard."""
    for name in ("pytest", "anyhook.engine.engine", "anyhook.shell.reader", "anyhook.dialects.translation.patches"):
        import_module(name)
    forget_guards()


def forget_guards() -> None:
    """What imported a guard is imported again by the child, too."""
    loaded = [name for name in sys.modules if name.startswith((*PREFIX, "tests."))]
    modules = {id(sys.modules[name]) for name in loaded}
    for name, module in list(sys.modules.items()):
        values = vars(module).values() if name.startswith("anyhook.") and module is not None else ()
        owners = {getattr(value, "__module__", None) for value in values if callable(value)}
        if any(id(value) in modules for value in values) or any(str(owner).startswith(PREFIX) for owner in owners):
            loaded.append(name)
    for name in dict.fromkeys(loaded):
        sys.modules.pop(name, None)


def play(tasks: Iterable[tuple[Task, ast.Module]], jobs: int, quick: Quick) -> Iterator[tuple[Task, str]]:
    """Each task with what noticed its change; empty: nothing did."""
    waiting, running, recent = iter(tasks), dict[int, tuple[Task, int, float]](), list[str]()
    more = True
    while more or running:
        while more and len(running) < jobs:
            found = next(waiting, None)
            if found is None:
                more = False
                break
            task, tree = found
            running.update(_start(task, tree, quick, recent))
        for descriptor in _ready(running):
            task, child, _ = running.pop(descriptor)
            with os.fdopen(descriptor, "rb") as pipe:
                said = pipe.read().decode()
            os.waitpid(child, 0)
            killer = said.removeprefix("survived") if said else "the process ended"
            if killer and killer not in recent:
                recent.insert(0, killer)
                del recent[60:]
            yield task, killer


def failure_without_change(tests: Sequence[str]) -> str:
    """What fails although nothing is changed; empty: nothing does. Else every change would seem to be noticed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        said = "error"
        try:
            _silence()
            said = _by_pytest(tests)
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


def _silence() -> None:
    sys.dont_write_bytecode = True
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _ready(running: dict[int, tuple[Task, int, float]]) -> list[int]:
    ready, _, _ = select.select(list(running), [], [], 1)
    for descriptor, (_, child, began) in running.items():
        if descriptor not in ready and time.monotonic() - began > SECONDS:
            os.kill(child, signal.SIGKILL)
    return list(ready)


def _start(task: Task, tree: ast.Module, quick: Quick, recent: list[str]) -> dict[int, tuple[Task, int, float]]:
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return {reading: (task, child, time.monotonic())}
    os.close(reading)
    said = b"error"
    try:
        said = (_noticed(task, tree, quick, recent) or "survived").encode()
    except BaseException as error:
        said = f"error: {type(error).__name__}: {error}".encode()
    finally:
        os.write(writing, said[:4000])
        os._exit(0)


def _noticed(task: Task, tree: ast.Module, quick: Quick, recent: list[str]) -> str:
    """What notices the change, in the child."""
    _silence()
    if killer := quick(task, tree, recent):
        return killer
    if not task.tests:
        return ""
    forget_guards()
    sys.meta_path.insert(0, _ChangedFinder(task.module, task.mutant.tree(tree)))
    return _by_pytest(task.tests)


def _by_pytest(tests: Sequence[str]) -> str:
    import pytest

    class First:
        name = ""

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                self.name = self.name or str(report.nodeid)

    first = First()
    options = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = pytest.main([*options, *tests], plugins=[first])
    return "" if status == 0 else first.name or f"pytest: status {int(status)}"


def module_name(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts)
