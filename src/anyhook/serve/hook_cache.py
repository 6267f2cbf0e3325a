"""Keeps the hooks that were found, parsed and checked, as long as everything that was looked at for that is the same.

Also what was not there counts, and where was looked for more: a file that appears is found at once. Nothing is kept of
a search that failed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from anyhook.bridge.answer_event import NotCachedError
from anyhook.bridge.packages import HookPackage, find_packages
from anyhook.sources.discover import Roots
from anyhook.sources.disk import FileSnapshot, tracking_reads

MAX_PACKAGES = 128
"""Packages, for as many folders as sessions are in; the longest unused go first."""
_Key = tuple[Path | str | None, ...]


class SeenVariables(Mapping[str, str]):
    """An environment that knows which of its variables somebody wanted to know."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._asked: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        self._asked[name] = self._variables.get(name)
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        raise TypeError("ask for single variables: the others change from call to call")

    def __len__(self) -> int:
        return len(self._variables)

    def are_the_same_in(self, others: Mapping[str, str]) -> bool:
        """Whether whoever asked would get the same from the others."""
        return all(others.get(name) == value for name, value in self._asked.items())


class _Kept(Struct, frozen=True):
    packages: tuple[HookPackage, ...]
    snapshot: FileSnapshot
    variables: SeenVariables


class HookCache:
    """The sides of the latest calls; may be used by several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def recall(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        """What :func:`find_packages` would give, if that is known; raises UnknownYetError. Reads no file."""
        key = _key(roots, package, dialect, started_in)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is None or not kept.variables.are_the_same_in(roots.environment) or not kept.snapshot.is_current():
            raise NotCachedError
        return kept.packages

    def find(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        """What :func:`find_packages` gives, to be recalled later."""
        with suppress(NotCachedError):
            return self.recall(roots, package=package, dialect=dialect, started_in=started_in)
        variables = SeenVariables(roots.environment)
        watched = structs.replace(roots, environment=variables)
        with tracking_reads() as snapshot:
            packages = find_packages(watched, package=package, dialect=dialect, started_in=started_in)
        key = _key(roots, package, dialect, started_in)
        with self._lock:
            self._kept[key] = _Kept(packages, snapshot, variables)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_PACKAGES:
                self._kept.popitem(last=False)
        return packages


def _key(roots: Roots, package: Path | None, dialect: str | None, started_in: Path) -> _Key:
    return (roots.project, roots.home, roots.system, package, dialect, started_in)
