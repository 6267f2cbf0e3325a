"""Qwen Code's settings.json: values with which 0.24.4 does not start.

It checks few settings when it reads them, and stops with an error where it comes to use one. So what is listed here was
found by starting it, with null and true in each of the 392 settings of its schema, and with 5, {}, a text and [] in
those that were refused.
"""

from __future__ import annotations

from anyhook.dialects.settings.shapes import (
    LIST,
    NUMBER,
    TEXT,
    TEXTS,
    Number,
    Value,
    any_of,
    each,
    list_of,
    map_of,
    object_of,
    one_of,
    tolerant,
)

_TEXT = tolerant(TEXT, "falsy")
_LIST = list_of(tolerant(TEXT, "falsy"))
"""It drops items such as null and 0."""
_TEXTS = tolerant(_LIST, "null text")


_HARMLESS = "null flag number text list"
_THEME = tolerant(object_of({"name": _TEXT}), "flag number text list")


def _part(members: dict[str, Value]) -> Value:
    return tolerant(object_of(members), _HARMLESS)


SETTINGS = object_of(
    {
        "plansDirectory": tolerant(TEXT, "null"),
        **each("proxy visionModel modelFallbacks", _TEXT),
        "imageModel": tolerant(TEXT, "falsy list"),
        "general": _part(each("language outputLanguage", _TEXT)),
        "ui": _part({"theme": _TEXT, "customThemes": tolerant(map_of(_THEME), _HARMLESS)}),
        "model": tolerant(
            object_of(
                {
                    "name": _TEXT,
                    **each("maxSessionTurns maxToolCallsPerTurn", tolerant(NUMBER, "null")),
                    **each("goalTokenBudget goalMaxTurns goalMaxActiveMinutes", NUMBER),
                    "generationConfig": tolerant(object_of({}), "null list"),
                }
            ),
            "null text",
        ),
        "context": _part(
            {
                "fileName": tolerant(any_of(TEXT, TEXTS), "falsy"),
                "includeDirectories": tolerant(_LIST, "null"),
                "fileFiltering": _part({"customIgnoreFiles": tolerant(TEXTS, "text")}),
            }
        ),
        "telemetry": _part(
            {
                "target": one_of("local gcp"),
                "otlpProtocol": one_of("grpc http"),
                "userId": TEXT,
                "sensitiveSpanAttributeMaxLength": Number(whole=True, least=1, most=100 * 1024 * 1024),
            }
        ),
        "slashCommands": _part({"disabled": _TEXTS}),
        "permissions": _part(each("allow ask deny", _TEXTS)),
        "tools": _part({"core": tolerant(TEXTS, "null"), **each("allowed exclude", _TEXTS)}),
        "mcp": _part(each("allowed excluded", tolerant(LIST, "falsy"))),
        "security": _part({"allowedHttpHookUrls": tolerant(TEXTS, "null")}),
        "advanced": _part({"runtimeOutputDir": _TEXT}),
    }
)

_SANDBOX = {
    "filesystem": one_of("read-only workspace-write"),
    "network": one_of("open closed"),
    "backend": one_of("auto bwrap"),
}
USER_SETTINGS = object_of(
    {"tools": _part({"executionSandbox": object_of(_SANDBOX, "filesystem network", others=None)})}
)
"""It reads this setting in the user's file alone."""
