"""Every target of ``make fuzz`` takes its seeds and some changes of them, and everything that was found once."""

from __future__ import annotations

import random
import warnings
from itertools import islice
from pathlib import Path

import pytest

from fuzz.fuzz import Watched, mutated
from fuzz.targets import TARGETS, seeds_of

FOUND: list[tuple[str, bytes]] = [
    # A byte that is not UTF-8 reached the hook, which could not read its payload.
    ("payload", b'\x03{"hookName": "permissionRequest", "toolName": "bash", "toolInput": {"command": "a\x80b"}}'),
    # What was beside a secret looked like one only when that was gone.
    ("redactor", b"-rd: xTOKEN-de66666666666666666666666666666666cisionrd: xTOK\xff\xff=="),
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_was_found_once(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_works(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.fuzz.FINDINGS", tmp_path)
    seeds = seeds_of(name)[:30]
    watched = Watched(name, TARGETS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in islice(mutated(seeds, random.Random(1)), 100):
            watched(data)
    assert watched.inputs == 100
    assert watched.found <= {"slow"}, [file.read_text() for file in tmp_path.glob("*.txt")]


def test_a_finding_is_noted_once_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.fuzz.FINDINGS", tmp_path)

    def feed(data: bytes) -> None:
        if data == b"bad":
            raise ValueError

    watched = Watched("x", feed)
    for data in (b"good", b"bad", b"bad", b"good"):
        watched(data)
    assert (watched.inputs, len(watched.found)) == (4, 1)
    (stored,) = (file for file in tmp_path.iterdir() if not file.suffix)
    assert stored.read_bytes() == b"bad"
