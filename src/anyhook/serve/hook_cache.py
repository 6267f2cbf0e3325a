"""Caches packages (found, parsed, checked for trust) while everything that was read for them stays the same.

The snapshot includes searched folders and files that did not exist, so a file that appears is noticed at once. A search
that failed is not cached.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from anyhook.bridge.prepare_event import NotCachedError
from anyhook.project.asked_packages import HookPackage, find_packages
from anyhook.sources.discover import Roots
from anyhook.sources.disk import FileSnapshot, tracking_reads

MAX_CACHED = 128
"""Searches whose result is kept; the least recently used is dropped first."""
_Key = tuple[str | None, ...]


class TrackedVariables(Mapping[str, str]):
    """An environment that records which of its variables were read."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._read: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        self._read[name] = self._variables.get(name)
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        raise TypeError("read single variables: the others change from call to call")

    def __len__(self) -> int:
        return len(self._variables)

    def are_same_in(self, others: Mapping[str, str]) -> bool:
        """Whether the variables that were read have the same values in another environment."""
        return all(others.get(name) == value for name, value in self._read.items())


class _Cached(Struct, frozen=True):
    packages: tuple[HookPackage, ...]
    snapshot: FileSnapshot
    variables: TrackedVariables

    def is_current(self, environment: Mapping[str, str]) -> bool:
        """True if everything that was asked has the same answer, and no signer may have expired meanwhile."""
        is_over = any(found.until is not None and found.until <= time.time() for found in self.packages)
        return not is_over and self.variables.are_same_in(environment) and self.snapshot.is_current()


class HookCache:
    """The packages of the latest searches; may be used by several threads."""

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        self._clock = clock
        self._cached: OrderedDict[_Key, _Cached] = OrderedDict()
        self._lock = threading.Lock()

    def recall(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        """What :func:`find_packages` would return, if that is cached and quickly matched; raises NotCachedError.

        Reads no file and compiles no pattern, so the event loop may call it.
        """
        packages = self._recall(roots, package, dialect, started_in)
        if any(found.may_be_slow for found in packages):
            raise NotCachedError
        return packages

    def _recall(
        self, roots: Roots, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        key = _key(roots, package, dialect, started_in)
        with self._lock:
            cached = self._cached.get(key)
            if cached is not None:
                self._cached.move_to_end(key)
        if cached is None or not cached.is_current(roots.environment):
            raise NotCachedError
        return cached.packages

    def find(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]:
        """What :func:`find_packages` returns, from the cache if possible."""
        with suppress(NotCachedError):
            return self._recall(roots, package, dialect, started_in)
        variables = TrackedVariables(roots.environment)
        tracked = structs.replace(roots, environment=variables)
        with tracking_reads(self._clock) as snapshot:
            packages = find_packages(tracked, package=package, dialect=dialect, started_in=started_in)
        key = _key(roots, package, dialect, started_in)
        with self._lock:
            self._cached[key] = _Cached(packages, snapshot, variables)
            self._cached.move_to_end(key)
            while len(self._cached) > MAX_CACHED:
                self._cached.popitem(last=False)
        return packages


def _key(roots: Roots, package: Path | None, dialect: str | None, started_in: Path) -> _Key:
    paths = (roots.project, roots.home, roots.system, started_in)  # text is hashed and compared faster than a Path
    return (*map(str, paths), None if package is None else str(package), dialect)
