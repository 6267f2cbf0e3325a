"""F011: hook files where their client never looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from anyhook.dialects import all_profiles
from anyhook.dialects.events import find_event
from anyhook.dialects.profile import Profile
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.model.wording import join_and
from anyhook.sources import disk

_MAX_BYTES = 1_000_000
# In JSON; in JSON5, whose keys need no quotes; in YAML.
_has_hooks = re.compile(
    r""""hooks"\s*: | (?<![\w"])'?hooks'?\s*:\s*\{ | ^hooks:[ \t]*$""", re.MULTILINE | re.VERBOSE
).search
_keys = re.compile(r'"([A-Za-z][\w-]*)"\s*:').findall


def lost_files(paths: Iterable[Path], clients: Sequence[str]) -> Iterator[Problem]:
    """The problems of those of the files that hold hooks."""
    return filter(None, (lost_file(path, clients) for path in paths))


def lost_file(path: Path, clients: Sequence[str]) -> Problem | None:
    """The problem of a file that holds hooks and is in a place that looks right to people only."""
    known = [each for each in all_profiles() if not clients or each.name in clients]
    owners = [(each, right) for each in known if (right := _right_place(each, path.absolute()))]
    return _problem(owners, path) if owners and _holds_hooks(path) and not _is_named(path) else None


def _right_place(known: Profile, path: Path) -> str:
    """Where a client reads hooks instead of from this place; empty: it is none that people take for a right one."""
    return next((right for pattern, right in known.recognition.wrong_places.items() if path.match(pattern)), "")


def _problem(owners: Sequence[tuple[Profile, str]], path: Path) -> Problem:
    first, right = owners[0]
    origin = Origin(first.name, Scope.PROJECT, str(path), "", 1, 1)
    read = "reads" if len(owners) == 1 else "read"
    text = f"{join_and(each.title for each, _ in owners)} never {read} hooks from this file"
    return problem("F011", origin, text, f"move them to {right}")


def _holds_hooks(path: Path) -> bool:
    """Whether a file has hooks, under a key of this name or directly under events."""
    content = disk.read_small_file(path, _MAX_BYTES)
    text = "" if content is None else content.decode("utf-8", "replace")
    keys = frozenset(_keys(text))
    has_events = not keys.isdisjoint({"command", "bash"}) and any(map(find_event, keys))
    return has_events or _has_hooks(text) is not None


def _is_named(path: Path) -> bool:
    """Whether the manifest of the plugin names the file, or the manifest is not here to be asked."""
    folder = next((folder for folder in path.parents if folder.name.endswith("-plugin")), None)
    if folder is None:
        return False
    manifest = folder / "plugin.json"
    content = disk.read_small_file(manifest, _MAX_BYTES) if disk.is_file(manifest) else None
    return content is None or path.name in content.decode("utf-8", "replace")
