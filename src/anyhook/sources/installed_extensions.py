"""The extensions that a user has installed in a client: where their hooks are, and which of them the client loads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.dialects.base import Dialect
from anyhook.dialects.places import FileKind
from anyhook.dialects.plugin_form import Extensions
from anyhook.model.hooks import ACTIVE, Fate, FateState
from anyhook.sources import disk

ENABLEMENT = "extension-enablement.json"
"""The file beside the extensions that says in which folders one is disabled."""
MAX_MANIFEST_BYTES = 1024 * 1024


class ExtensionFile(Struct, frozen=True):
    """A file with the hooks of an installed extension."""

    path: Path
    kind: FileKind
    fate: Fate = ACTIVE
    """Whether the client loads the extension."""
    no_start: str = ""
    """Why the client does not start with it; empty: it does."""


def extension_files(folder: Path, client: Dialect, rules: Extensions, project: Path) -> tuple[ExtensionFile, ...]:
    """The hook files of the extensions in a folder, in the order in which the client loads them."""
    found: dict[str, ExtensionFile] = {}
    others: list[ExtensionFile] = []
    disabled = _overrides(folder / ENABLEMENT)
    for name in sorted(disk.names_in(folder), key=os.fsencode):
        place = _linked_to(folder / name, rules)
        if not disk.is_dir(place):
            continue
        manifest = _object_in(place / rules.manifest)
        file = _hook_file(place, manifest or {}, rules)
        if file is None:
            continue
        metadata = _object_in(folder / name / rules.metadata) or {}
        why = _why_invalid(place, manifest, rules) or _why_passed_over(client, manifest or {}, metadata, rules)
        if manifest is None or why:
            others.append(structs.replace(file, fate=Fate(FateState.DROPPED, why)))
            continue
        title = manifest["name"]
        if not is_enabled(disabled.get(title, ()), project):
            why = f"the extension {title} is disabled in {folder / ENABLEMENT}"
            file = structs.replace(file, fate=Fate(FateState.DISABLED, why))
        no_start = client.why_extension_ends_it(manifest)
        if title in found:
            twice = f"two extensions are named {title}"
            no_start = no_start or (twice if rules.same_name_ends else "")
            others.append(structs.replace(found[title], fate=Fate(FateState.DROPPED, f"{twice}: the last one counts")))
        found[title] = structs.replace(file, no_start=no_start)
    return (*found.values(), *others)


def _linked_to(place: Path, rules: Extensions) -> Path:
    """The folder that an installed extension is in: its own, or one that was linked when it was installed."""
    metadata = _object_in(place / rules.metadata) or {}
    source = metadata.get("source")
    return Path(source) if metadata.get("type") == "link" and isinstance(source, str) else place


def _hook_file(place: Path, manifest: Mapping[str, Any], rules: Extensions) -> ExtensionFile | None:
    path, hooks = place / "hooks" / "hooks.json", manifest.get("hooks")
    if rules.manifest_hooks and hooks and not isinstance(hooks, str):
        return ExtensionFile(place / rules.manifest, FileKind.MANIFEST)
    if rules.manifest_hooks and isinstance(hooks, str) and disk.is_file(place / hooks):
        path = place / hooks
    return ExtensionFile(path, FileKind.HOOKS) if disk.own_mode(path) else None


def _why_invalid(place: Path, manifest: Mapping[str, Any] | None, rules: Extensions) -> str:
    """Why the client passes over the extension; empty: it does not."""
    path = place / rules.manifest
    if manifest is None:
        return f"{path} is {'not an object in strict JSON' if disk.exists(path) else 'missing'}"
    for key in rules.needs:
        if not manifest.get(key):
            return f'{path} has no "{key}"'
    if not (isinstance(manifest["name"], str) and re.fullmatch(rules.names, manifest["name"])):
        return f'"name" in {path} has characters that are not allowed'
    return ""


def _why_passed_over(
    client: Dialect, manifest: Mapping[str, Any], metadata: Mapping[str, Any], rules: Extensions
) -> str:
    """Why the client fails on a value of another setting, and passes over the extension; empty: it does not."""
    servers = manifest.get("mcpServers")
    if isinstance(servers, dict | list) and None in (servers.values() if isinstance(servers, dict) else servers):
        return f'"mcpServers" in {rules.manifest} has null for a server'
    if not isinstance(metadata.get("source"), str | None):
        return f'"source" in {rules.metadata} is not text'
    return client.why_extension_is_lost(manifest, metadata)


def _object_in(path: Path) -> Mapping[str, Any] | None:
    content = disk.read_small_file(path, MAX_MANIFEST_BYTES)
    try:
        data = None if content is None else msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _overrides(path: Path) -> Mapping[str, tuple[str, ...]]:
    """The rules of each extension; one that is written otherwise makes the client ignore the whole file."""
    content = disk.read_small_file(path, MAX_MANIFEST_BYTES)
    try:
        read = {} if content is None else msgspec.json.decode(content, type=dict[str, _Overrides])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return {name: each.overrides for name, each in read.items()}


class _Overrides(Struct, frozen=True):
    overrides: tuple[str, ...]


def is_enabled(rules: tuple[str, ...], project: Path) -> bool:
    """Whether an extension is on in a project: the last rule for its folder counts, and ``!`` turns it off."""
    folder = f"/{project.as_posix().strip('/')}/"
    fitting = [rule for rule in rules if re.fullmatch("".join(_as_pattern(rule.removeprefix("!"))), folder)]
    return not (fitting and fitting[-1].startswith("!"))


def _as_pattern(rule: str) -> Iterator[str]:
    """``/a/*`` is the folder and everything below: the slash before a star may be missing, too."""
    for part in re.split(r"(/?\*)", rule):
        yield f"(?:{part[:-1]}.*)?" if part.endswith("*") else re.escape(part)
