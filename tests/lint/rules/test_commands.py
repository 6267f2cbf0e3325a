"""Quoting, variables, placeholders and paths in the text of commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.fix import fix_paths
from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, check, codes, flat, found, groups, guard, hook, roots, texts, write

PLUGIN = {".claude-plugin/plugin.json": {"name": "p"}}


def plugin(command: str, **more: Any) -> dict[str, Any]:
    return {**PLUGIN, "hooks/hooks.json": groups("Stop", hook(command, **more))}


@pytest.mark.parametrize(
    ("command", "fixed"),
    [
        ("bash ${CLAUDE_PLUGIN_ROOT}/a.sh", 'bash "${CLAUDE_PLUGIN_ROOT}/a.sh"'),
        ("$CLAUDE_PLUGIN_ROOT/a.sh --x", '"$CLAUDE_PLUGIN_ROOT/a.sh" --x'),
        ("a --dir=$CLAUDE_PLUGIN_ROOT/x b", 'a "--dir=$CLAUDE_PLUGIN_ROOT/x" b'),
        ("cat $CLAUDE_PLUGIN_ROOT/*.md", 'cat "$CLAUDE_PLUGIN_ROOT"/*.md'),
        ("cd $CLAUDE_PLUGIN_ROOT && ./a.sh", 'cd "$CLAUDE_PLUGIN_ROOT" && ./a.sh'),
        ('x "a" $CLAUDE_PLUGIN_ROOT/b "ü\\n"', 'x "a" "$CLAUDE_PLUGIN_ROOT/b" "ü\\n"'),
        ('a="$(cat $CLAUDE_PLUGIN_ROOT/x)"', 'a="$(cat "$CLAUDE_PLUGIN_ROOT/x")"'),
    ],
)
def test_an_unquoted_root_and_its_repair(command: str, fixed: str, tmp_path: Path) -> None:
    write(tmp_path, plugin(command))
    report = fix_paths([tmp_path], roots(tmp_path), select=["C001"])
    assert [len(file.problems) for file in report.fixed] == [1]
    content = json.loads((tmp_path / "hooks/hooks.json").read_text(encoding="utf-8"))
    assert content["hooks"]["Stop"][0]["hooks"][0]["command"] == fixed
    assert report.left.problems == ()


@pytest.mark.parametrize(
    "command",
    [
        'bash "${CLAUDE_PLUGIN_ROOT}/a.sh"',
        'bash "$CLAUDE_PLUGIN_ROOT"/a.sh',
        'R=$CLAUDE_PLUGIN_ROOT; bash "$R/a.sh"',
        "echo '$CLAUDE_PLUGIN_ROOT/a.sh'",
        "[[ -f $CLAUDE_PLUGIN_ROOT/a ]]",
        "bash $HOME/a.sh",
        "powershell -File $env:CLAUDE_PLUGIN_ROOT\\a.ps1",
        "bash $CLAUDE_PLUGIN_ROOT/it's",
    ],
)
def test_nothing_to_quote(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, plugin(command), "C001") == []


def test_a_program_without_a_shell_needs_no_quotes(tmp_path: Path) -> None:
    assert found(tmp_path, plugin("node", args=["${CLAUDE_PLUGIN_ROOT}/a b.js"]), "C001") == []


def test_inside_another_shell_it_is_reported_but_not_repaired(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, plugin("bash -c 'node $CLAUDE_PLUGIN_ROOT/a.js'"), "C001")
    assert problem.edits == ()


def test_gemini_quotes_its_own_variables(tmp_path: Path) -> None:
    assert found(tmp_path, guard("gemini-cli", "node $GEMINI_PROJECT_DIR/a.js"), "C001") == []
    assert len(found(tmp_path, guard("gemini-cli", "node ${GEMINI_PROJECT_DIR}/a.js"), "C001")) == 1


@pytest.mark.parametrize("path", ["/home/ann/x.sh", "/Users/ann/x.sh", "C:\\Users\\ann\\x.sh", "C:/Users/ann/x.sh"])
def test_somebody_s_home(path: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", f'"{path}" --x'), "C006")
    assert problem.text.endswith("exists only on the machine of ann")
    assert path in problem.text


@pytest.mark.parametrize(
    "command", ["$HOME/x.sh", "~/x.sh", "/home/linuxbrew/bin/x", "/Users/Shared/x", "/opt/home/ann"]
)
def test_nobody_s_home(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", command), "C006") == []


def test_one_s_own_file_may_have_one_s_own_paths(tmp_path: Path) -> None:
    files = {".claude/settings.local.json": groups("Stop", hook("/home/ann/x.sh"))}
    assert found(tmp_path, files, "C006") == []


@pytest.mark.parametrize(
    ("client", "command", "name"),
    [
        ("claude-code", 'echo "$CLAUDE_TOOL_INPUT"', "CLAUDE_TOOL_INPUT"),
        ("claude-code", "x $TOOL_NAME", "TOOL_NAME"),
        ("claude-code", "bash -c 'x $FILE_PATH'", "FILE_PATH"),
        ("claude-code", '"$CLAUDE_PLUGIN_ROOT/a.sh"', "CLAUDE_PLUGIN_ROOT"),
        ("claude-code", '"$GEMINI_PROJECT_DIR/a.sh"', "GEMINI_PROJECT_DIR"),
        ("codex", '"$CLAUDE_PROJECT_DIR/a.sh"', "CLAUDE_PROJECT_DIR"),
        ("claude-code", "powershell $env:CLAUDE_TOOL_INPUT", "CLAUDE_TOOL_INPUT"),
    ],
)
def test_a_variable_that_is_never_set(client: str, command: str, name: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard(client, command), "C007")
    assert f"${name}" in problem.text
    assert problem.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("client", "command"),
    [
        ("claude-code", '"$CLAUDE_PROJECT_DIR/a.sh"'),
        ("claude-code", 'TOOL_INPUT=$(cat); echo "$TOOL_INPUT"'),
        ("claude-code", 'while read -r FILE_PATH; do x "$FILE_PATH"; done'),
        ("claude-code", "echo '$CLAUDE_TOOL_INPUT'"),
        ("claude-code", "echo $CODEX_HOME $MY_VARIABLE $CLAUDE_CONFIG_DIR"),
        ("claude-code", '"${CLAUDE_PROJECT_DIR:-$CURSOR_PROJECT_DIR}/a.sh"'),
        ("gemini-cli", '"${GEMINI_PROJECT_DIR}${CLAUDE_PLUGIN_ROOT}/a.sh"'),
        ("gemini-cli", '"$CLAUDE_PROJECT_DIR/a.sh"'),
        ("copilot-cli", '"$CLAUDE_PROJECT_DIR/a.sh"'),
        ("windsurf", '"$CLAUDE_PROJECT_DIR/a.sh"'),
    ],
)
def test_variables_that_are_set_or_nobody_s_business(client: str, command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard(client, command), "C007") == []


def test_a_default_is_worth_one_note(tmp_path: Path) -> None:
    one, two = hook('x "${CLAUDE_TOOL_NAME:-none}"'), hook('y "${CLAUDE_TOOL_NAME:-none}"')
    (problem,) = found(tmp_path, {PLACES["claude-code"]: groups("Stop", one, two)}, "C007")
    assert problem.severity is Severity.NOTE


def test_settings_and_hooks_may_set_variables(tmp_path: Path) -> None:
    content = {"env": {"TOOL_NAME": "x"}, **groups("Stop", hook("y $TOOL_NAME"))}
    assert found(tmp_path / "a", {PLACES["claude-code"]: content}, "C007") == []
    files = guard("gemini-cli", "y $TOOL_NAME", env={"TOOL_NAME": "x"})
    assert found(tmp_path / "b", files, "C007") == []


def test_a_plugin_s_root_is_set_for_plugins(tmp_path: Path) -> None:
    assert found(tmp_path, plugin('"${CLAUDE_PLUGIN_ROOT}/a.sh"'), "C007") == []


def test_codex_lends_claude_s_names_to_plugins(tmp_path: Path) -> None:
    files = {".codex-plugin/plugin.json": {}, "hooks/hooks.json": groups("Stop", hook('"$CLAUDE_PLUGIN_ROOT/a.sh"'))}
    (problem,) = found(tmp_path, files, "C007", "codex")
    assert problem.severity is Severity.NOTE
    assert problem.fix == "$PLUGIN_ROOT is Codex's own name for it"


@pytest.mark.parametrize(
    "command", ["x {{file}}", "x {{ PATH }}", "node {KIT}/a.js", 'node "{KIT}/a.js"', "x ${file}", "x ${tool.name}"]
)
def test_a_placeholder(command: str, tmp_path: Path) -> None:
    assert len(found(tmp_path, guard("claude-code", command), "C008")) == 1


@pytest.mark.parametrize(
    "command",
    [
        "docker ps --format '{{.Names}}'",
        "for file in *; do echo ${file}; done",
        "echo ${HOME}/x",
        "awk '{print}' /x",
        "echo {a,b}/c",
        "jq '{A}' /x",
        "echo ${file:-x}",
        "python3 -c \"print(f'{BASE}/x')\"",
    ],
)
def test_no_placeholder(command: str, tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", command), "C008") == []


def test_comments(tmp_path: Path) -> None:
    assert "C009" in codes(tmp_path, guard("claude-code", "# format: prettier ."))
    assert "C009" in codes(tmp_path, guard("claude-code", "# a\n  # b\n"))
    assert "C009" not in codes(tmp_path, guard("claude-code", "# format\nprettier ."))
    assert "C009" not in codes(tmp_path, guard("claude-code", "prettier . # format"))


@pytest.mark.parametrize(
    "command", ['npx tsx "C:\\Users\\me\\a.ts"', "bash .claude\\hooks\\a.sh", "python scripts\\a.py"]
)
def test_a_windows_path(command: str, tmp_path: Path) -> None:
    assert "C010" in codes(tmp_path, guard("claude-code", command))


@pytest.mark.parametrize(
    "command",
    [
        "grep -E '\\.(js|ts)$' a",
        "case $x in grep\\ *) y;; esac",
        "sed 's:\\s*::' a",
        "cmd /c hooks\\a.cmd",
        "a \\\n b.sh",
    ],
)
def test_no_windows_path(command: str, tmp_path: Path) -> None:
    assert "C010" not in codes(tmp_path, guard("claude-code", command))


def test_bash_alone_is_said_once(tmp_path: Path) -> None:
    lonely = {"type": "command", "bash": "x"}
    (problem,) = found(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", lonely, lonely)}, "C011")
    assert problem.text.startswith('2 hooks have "bash"')
    both = {**lonely, "powershell": "x"}
    assert found(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", both, hook("x"))}, "C011") == []


def test_all_commands_of_a_hook_are_looked_at(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "/home/ann/a", "powershell": "/home/ben/b"}
    problems = check(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", entry)}).problems
    assert texts([p for p in problems if p.code == "C006"]) == ["/home/ann/a exists only on the machine of ann"]


@pytest.mark.parametrize("command", [r'node "C:\\tools\\hooks\\a.js"', r"node 'C:\tools\hooks\a.js'"])
def test_a_backslash_that_the_shell_keeps_is_right(command: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", command), "C010")


def test_an_assignment_to_cmd_is_no_windows_command(tmp_path: Path) -> None:
    command = 'cmd=$(jq -r .tool_input.command); $CLAUDE_PROJECT_DIR/a.sh "$cmd"'
    assert found(tmp_path, guard("claude-code", command), "C001")


def test_the_hint_names_keys_that_the_client_has(tmp_path: Path) -> None:
    only_bash = {PLACES["copilot-cli"]: flat("preToolUse", {"type": "command", "bash": "true"})}
    (problem,) = found(tmp_path, only_bash, "C011")
    assert '"powershell"' in problem.fix


@pytest.mark.parametrize("name", ["STDIN_JSON", "CLAUDE_WORKING_DIR", "GEMINI_TOOL_INPUT", "PLUGIN_DIR"])
def test_a_variable_that_no_client_sets(name: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard("claude-code", f'run "${name}"'), "C007")
    assert f"${name}" in problem.text


@pytest.mark.parametrize("name", ["CLAUDE_CONFIG_DIR", "GEMINI_API_KEY", "CODEX_HOME", "MY_PLUGIN", "CLAUDE_COLOUR"])
def test_a_variable_that_the_user_may_set(name: str, tmp_path: Path) -> None:
    assert not found(tmp_path, guard("claude-code", f'run "${name}"'), "C007")


def test_placeholders_with_dashes(tmp_path: Path) -> None:
    assert found(tmp_path, guard("claude-code", "{my-cli-command} run"), "C008")
    assert not found(tmp_path, guard("claude-code", "ls | xargs -I {one-file} cat {one-file}"), "C008")
    assert not found(tmp_path, guard("claude-code", "python3 -c 'print({some_name})'"), "C008")
    loose = found(tmp_path, {"x.json": groups("Stop", hook("{my-cli} run"))}, "C008")
    assert all(p.severity is Severity.NOTE for p in loose)


def test_a_placeholder_in_what_an_installer_may_read_is_one_note(tmp_path: Path) -> None:
    twice = groups("Stop", hook("node {{KIT}}/a.js"), hook("node {{KIT}}/b.js"))
    (problem,) = found(tmp_path / "a", {"hooks/hooks.json": twice}, "C008")
    assert problem.severity is Severity.NOTE
    assert "unless an installer fills it in" in problem.text
    assert len(found(tmp_path / "b", {**PLUGIN, "hooks/hooks.json": twice}, "C008")) == 2


def test_placeholders_that_the_client_fills_in(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "x {{project_dir}}", "powershell": "x {{plugin_data_dir}}"}
    plugin_files = {"plugin.json": {"name": "p"}, "hooks.json": flat("preToolUse", entry)}
    assert not found(tmp_path / "a", plugin_files, "C008")
    assert found(tmp_path / "b", {PLACES["copilot-cli"]: flat("preToolUse", entry)}, "C008")
    other = {"plugin.json": {"name": "p"}, "hooks.json": flat("preToolUse", {**entry, "bash": "x {{file}}"})}
    assert found(tmp_path / "c", other, "C008")
