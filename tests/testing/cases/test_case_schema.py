"""The schemas of cases say the same as the reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anyhook.sources.parsing.parse_front_matter import parse_yaml
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.case_schema import SCHEMAS, case_schema, config_schema
from tests.checkout import ROOT
from tests.testing.packages import package

CASES = sorted((ROOT / "examples" / "hooks-package" / "hooks" / "tests" / "cases").glob("*.yaml"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_files_are_what_the_code_makes(name: str) -> None:
    made = SCHEMAS[name]()
    assert json.loads((ROOT / "schemas" / f"{name}.json").read_text()) == made, "run: make docs"
    jsonschema.Draft202012Validator.check_schema(made)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_examples_are_valid(path: Path) -> None:
    jsonschema.validate(parse_yaml(path.read_text()).data, case_schema())


def test_the_example_config_is_valid() -> None:
    config = ROOT / "examples" / "hooks-package" / "hooks" / "tests" / "test-config.json"
    jsonschema.validate(json.loads(config.read_text()), config_schema())


BROKEN: list[dict[str, Any]] = [
    {"event": "stop"},
    {"name": "a"},
    {"name": "A", "event": "stop"},
    {"name": "a" * 65, "event": "stop"},
    {"name": "a", "event": "stop", "expcted": {}},
    {"name": "a", "event": "stop", "hook-index": -1},
    {"name": "a", "event": "stop", "timeout": 0},
    {"name": "a", "event": "stop", "client": "nobody"},
    {"name": "a", "event": "stop", "input": {"verdict": 1}},
    {"name": "a", "event": "stop", "expected": {"exit-code": "2"}},
    {"name": "a", "event": "stop", "expected": {"stderr-contains": "no list"}},
    {"name": "a", "event": "stop", "expected": {"effect": "explode"}},
    {"name": "a", "event": "stop", "expected": {"clients": {"nobody": "block"}}},
]


@pytest.mark.parametrize("content", BROKEN, ids=str)
def test_what_the_reader_refuses_the_schema_refuses(tmp_path: Path, content: dict[str, Any]) -> None:
    assert package(tmp_path, {}, {"one": content}).broken
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, case_schema())


@pytest.mark.parametrize(
    "content", [{}, {"version": 2}, {"version": 1, "env": {"A": 1}}, {"version": 1, "x": 1}], ids=str
)
def test_a_config_that_the_reader_refuses_the_schema_refuses(tmp_path: Path, content: dict[str, Any]) -> None:
    package(tmp_path, {}, {"one": "name: a\nevent: stop\n"}, **{"hooks/tests/test-config.json": content})
    assert read_suite(tmp_path).broken
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, config_schema())
