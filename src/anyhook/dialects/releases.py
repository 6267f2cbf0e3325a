"""A client in one of its earlier releases: its profile with the changes since then taken back.

``codex@0.147.0`` names a client in a release wherever a client is named, so that its rules are found like any other's.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.profile import Profile

_RELEASE = re.compile(r"\d+(\.\d+)*")


def release_order(release: str) -> tuple[int, ...]:
    """What releases are compared by. Raises ValueError for a text that is no release."""
    if not _RELEASE.fullmatch(release):
        raise ValueError(release)
    return tuple(map(int, release.split(".")))


def unknown_release_text(profile: Profile, release: str) -> str:
    """Why the rules of a release are not known; empty: they are. One newer than the recorded release has its rules."""
    try:
        order = release_order(release)
    except ValueError:
        return f"{release!r} is no release; write it as in {profile.name}@{profile.release}"
    if not profile.oldest:
        return f"{profile.title} is known in one release alone ({profile.release})"
    if order < release_order(profile.oldest):
        return f"{profile.title} {release} was not measured; the oldest release that was is {profile.oldest}"
    return ""


def as_of(profile: Profile, release: str) -> Profile:
    """The rules of a release. Raises ValueError when they are not known."""
    if why := unknown_release_text(profile, release):
        raise ValueError(why)
    order = release_order(release)
    older: Profile = profile
    for change in profile.changes:
        if order < release_order(change.since):
            for field, value in change.before.items():
                older = _with_field(older, field, value)
    name, title = f"{profile.name}@{release}", f"{profile.title} {release}"
    return structs.replace(older, name=name, title=title, release=release)


def _with_field(part: Any, field: str, value: Any) -> Any:
    """The part of a profile with another value for a field that may be deep in it."""
    assert isinstance(part, Struct)
    name, _, rest = field.partition(".")
    return structs.replace(part, **{name: _with_field(getattr(part, name), rest, value) if rest else value})
