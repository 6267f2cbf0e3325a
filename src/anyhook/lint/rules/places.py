"""F011: hook files where their client never looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from anyhook.dialects import all_profiles
from anyhook.dialects.profile import Profile
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.sources import disk

_MAX_BYTES = 1_000_000
_has_hooks = re.compile(r'"(?:hooks|command|bash)"\s*:').search


def lost_files(paths: Iterable[Path], client: str | None) -> Iterator[Problem]:
    """The problems of those of the files that hold hooks."""
    return filter(None, (lost_file(path, client) for path in paths))


def lost_file(path: Path, client: str | None) -> Problem | None:
    """The problem of a file that holds hooks and is in a place that looks right to people only."""
    for known in all_profiles():
        if client not in (None, known.name):
            continue
        for pattern, right in known.recognition.wrong_places.items():
            if path.match(pattern) and _holds_hooks(path) and not _is_named(path):
                return _problem(known, path, right)
    return None


def _problem(known: Profile, path: Path, right: str) -> Problem:
    origin = Origin(known.name, Scope.PROJECT, str(path), "", 1, 1)
    return problem("F011", origin, f"{known.title} never reads hooks from this file", f"move them to {right}")


def _holds_hooks(path: Path) -> bool:
    content = disk.read_small_file(path, _MAX_BYTES)
    return content is not None and _has_hooks(content.decode("utf-8", "replace")) is not None


def _is_named(path: Path) -> bool:
    """Whether the manifest of the plugin names the file, or the manifest is not here to be asked."""
    folder = next((folder for folder in path.parents if folder.name.endswith("-plugin")), None)
    if folder is None:
        return False
    manifest = folder / "plugin.json"
    content = disk.read_small_file(manifest, _MAX_BYTES) if disk.is_file(manifest) else None
    return content is None or path.name in content.decode("utf-8", "replace")
