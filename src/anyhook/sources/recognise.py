"""Which client a file is for, and who else reads it: by its path, then by its name, then by what is in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import structs

from anyhook.dialects import NAMES, all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event, native_names
from anyhook.dialects.places import FileKind, Root, Source
from anyhook.dialects.profile import Profile
from anyhook.dialects.recognition import Recognition
from anyhook.model.document import Document, parse_pointer, value_at
from anyhook.model.hooks import HookFile
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem
from anyhook.sources import disk
from anyhook.sources.discover import Found, config_folders, find_in_package, in_client_order
from anyhook.sources.load import Loader, may_define_hooks
from anyhook.sources.package_files import package_of

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


def written_for(path: Path, loader: Loader) -> Found | None:
    """The client that a file was written for, by what is in it; None: it cannot be read, or it holds no hooks."""
    document = loader.document(path, loader.format_of(path))
    return None if isinstance(document, Problem) else recognise_content(path, document)


def readers_of(path: Path, loader: Loader, client: str | None = None) -> tuple[Found, ...]:
    """One file as every client would find it there, best guess first; or as one client, whoever else it is for."""
    found = recognise_path(path)
    if client is not None:
        found = tuple(file for file in found if file.dialect == client)
    elif sum(not file.source.shared for file in found) > 1:  # its owners tell each other's files by what is in them
        guess = written_for(path, loader)
        owner = guess.dialect if guess else found[0].dialect
        found = tuple(sorted(found, key=lambda f: (f.source.shared, f.dialect != owner)))
    if not found and (guess := written_for(path, loader)):
        found = (structs.replace(guess, dialect=client or guess.dialect),)
    if not found and client in (None, OWN) and path.parts[-2:] == ("hooks", "hooks.json"):
        found = tuple(file for file in find_in_package(path.parent.parent, (OWN,)) if file.path == path)
    return found if found or client is None else (_as_if_found(path, client),)


def _as_if_found(path: Path, client: str) -> Found:
    """A file that nothing identifies, as the client reads it whose the user says it is."""
    kind = FileKind.SETTINGS if path.name.startswith("settings") else FileKind.HOOKS
    kind = {".toml": FileKind.TOML, ".md": FileKind.COMPONENT}.get(path.suffix, kind)
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=kind)
    return Found(client, source, path, path.parent, (0, 0))


def without_other_formats(found: Sequence[Found], loader: Loader) -> tuple[Found, ...]:
    """The files without those that were written for another client which uses the same path."""
    claimed = {file.path for file in found if not file.source.sniffed}
    kept = [f for f in found if not f.source.sniffed or _is_written_for(f, f.path in claimed, loader)]
    readers: dict[Path, list[Found]] = {}
    for file in kept:
        readers.setdefault(file.path, []).append(file)
    foreign = {path: guess for path, several in readers.items() if (guess := _owner_besides(several, loader))}
    if not foreign:
        return tuple(kept)
    return in_client_order([*(file for file in kept if file.path not in foreign), *foreign.values()])


def _owner_besides(readers: Sequence[Found], loader: Loader) -> Found | None:
    """The client that a file was written for, if its readers only share the name of its manifest; None: one of them."""
    if any(not file.source.shared and file.source.marker != GENERIC_MANIFEST for file in readers):
        return None
    guess = written_for(readers[0].path, loader)
    return guess if guess and guess.dialect not in {file.dialect for file in readers} else None


def _is_written_for(file: Found, is_claimed: bool, loader: Loader) -> bool:
    """Whether a file at a path that several clients use was written for this one.

    A hooks.json that no client claims belongs to the package: broken or empty, it must not be passed over.
    """
    document = loader.document(file.path, loader.format_of(file.path))
    if isinstance(document, Problem) and loader.format_of(file.path).is_own:
        return file.dialect == OWN and may_define_hooks(file.path)
    guess = written_for(file.path, loader)
    if guess is None:
        return file.dialect == OWN and file.path.suffix == ".json" and not is_claimed
    return guess.dialect == file.dialect


def first_reader(path: Path, document: Document, readers: Sequence[tuple[Source, HookFile]]) -> int:
    """Which of its readers a file was written for: an owner before one that reads it too, then what is in it."""
    owners = [place for place, (source, _) in enumerate(readers) if not source.shared] or list(range(len(readers)))
    if readers[owners[0]][0].root is Root.PLUGIN:
        owners = list(range(len(readers)))  # a plugin may be written for any of them
    if len(owners) == 1:
        return owners[0]
    by_name = {readers[place][1].dialect: place for place in owners}
    guess = recognise_content(path, document)
    meant = guess.dialect if guess and guess.dialect in by_name else ""
    for place in owners:
        file = readers[place][1]
        sibling = profile(file.dialect).recognition.sibling
        if sibling in by_name and meant in ("", file.dialect, sibling):
            return place if _has_form_of(document, file, sibling) else by_name[sibling]
    return by_name.get(meant, owners[0])


def _has_form_of(document: Document, file: HookFile, sibling: str) -> bool:
    """Whether a file that two clients own has the version, the keys and the spelling of events of its reader."""
    data, known = document.data, profile(file.dialect)
    if not isinstance(data, dict) or not isinstance(data.get("hooks"), dict):
        return False
    events: Iterable[str] = data["hooks"]
    if _number_known(sibling, events) > _number_known(file.dialect, events):
        return False
    foreign = {*profile(sibling).recognition.keys} - known.layout.common_keys.keys()
    pointers = (action.origin.pointer for rule in file.rules for action in rule.actions)
    entries = [value_at(data, parse_pointer(data, pointer)) for pointer in pointers]
    own = {*known.recognition.flat_keys}
    if any(isinstance(entry, dict) and not own.isdisjoint(entry) for entry in entries):
        return True
    is_upper = next(iter(native_names(file.dialect)))[:1].isupper()
    return (
        ("version" in data) == (known.layout.version is not None)
        and all(foreign.isdisjoint(entry) for entry in entries if isinstance(entry, dict))
        and all(event[:1].isupper() == is_upper for event in events)
    )


def _number_known(name: str, events: Iterable[str]) -> int:
    return sum(event in native_names(name) for event in events)


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
    told = told or _by_named_hooks(data)
    named = _by_name(path.parts[-1:]) if fitting or _has_events(document.text) else None
    if told is None and (not (fitting or named) or is_of_unknown_client(path)):
        return None  # a key, a variable or a word in the path is no proof alone
    if told is named is None and isinstance(document.data, dict) and _is_in_no_form(events):
        return None  # names of events are no proof either where what is in them is no client's
    own_variable, own_folder = sure[1], _by_config_folder(path)
    name = (
        told
        or next((hint for hint in sure if hint in fitting or _knows_all(events, hint)), None)
        or next((hint for hint in (own_variable, own_folder) if _knows_most(events, hint)), None)
        or named
        or next((hint for hint in likely if hint in fitting), None)
        or next((hint for hint in fitting if _has_generic_manifest(path, hint)), None)
    )
    if name is None and isinstance(events, dict):
        at_home = _at_home(path, fitting) or _by_events(events, _at_home(path, clients))
        name = next(iter(at_home or fitting), None)
    if name is None:
        return None
    kind = FileKind.TOML if path.suffix == ".toml" else FileKind.HOOKS
    if path.name.startswith("settings"):
        kind = FileKind.SETTINGS
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=kind)
    return Found(name, source, path, _package_root(path), (0, 0))


def _is_in_no_form(events: object) -> bool:
    """Whether an event holds anything but hooks: an object that is none, and has none in it."""
    values = [value for event, value in events.items() if find_event(event)] if isinstance(events, dict) else ()
    return any(isinstance(value, dict) and not {"hooks", "command", "type"} & value.keys() for value in values)


def _has_events(text: str) -> bool:
    """Whether a key at any depth is an event."""
    return any(map(find_event, re.findall(r'"([A-Za-z][\w-]*)"\s*:', text)))


def _is_surely_own(path: Path, events: Mapping[str, object]) -> bool:
    """Whether the format is anyhook's own, by names of events that no other client has: no client is loaded for it.

    In the package of a plugin that anyhook made, other clients' names for some of them do not count.
    """
    style, known = re.compile(profile(OWN).recognition.event_style), native_names(OWN)
    is_telling = any(map(style.fullmatch, events)) or path.parts[-3:-1] == (PLUGIN_PACKAGE, "hooks")
    return bool(events) and is_telling and all(event in known for event in events)


def _own(path: Path) -> Found:
    source = Source(scope=Scope.PLUGIN, root=Root.PLUGIN, pattern=path.name, kind=FileKind.HOOKS)
    return Found(OWN, source, path, package_of(path), (0, 0))


def _base_of(path: Path, source: Source) -> Path | None:
    """The folder from which a source's pattern leads to this path."""
    matched = _suffix_pattern(source.pattern, not source.globbed).search(path.as_posix())
    if matched is None or source.root is Root.SYSTEM:
        return None
    base = Path(path.as_posix()[: matched.start()] or ("/" if path.is_absolute() else "."))
    # A folder such as .claude-plugin holds a plugin's manifest; it is not itself a plugin.
    return None if source.root is Root.PLUGIN and base.name.startswith(".") else base


