"""Settings of guards: what is accepted, and what is said about the rest."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from anyhook.guards.catalogue import GUARDS, guards_schema, rules_schema
from anyhook.guards.options import schema_of, usable_settings
from tests.checkout import ROOT

SHELL = GUARDS["shell"].options
GOOD: tuple[dict[str, Any], ...] = (
    {},
    {"level": "ask", "message": "Ask first."},
    {"families": {"git": "off"}},
    {"exceptions": [{"paths": ["docs/**"]}, {"clients": ["codex"], "commands": ["git push *"], "level": "ask"}]},
)
BAD: tuple[tuple[dict[str, Any], tuple[str | int, ...], str], ...] = (
    ({"levle": "ask"}, ("levle",), '"levle" is not a setting here; did you mean level?'),
    ({"level": "stop"}, ("level",), "\"level\" cannot be 'stop'; write off, warn, ask or block"),
    ({"message": 1}, ("message",), '"message" must be text; correct the value'),
    ({"families": "git"}, ("families",), '"families" must be a table of levels; correct the value'),
    ({"families": {"gti": "ask"}}, ("families", "gti"), '"families" has no "gti"; did you mean git?'),
    ({"families": {"git": 1}}, ("families", "git"), '"git" cannot be 1; write off, warn, ask or block'),
    ({"exceptions": {}}, ("exceptions",), '"exceptions" must be a list of tables; correct the value'),
    ({"exceptions": [{"path": ["a"]}]}, ("exceptions", 0, "path"), '"path" is not a setting here; did you mean paths?'),
    (
        {"exceptions": [{"paths": "a"}]},
        ("exceptions", 0, "paths"),
        '"paths" must be a list of texts; correct the value',
    ),
)


@pytest.mark.parametrize("table", GOOD)
def test_good_settings(table: dict[str, Any]) -> None:
    assert usable_settings(SHELL, table) == (table, ())
    jsonschema.validate(table, schema_of(SHELL))


@pytest.mark.parametrize(("table", "place", "text"), BAD)
def test_bad_settings(table: dict[str, Any], place: tuple[str | int, ...], text: str) -> None:
    kept, mistakes = usable_settings(SHELL, table)
    assert (mistakes[0].pointer, f"{mistakes[0].text}; {mistakes[0].fix}") == (place, text)
    assert kept in ({}, {"families": {}})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table, schema_of(SHELL))


def test_good_levels_beside_a_bad_one_count() -> None:
    kept, mistakes = usable_settings(SHELL, {"families": {"git": "ask", "code": "maybe"}})
    assert (kept, len(mistakes)) == ({"families": {"git": "ask"}}, 1)


def test_an_exception_needs_a_condition_and_known_clients() -> None:
    _, mistakes = usable_settings(SHELL, {"exceptions": [{"level": "off"}]})
    assert [mistake.text for mistake in mistakes] == ["an exception without a condition would apply to every call"]
    _, mistakes = usable_settings(SHELL, {"exceptions": [{"clients": ["kodex"]}]})
    assert "codex" in mistakes[0].text


def test_the_schemas_in_the_checkout_are_up_to_date() -> None:
    for name, made in (("guards", guards_schema()), ("rules", rules_schema())):
        jsonschema.Draft202012Validator.check_schema(made)
        assert json.loads((ROOT / "schemas" / f"{name}.json").read_text()) == made, "run: anyhook schema --all schemas"
    jsonschema.validate({"guards": {"shell": {"level": "ask"}}, "rule": [{"then": "block"}]}, guards_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"rules": [{"then": "blok"}]}, rules_schema())
