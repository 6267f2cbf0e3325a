"""What can be around hooks that are right: other settings, other scopes, extensions, odd files, odd interpreters.

Each dimension takes the hook files of a situation, as a vector has them, and returns them changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from random import Random
from typing import Any, Literal, get_args

import tomlkit
from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.places import FileKind, Root
from anyhook.dialects.profile import Profile
from anyhook.model.origin import Scope
from conformance.explore.other_settings import some_settings

HOOK = "@HOOK@"
Dimension = Literal["plain", "settings", "scopes", "extensions", "files", "interpreters", "aliases"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
Files = dict[str, Any]


class Extension(Struct, frozen=True):
    """Where a client finds what it calls an extension."""

    folder: str
    """In the home folder and, for some releases, in the project."""
    manifest: str
    hook_file: str = "hooks/hooks.json"


EXTENSIONS: Mapping[str, Extension] = {
    "gemini-cli": Extension(".gemini/extensions", "gemini-extension.json"),
    "qwen-code": Extension(".qwen/extensions", "qwen-extension.json"),
}


def dimensions_of(client: str) -> list[Dimension]:
    return [each for each in DIMENSIONS if each != "extensions" or client in EXTENSIONS]


# ----------------------------------------------------------------------------------------------------------- settings


def with_settings(random: Random, known: Profile, files: Files) -> Files:
    """Other settings in a file that has hooks or that could have them."""
    settings = some_settings(random, known.name)
    shared = [path for path in all_places(known) if _is_shared(known, path)]
    path = random.choice([*(path for path in files if path in shared), *shared])
    first, *others = files
    if not set(shared) & files.keys() and random.random() < 0.6:  # the client's usual place is a file of hooks alone
        content = {**settings, "hooks": files[first]["hooks"]}
        kept = {other: files[other] for other in others}
        return {**kept, path: as_toml(content) if path.endswith(".toml") else content}
    if path.endswith(".toml"):
        return {**files, path: as_toml(settings)}
    present = files.get(path, {})
    return {**files, path: {**present, **settings}} if isinstance(present, dict) else files


def all_places(known: Profile) -> list[str]:
    """The files of the project and the user that may have hooks, as a vector writes their paths."""
    found = []
    for source in known.sources:
        path = source.own_file or source.pattern
        if source.scope in (Scope.PROJECT, Scope.LOCAL, Scope.USER) and "*" not in path:
            found.append(("~/" if source.root is Root.HOME else "") + path)
    return list(dict.fromkeys(found))


def _is_shared(known: Profile, path: str) -> bool:
    """Whether the file is for settings of other kinds, too."""
    kinds = {source.pattern: source.kind for source in known.sources}
    return kinds.get(path.removeprefix("~/")) in (FileKind.SETTINGS, FileKind.TOML)


def as_toml(value: Mapping[str, Any]) -> str:
    """TOML has no null."""
    return tomlkit.dumps(_without_null(value))


def _without_null(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_null(below) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return [_without_null(below) for below in value if below is not None]
    return value


# --------------------------------------------------------------------------------------------------------- extensions


def in_extension(random: Random, known: Profile, files: Files) -> Files:
    """The first file's hooks in an extension, most often a right one."""
    form = EXTENSIONS[known.name]
    path, *others = files
    content = files[path]
    kept: Files = {other: files[other] for other in others}
    if not isinstance(content, dict):
        return files
    name = random.choice(["other", "other", "other", "Other", ".other", "other.one", "my other"])
    home = f"~/{form.folder}/{name}"
    manifest: Any = {"name": name.strip("."), "version": "1.0.0"}
    hooks: Any = content
    match random.choices(
        ("right", "manifest", "file", "place", "inline", "off", "path", "installed"), (8, 4, 2, 3, 2, 2, 2, 2)
    )[0]:
        case "manifest":
            manifest = random.choice(_wrong_manifests(manifest))
            if manifest is None:
                return {**kept, f"{home}/{form.hook_file}": hooks}
        case "file":
            text = json.dumps(content)
            hooks = random.choice([content["hooks"], text[:-2], "// x\n" + text, "\ufeff" + text, "", "[]"])
        case "place":
            there, link = f"elsewhere/{name}", f"{'../' * (form.folder.count('/') + 1)}elsewhere/{name}"
            moved = random.choice([f"{form.folder}/{name}", f"~/{there}", f"{home}/deeper"])
            linked = {home: {"link": link}} if moved == f"~/{there}" else {}
            return {**kept, f"{moved}/{form.manifest}": manifest, f"{moved}/{form.hook_file}": hooks, **linked}
        case "inline":
            inline = random.choice([content["hooks"], "hooks/hooks.json", "./hooks/hooks.json", "other.json"])
            file = "other.json" if inline == "other.json" else form.hook_file
            beside: Files = {} if isinstance(inline, dict) else {f"{home}/{file}": hooks}
            return {**kept, f"{home}/{form.manifest}": {**manifest, "hooks": inline}, **beside}
        case "off":
            overrides = random.choice([["!@PROJECT@/*"], ["!@PROJECT@"], ["@PROJECT@/*"], ["!/*"], ["!*"], []])
            kept[f"~/{form.folder}/extension-enablement.json"] = {manifest["name"]: {"overrides": overrides}}
        case "path":
            command = random.choice(["${extensionPath}/run.sh", '"${extensionPath}${/}run.sh"', "sh run.sh"])
            hooks = _replaced(content, "a", lambda entry: {**entry, "command": command})
            kept[f"{home}/run.sh"] = {"text": f"#!/bin/sh\n{HOOK} a\n", "mode": "755"}
        case "installed":
            kind = random.choice(["local", "git", "git", "github-release", "link", "bogus", 5])
            metadata = {"source": random.choice([*_SOURCES, f"@HOME@/{form.folder}/{name}"]), "type": kind}
            kept[f"{home}/.{form.manifest.removesuffix('.json')}-install.json"] = metadata
    return {**kept, f"{home}/{form.manifest}": manifest, f"{home}/{form.hook_file}": hooks}


