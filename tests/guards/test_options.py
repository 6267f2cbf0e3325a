"""Settings of guards: what is accepted, and what is said about the rest."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from anyhook.guards.catalogue import GUARDS, guards_schema, rules_schema
from anyhook.guards.options import MAX_PREVIOUS, Option, Takes, rule_mistakes, schema_of, usable_settings
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
    ({"level": "stop"}, ("level",), "\"level\" cannot be 'stop'; write off, shadow, warn, ask or block"),
    ({"message": 1}, ("message",), '"message" must be text; correct the value'),
    ({"families": "git"}, ("families",), '"families" must be a table of levels; correct the value'),
    ({"families": {"gti": "ask"}}, ("families", "gti"), '"families" has no "gti"; did you mean git?'),
    ({"families": {"git": 1}}, ("families", "git"), '"git" cannot be 1; write off, shadow, warn, ask or block'),
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


INNER = (Option("a", "text", ""), Option("at_least", "count", ""), Option("at_most", "number", ""))
VALUES: tuple[tuple[Takes, Any, tuple[str | int, ...] | None], ...] = (
    ("level", "off", None), ("level", "warn", None), ("level", "ask", None), ("level", "block", None),
    ("level", "on", ()), ("level", 1, ()),
    ("levels", {"one": "ask"}, None), ("levels", {}, None), ("levels", {"three": "ask"}, ("three",)),
    ("levels", {"one": "ask", "two": "on"}, ("two",)), ("levels", [], ()),
    ("text", "", None), ("text", 1, ()), ("text", ["a"], ()),
    ("texts", [], None), ("texts", ["a", "b"], None), ("texts", "a", ()), ("texts", ["a", 1], ()), ("texts", {}, ()),
    ("words", "one", None), ("words", ["one", "two"], None), ("words", "three", ()), ("words", ["one", "three"], ()),
    ("words", ["one", 1], ()), ("words", 1, ()), ("words", {"one": 1}, ()),
    ("pattern", "a|b", None), ("pattern", "", None), ("pattern", ["a"], ()),
    ("choice", "one", None), ("choice", "two", None), ("choice", "three", ()), ("choice", 1, ()),
    ("flag", True, None), ("flag", False, None), ("flag", 1, ()), ("flag", "true", ()),
    ("count", 1, None), ("count", 0, ()), ("count", -1, ()), ("count", True, ()), ("count", "1", ()),
    ("count", 1.5, ()),
    ("number", 1, None), ("number", 0, None), ("number", -1, ()), ("number", False, ()), ("number", "1", ()),
    ("table", {"a": "b"}, None), ("table", {}, None), ("table", [], ()), ("table", {"b": 1}, ("b",)),
    ("table", {"a": 1}, ("a",)),
    ("tables", {"a": "b"}, None), ("tables", [{"a": "b"}, {}], None), ("tables", {"at_least": 2, "at_most": 2}, None),
    ("tables", [], ()), ("tables", [1], ()), ("tables", [{}, 1], ()), ("tables", "a", ()), ("tables", {"b": 1}, ("b",)),
    ("tables", [{}, {"a": 1}], (1, "a")), ("tables", [{}] * MAX_PREVIOUS, None),
    ("tables", [{}] * (MAX_PREVIOUS + 1), ()), ("tables", 1, ()), ("tables", {"at_least": 2}, None),
    ("tables", {"at_most": 2}, None),
    ("exceptions", [], None), ("exceptions", [{"paths": ["a"]}], None), ("exceptions", [{"commands": ["a"]}], None),
    ("exceptions", [{"clients": ["codex"], "level": "warn"}], None), ("exceptions", {}, ()), ("exceptions", [1], ()),
    ("exceptions", [{"paths": ["a"]}, 1], ()), ("exceptions", [{"paths": ["a"]}, {"level": "off"}], (1,)),
    ("exceptions", [{"paths": ["a"], "level": "on"}], (0, "level")), ("exceptions", [{"clients": "a"}], (0, "clients")),
    ("exceptions", [{"paths": ["a"], "message": "b"}], (0, "message")),
    ("exceptions", [{"clients": [1]}], (0, "clients")),
    ("exceptions", [{"commands": "a"}], (0, "commands")),
)  # fmt: skip
"""Kind of setting, value, and where the first mistake is; None: there is none."""
ONLY_CHECKED: tuple[tuple[Takes, Any, tuple[str | int, ...]], ...] = (
    ("pattern", "(", ()),
    ("pattern", "(" * 5000 + ")" * 5000, ()),
    ("pattern", "a{99999999999999999999}", ()),
    ("words", "", ()),
    ("words", [" "], ()),
    ("globs", "", ()),
    ("globs", "src/**.py", ()),
    ("globs", ["docs/**/*.md", "src/**.py"], ()),
    ("globs", 7, ()),
    ("globs", ["docs/*.md", 7], ()),
    ("tables", {"at_least": 2, "at_most": 1}, ("at_least",)),
    ("tables", [{}, {"at_least": 1, "at_most": 0}], (1, "at_least")),
    ("exceptions", [{"clients": ["codex", "kodex"]}], (0, "clients")),
)
"""Mistakes that a JSON Schema cannot name."""


@pytest.mark.parametrize(("takes", "value", "place"), VALUES)
def test_every_kind_of_setting_and_its_schema(takes: Takes, value: Any, place: tuple[str | int, ...] | None) -> None:
    options = (Option("x", takes, "", names=("one", "two"), table=INNER),)
    kept, mistakes = usable_settings(options, {"x": value})
    pointers = [mistake.pointer for mistake in mistakes]
    assert pointers == ([] if place is None else [("x", *place)])
    assert ("x" in kept) is (place is None or (takes == "levels" and isinstance(value, dict)))
    is_valid = jsonschema.Draft202012Validator(schema_of(options)).is_valid({"x": value})
    assert is_valid is (place is None)


@pytest.mark.parametrize(("takes", "value", "place"), ONLY_CHECKED)
def test_mistakes_that_a_schema_cannot_name(takes: Takes, value: Any, place: tuple[str | int, ...]) -> None:
    kept, mistakes = usable_settings((Option("x", takes, "", table=INNER),), {"x": value})
    assert (kept, [mistake.pointer for mistake in mistakes]) == ({}, [("x", *place)])


@pytest.mark.parametrize("value", ["src/**/*.py", ["**", "*.md"]])
def test_good_globs(value: Any) -> None:
    assert usable_settings((Option("x", "globs", ""),), {"x": value}) == ({"x": value}, ())


def test_some_words_may_be_empty() -> None:
    assert usable_settings((Option("x", "words", "", may_be_empty=True),), {"x": []}) == ({"x": []}, ())


def test_words_of_a_setting_without_names_are_any() -> None:
    assert usable_settings((Option("x", "words", ""),), {"x": ["a", "b"]}) == ({"x": ["a", "b"]}, ())


RULES: tuple[tuple[dict[str, Any], tuple[tuple[str | int, ...], ...]], ...] = (
    ({"then": "block"}, ()),
    ({"then": "ask"}, ()),
    ({}, ((),)),
    ({"on": "Stop", "message": "a"}, ((),)),
    ({"run": "a"}, ((),)),
    ({"then": "stop"}, (("then",),)),
    ({"then": "stop", "run": "a"}, (("then",),)),
    ({"then": "block", "when": {"kind": "shel"}}, (("when", "kind"),)),
    ({"then": "block", "when": {"knd": "shell"}}, (("when", "knd"),)),
    ({"then": "rewrite", "replace": "a", "by": "b"}, ()),
    ({"then": "rewrite", "replace": "(a)", "by": r"\1"}, ()),
    ({"then": "rewrite", "replace": "(a)", "by": r"\2"}, (("by",),)),
    ({"then": "rewrite", "replace": "(a)", "by": r"\g<name>"}, (("by",),)),
    ({"then": "rewrite", "replace": "(a)", "by": 7}, (("by",),)),
    ({"then": "rewrite", "replace": "(", "by": "b"}, (("replace",),)),
    ({"then": "rewrite", "replace": "a"}, (("then",),)),
    ({"then": "rewrite", "by": "a"}, (("then",),)),
    ({"then": "rewrite"}, (("then",),)),
    ({"then": "warn", "message": "a"}, ()),
    ({"then": "warn"}, (("then",),)),
    ({"then": "context", "message": "a"}, ()),
    ({"then": "context"}, (("then",),)),
    ({"then": "run", "run": "a"}, ()),
    ({"then": "run", "run": ["a", "b"]}, ()),
    ({"then": "run", "run": ["a", ""]}, ()),
    ({"then": "run", "run": "a", "timeout": 5, "fail_closed": True}, ()),
    ({"then": "run"}, (("then",),)),
    ({"then": "block", "when": {"previous": {"at_least": "a", "at_most": 1}}}, (("when", "previous", "at_least"),)),
    ({"then": "block", "when": {"previous": {"at_least": 1, "at_most": "a"}}}, (("when", "previous", "at_most"),)),
    ({"then": "block", "run": "a"}, (("run",),)),
    ({"then": "block", "timeout": 5}, (("timeout",),)),
    ({"then": "block", "fail_closed": True}, (("fail_closed",),)),
    ({"then": "block", "replace": "a"}, (("replace",),)),
    ({"then": "run", "run": "a", "by": "b"}, (("by",),)),
)


@pytest.mark.parametrize(("rule", "places"), RULES)
def test_mistakes_of_rules(rule: dict[str, Any], places: tuple[tuple[str | int, ...], ...]) -> None:
    assert tuple(mistake.pointer for mistake in rule_mistakes(rule)) == places


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
        assert json.loads((ROOT / "schemas" / f"{name}.json").read_text()) == made, "run: make docs"
    jsonschema.validate({"guards": {"shell": {"level": "ask"}}, "rule": [{"then": "block"}]}, guards_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"rules": [{"then": "blok"}]}, rules_schema())
