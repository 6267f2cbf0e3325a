"""Clients in earlier releases: changes are taken back, and every one of them is shown by a vector that was played."""

from __future__ import annotations

import pytest
from msgspec import structs

from anyhook.dialects import all_profiles, dialect, find_client, find_release, profile, unknown_client_text
from anyhook.dialects.profile import Profile, ReleaseChange
from anyhook.dialects.releases import as_of, release_order, unknown_release_text

CHANGED = [known for known in all_profiles() if known.changes]
CHANGES = [
    pytest.param(known, change, id=f"{known.name}-{change.since}-{index}")
    for known in CHANGED
    for index, change in enumerate(known.changes)
]


def value_of(part: object, field: str) -> object:
    for name in field.split("."):
        part = getattr(part, name)
    return part


@pytest.mark.parametrize(("known", "change"), CHANGES)
def test_a_change_names_fields_with_other_values_of_their_type(known: Profile, change: ReleaseChange) -> None:
    assert change.before
    for field, before in change.before.items():
        now = value_of(known, field)
        assert before != now
        assert isinstance(before, type(now))


@pytest.mark.parametrize("known", CHANGED, ids=lambda known: known.name)
def test_changes_are_in_order_and_within_what_was_measured(known: Profile) -> None:
    releases = [release_order(change.since) for change in known.changes]
    assert releases == sorted(releases, reverse=True)
    assert release_order(known.oldest) < releases[-1]
    assert releases[0] <= release_order(known.release)


@pytest.mark.parametrize(("known", "change"), CHANGES)
def test_the_release_of_a_change_has_it_and_the_oldest_has_not(known: Profile, change: ReleaseChange) -> None:
    then, since = as_of(known, known.oldest), as_of(known, change.since)
    for field in change.before:
        assert value_of(then, field) != value_of(known, field)
        later = [other for other in known.changes if release_order(other.since) > release_order(change.since)]
        if not any(field in other.before for other in later):
            assert value_of(since, field) == value_of(known, field)


def test_a_client_in_a_release_is_found_by_its_name() -> None:
    old, new = profile("codex@0.144.6"), profile("codex@0.145.0")
    assert ("SessionEnd" in old.events, "SessionEnd" in new.events) == (False, True)
    assert (old.name, old.title, old.release) == ("codex@0.144.6", "Codex 0.144.6", "0.144.6")
    assert dialect("codex@0.144.6") is dialect("codex@0.144.6")


def test_the_recorded_release_and_newer_ones_have_the_rules_of_the_profile() -> None:
    known = profile("codex")
    for release in (known.release, "99.0"):
        assert structs.replace(as_of(known, release), name=known.name, title=known.title, release="") == (
            structs.replace(known, release="")
        )


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("codex", "codex"),
        ("Claude@2.1.200", "claude-code@2.1.200"),
        ("codex@0.1", None),
        ("codex@latest", None),
        ("cursor@1.0", None),
        ("nobody@1.0", None),
    ],
)
def test_names_with_releases(name: str, found: str | None) -> None:
    assert find_release(name) == found


def test_a_release_is_refused_where_a_client_is_asked_for() -> None:
    assert find_client("codex@0.147.0") is None
    assert unknown_client_text("codex@0.147.0") == "a release cannot be named here; write codex"


@pytest.mark.parametrize(
    ("client", "release", "why"),
    [
        ("codex", "0.100.0", "Codex 0.100.0 was not measured; the oldest release that was is 0.142.0"),
        ("codex", "x", "'x' is no release; write it as in codex@0.166.0"),
        ("cursor", "1.0", f"Cursor is known in one release alone ({profile('cursor').release})"),
        ("codex", "0.147.0", ""),
    ],
)
def test_why_a_release_is_not_known(client: str, release: str, why: str) -> None:
    assert unknown_release_text(profile(client), release) == why
    if why:
        with pytest.raises(KeyError):
            dialect(f"{client}@{release}")


def test_an_earlier_release_keeps_what_its_client_demands_of_extensions() -> None:
    old, new = dialect("gemini-cli@0.42.0"), dialect("gemini-cli")
    assert old.extensions is new.extensions is not None
    assert old.why_extension_is_lost({"settings": 5}, {}) == new.why_extension_is_lost({"settings": 5}, {}) != ""