def _wrong_manifests(right: dict[str, Any]) -> list[Any]:
    """None: there is no manifest."""
    return [
        None,
        "{",
        "",
        [],
        {"version": "1.0.0"},
        {"name": right["name"]},
        {**right, "name": "different"},
        {**right, "name": 3},
        {**right, "version": 1},
        {**right, "name": "a b/c"},
        {**right, "unknownKey": 1},
        *(
            {**right, key: value}
            for key in ("mcpServers", "settings", "contextFileName", "excludeTools", "themes", "skillStates")
            for value in (None, 3, "x", [3], [None], {}, {"x": None})
        ),
    ]


_SOURCES = ("/nonexistent", "https://github.com/a/b", "https://github.com/a/b/c", "https://example.com/a", "a/b", "", 5)


# -------------------------------------------------------------------------------------------------------------- files


def with_odd_file(random: Random, known: Profile, files: Files) -> Files:
    """One hook file under another name, behind a link, or beside a file that is no hook file."""
    path = random.choice(list(files))
    content, kept = files[path], {other: files[other] for other in files if other != path}
    folder, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
    stem = name.partition(".")[0]
    prefix = "~/" if path.startswith("~/") else ""
    below = path.removeprefix("~/")
    options: list[Files] = [
        {path: {"link": _up(below) + f"elsewhere/{name}"}, f"{prefix}elsewhere/{name}": content},
        {path: {"link": f"{stem}-real.txt"}, f"{folder}/{stem}-real.txt": content},
        {path: {"link": "nowhere.json"}},
        {f"{path}/{name}": content},
        {path: ""},
        {path: "\n \n"},
        {path: json.dumps(content, indent=1).replace("\n", "\r\n") + "\r\n"},
        {path: {"text": json.dumps(content), "mode": "444"}},
        *(
            {f"{folder}/{other}": content}
            for other in (f".{name}", f"{stem}.jsonc", f"{stem}.JSON", f"{name}.bak", stem)
        ),
        {path: content, f"{folder}/{stem}.local.json": content, f"{folder}/{name}~": content},
    ]
    top = PurePosixPath(below).parts[0]
    inner = "/".join(PurePosixPath(below).parts[1:])
    if not any(other.startswith(f"{prefix}{top}/") for other in kept) and inner:
        linked = {f"{prefix}{top}": {"link": "elsewhere"}, f"{prefix}elsewhere/{inner}": content}
        options += [linked, linked]
    if _is_folder_of_files(known, path):
        options += [*_in_folder(prefix, folder.removeprefix("~/"), content)] * 2
    return {**kept, **random.choice(options)}


