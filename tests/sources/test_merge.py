"""Files become one hook set: ordered, with what is switched off or shadowed marked."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import FateState, HookFile, HookSet
from anyhook.model.origin import Scope
from anyhook.sources.merge import merge
from anyhook.sources.parsing.parse_json import parse_json


def file(client: str, scope: Scope, *commands: str, **settings: Any) -> HookFile:
    event = "BeforeTool" if client == "gemini-cli" else "PreToolUse"
    hooks = [{"type": "command", "command": text} for text in commands]
    text = msgspec.json.encode({"hooks": {event: [{"hooks": hooks}]}, **settings}).decode()
    return dialect(client).read(parse_json(text, f"{scope}.json"), FileKind.SETTINGS, scope)


def states(hooks: HookSet) -> list[tuple[str, FateState]]:
    return [(action.summary(), action.fate.state) for rule in hooks.rules for action in rule.actions]


def test_hooks_keep_the_order_of_the_files() -> None:
    hooks = merge("claude-code", [file("claude-code", Scope.USER, "a"), file("claude-code", Scope.PROJECT, "b")])
    assert states(hooks) == [("a", FateState.ACTIVE), ("b", FateState.ACTIVE)]


def test_one_setting_turns_everything_off_but_the_organisations_hooks() -> None:
    managed = file("claude-code", Scope.MANAGED, "policy")
    project = file("claude-code", Scope.PROJECT, "b", disableAllHooks=True)
    hooks = merge("claude-code", [managed, file("claude-code", Scope.USER, "a"), project])
    assert states(hooks) == [("policy", FateState.ACTIVE), ("a", FateState.DISABLED), ("b", FateState.DISABLED)]
    assert hooks.rules[1].actions[0].fate.why == "hooks are switched off in project.json"


def test_twice_the_files_take_twice_the_work() -> None:
    """A folder of thousands of files is merged on every event."""

    def calls(number: int) -> int:
        files = [file("claude-code", Scope.PROJECT, "a")] * number
        made = 0

        def count(*_: object) -> None:
            nonlocal made
            made += 1

        sys.setprofile(count)
        try:
            merge("claude-code", files)
        finally:
            sys.setprofile(None)
        return made

    assert calls(200) < 3 * calls(100)


def test_the_organisation_can_allow_only_its_own() -> None:
    managed = file("claude-code", Scope.MANAGED, "policy", allowManagedHooksOnly=True)
    hooks = merge("claude-code", [managed, file("claude-code", Scope.USER, "a")])
    assert states(hooks) == [("policy", FateState.ACTIVE), ("a", FateState.DISABLED)]
    pretender = file("claude-code", Scope.USER, "a", allowManagedHooksOnly=True)
    assert states(merge("claude-code", [pretender])) == [("a", FateState.ACTIVE)]


def test_gemini_can_turn_hooks_off_by_command() -> None:
    hooks = merge("gemini-cli", [file("gemini-cli", Scope.PROJECT, "a", "b", hooksConfig={"disabled": ["a"]})])
    assert states(hooks) == [("a", FateState.DISABLED), ("b", FateState.ACTIVE)]


def test_identical_hooks_are_shadowed_where_the_client_runs_them_once() -> None:
    twice = [file("claude-code", Scope.USER, "a"), file("claude-code", Scope.PROJECT, "a")]
    assert states(merge("claude-code", twice)) == [("a", FateState.ACTIVE), ("a", FateState.SHADOWED)]
    twice = [file("codex", Scope.USER, "a"), file("codex", Scope.PROJECT, "a")]
    assert states(merge("codex", twice)) == [("a", FateState.ACTIVE), ("a", FateState.ACTIVE)]


def test_a_plugins_copy_runs_in_addition() -> None:
    both = [file("claude-code", Scope.USER, "a"), file("claude-code", Scope.PLUGIN, "a")]
    assert states(merge("claude-code", both)) == [("a", FateState.ACTIVE), ("a", FateState.ACTIVE)]
