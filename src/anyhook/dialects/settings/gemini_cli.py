"""Gemini CLI's settings.json: values with which 0.61.0 does not start.

It only warns of settings that its schema refuses, and stops with an error where it comes to use one. So what is listed
here was found by starting it, with null, true, 5, a text, [] and {} in each of the 265 settings of its schema and in
the members of its objects. Most code passes over what JavaScript takes for false: 0 and false were tried where null
does no harm (settings-falsy-*).
"""

from __future__ import annotations

from anyhook.dialects.settings.shapes import (
    LIST,
    NUMBER,
    TEXT,
    TEXTS,
    any_of,
    each,
    list_of,
    map_of,
    object_of,
    one_of,
    tolerant,
)

_NOT_NULL = "flag number text list"
_NO_OBJECT = "null flag number text list"
_TEXTS = tolerant(TEXTS, "null text")
_FILTERED = list_of(tolerant(TEXT, "falsy"))
_OBJECTS = list_of(object_of({}))
_THEME = tolerant(object_of({"name": tolerant(TEXT, "falsy")}), "flag number text list")

SETTINGS = object_of(
    {
        **each("policyPaths adminPolicyPaths", tolerant(_FILTERED, "falsy text")),
        "advanced": tolerant(object_of({}), _NOT_NULL),
        "hooksConfig": tolerant(object_of({}), _NOT_NULL),
        "mcpServers": tolerant(map_of(tolerant(object_of({}), _NOT_NULL)), _NO_OBJECT),
        "experimental": tolerant(object_of({"extensionRegistryURI": tolerant(TEXT, "falsy")}), _NOT_NULL),
        "general": tolerant(
            object_of({"maxAttempts": tolerant(NUMBER, "null flag")}),  # it asks the model no question and ends
            _NO_OBJECT,
        ),
        "ui": tolerant(
            object_of(
                {
                    "theme": tolerant(TEXT, "falsy"),
                    "customThemes": tolerant(map_of(_THEME), _NOT_NULL),
                }
            ),
            _NOT_NULL,
        ),
        "tools": tolerant(
            object_of(
                {
                    "core": tolerant(TEXTS, "falsy"),
                    **each("allowed confirmationRequired exclude", tolerant(TEXTS, "falsy text")),
                    "discoveryCommand": tolerant(TEXT, "falsy"),
                }
            ),
            _NOT_NULL,
        ),
        "mcp": tolerant(object_of(each("allowed excluded", tolerant(LIST, "falsy text"))), _NO_OBJECT),
        "modelConfigs": tolerant(
            object_of(
                {
                    "customOverrides": tolerant(_OBJECTS, "text"),
                    "overrides": tolerant(_OBJECTS, "null text"),
                }
            ),
            _NO_OBJECT,
        ),
        "context": tolerant(
            object_of(
                {
                    "fileName": tolerant(any_of(TEXT, TEXTS), "falsy"),
                    "memoryBoundaryMarkers": _TEXTS,
                    "includeDirectories": tolerant(_FILTERED, "falsy"),
                    "fileFiltering": tolerant(
                        object_of({"customIgnoreFilePaths": tolerant(TEXTS, "text")}), _NO_OBJECT
                    ),
                }
            ),
            _NO_OBJECT,
        ),
        "telemetry": tolerant(
            object_of({"target": one_of("local gcp"), "otlpProtocol": one_of("grpc http")}), _NO_OBJECT
        ),
        "skills": tolerant(object_of({"disabled": tolerant(TEXTS, "text")}), _NO_OBJECT),
        # Without an object here no way to sign in is chosen.
        "security": object_of({"auth": object_of(each("selectedType enforcedType", tolerant(TEXT, "null")))}),
    }
)