@cache
def _suffix_pattern(pattern: str, hidden: bool) -> re.Pattern[str]:
    folders, name = ("(?:.*/)?", "[^/]*") if hidden else (r"(?:(?:(?!\.)[^/]+/)*)", r"(?:(?<!/)|(?!\.))[^/]*")
    text = re.escape(pattern).replace(r"\*\*/", folders).replace(r"\*", name).replace(r"\[!_\]", "[^_/]")
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


def _by_named_hooks(data: object) -> str | None:
    """The client whose files hold hooks by names, each with events that it has."""
    hooks = list(data.values()) if isinstance(data, dict) and "hooks" not in data else []
    for known in _clients():
        names = native_names(known.name)
        if hooks and known.recognition.hooks_by_name and all(isinstance(h, dict) and names.keys() & h for h in hooks):
            return known.name
    return None


def _by_folder(path: Path) -> str | None:
    """The client whose plugins are in the folder around the plugin."""
    around = {folder.as_posix() for folder in list(path.parents)[1:4]}
    hints = _hints(lambda hints: hints.plugin_folders)
    return next((name for folder, name in hints.items() if any(a.endswith(f"/{folder}") for a in around)), None)


def _by_config_folder(path: Path) -> str | None:
    """The client in whose folder of a project the file is, if that is one client's alone."""
    folder = path.parent.name
    owners = [
        known.name
        for known in _clients()
        if any(s.root is Root.PROJECT and not s.shared and s.pattern.startswith(f"{folder}/") for s in known.sources)
    ]
    return owners[0] if len(owners) == 1 and folder not in _NEUTRAL_FOLDERS else None


