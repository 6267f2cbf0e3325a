"""The hooks of a configuration that is in memory, for a host that has no files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyhook.dialects import dialect, find_client, profile, unknown_client_text
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import HookSet
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Scope
from anyhook.model.problems import UsageError
from anyhook.sources.merge import merge
from anyhook.sources.parsing.parse_json import parse_json


def hooks_of_config(config: Mapping[str, Any] | list[Any] | str | float | None, client: str) -> HookSet:
    """The hooks of a configuration that is in memory, as the client would read it from its first file.

    Events need no "hooks" around them. Raises UsageError when there is no client of this name.
    """
    name = known_client(client)
    if config in ({}, {"hooks": {}}):
        return HookSet(dialect=name)
    if isinstance(config, Mapping) and not profile(name).layout.bare_map and "hooks" not in config:
        config = {"hooks": config}
    kinds = [source.kind for source in profile(name).sources if source.kind in (FileKind.SETTINGS, FileKind.HOOKS)]
    # A settings file may hold anything else; what a host passes is meant to be hooks.
    kind = kinds[0] if kinds and isinstance(config, Mapping) else FileKind.HOOKS
    document = parse_json(dump_json(config).decode())
    return merge(name, (dialect(name).read(document, kind, Scope.PROJECT),))


def known_client(client: str) -> str:
    """The client of this name or nickname. Raises UsageError when there is none."""
    name = find_client(client)
    if name is None:
        raise UsageError(unknown_client_text(client))
    return name
