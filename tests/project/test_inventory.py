"""The hooks of one client, in a project or in one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.model.problems import UsageError
from anyhook.project.inventory import hooks_for_project, hooks_of_file, owners_in
from anyhook.project.load import load
from anyhook.sources.discover import Roots
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


def test_a_codex_plugin_names_its_hook_file(tmp_path: Path) -> None:
    (tmp_path / ".codex-plugin").mkdir()
    (tmp_path / ".codex-plugin/plugin.json").write_text('{"name": "p", "hooks": "config/my.json"}')
    (tmp_path / "config").mkdir()
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}'
    (tmp_path / "config/my.json").write_text(hooks)
    roots = Roots(project=tmp_path, home=tmp_path / "home", system=tmp_path / "system")
    assert [rule.native_event for rule in hooks_for_project("codex", roots).rules] == ["Stop"]
