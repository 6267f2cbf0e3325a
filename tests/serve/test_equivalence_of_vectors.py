"""Conformance vectors are answered alike by a daemon and by exec, byte for byte, by the same hooks.

A third of the vectors of every client is played; ``make explore`` plays all of them.

The daemon is asked about each project twice: first with an unreadable payload, for which no hook runs, then with the
real one. So it answers with hooks from its cache, which exec does not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

import pytest

from anyhook.sources.disk import FileSnapshot, is_shared
from conformance import referee
from conformance.referee import Vector, load, write_files
from tests.effort import share
from tests.serve.both_ways import BothWays, Question, both_ways
from tests.serve.daemons import Ran, wait_until

pytestmark = pytest.mark.long

PARTS = 4
"""Each has vectors of every client, and so takes about as long as the others."""
ATTEMPTS = 20
UNCERTAIN = "claude-code/async-output"
"""Its hook leaves its mark while it continues in the background, so the mark may not be there yet;
tests/cli/test_run_hooks.py tests such hooks."""


class Scene(NamedTuple):
    """A vector with its files written."""

    vector: Mapping[str, Any]
    folder: Path
    question: Question

    @property
    def has_home(self) -> bool:
        return any(name.startswith("~/") for name in self.vector["files"])

    @property
    def sleeps(self) -> bool:
        hooks = json.dumps(self.vector["hooks"])
        return '"sleep"' in hooks or '"child"' in hooks

    @property
    def has_background(self) -> bool:
        return '"async"' in json.dumps(self.vector["files"])

    @property
    def times(self) -> int:
        """How often the event is fired in a row."""
        return int(self.vector.get("fires", 1))

    def take_marks(self) -> tuple[str, ...]:
        """The hooks that have run since this was last asked: each leaves a mark."""
        marks = list((self.folder / "stage" / "marks").iterdir())
        for mark in marks:
            mark.unlink()
        return () if self.vector["id"] == UNCERTAIN else tuple(sorted(mark.name.partition("~")[2] for mark in marks))


class Outcome(NamedTuple):
    """What came of a vector in one of the ways."""

    said: Ran | None
    """None: the daemon declined."""
    ran: tuple[str, ...]


class Comparison(NamedTuple):
    was_kept: bool
    """Whether the daemon could answer with hooks that it had kept."""
    difference: str
    """Empty: there is none."""


class Theatre(NamedTuple):
    """All vectors, each in a project of its own."""

    ways: BothWays
    scenes: Sequence[Scene]
    home: Path
    """A link to that of the vector that is played: a daemon answers only those who name the same home."""

    @contextmanager
    def in_home_of(self, scene: Scene) -> Iterator[None]:
        before = self.home.readlink()
        self._link(scene.folder / "home")
        yield
        self._link(before)

    def _link(self, folder: Path) -> None:
        link = self.home.with_name("link")
        link.symlink_to(folder)
        link.replace(self.home)


@pytest.fixture(scope="module")
def theatre() -> Iterator[Theatre]:
    with both_ways() as ways:
        top, homes = ways.stage.top, ways.stage.top / "homes"
        (homes / "none").mkdir(parents=True)
        (homes / "now").symlink_to(homes / "none")
        Path(ways.stage.environment["HOME"]).rmdir()
        Path(ways.stage.environment["HOME"]).symlink_to(homes / "now")
        scenes = [_write(vector, top / str(place), ways) for place, vector in enumerate(share(load(), 3))]
        yield Theatre(ways, scenes, homes / "now")


def _write(vector: Vector, folder: Path, ways: BothWays) -> Scene:
    """Write the files of a vector. All vectors share one HOME, so files of the home folder are linked there later."""
    environment = ways.stage.environment
    stage = referee.Stage(folder / "project", folder / "home", folder / "stage")
    filled = write_files(vector, stage, {"@HOME@": environment["HOME"]})
    ways.approve(stage.project)
    client = filled["client"]
    question = Question(
        words=("--client", client, "--from", client, "--event", filled["event"]),
        stdin=json.dumps(filled["payload"]).encode(),
        cwd=stage.project,
        environment={**environment, **filled.get("env", {})},
    )
    return Scene(filled, folder, question)


@pytest.mark.parametrize("part", range(PARTS))
def test_vectors_are_answered_alike(part: int, theatre: Theatre) -> None:
    ways, scenes = theatre.ways, theatre.scenes[part::PARTS]
    before = ways.stage.status()
    with ThreadPoolExecutor(2) as busy, ThreadPoolExecutor(8) as asleep:
        started = [
            (asleep if scene.sleeps else busy).submit(_compare, ways, scene) for scene in scenes if not scene.has_home
        ]
    compared = [each.result() for each in started]
    for scene in scenes:
        if scene.has_home:
            with theatre.in_home_of(scene):
                compared.append(_compare(ways, scene))
    differences = [each.difference for each in compared if each.difference]
    assert not differences, "\n".join(differences)
    after = ways.stage.status()
    assert after["declined"] == before["declined"]
    assert after["answered"] - before["answered"] >= sum(1 + scene.times for scene in scenes)
    part_kept = sum(each.was_kept for each in compared) / len(scenes)
    assert part_kept > (0.9 if is_shared(Path(gettempdir())) else 0)


def _compare(ways: BothWays, scene: Scene) -> Comparison:
    """Play a vector in both ways.

    Hooks that run at the same time end in any order, and some clients say everything in that order: two answers of exec
    differ like that, too. Whether a hook that sleeps ends in its time may be up to what else runs here. Such events are
    fired again until both ways have had an answer in common.
    """
    first, looks = _by_exec(ways, scene)
    ways.ask_daemon(scene.question._replace(stdin=b""))
    own, asked = {first}, {_by_daemon(ways, scene)}
    was_kept = looks.is_current()
    for _ in range(ATTEMPTS if len(first.ran) > 1 or scene.sleeps else 0):
        if own.isdisjoint(asked):
            own.add(_by_exec(ways, scene)[0])
            asked.add(_by_daemon(ways, scene))
    is_alike = not own.isdisjoint(asked)
    return Comparison(was_kept, "" if is_alike else f"{scene.vector['id']}: exec {own}, the daemon {asked}")


def _by_exec(ways: BothWays, scene: Scene) -> tuple[Outcome, FileSnapshot]:
    for _ in range(scene.times):
        answer = ways.ask_exec(scene.question)
    return Outcome(answer.ran, scene.take_marks()), answer.looks


def _by_daemon(ways: BothWays, scene: Scene) -> Outcome:
    for _ in range(scene.times):
        said = ways.ask_daemon(scene.question)
    if scene.has_background:
        wait_until(lambda: ways.stage.status()["background"] == 0)
    return Outcome(said, scene.take_marks())
