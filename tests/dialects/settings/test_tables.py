"""The tables of settings: files that are right by them never lose hooks; one wrong value loses them, with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anyhook.dialects import dialect, profile
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import SettingsRule
from anyhook.dialects.settings.shapes import Object
from anyhook.model.hooks import HookFile
from anyhook.model.origin import Scope
from anyhook.sources.parsing.parse_json import parse_json
from tests.dialects.settings.test_shapes import values_of
from tests.lint.projects import groups, hook

EVENTS = {
    "claude-code": "PreToolUse",
    "gemini-cli": "BeforeTool",
    "qwen-code": "PreToolUse",
    "copilot-cli": "PreToolUse",
}
TABLES = [
    (client, table)
    for client in EVENTS
    for table in profile(client).settings
    if isinstance(table.shape, Object) and FileKind.SETTINGS in table.kinds
]
SWITCHES = ("disableAllHooks", "disable_all_hooks", "allowManagedHooksOnly", "hooksConfig")


def read(client: str, others: dict[str, Any], path: str = "settings.json", scope: Scope = Scope.PROJECT) -> HookFile:
    text = json.dumps({**others, **groups(EVENTS[client], hook("true"))}, indent=1)
    return dialect(client).read(parse_json(text, path), FileKind.SETTINGS, scope)


def loaded(found: HookFile) -> list[bool]:
    return [action.is_loaded for rule in found.rules for action in rule.actions]


@given(st.sampled_from(TABLES), st.data())
@settings(deadline=None)
def test_a_file_that_is_right_by_the_table_keeps_its_hooks(case: tuple[str, SettingsRule], data: st.DataObject) -> None:
    client, table = case
    written = data.draw(values_of(table.shape))
    others = {key: value for key, value in written.items() if key not in (*SWITCHES, "hooks")}
    scope = Scope.PROJECT if Scope.PROJECT in table.scopes else Scope.USER
    found = read(client, others, (*table.files, "settings.json")[0], scope=scope)
    assert [problem.text for problem in found.problems if problem.code == "S013"] == []
    assert loaded(found) == [True]
    assert "start" not in found.switches.off


@pytest.mark.parametrize(
    ("client", "others", "pointer", "line", "reason"),
    [
        ("copilot-cli", {"beep": 5}, "/beep", 2, "beep in line 2 is 5, not true or false"),
        (
            "copilot-cli",
            {"permissions": {"allow": ["WebFetch"]}},
            "/permissions/allow/0",
            4,
            'permissions.allow.0 in line 4 is "WebFetch", not a rule such as Bash(git status)',
        ),
        (
            "gemini-cli",
            {"telemetry": {"target": None}},
            "/telemetry/target",
            3,
            'telemetry.target in line 3 is null, not "local" or "gcp"',
        ),
        (
            "qwen-code",
            {"tools": {"executionSandbox": {"filesystem": "read-only"}}},
            "/tools/executionSandbox",
            3,
            "tools.executionSandbox.network is missing in line 3",
        ),
        ("claude-code", {"permissions": None}, "/permissions", 2, "permissions in line 2 is null, not an object"),
        ("claude-code", {"verbose": True, "model": 5}, "/model", 3, "model in line 3 is 5, not text"),
        (
            "claude-code",
            {"statusLine": {"type": "command"}},
            "/statusLine",
            2,
            "statusLine.command is missing in line 2",
        ),
        (
            "copilot-cli",
            {"disableAllHooks": "true"},
            "/disableAllHooks",
            2,
            'disableAllHooks in line 2 is "true", not true or false',
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_line(
    client: str, others: dict[str, Any], pointer: str, line: int, reason: str
) -> None:
    found = read(client, others, scope=Scope.USER)
    (wrong,) = (problem for problem in found.problems if problem.code == "S013")
    assert (wrong.origin.pointer, wrong.origin.line) == (pointer, line)
    assert wrong.text.startswith(f"{reason}: ")
    assert loaded(found) == [False]
    assert {action.fate.why for rule in found.rules for action in rule.actions} == {wrong.text}


@pytest.mark.parametrize(
    ("path", "others", "is_kept"),
    [
        (".github/copilot/settings.json", {"model": 5}, False),
        (".github/copilot/settings.local.json", {"denied_urls": 5}, False),
        (".github/copilot/settings.json", {"beep": 5}, True),
        (".claude/settings.json", {"enabledPlugins": 5}, False),
        (".claude/settings.local.json", {"company_announcements": 5}, False),
        (".claude/settings.json", {"model": 5, "permissions": None}, True),
    ],
)
def test_each_file_of_a_project_has_its_own_table(path: str, others: dict[str, Any], is_kept: bool) -> None:
    assert loaded(read("copilot-cli", others, path)) == [is_kept]


def test_a_wrong_entry_costs_a_settings_file_but_not_a_hook_file() -> None:
    entries = {"preToolUse": [{"type": "command", "command": "true"}, {"type": "command"}]}
    document = parse_json(json.dumps({"version": 1, "hooks": entries}), "x.json")
    kept = {kind: dialect("copilot-cli").read(document, kind, Scope.PROJECT) for kind in FileKind}
    assert True not in loaded(kept[FileKind.SETTINGS])
    assert True in loaded(kept[FileKind.HOOKS])