def _up(path: str) -> str:
    return "../" * (len(PurePosixPath(path).parts) - 1)


def _is_folder_of_files(known: Profile, path: str) -> bool:
    return any(source.own_file == path.removeprefix("~/") and "*" in source.pattern for source in known.sources)


def _in_folder(prefix: str, folder: str, content: Any) -> list[Files]:
    """A hook file of a client that reads all files of a folder."""
    place = f"{prefix}{folder}"
    names = (
        ".x.json", "sub/x.json", ".sub/x.json", "sub/.x.json", "sub/sub/sub/x.json", ".json", "x.json.json", "x y.json",
        "X.Json", "x.JSON", "x.json5", "x", "..x.json", "ü.json", "-x.json", "node_modules/x.json", "x.json/x.json",
    )  # fmt: skip
    elsewhere = f"{'../' * (folder.count('/') + 1)}elsewhere"
    return [
        *({f"{place}/{name}": content} for name in names),
        {f"{place}/x.json": {"link": f"{elsewhere}/x.json"}, f"{prefix}elsewhere/x.json": content},
        {f"{place}/x.json": {"link": f"{elsewhere}/x.txt"}, f"{prefix}elsewhere/x.txt": content},
        {f"{place}/x.txt": {"link": f"{elsewhere}/x.json"}, f"{prefix}elsewhere/x.json": content},
        {f"{place}/sub": {"link": elsewhere}, f"{prefix}elsewhere/x.json": content},
        {f"{place}/sub.json": {"link": elsewhere}, f"{prefix}elsewhere/x.json": content},
        {place: {"link": "../elsewhere"}, f"{prefix}elsewhere/x.json": content},
        {f"{place}/a.json": {"link": "nowhere.json"}, f"{place}/x.json": content},
        {f"{place}/a.json": "", f"{place}/x.json": content},
        {f"{place}/a.json": {"link": "x.json"}, f"{place}/x.json": content},
    ]


# ------------------------------------------------------------------------------------------------------- interpreters

_SHELLS: tuple[Any, ...] = (
    "bash", "sh", "zsh", "powershell", "powershell", "pwsh", "cmd", "fish", "", "bogus", "Bash", "/bin/sh", 1,
    None, True,
)  # fmt: skip
_FIRST_LINES = (
    "#!/bin/sh\n", "#!/bin/sh\n", "#!/usr/bin/env sh\n", "#!/usr/bin/nonexistent\n", "#!/usr/bin/env nonexistent\n", "",
    "#!/bin/sh\r\n", "\ufeff#!/bin/sh\n", "#!\n", "#! /bin/sh -e\n",
)  # fmt: skip


