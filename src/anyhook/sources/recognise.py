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
from anyhook.model.document import Document
from anyhook.model.origin import Scope
from anyhook.sources import disk
from anyhook.sources.discover import Found, config_folders
from anyhook.sources.load import FILE_NAME

PLUGIN_PACKAGE = "package"
"""The folder of the package in a plugin that anyhook makes: the plugin's own hooks/hooks.json is the client's."""

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
    if document.format.is_own:
        return _own(path) if data is not None or document.quirks else None
    if data is None:  # a broken file still names its events
        data = dict.fromkeys(re.findall(r'"([A-Za-z][\w-]*)"\s*:', document.text))
    events = data.get("hooks") or data if isinstance(data, dict) else data
    if not isinstance(events, dict | list) or not document.text:
        return None
    if isinstance(events, dict) and path.name == "hooks.json" and _is_surely_own(path, events):
        return _own(path)
    clients = tuple(known.name for known in _clients())
    fitting = _by_events(events, clients) if isinstance(events, dict) else NAMES
    sure = (
        _by_keys(document.text, _is_flat(events)),
        _by_variables(document.text, _hints(lambda hints: hints.variables)),
    )
    likely = (_by_name(path.parts[-4:]), _by_variables(document.text, _hints(lambda hints: hints.shared_variables)))
    told = _by_schema(data) or _by_sections(data) or _by_folder(path) or _by_manifest(path, fitting, sure)
    if told is None and _is_in_unknown_folder(path):
        return None
    name = (
        told
        or next((hint for hint in sure if hint in fitting or _knows_most(events, hint)), None)
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


def _is_surely_own(path: Path, events: Mapping[str, object]) -> bool:
    """Whether the format is anyhook's own, by names of events that no other client has: no client is loaded for it.

    In the package of a plugin that anyhook made, other clients' names for some of them do not count.
    """
    style, known = re.compile(profile(OWN).recognition.event_style), native_names(OWN)
    is_telling = any(map(style.fullmatch, events)) or path.parts[-3:-1] == (PLUGIN_PACKAGE, "hooks")
    return bool(events) and is_telling and all(event in known for event in events)


def _own(path: Path) -> Found:
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=FileKind.HOOKS)
    return Found(OWN, source, path, _around_hooks(path), (0, 0))


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


def _by_schema(data: object) -> str | None:
    """The client that the file's own ``$schema`` names."""
    schema = data.get("$schema") if isinstance(data, dict) else None
    return _by_name((schema,)) if isinstance(schema, str) else None


def _by_sections(data: object) -> str | None:
    """The format for several clients that has a section of hooks for one of them, as the file has."""
    if not isinstance(data, dict):
        return None
    sections = {key for key, value in data.items() if isinstance(value, dict) and "hooks" in value}
    formats = (known for known in all_profiles() if known.layout.sections.keys() & sections)
    return next((known.name for known in formats), None)


def _by_folder(path: Path) -> str | None:
    """The client whose plugins are in the folder around the plugin."""
    around = {folder.as_posix() for folder in list(path.parents)[1:4]}
    hints = _hints(lambda hints: hints.plugin_folders)
    return next((name for folder, name in hints.items() if any(a.endswith(f"/{folder}") for a in around)), None)


def _by_manifest(path: Path, fitting: tuple[str, ...], sure: tuple[str | None, ...]) -> str | None:
    """The client whose manifest the plugin around the file has.

    Of several, one that knows the events; of several of these, the one that keys of the hooks point to.
    """
    root = _plugin_root(path)
    telling = {name: set(markers) - _NEUTRAL_FOLDERS for name, markers in _markers().items()}
    names = [name for name, markers in telling.items() if root and any(disk.exists(root / m) for m in markers)]
    own = [name for name in names if name in fitting]
    own.sort(key=lambda name: name not in sure)
    return own[0] if len(own) == 1 or (own and len(names) == len(own)) else names[0] if len(names) == 1 else None


def _plugin_root(path: Path) -> Path | None:
    """The nearest folder around a file that has the manifest of a plugin."""
    markers = {marker for several in _markers().values() for marker in several}
    near = (folder for folder in list(path.parents)[:4] if folder.name not in markers)
    return next((folder for folder in near if any(disk.exists(folder / marker) for marker in markers)), None)


@cache
def _markers() -> Mapping[str, tuple[str, ...]]:
    """The files and folders that make a folder a plugin of a client."""
    markers = {
        known.name: tuple(s.marker for s in known.sources if s.root is Root.PLUGIN and s.marker and "/" not in s.marker)
        for known in _clients()
        if known.basis != "specified"
    }
    return {name: several for name, several in markers.items() if several}


_NEUTRAL_FOLDERS = frozenset({".github", ".agents", ".config", ".plugin", ".anyhook"})


def _is_in_unknown_folder(path: Path) -> bool:
    """Whether the file is in the dot-folder of a program that anyhook does not know."""
    folders = [part for part in path.parts[-4:-1] if re.match(r"\.\w", part)]
    if not folders or _by_name(path.parts[-4:]):
        return False
    nearest = folders[-1]
    return nearest not in config_folders() | _NEUTRAL_FOLDERS and not any(nearest in m for m in _markers().values())


def _by_keys(text: str, is_flat: bool) -> str | None:
    hints = {**_hints(lambda hints: hints.keys), **(_hints(lambda hints: hints.flat_keys) if is_flat else {})}
    return next((name for key, name in hints.items() if _key_pattern(key).search(text)), None)


@cache
def _key_pattern(key: str) -> re.Pattern[str]:
    """A key with a value; ``matcher.tool_name`` is a key that is the first of an object."""
    return re.compile(r"\s*\{\s*".join(rf'"{re.escape(part)}"\s*:' for part in key.split(".")))


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
    return _plugin_root(path) or _around_hooks(path)


def _around_hooks(path: Path) -> Path:
    """The folder of a hook file, or the one around it if that is called hooks."""
    is_inside = path.name != FILE_NAME and fnmatchcase(path.parent.name, "*hooks*")
    return path.parent.parent if is_inside else path.parent
