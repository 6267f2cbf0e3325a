"""Deleting, disabling and enabling, each in the way of the client; what surrounds the hook stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.editor.hook_changes import other_ways, plan_deletion, plan_disabling, plan_enabling
from anyhook.editor.overview import take_overview
from anyhook.model.problems import AnyhookError
from anyhook.sources.editing.file_change import apply
from tests.editor.projects import (
    CLAUDE,
    CLAUDE_FILE,
    GEMINI,
    GEMINI_FILE,
    KIRO,
    KIRO_FILE,
    claude_project,
    client_of,
    item_of,
    make_project,
    read,
)

ANTIGRAVITY = '{"mine": {"Stop": [{"command": "true"}]}, "other": {"Stop": [{"command": "false"}]}}\n'


def test_one_hook_of_a_group_is_deleted(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    apply(plan_deletion(item_of(take_overview(roots), "guard.sh")))
    line = '        {"type": "command", "command": "./scripts/guard.sh", "timeout": 10},\n'
    assert read(roots, CLAUDE_FILE) == CLAUDE.replace(line, "")


def test_the_last_hook_of_an_event_takes_the_event_with_it(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    apply(plan_deletion(item_of(take_overview(roots), "missing.sh")))
    assert [item.native_event for item in take_overview(roots).hooks()] == ["PreToolUse", "PreToolUse"]
    assert "Stop" not in read(roots, CLAUDE_FILE)


def test_a_toml_table_is_deleted(tmp_path: Path) -> None:
    text = (
        '# mine\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n\n[other]\na = 1 # stays\n'
    )
    roots = make_project(tmp_path, {".codex/config.toml": text})
    apply(plan_deletion(item_of(take_overview(roots), "true")))
    assert read(roots, ".codex/config.toml") == "# mine\n\n[other]\na = 1 # stays\n"


def test_gemini_disables_by_name_and_enables_again(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {GEMINI_FILE: GEMINI})
    overview = take_overview(roots)
    change = plan_disabling(item_of(overview, "exit 0"), client_of(overview, "gemini-cli"))
    assert change is not None
    apply(change)
    assert "// comments stay" in read(roots, GEMINI_FILE)
    overview = take_overview(roots)
    item = item_of(overview, "exit 0")
    assert item.state == "disabled"
    apply(plan_enabling(item, client_of(overview, "gemini-cli")))
    assert read(roots, GEMINI_FILE) == GEMINI


def test_gemini_says_which_other_hook_has_the_name(tmp_path: Path) -> None:
    both = GEMINI.replace(
        '"BeforeTool": [',
        '"AfterTool": [{"hooks": [{"name": "guard", "type": "command", "command": "echo b"}]}],\n"BeforeTool": [',
    )
    overview = take_overview(make_project(tmp_path, {GEMINI_FILE: both}))
    change = plan_disabling(item_of(overview, "exit 0"), client_of(overview, "gemini-cli"))
    assert change is not None
    assert change.notes == ("this also disables the hook on AfterTool: echo b",)


def test_kiro_has_a_flag_in_the_hook(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {KIRO_FILE: KIRO})
    overview = take_overview(roots)
    change = plan_disabling(item_of(overview, "false"), client_of(overview, "kiro"))
    assert change is not None
    assert change.notes == ()
    apply(change)
    overview = take_overview(roots)
    assert [item.state for item in overview.hooks()] == ["active", "disabled"]
    apply(plan_enabling(item_of(overview, "false"), client_of(overview, "kiro")))
    assert read(roots, KIRO_FILE) == KIRO


def test_the_hooks_of_a_kiro_agent_have_no_flag(tmp_path: Path) -> None:
    agent = '{"name": "a", "hooks": {"preToolUse": [{"command": "true"}]}}\n'
    overview = take_overview(make_project(tmp_path, {".kiro/agents/a.json": agent}), ("kiro",))
    item = item_of(overview, "true")
    assert plan_disabling(item, client_of(overview, "kiro")) is None
    assert [way.text for way in other_ways(item, client_of(overview, "kiro"))] == [
        "Delete the hook. Undo (u) brings it back."
    ]


def test_antigravity_has_a_flag_at_the_name(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {".agents/hooks.json": ANTIGRAVITY})
    overview = take_overview(roots)
    change = plan_disabling(item_of(overview, "true"), client_of(overview, "antigravity"))
    assert change is not None
    apply(change)
    overview = take_overview(roots)
    assert [item.state for item in overview.hooks()] == ["disabled", "active"]
    apply(plan_enabling(item_of(overview, "true"), client_of(overview, "antigravity")))
    assert read(roots, ".agents/hooks.json") == ANTIGRAVITY


def test_claude_code_has_no_way_for_one_hook_and_the_others_are_offered(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    overview = take_overview(roots)
    item, client = item_of(overview, "guard.sh"), client_of(overview, "claude-code")
    assert plan_disabling(item, client) is None
    delete, switch = other_ways(item, client)
    assert delete.change.what == "delete the hook on PreToolUse"
    assert switch.text == "Switch off all hooks of Claude Code: disableAllHooks: true"
    apply(switch.change)
    overview = take_overview(roots)
    assert {item.state for item in overview.hooks()} == {"disabled"}
    apply(plan_enabling(item_of(overview, "guard.sh"), client_of(overview, "claude-code")))
    assert read(roots, CLAUDE_FILE) == CLAUDE


def test_a_guard_is_switched_off_by_its_level_and_deleted_with_its_table(tmp_path: Path) -> None:
    text = '# mine\n[guards.shell]\nlevel = "ask"\n\n[guards.files]\n'
    roots = make_project(tmp_path, {"anyhook.toml": text})
    overview = take_overview(roots)
    change = plan_disabling(item_of(overview, "shell guard"), client_of(overview, "universal"))
    assert change is not None
    apply(change)
    assert read(roots, "anyhook.toml") == text.replace('"ask"', '"off"')
    overview = take_overview(roots)
    item = item_of(overview, "shell guard")
    assert item.state == "disabled"
    apply(plan_enabling(item, client_of(overview, "universal")))
    assert item_of(take_overview(roots), "shell guard").state == "active"
    apply(plan_deletion(item))
    assert "shell" not in read(roots, "anyhook.toml")


def test_a_function_is_left_to_its_author(tmp_path: Path) -> None:
    code = 'from anyhook import hook\n\n\n@hook("Stop")\ndef check(payload):\n    return None\n'
    overview = take_overview(make_project(tmp_path, {"hooks/mine.py": code}))
    item = item_of(overview, "check")
    with pytest.raises(AnyhookError, match=r"mine\.py:\d+: this hook is written in python"):
        plan_deletion(item)
    assert plan_disabling(item, client_of(overview, "universal")) is None


def test_a_file_that_was_broken_meanwhile_is_not_touched(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    item = item_of(take_overview(roots), "guard.sh")
    (roots.project / CLAUDE_FILE).write_text('{"hooks": [', encoding="utf-8")
    with pytest.raises(AnyhookError, match=r"settings\.json:1: .*\ncorrect the syntax"):
        plan_deletion(item)
    assert read(roots, CLAUDE_FILE) == '{"hooks": ['


def test_an_entry_of_deploy_is_left_to_undeploy(tmp_path: Path) -> None:
    entry = "anyhook exec --client claude-code --event PreToolUse"
    settings = f'{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{entry}"}}]}}]}}}}'
    overview = take_overview(
        make_project(tmp_path, {CLAUDE_FILE: settings, "anyhook.toml": "[guards.shell]\n"}), ("claude-code",)
    )
    (item,) = overview.hooks()
    with pytest.raises(AnyhookError, match="anyhook undeploy --client claude-code"):
        plan_deletion(item)


def test_it_is_said_that_a_file_belongs_to_another_client(tmp_path: Path) -> None:
    overview = take_overview(claude_project(tmp_path), ("cursor",))
    item = item_of(overview, "guard.sh")
    assert plan_deletion(item).notes == ("the file belongs to another client, which loses the hook, too",)


def test_another_hook_at_the_same_place_is_not_deleted(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    item = item_of(take_overview(roots), "guard.sh")
    changed = CLAUDE.replace("./scripts/guard.sh", "./scripts/other.sh")
    (roots.project / CLAUDE_FILE).write_text(changed, encoding="utf-8")
    with pytest.raises(AnyhookError, match=r"has changed since it was read\nread it again \(r\)"):
        plan_deletion(item)
