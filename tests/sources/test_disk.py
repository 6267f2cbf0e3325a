"""A snapshot tells whether reading again would show the same."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anyhook.sources import disk
from tests.later import later


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("before")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("file")
    return tmp_path


def ask_everything(folder: Path) -> None:
    for name in ("file", "link", "sub", "missing"):
        disk.mode_of(folder / name)
        disk.own_mode(folder / name)
        disk.resolve(folder / name)
        disk.read_small_file(folder / name, 100)
    disk.target_of(folder / "link")
    disk.names_in(folder / "sub")
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


def test_what_is_the_same_is_current(folder: Path) -> None:
    with disk.tracking_reads(later) as snapshot:
        ask_everything(folder)
    assert snapshot.is_current()
    (folder / "not asked for").touch()
    assert snapshot.is_current()


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_is_overlooked(change: Callable[[Path], object], folder: Path) -> None:
    with disk.tracking_reads(later) as snapshot:
        ask_everything(folder)
    time.sleep(0.02)  # the system's own clock for files has ticks
    change(folder)
    assert not snapshot.is_current()


QUESTIONS: tuple[Callable[[Path], object], ...] = (
    disk.accessible_mode,
    lambda path: disk.accessible_mode(path, disk.own_mode),
    disk.resolve,
    lambda path: disk.read_small_file(path, 100),
)


@pytest.mark.parametrize("change", [lambda folder: None, *CHANGES])
def test_fewer_checks_find_what_all_questions_find(change: Callable[[Path], object], folder: Path) -> None:
    """Whatever was asked, and whether the change came before all questions, between two of them or after them."""
    choices = random.Random(5)
    for number in range(60):
        copy = folder / str(number)
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns("[0-9]*"))
        asked = [(ask, copy / name) for ask in QUESTIONS for name in ("file", "link", "sub", "missing")]
        asked = choices.sample(asked, choices.randint(1, 8))
        change_at = choices.randint(0, len(asked))
        with disk.tracking_reads(later) as snapshot:
            for place, (ask, path) in enumerate(asked):
                if place == change_at:
                    change(copy)
                ask(path)
        if change_at == len(asked):
            change(copy)
        with disk.tracking_reads(later) as again:
            for name, arguments in snapshot.answers:
                again.ask(name, arguments)
        assert snapshot.is_current() == (snapshot.answers == again.answers), (asked, change_at)


def test_a_path_is_looked_at_once(folder: Path) -> None:
    """The daemon does it on every event, while a client waits."""
    with disk.tracking_reads(later) as snapshot:
        ask_everything(folder)
    looked = [arguments[0] for _, arguments in disk.needed_checks(snapshot.answers)]
    assert [looked.count(str(folder / name)) for name in ("file", "sub", "missing")] == [1, 1, 1]
    assert looked.count(str(folder.parent)) == 1


def test_a_file_that_was_just_changed_could_be_changed_again_unseen(folder: Path) -> None:
    with disk.tracking_reads() as snapshot:
        disk.read_small_file(folder / "file", 100)
    assert not snapshot.is_current()


@pytest.mark.parametrize(
    ("age_ns", "is_current"),
    [(0, False), (disk.MIN_AGE_NS - 1, False), (disk.MIN_AGE_NS, True), (-(10**15), False)],
)
def test_only_an_old_file_can_be_relied_on(age_ns: int, is_current: bool, folder: Path) -> None:
    """A negative age: the clock was set back since."""
    with disk.tracking_reads(lambda: (folder / "file").stat().st_ctime_ns + age_ns) as snapshot:
        disk.read_small_file(folder / "file", 100)
    assert snapshot.is_current() is is_current


def test_nothing_is_noted_for_others(folder: Path) -> None:
    with disk.tracking_reads() as outer:
        with disk.tracking_reads() as inner:
            disk.read_small_file(folder / "file", 100)
        disk.mode_of(folder / "sub")
    disk.mode_of(folder)
    assert outer.is_current()
    assert not inner.is_current()


def test_the_first_answer_counts(folder: Path) -> None:
    """What was decided rests on it, so a change between two equal questions must show."""
    with disk.tracking_reads(later) as snapshot:
        assert disk.read_small_file(folder / "file", 100) == b"before"
        assert not disk.exists(folder / "missing")
        time.sleep(0.02)  # the system's own clock for files has ticks
        (folder / "file").write_text("after!")
        (folder / "missing").touch()
        assert disk.read_small_file(folder / "file", 100) == b"after!"
        assert not disk.exists(folder / "missing")
    assert not snapshot.is_current()


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_an_error_is_an_answer(folder: Path) -> None:
    """Such as a folder that cannot be searched; here a path that is no link."""
    with disk.tracking_reads(later) as snapshot:
        for _ in range(2):
            with pytest.raises(OSError, match="Invalid argument"):
                disk.target_of(folder / "file")
    assert snapshot.is_current()
    (folder / "file").unlink()
    (folder / "file").symlink_to("sub")
    assert not snapshot.is_current()


@pytest.mark.parametrize("name", ["sub", "pipe", "link"])
def test_only_regular_files_are_opened(name: str, folder: Path) -> None:
    if name == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("there are no named pipes here")
        os.mkfifo(folder / "pipe")
    with pytest.raises(disk.NotRegularError):
        disk.open_file(folder / name, follow_links=False)
    assert disk.read_small_file(folder / name, 100) == (b"before" if name == "link" else None)


def test_a_file_over_the_limit_is_not_read(folder: Path) -> None:
    assert disk.read_small_file(folder / "file", 6) == b"before"
    assert disk.read_small_file(folder / "file", 5) is None
    assert disk.read_small_file(folder / "a\0b", 5) is None
