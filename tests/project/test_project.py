"""A project: its files are found and read once, and every view shows the same hooks of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from anyhook.lint.lint import check_project
from anyhook.project.project import Project
from anyhook.sources.discover import Roots

COMMAND = '[{"hooks": [{"type": "command", "command": "x"}]}]'


def roots(tmp_path: Path, **files: str) -> Roots:
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    project.mkdir(exist_ok=True)
    return Roots(project, home, tmp_path / "system")


SKILL = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: NAME}\n---\nText\n"


def test_readers_of_a_shared_file_are_told_from_its_owner(tmp_path: Path) -> None:
    where = roots(tmp_path, **{".claude/settings.json": f'{{"hooks": {{"PreToolUse": {COMMAND}}}}}'})
    clients = {client.name: client.owns_a_file for client in Project(where).readers}
    assert clients["claude-code"] is True
    assert clients["copilot-cli"] is False


def test_a_package_belongs_to_whom_it_was_written_for(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": f'{{"version": 1, "hooks": {{"pre-tool-use": {COMMAND}}}}}'})
    assert [client.name for client in Project(where).readers] == ["universal"]
    asked = Project(where, ["claude-code"]).readers
    assert [problem.code for problem in asked[0].problems] == ["E002"]


def test_a_manifest_of_several_clients_leaves_a_plugin_to_whom_it_was_written_for(tmp_path: Path) -> None:
    hooks = '{"PreToolUse": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "x"}]}]}'
    text = f'{{"hooks": {hooks}, "$schema": "https://example.com/qwen/hooks.json"}}'
    where = roots(tmp_path, **{"plugin.json": "{}", "hooks.json": text})
    assert [client.name for client in Project(where).readers] == ["qwen-code"]
    assert {found.origin.dialect for found in check_project(Project(where)).problems} <= {"qwen-code"}


def test_a_manifest_leads_to_further_files(tmp_path: Path) -> None:
    where = roots(
        tmp_path,
        **{
            ".claude-plugin/plugin.json": '{"hooks": "./extra/more.json"}',
            "extra/more.json": f'{{"hooks": {{"Stop": {COMMAND}}}}}',
        },
    )
    clients = Project(where, ["claude-code"]).readers
    assert [rule.event for rule in clients[0].read.hooks.rules] == ["Stop"]


@pytest.mark.parametrize("text", ["", "null", "[]", "42", "{", "{}", '{"hoks": {}}', "[" * 100_000])
def test_a_broken_package_file_is_an_error_with_a_place(tmp_path: Path, text: str) -> None:
    (client,) = Project(roots(tmp_path, **{"hooks/hooks.json": text})).readers
    assert client.name == "universal"
    errors = [found for found in client.problems if found.severity == "error"]
    assert errors
    assert all(found.origin.line and found.fix for found in errors)


def test_a_package_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": ""})
    (where.project / "hooks/hooks.json").write_bytes(b'{\n"a": "\xff"}')
    (client,) = Project(where).readers
    assert [(found.code, found.origin.line, found.origin.column) for found in client.problems] == [("F008", 2, 7)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hooks/rules.yaml", "rules: []\n".encode("utf-16")),
        ("hooks/rules.yaml", b"# caf\xe9\n"),
        ("anyhook.toml", "[guards.shell]\n".encode("utf-16")),
        ("hooks/guard.py", "import anyhook\n".encode("utf-16")),
    ],
)
def test_another_file_of_a_package_that_is_not_text_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    where = roots(tmp_path, **{name: ""})
    (where.project / name).write_bytes(content)
    (client,) = Project(where).readers
    assert client.name == "universal"
    assert [(found.code, found.origin.line) for found in client.problems] == [("F008", 1)]


def test_a_broken_plugin_file_is_the_plugins(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": "{", ".claude-plugin/plugin.json": '{"name": "x"}'})
    assert "universal" not in {client.name for client in Project(where).readers}


def test_a_package_above_counts_with_its_own_files_only(tmp_path: Path) -> None:
    package = f'{{"version": 1, "hooks": {{"pre-tool-use": {COMMAND}}}}}'
    settings = f'{{"hooks": {{"PreToolUse": {COMMAND}}}}}'
    where = roots(tmp_path, **{"hooks/hooks.json": package, ".claude/settings.json": settings, "sub/readme": ""})
    below = structs.replace(where, project=where.project / "sub")
    (client,) = Project(below).readers
    assert (client.name, client.base) == ("universal", where.project)


def test_the_skills_commands_and_agents_of_a_plugin(tmp_path: Path) -> None:
    texts = {
        ".claude-plugin/plugin.json": '{"name": "p", "skills": ["./more/"], "commands": "./one.md", "agents": "./a/b"}',
        "skills/s/SKILL.md": SKILL.replace("NAME", "of-skill"),
        "more/m/SKILL.md": SKILL.replace("NAME", "of-named-skill"),
        "commands/x/c.md": SKILL.replace("NAME", "of-command"),
        "one.md": SKILL.replace("NAME", "of-named-command"),
        "agents/r.md": SKILL.replace("NAME", "of-agent"),
        "a/b/r.md": SKILL.replace("NAME", "of-named-agent"),
        "docs/skills/other/SKILL.md": SKILL.replace("NAME", "of-none"),
    }
    for name, text in texts.items():
        path = tmp_path / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for folder in (tmp_path, tmp_path / "p"):
        roots = Roots(project=folder, home=tmp_path / "home", system=tmp_path / "system")
        found = {
            (action.summary(), action.is_loaded)
            for client in Project(roots).readers
            if client.name == "claude-code"
            for rule in client.read.hooks.rules
            for action in rule.actions
        }
        active = {("of-skill", True), ("of-named-skill", True), ("of-command", True), ("of-named-command", True)}
        assert found == active | {("of-agent", False), ("of-named-agent", False)}
