"""What older releases were seen to do is in the profiles, and ``anyhook clients`` says what was measured."""

from __future__ import annotations

import pytest

from anyhook.dialects import NAMES, profile
from anyhook.dialects.measured import MEASURED, decode
from anyhook.dialects.releases import release_order
from conformance.measure import HISTORY, history, recorded_on
from conformance.referee import fire_in_process, load, play_all

pytestmark = pytest.mark.long

WRITTEN = decode(MEASURED.read_bytes())
CLIENTS = [file.stem for file in sorted(HISTORY.glob("*.json"))]
RELEASES = [(client, release) for client in CLIENTS for release in history(client)]


@pytest.mark.parametrize("client", [name for name in NAMES if load([name])])
def test_the_recorded_release_is_measured_with_every_vector(client: str) -> None:
    first = WRITTEN[client][0]
    count = len(load([client]))
    assert (first.release, first.date) == (profile(client).release, recorded_on(client))
    assert (first.vectors, first.agree) == (count, count)  # test_vectors.py plays them


@pytest.mark.parametrize("client", CLIENTS)
def test_every_release_of_the_history_is_measured(client: str) -> None:
    older = {each.release: (each.date, each.vectors) for each in WRITTEN[client][1:]}
    assert older == {release: (seen["date"], len(seen["played"])) for release, seen in history(client).items()}
    assert min(map(release_order, older)) == release_order(profile(client).oldest)


@pytest.mark.parametrize("client", CLIENTS)
def test_three_older_releases_are_known(client: str) -> None:
    assert len(history(client)) >= 3


@pytest.mark.parametrize(("client", "release"), RELEASES)
def test_what_changed_is_in_the_profile(client: str, release: str) -> None:
    """By the rules of the release, anyhook does not do what the recorded one does, unless the profile cannot say it."""
    changed = set(history(client)[release]["changed"])
    vectors = [{**vector, "client": f"{client}@{release}"} for vector in load([client]) if vector["id"] in changed]
    unknown = sum(not wrong for _, wrong in play_all(vectors, fire_in_process, at_once=2))
    [written] = [each for each in WRITTEN[client] if each.release == release]
    assert written.vectors - written.agree >= unknown
