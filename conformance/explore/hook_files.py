"""The hook files of a random situation: hooks in user and project files, entries and matchers right and wrong.

What is around the hooks is varied by ``surroundings.py``.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from anyhook.dialects.places import FileKind, Writing
from anyhook.dialects.profile import Layout, Profile, Shape
from anyhook.model.origin import Scope
from conformance.explore.surroundings import (
    HOOK,
    Dimension,
    Files,
    alias_matcher,
    all_places,
    as_toml,
    in_extension,
    with_interpreter,
    with_odd_file,
    with_settings,
)

_WRONG_MATCHERS: tuple[Any, ...] = ("zzz", "[", "(", "*", "**", "", " ", ".*", ".", "|", 3, None, [], "(?i)x")


def hook_files(
    random: Random, known: Profile, native_event: str, subject: str, names: list[str], dimension: Dimension
) -> Files:
    """Files by their path as in a vector."""
    match dimension:
        case "plain":
            return _plain_files(random, known, native_event, subject, names)
        case "scopes":
            return _scoped_files(random, known, native_event, subject, names)
        case "aliases":
            groups = [_right_group(random, known, name, alias_matcher(random, known.name, subject)) for name in names]
            return {_places(known)[0]: _file(random, known, native_event, groups)}
    files = _right_files(random, known, native_event, subject, names)
    match dimension:
        case "settings":
            return with_settings(random, known, files)
        case "extensions":
            return in_extension(random, known, files)
        case "files":
            return with_odd_file(random, known, files)
        case "interpreters":
            return with_interpreter(random, known, files, names)


def _right_group(random: Random, known: Profile, name: str, matcher: str | None = None) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "command", "command": f"{HOOK} {name}"}
    flat = known.layout.shape is Shape.FLAT or (known.layout.shape is Shape.EITHER and random.random() < 0.5)
    group: dict[str, Any] = entry if flat else {"hooks": [entry]}
    return group if matcher is None else {**group, "matcher": matcher}


def _right_files(random: Random, known: Profile, native_event: str, subject: str, names: list[str]) -> Files:
    """Hooks without a mistake, in one file or two."""
    places = _places(known)
    used: dict[str, list[Any]] = {}
    for name in names:
        path = random.choice(places) if random.random() < 0.4 else places[0]
        used.setdefault(path, []).append(_right_group(random, known, name, random.choice([None, None, subject])))
    return {path: _file(random, known, native_event, groups) for path, groups in used.items()}


def _scoped_files(random: Random, known: Profile, native_event: str, subject: str, names: list[str]) -> Files:
    """Each hook in one to three of the places, as the same entry or as another one with the same command."""
    places = all_places(known)
    used: dict[str, list[Any]] = {}
    for name in names:
        group = _right_group(random, known, name, random.choice([None, subject]))
        for path in random.sample(places, min(len(places), random.choice((1, 2, 2, 3)))):
            same = random.random() < 0.7
            used.setdefault(path, []).append(group if same else _group(random, known, subject, name))
    files: Files = {}
    for path in random.sample(sorted(used), len(used)):
        file = _file(random, known, native_event, used[path])
        files[path] = as_toml({"hooks": file["hooks"]}) if path.endswith(".toml") else file
    if random.random() < 0.25:
        path = random.choice(list(files))
        if isinstance(files[path], dict):
            files[path] = {**files[path], **_switch(random, known)}
    return files


def _plain_files(random: Random, known: Profile, native_event: str, subject: str, names: list[str]) -> Files:
    places = _places(known)
    used: dict[str, list[Any]] = {}
    for name in names:
        path = random.choice(places) if len(names) > 1 or random.random() < 0.2 else places[0]
        used.setdefault(path, []).append(_group(random, known, subject, name))
    files: dict[str, Any] = {}
    for path, groups in used.items():
        files[path] = _file(random, known, native_event, groups)
    if random.random() < 0.07:
        path = random.choice(list(files))
        files[path] = _spoilt(random, known, native_event, files[path])
    if random.random() < 0.03:
        path = random.choice(list(files))
        if isinstance(files[path], dict):
            files[path] = {**files[path], **_switch(random, known)}
    return files


def plain_file(known: Profile, native_event: str) -> dict[str, Any]:
    """The project's file with one hook, ``a``, that is as right as can be."""
    file: dict[str, Any] = {"hooks": {native_event: [{"hooks": [{"type": "command", "command": f"{HOOK} a"}]}]}}
    if known.layout.version is not None:
        file["version"] = known.layout.version
    return {_places(known)[0]: file}