def _by_manifest(path: Path, fitting: tuple[str, ...], sure: tuple[str | None, ...]) -> str | None:
    """The client whose manifest the plugin around the file has.

    Of several, one that knows the events; of several of these, the one that keys of the hooks point to.
    """
    root = _plugin_root(path)
    telling = {name: set(markers) - _NEUTRAL_FOLDERS - {GENERIC_MANIFEST} for name, markers in _markers().items()}
    names = [name for name, markers in telling.items() if root and any(disk.exists(root / m) for m in markers)]
    own = [name for name in names if name in fitting]
    own.sort(key=lambda name: name not in sure)
    return own[0] if len(own) == 1 or (own and len(names) == len(own)) else names[0] if len(names) == 1 else None


def _has_generic_manifest(path: Path, name: str) -> bool:
    root = _plugin_root(path)
    return root is not None and GENERIC_MANIFEST in _markers().get(name, ()) and disk.exists(root / GENERIC_MANIFEST)


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


GENERIC_MANIFEST = "plugin.json"
"""A manifest that plugins of several clients have, also of some that anyhook does not know."""
_NEUTRAL_FOLDERS = frozenset({".github", ".agents", ".config", ".plugin", ".anyhook"})


_OTHER_CLIENTS = frozenset(
    {
        "augment", "auggie", "cline", "codebuddy", "crush", "deepseek", "grok", "hermes", "iflow", "junie", "kilocode",
        "kimi", "opencode", "qoder", "reasonix", "trae", "zcode",
    }
)  # fmt: skip
"""Words in a path that name clients which anyhook does not know."""


def is_of_unknown_client(path: Path) -> bool:
    """Whether the path or a manifest beside the file names a program that anyhook does not know."""
    checkout = next((folder for folder in path.parents if disk.exists(folder / ".git")), None)
    inside = path.relative_to(checkout).parts if checkout else ()
    named = {word for part in (*inside, *path.parts[-3:]) for word in re.split(r"[^a-z]+", part.lower())}
    near = (folder for folder in list(path.parents)[:2] if not folder.name.startswith("."))
    manifests = {name for folder in near for name in disk.names_in(folder) if re.fullmatch(r"\.\w+-plugin", name)}
    known = {marker for several in _markers().values() for marker in several}
    is_foreign = bool(manifests) and manifests.isdisjoint(known)
    is_foreign = is_foreign or any(f".{name}" in path.parts for name in _OTHER_CLIENTS)
    return is_foreign or not _OTHER_CLIENTS.isdisjoint(named) or _is_in_unknown_folder(path)


def _is_in_unknown_folder(path: Path) -> bool:
    """Whether the file is in the dot-folder of such a program."""
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


def _knows_all(events: object, name: str | None) -> bool:
    return name is not None and isinstance(events, dict) and events.keys() <= native_names(name).keys()


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
    return _plugin_root(path) or package_of(path)
