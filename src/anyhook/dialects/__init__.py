"""All dialects, each loaded when it is first asked for.

Names come from the files of :mod:`anyhook.dialects.clients`, so that asking for them loads no client.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from anyhook.dialects import clients
from anyhook.dialects.clients import FIRST
from anyhook.dialects.profile import Profile  # loaded here: the function below takes the module's place as an attribute
from anyhook.model.wording import did_you_mean

if TYPE_CHECKING:
    from anyhook.dialects.base import Dialect


def _client_names() -> tuple[str, ...]:
    files = (file for file in Path(clients.__path__[0]).iterdir() if not file.name.startswith("_"))
    found = {file.stem.replace("_", "-") for file in files}
    return (*(name for name in FIRST if name in found), *sorted(found.difference(FIRST)))


NAMES: tuple[str, ...] = _client_names()
"""Every client, the best known first."""


@cache
def dialect(name: str) -> Dialect:
    """The dialect of this name, which may have a release: ``codex@0.147.0``. KeyError when there is none."""
    client, at, release = name.partition("@")
    if client not in NAMES:
        raise KeyError(name)
    module = import_module(f"anyhook.dialects.clients.{client.replace('-', '_')}")
    loaded: Dialect = module.DIALECT
    return _in_release(loaded, release) if at else loaded


def _in_release(loaded: Dialect, release: str) -> Dialect:
    from anyhook.dialects.releases import as_of

    try:
        return loaded.with_profile(as_of(loaded.profile, release))
    except ValueError as error:
        raise KeyError(f"{loaded.profile.name}@{release}") from error


def profile(name: str) -> Profile:
    return dialect(name).profile


def all_profiles() -> tuple[Profile, ...]:
    """Every client's profile, in the order of the names. Loads all of them: not for the path of an event."""
    return tuple(map(profile, NAMES))


def real_clients() -> tuple[Profile, ...]:
    """The clients that people use, without the formats that only a document describes."""
    return tuple(known for known in all_profiles() if known.basis != "specified")


@cache
def nicknames() -> Mapping[str, str]:
    """Short names that people type, with the client."""
    return {nickname: known.name for known in all_profiles() for nickname in known.nicknames}


def find_client(name: str) -> str | None:
    """The client of this name or nickname, in any case; None when there is none."""
    lowered = name.lower()
    return lowered if lowered in NAMES else nicknames().get(lowered)


def find_release(name: str) -> str | None:
    """The client of this name or nickname, with the release after an @ if there is one whose rules are known."""
    client, at, release = name.partition("@")
    found = find_client(client)
    if found is None or not at:
        return found
    from anyhook.dialects.releases import unknown_release_text

    return None if unknown_release_text(profile(found), release) else f"{found}@{release}"


def unknown_client_text(name: str) -> str:
    """The message that there is no such client, or no such release of it."""
    client, at, release = name.partition("@")
    if at and (found := find_client(client)):
        from anyhook.dialects.releases import unknown_release_text

        return unknown_release_text(profile(found), release) or f"a release cannot be named here; write {found}"
    return f"there is no client {name!r}; {did_you_mean(name.lower(), (*NAMES, *nicknames()), NAMES)}"
