"""An event is bound to a client's rules once: by ``bind_event``, and by nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event, bind_payload, bind_rule
from anyhook.model.events import FoldRule
from anyhook.model.hooks import Rule
from anyhook.model.payload import PreToolUse
from anyhook.model.payload_base import Spelling
from tests.checkout import SOURCE

FOLDERS = ("engine", "dialects/wire", "dialects/translation", "testing/matrix")
BINDER = "bound_event.py"


def trees(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for file in sorted((SOURCE / "anyhook" / folder).rglob("*.py")):
            yield str(file.relative_to(SOURCE)), ast.parse(file.read_text("utf-8"))


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def test_no_function_takes_a_profile_and_a_native_event() -> None:
    found = [
        f"{file}: {node.name}"
        for file, tree in trees(*FOLDERS)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(node) >= {"profile", "native_event"}
    ]
    assert found == []


def test_nothing_else_chooses_a_variant() -> None:
    found = [
        f"{file}:{node.lineno}"
        for file, tree in trees(".")
        if not file.endswith(BINDER)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "variant"
    ]
    assert found == []


@pytest.mark.parametrize(("native", "event_key"), [("preToolUse", ""), ("PreToolUse", "hook_event_name"), ("", "")])
def test_the_native_name_chooses_the_variant(native: str, event_key: str) -> None:
    """copilot-cli/semantics.md: hooks under PascalCase names get Claude's payload."""
    copilot = profile("copilot-cli")
    bound = bind_event(copilot, "PreToolUse", native)
    assert bound.native_event == (native or "preToolUse")
    assert bound.profile.wire.event_key == event_key
    assert bound.client is copilot
    assert (bound.fold_rule, bound.can_block) == (FoldRule.DECISION, True)
    rule = Rule(event="PreToolUse", native_event=native, actions=())
    assert bind_rule(copilot, rule).profile is bound.profile


def test_a_payload_is_bound_under_its_own_name_only_in_its_own_client() -> None:
    copilot = profile("copilot-cli")

    def name_for(dialect: str) -> str:
        spelling = Spelling(dialect)
        payload = PreToolUse(tool_name="Bash", tool_input={}, native_event="PreToolUse", spelling=spelling)
        return bind_payload(copilot, payload).native_event

    assert name_for("copilot-cli") == name_for("") == "PreToolUse"
    assert name_for("claude-code") == "preToolUse"


def test_an_event_that_nobody_knows_is_bound_by_its_own_name() -> None:
    bound = bind_event(profile("claude-code"), "HostEvent")
    assert (bound.native_event, bound.fold_rule, bound.can_block) == ("HostEvent", FoldRule.OBSERVE, False)
