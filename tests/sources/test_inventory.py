"""Everything in a project is taken stock of, once, under the clients that it belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from anyhook.model.problems import UsageError
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project, hooks_of_file, load, owners_in, take_inventory
from anyhook.sources.load import Loader

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


def test_readers_of_a_shared_file_are_told_from_its_owner(tmp_path: Path) -> None:
    where = roots(tmp_path, **{".claude/settings.json": f'{{"hooks": {{"PreToolUse": {COMMAND}}}}}'})
    clients = {client.dialect: client.owns_a_file for client in take_inventory(where).clients}
    assert clients["claude-code"] is True
    assert clients["copilot-cli"] is False


def test_a_package_belongs_to_whom_it_was_written_for(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": f'{{"version": 1, "hooks": {{"pre-tool-use": {COMMAND}}}}}'})
    assert [client.dialect for client in take_inventory(where).clients] == ["universal"]
    asked = take_inventory(where, ["claude-code"]).clients
    assert [problem.code for problem in asked[0].hooks.problems] == ["E002"]


def test_a_manifest_leads_to_further_files(tmp_path: Path) -> None:
    where = roots(
        tmp_path,
        **{
            ".claude-plugin/plugin.json": '{"hooks": "./extra/more.json"}',
            "extra/more.json": f'{{"hooks": {{"Stop": {COMMAND}}}}}',
        },
    )
    clients = take_inventory(where, ["claude-code"]).clients
    assert [rule.event for rule in clients[0].hooks.rules] == ["Stop"]


def test_the_hooks_of_one_project_are_those_of_its_folder_and_home(tmp_path: Path) -> None:
    where = roots(tmp_path, **{".codex/hooks.json": f'{{"hooks": {{"Stop": {COMMAND}}}}}'})
    (where.home / ".codex").mkdir()
    (where.home / ".codex/hooks.json").write_text(f'{{"hooks": {{"Stop": {COMMAND}}}}}')
    hooks = hooks_for_project("codex", where)
    assert [rule.origin.scope for rule in hooks.rules] == ["user", "project"]
    assert hooks_for_project("agent-sdk", where).rules == ()


def test_a_single_file_is_read_by_the_client_that_is_named(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"x/hooks-cursor.json": '{"version": 1, "hooks": {"stop": [{"command": "x"}]}}'})
    path = where.project / "x/hooks-cursor.json"
    assert [client.dialect for client in hooks_of_file(path, None, Loader())] == ["cursor"]
    assert [client.dialect for client in hooks_of_file(path, "windsurf", Loader())] == ["windsurf"]


@pytest.mark.parametrize("text", ["", "null", "[]", "42", "{", "{}", '{"hoks": {}}', "[" * 100_000])
def test_a_broken_package_file_is_an_error_with_a_place(tmp_path: Path, text: str) -> None:
    (client,) = take_inventory(roots(tmp_path, **{"hooks/hooks.json": text})).clients
    assert client.dialect == "universal"
    errors = [found for found in client.hooks.problems if found.severity == "error"]
    assert errors
    assert all(found.origin.line and found.fix for found in errors)


def test_a_package_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": ""})
    (where.project / "hooks/hooks.json").write_bytes(b'{\n"a": "\xff"}')
    (client,) = take_inventory(where).clients
    assert [(found.code, found.origin.line, found.origin.column) for found in client.hooks.problems] == [("F008", 2, 7)]


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
    (client,) = take_inventory(where).clients
    assert client.dialect == "universal"
    assert [(found.code, found.origin.line) for found in client.hooks.problems] == [("F008", 1)]


def test_a_broken_plugin_file_is_the_plugins(tmp_path: Path) -> None:
    where = roots(tmp_path, **{"hooks/hooks.json": "{", ".claude-plugin/plugin.json": '{"name": "x"}'})
    assert "universal" not in {client.dialect for client in take_inventory(where).clients}


def test_a_package_above_counts_with_its_own_files_only(tmp_path: Path) -> None:
    package = f'{{"version": 1, "hooks": {{"pre-tool-use": {COMMAND}}}}}'
    settings = f'{{"hooks": {{"PreToolUse": {COMMAND}}}}}'
    where = roots(tmp_path, **{"hooks/hooks.json": package, ".claude/settings.json": settings, "sub/readme": ""})
    below = structs.replace(where, project=where.project / "sub")
    assert take_inventory(below).clients == ()
    (client,) = take_inventory(below, package=where.project).clients
    assert (client.dialect, client.base) == ("universal", where.project)


def test_owners_are_those_with_a_file_of_their_own(tmp_path: Path) -> None:
    package = f'{{"version": 1, "hooks": {{"pre-tool-use": {COMMAND}}}}}'
    where = roots(tmp_path, **{"hooks/hooks.json": package, ".codex/hooks.json": "{}"})
    assert owners_in(where, Loader()) == ("codex", "universal")


def test_a_client_may_be_given_by_a_nickname_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    where = roots(tmp_path, **{".claude/settings.json": f'{{"hooks": {{"PreToolUse": {COMMAND}}}}}'})
    assert load(where.project, "claude", home=where.home).dialect == "claude-code"
    with pytest.raises(UsageError, match="did you mean claude"):
        load(where.project, "clude", home=where.home)


@pytest.mark.parametrize(
    ("keys", "client"),
    [('"command": "a", "osx": "b"', "copilot-vscode"), ('"bash": "a", "timeoutSec": 5', "copilot-cli")],
)
def test_a_file_of_two_owners_is_told_by_its_keys(keys: str, client: str, tmp_path: Path) -> None:
    text = f'{{"hooks": {{"PreToolUse": [{{"type": "command", {keys}}}]}}}}'
    project = roots(tmp_path, **{".github/hooks/a.json": text}).project
    assert hooks_of_file(project / ".github/hooks/a.json", None, Loader())[0].dialect == client


SKILL = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - {type: command, command: NAME}\n---\nText\n"


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
            for client in take_inventory(roots).clients
            if client.dialect == "claude-code"
            for rule in client.hooks.rules
            for action in rule.actions
        }
        active = {("of-skill", True), ("of-named-skill", True), ("of-command", True), ("of-named-command", True)}
        assert found == active | {("of-agent", False), ("of-named-agent", False)}


def test_a_codex_plugin_names_its_hook_file(tmp_path: Path) -> None:
    (tmp_path / ".codex-plugin").mkdir()
    (tmp_path / ".codex-plugin/plugin.json").write_text('{"name": "p", "hooks": "config/my.json"}')
    (tmp_path / "config").mkdir()
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}'
    (tmp_path / "config/my.json").write_text(hooks)
    roots = Roots(project=tmp_path, home=tmp_path / "home", system=tmp_path / "system")
    assert [rule.native_event for rule in hooks_for_project("codex", roots).rules] == ["Stop"]
