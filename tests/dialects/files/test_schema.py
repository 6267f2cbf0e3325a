"""The schemas in ``schemas/`` are those that the code makes, and they accept what clients accept."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from anyhook.dialects import NAMES, dialect
from anyhook.dialects.places import FileKind
from anyhook.model.origin import Scope
from anyhook.sources.parsing.parse_json import parse_json
from anyhook.testing.cases.case_schema import SCHEMAS as CASE_SCHEMAS
from tests.checkout import ROOT

SCHEMAS = ROOT / "schemas"


def hook(**more: Any) -> dict[str, Any]:
    return {"type": "command", "command": "./x.sh", **more}


GOOD: dict[str, dict[str, Any]] = {
    "claude-code": {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook(timeout=5)]}]}, "model": "any"},
    "codex": {"hooks": {"Stop": [{"hooks": [hook(commandWindows="x.ps1")]}]}},
    "gemini-cli": {"hooks": {"BeforeTool": [{"sequential": True, "hooks": [hook(name="n", timeout=5000)]}]}},
    "copilot-cli": {"version": 1, "hooks": {"preToolUse": [{"bash": "./x.sh", "timeoutSec": 5}]}},
    "copilot-vscode": {"hooks": {"PreToolUse": [hook(windows="x.ps1")]}},
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "./x.sh", "loop_limit": 3}]}},
    "windsurf": {"hooks": {"pre_run_command": [{"command": "./x.sh", "show_output": True}]}},
    "universal": {"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Write", "hooks": [hook(timeout=30)]}]}},
    "kiro": {
        "version": "v1",
        "hooks": [{"name": "g", "trigger": "PreToolUse", "action": {"type": "command", "command": "./x.sh"}}],
    },
}
BAD: dict[str, dict[str, Any]] = {
    "claude-code": {"hooks": {"PreToolUes": []}},
    "codex": {"version": 1, "hooks": {}},
    "gemini-cli": {"hooks": {"PreToolUse": []}},
    "cursor": {"version": 1, "hooks": {"PreToolUse": []}},
    "universal": {"hooks": {"pre-tool-use": []}},
}


@pytest.mark.parametrize("name", NAMES)
def test_the_files_are_what_the_code_makes(name: str) -> None:
    made = json.loads(json.dumps(dialect(name).schema()))
    assert json.loads((SCHEMAS / f"{name}.json").read_text()) == made, "run: make docs"
    jsonschema.Draft202012Validator.check_schema(made)


@pytest.mark.parametrize("name", GOOD)
def test_good_files_are_accepted_by_schema_and_reader(name: str) -> None:
    jsonschema.validate(GOOD[name], dialect(name).schema())
    kind = FileKind.SETTINGS if name in {"claude-code", "gemini-cli"} else FileKind.HOOKS
    file = dialect(name).read(parse_json(json.dumps(GOOD[name])), kind, Scope.PROJECT)
    assert file.problems == ()
    assert file.rules


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(BAD[name], dialect(name).schema())


def test_no_schema_is_left_over() -> None:
    assert {path.stem for path in SCHEMAS.glob("*.json")} == {*NAMES, *CASE_SCHEMAS, "guards", "rules"}
