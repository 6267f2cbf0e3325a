"""Scripts that are missing, cannot be started, or are looked for in the wrong folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.disk import MAX_SCRIPT_BYTES, Disk
from anyhook.lint.lint import check_paths
from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, check, flat, groups, guard, hook, roots, write

GIT = {".git/HEAD": "ref: refs/heads/main\n"}
SCRIPT = "#!/bin/sh\ntrue\n"


def script_problems(folder: Path, files: dict[str, Any], client: str | None = None) -> list[tuple[str, Severity]]:
    scripts = {"C002", "C003", "C004", "C005", "C012", "C013", "C018"}
    return [(p.code, p.severity) for p in check(folder, files, client).problems if p.code in scripts]


def test_a_script_that_is_there(tmp_path: Path) -> None:
    files = {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": SCRIPT, **GIT}
    assert script_problems(tmp_path, files) == []


def test_a_script_that_is_not(tmp_path: Path) -> None:
    files = {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/tools/a.sh'), "tools/b.sh": SCRIPT, **GIT}
    assert script_problems(tmp_path / "a", files) == [("C002", Severity.ERROR)]
    files = {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/tools/a.sh'), **GIT}
    assert script_problems(tmp_path / "b", files) == [("C002", Severity.WARNING)]
    files = {**guard("claude-code", 'node "$CLAUDE_PROJECT_DIR"/dist/a.js'), **GIT}
    assert script_problems(tmp_path / "c", files) == [("C002", Severity.NOTE)]


@pytest.mark.parametrize(
    "command",
    [
        '[ -f "$CLAUDE_PROJECT_DIR"/a.sh ] && "$CLAUDE_PROJECT_DIR"/a.sh',
        '"$CLAUDE_PROJECT_DIR"/a.sh || true',
        '"$UNKNOWN"/a.sh',
        '"$CLAUDE_PROJECT_DIR/$NAME.sh"',
        "~/a.sh",
        "$HOME/a.sh",
        "/opt/tool/a.sh",
        "node -e 'require(\"./a.js\")'",
        "cd sub && ./a.sh",
        'bash "$(git rev-parse --show-toplevel)/a.sh"',
        "{{ROOT}}/a.sh",
    ],
)
def test_what_nobody_can_know_is_not_missing(command: str, tmp_path: Path) -> None:
    assert script_problems(tmp_path, {**guard("claude-code", command), **GIT}) == []


def test_a_file_that_stands_alone_is_not_judged(tmp_path: Path) -> None:
    files = guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh')
    assert script_problems(tmp_path / "alone", files) == []
    assert script_problems(tmp_path / "whole", {**files, "README.md": "x"}) == [("C002", Severity.ERROR)]
    assert script_problems(tmp_path / "copies", {**files, "my-hooks.json": "{}"}) == []


def test_a_plugin_s_scripts_are_below_its_root(tmp_path: Path) -> None:
    files = {
        ".claude-plugin/plugin.json": {"name": "p"},
        "hooks/hooks.json": groups("Stop", hook('bash "${CLAUDE_PLUGIN_ROOT}/hooks/a.sh"')),
        **GIT,
    }
    assert script_problems(tmp_path / "a", files) == [("C002", Severity.ERROR)]
    assert script_problems(tmp_path / "b", {**files, "hooks/a.sh": SCRIPT}) == []


def test_arguments_of_a_program_without_a_shell(tmp_path: Path) -> None:
    files = {**guard("claude-code", "bash", args=["${CLAUDE_PROJECT_DIR}/a.sh"]), **GIT}
    assert script_problems(tmp_path, files) == [("C002", Severity.ERROR)]


def test_a_script_that_cannot_be_started(tmp_path: Path) -> None:
    command = guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh')
    assert script_problems(tmp_path / "a", {**command, "a.sh 644": SCRIPT}) == [("C003", Severity.ERROR)]
    assert script_problems(tmp_path / "b", {**command, "a.sh 755": "true\n"}) == [("C004", Severity.WARNING)]
    through_sh = guard("claude-code", 'sh "$CLAUDE_PROJECT_DIR"/a.sh')
    assert script_problems(tmp_path / "c", {**through_sh, "a.sh 644": "true\n"}) == []


def test_a_script_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    broken = "#!/bin/bash\r\nif true; then\r\n  exit 2\r\nfi\r\n"
    started = {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": broken}
    through_bash = {**guard("claude-code", 'bash "$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 644": broken}
    through_node = {**guard("claude-code", 'node "$CLAUDE_PROJECT_DIR"/a.js'), "a.js 644": "let a\r\nlet b\r\n"}
    assert script_problems(tmp_path / "a", started) == [("C018", Severity.ERROR)]
    assert script_problems(tmp_path / "b", through_bash) == [("C018", Severity.ERROR)]
    assert script_problems(tmp_path / "c", through_node) == []


def test_copilot_makes_a_script_executable_itself(tmp_path: Path) -> None:
    files = {**guard("copilot-cli", "./a.sh"), "a.sh 644": SCRIPT}
    assert script_problems(tmp_path, files) == [("C003", Severity.NOTE)]


def test_a_binary_needs_no_first_line(tmp_path: Path) -> None:
    write(tmp_path, {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/tool')})
    (tmp_path / "tool").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "tool").chmod(0o755)
    assert [p.code for p in check_paths([tmp_path], roots(tmp_path)).problems if p.code[0] == "C"] == []


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("claude-code", [("C005", Severity.WARNING)]),
        ("factory-droid", [("C005", Severity.WARNING)]),
        ("codex", [("C005", Severity.NOTE)]),
        ("gemini-cli", []),
        ("qwen-code", []),
        ("copilot-cli", []),
        ("cursor", []),
    ],
)
def test_a_relative_path(client: str, expected: list[tuple[str, Severity]], tmp_path: Path) -> None:
    assert script_problems(tmp_path, {**guard(client, "bash hooks/a.sh"), "hooks/a.sh": SCRIPT}) == expected


def test_a_relative_path_with_another_try_is_meant(tmp_path: Path) -> None:
    assert script_problems(tmp_path, guard("claude-code", "sh .claude/a.sh || sh $HOME/.claude/a.sh")) == []


def test_the_message_shows_how_to_write_it(tmp_path: Path) -> None:
    files = {**guard("claude-code", "bash ./hooks/a.sh"), "hooks/a.sh": SCRIPT}
    (problem,) = (p for p in check(tmp_path, files).problems if p.code == "C005")
    assert problem.fix == 'write "$CLAUDE_PROJECT_DIR/hooks/a.sh"'


def test_a_path_from_the_folder_of_the_file(tmp_path: Path) -> None:
    cursor = {PLACES["cursor"]: flat("stop", {"command": "./hooks/a.sh"}), ".cursor/hooks/a.sh 755": SCRIPT}
    assert script_problems(tmp_path / "cursor", cursor) == [("C012", Severity.WARNING)]
    copilot = {PLACES["copilot-cli"]: flat("preToolUse", hook("./scripts/a.sh")), ".github/hooks/scripts/a.sh": SCRIPT}
    assert script_problems(tmp_path / "copilot", copilot) == [("C012", Severity.WARNING)]
    plugin = {
        ".claude-plugin/plugin.json": {"name": "p"},
        "hooks/hooks.json": groups("Stop", hook("bash hooks/a.sh")),
        "hooks/a.sh": SCRIPT,
    }
    (problem,) = (p for p in check(tmp_path / "plugin", plugin).problems if p.code == "C012")
    assert problem.fix == 'write "${CLAUDE_PLUGIN_ROOT}/hooks/a.sh"'


@pytest.mark.parametrize("command", ["./scripts/guard.sh", "scripts/guard.sh", "bash ./scripts/guard.sh"])
def test_a_file_of_an_open_plugin_is_named_with_its_root(tmp_path: Path, command: str) -> None:
    plugin = {
        ".plugin/plugin.json": {"name": "p"},
        "hooks/hooks.json": groups("PreToolUse", hook(command)),
        "scripts/guard.sh 755": SCRIPT,
    }
    (problem,) = check(tmp_path, plugin, "open-plugins").problems
    assert (problem.code, problem.fix) == ("C012", 'write "${PLUGIN_ROOT}/scripts/guard.sh"')
    assert "exists in the plugin, but Open Plugins starts hooks in the project folder" in problem.text


def test_a_file_of_the_host_s_project_is_not_one_of_the_open_plugin(tmp_path: Path) -> None:
    plugin = {".plugin/plugin.json": {"name": "p"}, "hooks/hooks.json": groups("PreToolUse", hook("./gradlew check"))}
    assert script_problems(tmp_path / "a", plugin, "open-plugins") == []
    at_root = {**plugin, "hooks/hooks.json": groups("PreToolUse", hook("./scripts/a.sh", cwd="${PLUGIN_ROOT}"))}
    assert script_problems(tmp_path / "b", {**at_root, "scripts/a.sh 755": SCRIPT}, "open-plugins") == []


def test_the_hook_s_own_folder_counts(tmp_path: Path) -> None:
    entry = hook("./a.sh", cwd="tools")
    assert script_problems(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", entry), "tools/a.sh 755": SCRIPT}) == []


def test_what_rules_can_ask_about_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.sh 755": SCRIPT, "b": "x" * (MAX_SCRIPT_BYTES + 1), "d/e": ""})
    disk = Disk()
    assert disk.is_file(tmp_path / "a.sh")
    assert disk.is_executable(tmp_path / "a.sh")
    assert not disk.is_executable(tmp_path / "b")
    assert disk.is_folder(tmp_path / "d")
    assert disk.names(tmp_path) == {"a.sh", "b", "d"}
    assert disk.names(tmp_path / "none") == frozenset()
    assert disk.text(tmp_path / "a.sh") == SCRIPT
    assert disk.text(tmp_path / "b") is None
    assert disk.text(tmp_path / "d") is None
    assert not disk.is_file(tmp_path / "a\0b")


def test_a_template_is_not_a_project(tmp_path: Path) -> None:
    files = {f"templates/shop/{name}": text for name, text in guard("claude-code", "sh scripts/a.sh").items()}
    assert script_problems(tmp_path, {**files, **GIT, "templates/shop/README": ""}) == []


def test_the_folder_of_the_workspace_is_the_project(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "./a.sh", "cwd": "${workspaceFolder}"}
    files = {PLACES["copilot-cli"]: flat("preToolUse", entry), "a.sh 755": SCRIPT, **GIT}
    assert script_problems(tmp_path, files) == []
    elsewhere = {**entry, "cwd": "${env:SOMEWHERE}"}
    assert script_problems(tmp_path, {**files, PLACES["copilot-cli"]: flat("preToolUse", elsewhere)}) == []


def test_a_file_of_a_catalogue_names_scripts_of_the_project_that_it_is_copied_to(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": ".github/hooks/audit/run.sh"}
    beside = {"hooks/audit/run.sh": SCRIPT, **GIT}
    assert script_problems(tmp_path / "a", {"hooks/audit/hooks.json": flat("sessionStart", entry), **beside}) == []
    own = {".github/hooks/audit.json": flat("sessionStart", entry), **GIT}
    assert script_problems(tmp_path / "b", own) == [("C002", Severity.WARNING)]


def test_a_batch_file_needs_no_first_line(tmp_path: Path) -> None:
    both = ": << 'CMD'\n@echo off\nCMD\ntrue\n"
    files = {**guard("claude-code", '"$CLAUDE_PROJECT_DIR"/run.cmd'), "run.cmd 755": both}
    assert script_problems(tmp_path, files) == []


def test_where_the_hooks_of_a_plugin_start_is_less_sure_without_a_recording(tmp_path: Path) -> None:
    entry = {"command": "./hooks/a.sh"}
    files = {".cursor-plugin/plugin.json": {}, "hooks/hooks.json": flat("stop", entry), "hooks/a.sh 755": SCRIPT}
    assert script_problems(tmp_path / "cursor", files) == [("C012", Severity.NOTE)]
    files = {"plugin.json": {}, "hooks.json": flat("agentStop", {"bash": "./a.sh"}), "a.sh 755": SCRIPT}
    assert script_problems(tmp_path / "copilot", files) == []


def test_the_scripts_of_a_plugin_s_skill_are_below_its_root(tmp_path: Path) -> None:
    skill = (
        "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n"
        '          command: bash "${CLAUDE_PLUGIN_ROOT}/a.sh"\n---\n'
    )
    files = {".claude-plugin/plugin.json": {"name": "p"}, "skills/s/SKILL.md": skill, **GIT}
    assert script_problems(tmp_path / "a", files) == [("C002", Severity.ERROR)]
    assert script_problems(tmp_path / "b", {**files, "a.sh": SCRIPT}) == []
