"""JSON Schemas of hook test cases and their config, so that editors complete and check them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anyhook.dialects import NAMES
from anyhook.model.outcome import Effect, Status
from anyhook.testing.cases.cases import DEFAULT_TIMEOUT_SECONDS

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def case_schema() -> dict[str, Any]:
    """Of ``tests/cases/*.yaml``."""
    return {
        "$schema": _DRAFT,
        "title": "Hook test case",
        "$defs": {"stated": _stated()},
        **_object(
            {
                "$schema": {"type": "string"},
                "name": {
                    "type": "string",
                    "pattern": "^[a-z0-9-]{1,64}$",
                    "description": "Names the case: a-z, 0-9 and -, at most 64 characters, one case each.",
                },
                "description": _text("What the case shows, for people."),
                "event": _text(
                    "The event, by any client's name for it: pre-tool-use, PreToolUse, beforeShellExecution."
                ),
                "hook": _text("The group of the event with this hook: a part of its name, command or file."),
                "hook-index": _index("Which group of the event's array."),
                "action-index": _index("Which of the group's actions the assertions look at."),
                "client": {
                    "enum": list(NAMES),
                    "description": "Whose rules apply. Default: the client that the package's hooks are written for.",
                },
                "sandbox": {
                    "type": "boolean",
                    "default": False,
                    "description": "Run in a copy of the package, which is removed afterwards.",
                },
                "timeout": _seconds("Seconds that this case may take. Default: as test-config.json says."),
                "input": _input(),
                "expected": _expected(),
            },
            "name",
            "event",
        ),
    }


def config_schema() -> dict[str, Any]:
    """Of ``tests/test-config.json``."""
    return {
        "$schema": _DRAFT,
        "title": "Hook test config",
        **_object(
            {
                "$schema": {"type": "string"},
                "version": {"const": 1, "description": "The version of this format."},
                "timeout": {**_seconds("Seconds that a case may take."), "default": DEFAULT_TIMEOUT_SECONDS},
                "env": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "description": "Variables for the hooks. PACKAGE_ROOT is relative to the package.",
                },
                "network": {
                    "type": "boolean",
                    "default": False,
                    "description": "Whether HTTP hooks may call other machines.",
                },
            },
            "version",
        ),
    }


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {"hook-case": case_schema, "hook-test-config": config_schema}
"""The schemas by the names of their files."""


def _input() -> dict[str, Any]:
    return _object(
        {
            "fixture": _text("A JSON file with the payload, relative to the tests folder; any client's spelling."),
            "overrides": {
                "type": "object",
                "description": 'Values on top of the fixture by dotted paths: toolInput.edits.0.text, toolInput."a.b".',
            },
            "verdict": {
                "type": ["string", "object"],
                "description": "What the model answers to a prompt or agent hook; none is called.",
            },
            "earlier": _texts("Fixtures of earlier events of the session, which guards and rules remember."),
        }
    )


def _expected() -> dict[str, Any]:
    effect = {"enum": [str(effect) for effect in Effect]}
    return _object(
        {
            "exit-code": {"type": "integer", "description": "The exit code of the hook's command."},
            "status": {
                "enum": [str(status) for status in Status],
                "description": "How the hook ends. A hook that fails fails its case, unless the case expects it.",
            },
            "stdout-contains": _texts("Texts that stdout must have."),
            "stderr-contains": _texts("Texts that stderr must have."),
            "stdout-json": {"description": "JSON that stdout must match; it may have more keys."},
            "not-contains": _texts("Texts that neither stdout nor stderr may have."),
            "matched": {
                "type": "boolean",
                "description": "false: the group must not match the event, and nothing runs.",
            },
            "effect": {**effect, "description": "What the client does in the end."},
            "prompt-contains": _texts("Texts of the prompt that a model would be asked."),
            "clients": {
                "type": "object",
                "properties": {name: {"$ref": "#/$defs/stated"} for name in NAMES},
                "additionalProperties": False,
                "description": "Clients with another effect, known and accepted: for the matrix. One effect, or one "
                "for each way: when the client asks anyhook (deployed), and of the converted hook (native).",
            },
        }
    )


def _stated() -> dict[str, Any]:
    effect = {"enum": [str(effect) for effect in Effect]}
    return {"anyOf": [effect, _object({"deployed": effect, "native": effect})]}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _index(description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "default": 0, "description": f"{description} Counted from 0."}


def _seconds(description: str) -> dict[str, Any]:
    return {"type": "number", "exclusiveMinimum": 0, "description": description}