def with_interpreter(random: Random, known: Profile, files: Files, names: list[str]) -> Files:
    """The first hook, started in another way: by a shell of its own, as a script, by a program that is missing."""
    name = names[0]
    keys = set(known.layout.action_keys.get("command", ()))
    usual = f"{HOOK} {name}"
    script = f"hook-{name}.sh"
    changes: list[Callable[[dict[str, Any]], dict[str, Any]]] = []
    if "shell" in keys or random.random() < 0.2:
        shell = random.choice(_SHELLS)
        changes += [lambda entry: {**entry, "shell": shell}] * 3
    other = random.choice(["exit 2", usual, "", "nonexistent"])
    for key in sorted(keys & {"bash", "powershell", "commandWindows", "command_windows"}):
        changes.append(lambda entry, key=key: {**entry, key: other})  # type: ignore[misc]
        changes.append(lambda entry, key=key: {"type": "command", key: usual})  # type: ignore[misc]
    command = random.choice(_commands(known, script))
    changes += [lambda entry: {**entry, "command": command}] * 5
    change = random.choice(changes)
    changed: Files = {path: _replaced(content, name, change) for path, content in files.items()}
    mode = "755" if random.random() < 0.85 else "644"
    return {**changed, script: {"text": f"{random.choice(_FIRST_LINES)}{usual}\n", "mode": mode}}


def _commands(known: Profile, script: str) -> list[str]:
    folders = [each for each in known.execution.exports if each.endswith(("PROJECT_DIR", "_CWD"))]
    by_variable = [
        form.format(f"${folder}", f"${{{folder}}}", script)
        for folder in folders
        for form in (
            '"{0}"/{2}',
            "'{0}'/{2}",
            "{0}/{2}",
            "{1}/{2}",
            '"{1}/{2}"',
            "'{1}/{2}'",
            "\\{0}/{2}",
            "sh {0}/{2}",
        )
    ]
    plain = [
        f"./{script}", script, f"sh {script}", f"bash ./{script}", f"nonexistent ./{script}", f"@PROJECT@/{script}",
        f"./missing-{script}", f"/usr/bin/nonexistent {script}", f"pwsh -File {script}", f"exec ./{script}",
        f"./{script} || exit 2", f"nonexistent || ./{script}", f"cd / && @PROJECT@/{script}", f"source ./{script}",
        f'"@PROJECT@/{script}"', f"env sh {script}", f"[[ 1 ]] && ./{script}", f"./{script} <(true)",
    ]  # fmt: skip
    return [*plain, *by_variable]


def _replaced(value: Any, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """With every entry of the scripted hook changed; text stays as it is."""
    if isinstance(value, dict):
        if value.get("command") == f"{HOOK} {name}":
            return change(value)
        return {key: _replaced(below, name, change) for key, below in value.items()}
    return [_replaced(below, name, change) for below in value] if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------------------------ aliases

_FORMS = (
    "{0}", "^{0}$", "^({0}|{1})$", "({0}|{1})", "{0}|{1}", "{1}|{0}", "{0}.*", "^{0}", "{0}$", ".*{0}", "(?:{0})",
    r"\b{0}\b",
    "^(?!{0}).*$", "{0}?", "{0}+", "^.{{3,}}$", "{0}, {1}", "{0}|", "^{0}|{1}$", "[{0}]+", "({0})", "{0}({1})",
)  # fmt: skip


def alias_matcher(random: Random, client: str, subject: str) -> str:
    """A list or a pattern with names that this client or another one has for the tool, or has not."""
    names = {subject, subject.lower(), subject.capitalize(), subject[:3], subject[-4:]}
    for other in ("claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code"):
        known = profile(other)
        kinds = {kind for kind, tool in known.tools.kinds.items() if kind in ("shell", "write", "edit")}
        names |= {name for kind in kinds for name in known.tools.kinds[kind].names}
        if other == client:
            names |= {alias for aliases in known.matching.tool_aliases.values() for alias in aliases}
    own = [subject, *sorted(profile(client).matching.tool_aliases.get(subject, ()))]
    one = random.choice(own) if random.random() < 0.5 else random.choice(sorted(names))
    return random.choice(_FORMS).format(one, random.choice(sorted(names)))
