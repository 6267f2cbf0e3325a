"""What was looked at tells whether looking again would show the same, and nothing is looked at in secret."""

from __future__ import annotations

import builtins
import io
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.packages import find_packages
from anyhook.dialects import NAMES
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from tests.checkout import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("before")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("file")
    return tmp_path


@pytest.fixture
def _all_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a test has just written count as if they were old."""
    monkeypatch.setattr(disk, "SETTLING_NS", -(10**18))


def look_around(folder: Path) -> None:
    """Ask everything that can be asked."""
    for name in ("file", "link", "sub", "missing"):
        disk.mode_of(folder / name)
        disk.own_mode(folder / name)
        disk.resolve(folder / name)
        disk.will_read(folder / name)
    disk.target_of(folder / "link")
    disk.entries_of(folder / "sub")
    disk.find_program("tool", str(folder))


def rewrite_in_secret(folder: Path) -> None:
    """Other bytes, the same size and the same time of modification."""
    facts = (folder / "file").stat()
    (folder / "file").write_text("after!")
    os.utime(folder / "file", ns=(facts.st_atime_ns, facts.st_mtime_ns))


def replace(folder: Path) -> None:
    shutil.copy2(folder / "file", folder / "other")
    (folder / "other").replace(folder / "file")


def turn_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("sub")


def become_a_program(folder: Path) -> None:
    (folder / "tool").write_text("")
    (folder / "tool").chmod(0o755)


CHANGES: list[Callable[[Path], object]] = [
    lambda folder: (folder / "file").write_text("another"),
    rewrite_in_secret,
    replace,
    turn_link,
    become_a_program,
    lambda folder: (folder / "file").chmod(0o755),
    lambda folder: (folder / "file").unlink(),
    lambda folder: (folder / "missing").mkdir(),
    lambda folder: (folder / "missing").symlink_to("nowhere"),
    lambda folder: (folder / "sub" / "new").touch(),
    lambda folder: (folder / "sub").rename(folder / "gone"),
    shutil.rmtree,
]


@pytest.mark.usefixtures("_all_is_settled")
def test_what_is_the_same_still_holds(folder: Path) -> None:
    with disk.tracking_reads() as snapshot:
        look_around(folder)
    assert snapshot.is_current()
    (folder / "nobody asked").touch()
    assert snapshot.is_current()


@pytest.mark.usefixtures("_all_is_settled")
@pytest.mark.parametrize("change", CHANGES)
def test_no_change_is_overlooked(change: Callable[[Path], object], folder: Path) -> None:
    with disk.tracking_reads() as snapshot:
        look_around(folder)
    time.sleep(0.02)  # the system's own clock for files has ticks
    change(folder)
    assert not snapshot.is_current()


def test_a_file_that_was_just_changed_could_be_changed_again_unseen(folder: Path) -> None:
    with disk.tracking_reads() as snapshot:
        disk.will_read(folder / "file")
    assert not snapshot.is_current()


def test_a_file_from_the_future_proves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock was set back since."""
    monkeypatch.setattr(time, "time_ns", lambda: (folder / "file").stat().st_ctime_ns - 10**15)
    with disk.tracking_reads() as snapshot:
        disk.will_read(folder / "file")
    assert not snapshot.is_current()


def test_nothing_is_noted_for_others(folder: Path) -> None:
    with disk.tracking_reads() as outer:
        with disk.tracking_reads() as inner:
            disk.will_read(folder / "file")
        disk.mode_of(folder / "sub")
    disk.mode_of(folder)
    assert outer.is_current()
    assert not inner.is_current()


# ------------------------------------------------------------------------------------------------ nothing goes past it


@contextmanager
def every_touch(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[bool, str]]]:
    """The paths that anything in this process asks the system about, but for the steps of realpath; True: are read."""
    touched: set[tuple[bool, str]] = set()
    silent = [False]

    def tells(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **more: Any) -> Any:
            if not silent[0] and not isinstance(path, int):
                is_read = function.__name__ in ("open", "scandir", "listdir")
                touched.add((is_read, os.path.normpath(os.fsdecode(path))))
            return function(path, *rest, **more)

        return call

    def real(path: Any, **more: Any) -> Any:
        silent[0] = True
        try:
            return realpath(path, **more)
        finally:
            silent[0] = False

    realpath = os.path.realpath
    with monkeypatch.context() as patch:
        for module, names in (
            (os, ("stat", "lstat", "scandir", "listdir", "readlink", "access", "open")),
            (io, ("open",)),
        ):
            for name in names:
                patch.setattr(module, name, tells(getattr(module, name)))
        patch.setattr(builtins, "open", tells(builtins.open))
        patch.setitem(disk._QUESTIONS, "real path", real)
        yield touched


def make_rich_package(folder: Path) -> None:
    """Hooks that use files in many ways, and entries of our own."""
    hooks = folder / "hooks"
    (hooks / "lib").mkdir(parents=True)
    (hooks / "guard.sh").write_text("#!/bin/sh\n. ./hooks/lib/common.sh\nexec python3 hooks/guard.py ./missing.sh\n")
    (hooks / "lib" / "common.sh").write_text("source $HOME/.guardrc\n")
    (hooks / "guard.py").write_text("import lib.inner\nfrom anyhook import hook\n\n@hook('Stop')\ndef f(e): ...\n")
    (hooks / "linked.sh").symlink_to("guard.sh")
    (hooks / "outside").symlink_to("/etc/hosts")
    commands = ["${PACKAGE_ROOT}/hooks/guard.sh", "node ./hooks/x.js", "anyhook exec --client codex --event Stop"]
    actions = [{"type": "command", "command": command} for command in commands]
    (hooks / "hooks.json").write_text(json.dumps({"version": 1, "hooks": {"pre-tool-use": [{"hooks": actions}]}}))
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": actions}]}}))


@pytest.mark.parametrize("name", ["rich", *sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())])
@pytest.mark.parametrize("dialect", [None, *NAMES])
def test_whatever_decides_about_hooks_is_looked_at_here(
    name: str, dialect: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    project = tmp_path / "project"
    if name == "rich":
        make_rich_package(project)
    else:
        shutil.copytree(EXAMPLES / name, project, symlinks=True)
    (project / "sub").mkdir(exist_ok=True)
    environment = {"ANYHOOK_TRUST": "1", "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "PATH": str(tmp_path / "bin")}
    roots = Roots(project / "sub", tmp_path / "home", tmp_path / "system", environment)

    def find() -> None:
        find_packages(roots, package=None, dialect=dialect, started_in=project / "sub")

    find()  # imports what is imported on use
    with every_touch(monkeypatch) as touched, disk.tracking_reads() as snapshot:
        find()
    asked = {(question == "facts", os.path.normpath(arguments[0] or "")) for question, arguments, _ in snapshot.plain()}
    tools = environment["PATH"]  # asked for by find_program alone
    inside = {touch for touch in touched if touch[1].startswith(str(tmp_path)) and not touch[1].startswith(tools)}
    assert {True, False} <= {is_read for is_read, _ in inside}, "the test sees nothing"
    assert not {(is_read, path) for is_read, path in inside if not {(True, path), (is_read, path)} & asked}
