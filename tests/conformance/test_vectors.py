"""anyhook does what the real clients were recorded to do: every vector of ``conformance/``."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from conformance.referee import VECTORS, Vector, fire_by_command, fire_in_process, load, play_all
from tests.checkout import SOURCE
from tests.warm.commands import warm_words

CLIENTS = sorted(file.stem for file in VECTORS.glob("*.jsonl"))
SAMPLED = 40
"""Of the vectors, one in so many is also played through the command, beside all of one client."""


def disagreements(played: Iterable[tuple[Vector, list[str]]]) -> str:
    return "\n".join(f"{vector['id']}: {wrong}" for vector, wrong in played if wrong)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_vector_agrees(client: str) -> None:
    assert disagreements(play_all(load([client]), fire_in_process, at_once=4)) == ""


def through_the_command() -> list[Vector]:
    return [*load(["universal"]), *load()[::SAMPLED]]


@pytest.mark.long
def test_a_sample_agrees_through_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    fire = fire_by_command(list(warm_words()))
    assert disagreements(play_all(through_the_command(), fire, at_once=2)) == ""


def test_ids_are_unique() -> None:
    ids = [vector["id"] for vector in load()]
    assert len(ids) == len(set(ids))
