"""Engines whose only hook asks a model, and the events that make it do so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyhook.dialects import dialect, profile
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Shape
from anyhook.engine.engine import Engine
from anyhook.engine.models.models import AskModel
from anyhook.model.hooks import HookSet
from anyhook.model.origin import Scope
from anyhook.model.outcome import Outcome, Run
from anyhook.model.payload import PreToolUse
from anyhook.sources.merge import merge
from anyhook.sources.parsing.parse_json import parse_json

CALL = PreToolUse(session_id="s", tool_name="Bash", tool_input={"command": "ls"}, cwd="/")
ALLOW = '{"ok": true}'
BLOCK = '{"ok": false, "reason": "not on Fridays"}'


def hooks_of(client: str, event: str, *entries: Mapping[str, Any]) -> HookSet:
    """What a client makes of these hooks in one of its files."""
    layout = profile(client).layout
    listed = list(entries) if layout.shape is Shape.FLAT else [{"hooks": entries}]
    document = parse_json(json.dumps({"version": layout.version or 1, "hooks": {event: listed}}), "hooks.json")
    return merge(client, [dialect(client).read(document, FileKind.SETTINGS, Scope.PROJECT)])


def prompt(text: str = "Is it safe?", **keys: Any) -> dict[str, Any]:
    return {"type": "prompt", "prompt": text, **keys}


def agent(text: str = "Is it safe?", **keys: Any) -> dict[str, Any]:
    return {"type": "agent", "prompt": text, **keys}


def engine_with(
    entry: Mapping[str, Any],
    project: Path,
    *,
    client: str = "claude-code",
    event: str = "PreToolUse",
    environment: Mapping[str, str] | None = None,
    model: AskModel | None = None,
) -> Engine:
    return Engine(
        hooks_of(client, event, entry), project=project, home=project, environment=environment or {}, model=model
    )


def only_run(outcome: Outcome) -> Run:
    [run] = outcome.runs
    return run
