"""Hooks are found and checked once, and again as soon as anything that was read for that has changed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from anyhook.bridge.prepare_event import NotCachedError
from anyhook.project.asked_packages import HookPackage, find_packages
from anyhook.serve import hook_cache
from anyhook.serve.hook_cache import HookCache
from anyhook.sources.discover import Roots
from tests.bridge.bridging import make_package, run_anyhook
from tests.later import later
from tests.trust.trust_projects import clone, make_repository

FUNCTION = "from anyhook import hook\n\n@hook('Stop')\ndef stop(event):\n    return None\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted package."""
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    made = make_package(tmp_path / "project")
    (made / "sub").mkdir()
    assert run_anyhook(made, "trust", "--yes").returncode == 0
    return made


def ask(kept: HookCache, package: Path, environment: Mapping[str, str] | None = None) -> tuple[HookPackage, ...]:
    roots = Roots(package / "sub", package.parent / "home", package.parent / "system", environment or {})
    return kept.find(roots, package=None, dialect=None, started_in=package / "sub")


def test_nothing_is_worked_out_twice(package: Path) -> None:
    kept = HookCache(later)
    first = ask(kept, package)
    assert not first[0].untrusted
    assert ask(kept, package) is first
    assert ask(kept, package, {"SOME": "variable that is not read"}) is first


def test_files_that_were_just_written_are_read_every_time(package: Path) -> None:
    kept = HookCache(lambda: (package / "hooks/hooks.json").stat().st_ctime_ns)
    first = ask(kept, package)
    again = ask(kept, package)
    assert again == first
    assert again is not first


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_first_event_in_a_clone_finds_what_was_approved(package: Path, tmp_path: Path) -> None:
    """Git is asked for the first commit, with the variables of the caller."""
    make_repository(package)
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    copy = clone(package, tmp_path / "copy")
    (copy / "sub").mkdir()
    (found,) = ask(HookCache(later), copy, dict(os.environ))
    assert not found.refusal
    assert not found.untrusted


def untrust(package: Path) -> None:
    assert run_anyhook(package, "trust", "--revoke").returncode == 0


def organise(package: Path) -> None:
    folder = package.parent / "system/etc/anyhook"
    folder.mkdir(parents=True)
    shutil.copy(package / "hooks/hooks.json", folder)


CHANGES: dict[str, Callable[[Path], object]] = {
    "the hook file": lambda package: (package / "hooks/hooks.json").write_text('{"version": 1, "hooks": {}}'),
    "garbage in its place": lambda package: (package / "hooks/hooks.json").write_text("{"),
    "its end": lambda package: (package / "hooks/hooks.json").unlink(),
    "a script": lambda package: (package / "hooks/guard.sh").write_text("exit 0"),
    "a new file of functions": lambda package: (package / "hooks/more.py").write_text(FUNCTION),
    "a nearer package": lambda package: make_package(package / "sub"),
    "an untrusted user": untrust,
    "hooks of the organisation": organise,
    "no project any more": shutil.rmtree,
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_counts_at_once(what: str, package: Path) -> None:
    kept = HookCache(later)
    first = ask(kept, package)
    time.sleep(0.02)  # the system's own clock for files has ticks
    CHANGES[what](package)
    again = ask(kept, package)
    roots = Roots(package / "sub", package.parent / "home", package.parent / "system", {})
    assert again is not first
    assert again == find_packages(roots, package=None, dialect=None, started_in=package / "sub")


def test_a_variable_that_was_asked_for_counts(package: Path) -> None:
    untrust(package)
    kept = HookCache(later)
    first = ask(kept, package)
    assert ask(kept, package, {"PATH": "/elsewhere"}) is not first


def test_only_so_much_is_kept(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_cache, "MAX_CACHED", 2)
    kept = HookCache(later)
    first = ask(kept, package)
    roots = Roots(package, package.parent / "home", package.parent / "system", {})
    for folder in ("a", "b"):
        kept.find(roots, package=None, dialect=None, started_in=package / folder)
    assert ask(kept, package) is not first


def test_nobody_searches_who_only_wants_to_recall(package: Path) -> None:
    kept, roots = HookCache(later), Roots(package, package.parent / "home", package.parent / "system", {})
    with pytest.raises(NotCachedError):
        kept.recall(roots, package=None, dialect=None, started_in=package)
    found = kept.find(roots, package=None, dialect=None, started_in=package)
    for one in found:
        assert one.indexed.rules is not None  # as the first event does, in a thread
    assert kept.recall(roots, package=None, dialect=None, started_in=package) is found
