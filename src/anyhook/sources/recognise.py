"""Which client a single file belongs to: by its path, then by its name, then by what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from anyhook.dialects import NAMES, all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import native_names
from anyhook.dialects.places import FileKind, Root, Source
from anyhook.dialects.profile import Profile
from anyhook.dialects.recognition import Recognition
from anyhook.model.document import Document, Format
from anyhook.model.origin import Scope
from anyhook.sources import disk
from anyhook.sources.discover import Found

_BASES = ("recorded", "documented", "specified")


@cache
def _clients() -> tuple[Profile, ...]:
    """Every client that runs hooks; when several could have written a file, the one known best comes first."""
    return tuple(sorted((known for known in all_profiles() if known.runs_hooks), key=lambda k: _BASES.index(k.basis)))


def _hints(of: Callable[[Recognition], tuple[str, ...]]) -> Mapping[str, str]:
    """The hints of one kind, each with its client."""
    return {hint: known.name for known in _clients() for hint in of(known.recognition)}


def recognise_path(path: Path) -> tuple[Found, ...]:
    """Every client that would read a file at this path, owners before those that share it."""
    found = []
    for name in NAMES:
        fitting = [
            Found(name, source, path, base, (rank, 0))
            for rank, source in enumerate(profile(name).sources)
            if not source.sniffed and (base := _base_of(path, source)) is not None
            if not source.marker or disk.exists(base / source.marker)
        ]
        if fitting:  # the same path is the user's in the home folder and a project's everywhere else
            found.append(min(fitting, key=lambda f: (f.source.root is Root.HOME) != (f.base == Path.home())))
    return tuple(sorted(found, key=lambda f: f.source.shared))


def recognise_content(path: Path, document: Document) -> Found | None:
    """The client that a hook file with no telling place was written for; None when it holds no hooks."""
    data = document.data
    if document.format is Format.PYTHON:
        return _own(path) if data is not None or document.quirks else None
    if data is None:  # a broken file still names its events
        data = dict.fromkeys(re.findall(r'"([A-Za-z][\w-]*)"\s*:', document.text))
    events = data.get("hooks") or data if isinstance(data, dict) else data
    if not isinstance(events, dict | list) or not document.text:
        return None
    if isinstance(events, dict) and path.name == "hooks.json" and _is_surely_own(events):
        return _own(path)
    clients = tuple(known.name for known in _clients())
    fitting = _by_events(events, clients) if isinstance(events, dict) else NAMES
    sure = (
        _by_keys(document.text, _is_flat(events)),
        _by_variables(document.text, _hints(lambda hints: hints.variables)),
    )
    likely = (_by_variables(document.text, _hints(lambda hints: hints.shared_variables)), _by_name(path.parts[-4:]))
    name = (
        next((hint for hint in sure if hint in fitting or _knows_most(events, hint)), None)
        or _by_name(path.parts[-1:])
        or next((hint for hint in likely if hint in fitting), None)
    )
    if name is None and fitting and isinstance(events, dict):
        at_home = _at_home(path, fitting) or _by_events(events, _at_home(path, clients))
        name = next(iter(at_home or fitting), None)
    if name is None:
        return None
    kind = FileKind.TOML if path.suffix == ".toml" else FileKind.HOOKS
    if path.name.startswith("settings"):
        kind = FileKind.SETTINGS
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=kind)
    return Found(name, source, path, _package_root(path), (0, 0))


def _is_surely_own(events: Mapping[str, object]) -> bool:
    """Whether the format is anyhook's own, by names of events that no other client has: no client is loaded for it."""
    style, known = re.compile(profile(OWN).recognition.event_style), native_names(OWN)
    telling = sum(style.fullmatch(event) is not None for event in events)
    return all(event in known for event in events) and 2 * telling > len(events)


def _own(path: Path) -> Found:
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=FileKind.HOOKS)
    return Found(OWN, source, path, _package_root(path), (0, 0))


def _base_of(path: Path, source: Source) -> Path | None:
    """The folder from which a source's pattern leads to this path."""
    matched = _suffix_pattern(source.pattern).search(path.as_posix())
    if matched is None or source.root is Root.SYSTEM:
        return None
    base = Path(path.as_posix()[: matched.start()] or ("/" if path.is_absolute() else "."))
    # A folder such as .claude-plugin holds a plugin's manifest; it is not itself a plugin.
    return None if source.root is Root.PLUGIN and base.name.startswith(".") else base


@cache
def _suffix_pattern(pattern: str) -> re.Pattern[str]:
    text = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*").replace(r"\[!_\]", "[^_/]")
    return re.compile(rf"(?:(?<=/)|^){text}$")


def _by_name(parts: tuple[str, ...]) -> str | None:
    """``hooks-cursor.json``, ``gemini/hooks.json``: the nearest part of the path that names a client."""
    words = (word for part in reversed(parts) for word in (part, *re.split(r"[^a-z]+", part.lower())))
    hints = _hints(lambda hints: hints.words)
    return next((hints[word] for word in words if word in hints), None)


def _by_keys(text: str, is_flat: bool) -> str | None:
    hints = {**_hints(lambda hints: hints.keys), **(_hints(lambda hints: hints.flat_keys) if is_flat else {})}
    return next((name for key, name in hints.items() if f'"{key}"' in text and re.search(rf'"{key}"\s*:', text)), None)


def _is_flat(events: object) -> bool:
    """Whether hooks are directly in the lists of events, not in groups."""
    lists = events.values() if isinstance(events, dict) else ()
    entries = [entry for entries in lists if isinstance(entries, list) for entry in entries]
    return bool(entries) and not any(isinstance(entry, dict) and "hooks" in entry for entry in entries)


def _knows_most(events: object, name: str | None) -> bool:
    """Whether a client that a variable of its own points to knows at least half of the events."""
    if name is None or not isinstance(events, dict):
        return False
    return 2 * sum(event in native_names(name) for event in events) >= len(events)


def _by_variables(text: str, hints: Mapping[str, str]) -> str | None:
    return next((name for variable, name in hints.items() if variable in text), None)


def _at_home(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the clients that share a place for hook files and look at this one."""
    sources = ((name, source) for name in names for source in profile(name).sources if source.sniffed)
    return tuple(dict.fromkeys(name for name, source in sources if _base_of(path, source) is not None))


def _by_events(events: Mapping[str, object], names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the clients that know most of these event names; none when no client knows any."""
    known = {name: sum(event in native_names(name) for event in events) for name in names}
    most = max(known.values(), default=0)
    return tuple(name for name, count in known.items() if count == most and most)


def _package_root(path: Path) -> Path:
    """The folder that a loose hook file's paths most likely start from."""
    return path.parent.parent if fnmatchcase(path.parent.name, "*hooks*") else path.parent