def _places(known: Profile) -> list[str]:
    """The project's file first, then the user's."""
    found: dict[Scope, str] = {}
    for source in known.sources:
        if source.writing is Writing.PREFERRED and source.kind is not FileKind.TOML:
            prefix = "~/" if source.scope is Scope.USER else ""
            found[source.scope] = prefix + (source.own_file or source.pattern)
    return [found[scope] for scope in (Scope.PROJECT, Scope.USER) if scope in found]


def _group(random: Random, known: Profile, subject: str, name: str) -> Any:
    entry: dict[str, Any] = {"type": "command", "command": f"{HOOK} {name}"}
    if random.random() < 0.12:
        entry = _odd_entry(random, known.layout, entry)
    if random.random() < 0.05:
        entry = {**entry, "command": random.choice(["/nonexistent/hook", "exit 2", "echo plain; exit 1", "if ["])}
    flat = known.layout.shape is Shape.FLAT or (known.layout.shape is Shape.EITHER and random.random() < 0.7)
    group: dict[str, Any] = entry if flat else {"hooks": [entry]}
    if random.random() < 0.45:
        group["matcher"] = _matcher(random, subject)
    if "sequential" in known.layout.group_keys and random.random() < 0.15:
        group["sequential"] = True
    return group


def _matcher(random: Random, subject: str) -> Any:
    right = [subject, subject, f"{subject}|other", f"other|{subject}", f"^{subject}$", subject[:-1] + ".*", ".*"]
    if random.random() < 0.75:
        return random.choice(right)
    return random.choice([*_WRONG_MATCHERS, subject.upper(), subject[:-1], f" {subject} ", f"{subject} | other"])


def _odd_entry(random: Random, layout: Layout, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with one thing unusual or wrong."""
    without_type = {key: value for key, value in entry.items() if key != "type"}
    options: list[dict[str, Any]] = [
        without_type,
        {"type": entry["type"]},
        {**entry, "type": random.choice(["http", "prompt", "agent", "mcp_tool", "bogus", 3, None])},
        {**entry, "command": random.choice(["", 3, None, ["x"]])},
        {**entry, "timeout": random.choice([0, -1, "5", 5.5, 30, None, True, []])},
        {**entry, "unknownKey": 1},
        {**entry, "name": "named"},
    ]
    known = layout.ignored_keys | set(layout.common_keys) | set(layout.action_keys.get("command", ()))
    with_effect = {"command", "timeout", "cwd", "async", "asyncRewake", "args", "if", "shell", "env", "bash"}
    options += [{**entry, key: random.choice(["x", 1, True, None])} for key in sorted(known - with_effect)]
    return random.choice(options)


def _file(random: Random, known: Profile, native_event: str, groups: list[Any]) -> dict[str, Any]:
    if len(groups) > 1 and all(set(group) == {"hooks"} for group in groups) and random.random() < 0.5:
        groups = [{"hooks": [entry for group in groups for entry in group["hooks"]]}]
    file: dict[str, Any] = {"hooks": {native_event: groups}}
    if known.layout.version is not None:
        file["version"] = known.layout.version
    return file


def _spoilt(random: Random, known: Profile, native_event: str, file: dict[str, Any]) -> Any:
    """The file with one mistake."""
    groups = file["hooks"][native_event]
    other = random.choice([names[0] for names in known.events.values() if native_event not in names])
    with_hooks = {**file, "hooks": {**file["hooks"]}}
    text = json.dumps(file, indent=1)
    options = [
        text[:-2] + ",\n}",
        "// comment\n" + text,
        text[:-3],
        "\ufeff" + text,
        {**file, "hooks": {native_event: groups[0]}},
        {**file, "hooks": {native_event: [*groups, random.choice([3, None, "x", [], {}])]}},
        {**file, "hooks": {**with_hooks["hooks"], "NoSuchEvent": groups}},
        {**file, "hooks": {**with_hooks["hooks"], other: random.choice([3, None, {}, [3], [{"hooks": 3}]])}},
        {**file, "version": random.choice([1, 2, "1"])},
        {**file, "unknownKey": {"x": 1}},
        file["hooks"],
    ]
    return random.choice(options)


def _switch(random: Random, known: Profile) -> dict[str, Any]:
    """A setting that may turn hooks off."""
    if not known.switches:
        return {"disableAllHooks": True}
    switch = random.choice(known.switches)
    value: Any = switch.value if random.random() < 0.6 else random.choice([not switch.value, "true", 1, None])
    if switch.reach == "named":
        value = ["a", f"{HOOK} a"]
    for key in reversed(switch.path):
        value = {key: value}
    return dict(value)
