"""Entries go into the file that the client uses, in the form that the file has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import structs

from anyhook.model.hooks import Command, FateState
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.project.inventory import hooks_for_project
from tests.deploy.installing import (
    CODEX,
    STOP,
    Machine,
    active,
    groups,
    is_ours,
    rule_per_event,
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


FACTORY = {"hooks": {"Stop": [groups("x")]}}
TOML = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\ncommand="x"\n'


@pytest.mark.parametrize(
    ("client", "existing", "text", "chosen"),
    [
        ("codex", ".codex/config.toml", 'model = "x"\n', CODEX),
        ("codex", ".codex/config.toml", TOML, ".codex/config.toml"),
        ("factory-droid", ".factory/settings.json", '{"theme": "x"}', ".factory/hooks.json"),
        ("factory-droid", ".factory/settings.json", json.dumps(FACTORY), ".factory/settings.json"),
        ("factory-droid", ".factory/hooks.json", json.dumps(FACTORY["hooks"]), ".factory/hooks.json"),
        ("windsurf", ".devin/hooks.json", '{"hooks": {"pre_run_command": [{"command": "x"}]}}', ".devin/hooks.json"),
        ("openhands", ".openhands/hooks.json", '{"stop": [{"hooks": [{"command": "x"}]}]}', ".openhands/hooks.json"),
    ],
)
def test_entries_go_where_the_client_reads_hooks_already(
    client: str, existing: str, text: str, chosen: str, machine: Machine
) -> None:
    path = machine.write(existing, text)
    rules = rule_per_event(client)
    change = machine.install(client, rules)
    assert change.target.name == chosen
    assert len(active(machine, client)) == len(rules)
    foreign = [a for r in hooks_for_project(client, machine.roots).rules for a in r.actions if not is_ours(a)]
    assert all(action.fate.state is FateState.ACTIVE for action in foreign)
    machine.remove(client)
    assert path.read_bytes().decode() == text
    assert chosen == existing or not change.file.path.exists()


def test_entries_stay_where_they_are_when_another_file_appears(machine: Machine) -> None:
    machine.write(".codex/config.toml", TOML)
    machine.install("codex", [STOP])
    machine.write(CODEX, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "y"}]}]}}')
    assert not machine.plan("codex", [STOP]).file.is_needed


def test_a_file_that_would_hide_another_says_so(machine: Machine) -> None:
    theirs = machine.roots.home / ".openhands/hooks.json"
    theirs.parent.mkdir()
    theirs.write_text('{"Stop": [{"hooks": [{"command": "x"}]}]}', encoding="utf-8")
    assert machine.plan("openhands", rule_per_event("openhands")).hides == (theirs,)
    assert machine.plan("openhands", rule_per_event("openhands"), scope=Scope.USER).hides == ()


def test_the_folder_that_a_variable_names_is_used(machine: Machine, tmp_path: Path) -> None:
    machine.roots = structs.replace(machine.roots, environment={"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert machine.install("codex", [STOP], scope=Scope.USER).file.path == tmp_path / "elsewhere/hooks.json"


def test_toml_keeps_its_comments_and_gets_tables(machine: Machine) -> None:
    before = f'# mine\nmodel = "x" # fast\n\n{TOML}\n[tui] # last\na = 1'.replace("\n", "\r\n")
    path = machine.write(".codex/config.toml", before)
    machine.install("codex", [structs.replace(STOP, matcher='a "b"', actions=(Command(command="anyhook exec 'x'"),))])
    lines = ("[[hooks.Stop]]", r'matcher = "a \"b\""', "", "[[hooks.Stop.hooks]]", 'type = "command"')
    added = "\r\n".join((*lines, """command = "anyhook exec 'x'\""""))
    assert path.read_bytes().decode() == f"{before}\r\n\r\n{added}"
    machine.install("codex", [structs.replace(STOP, actions=(Command(command="anyhook exec y"),))])
    path.write_bytes(path.read_bytes() + b"\r\n\r\n[x]\r\nb = 2\r\n")
    machine.remove("codex")
    assert path.read_bytes().decode() == f"{before}\r\n\r\n[x]\r\nb = 2\r\n"


def test_toml_in_one_line_is_refused(machine: Machine) -> None:
    before = '[hooks]\nStop = [{hooks = [{type = "command", command = "x"}]}]\n'
    path = machine.write(".codex/config.toml", before)
    with pytest.raises(AnyhookError, match=r"config\.toml: the entries cannot be changed"):
        machine.install("codex", [STOP])
    assert path.read_bytes().decode() == before
    path.write_text(before.replace('"x"', '"anyhook exec x"'), encoding="utf-8")
    with pytest.raises(AnyhookError, match=r"config\.toml:2: these hooks are written in one line"):
        machine.remove("codex")


def test_factory_droid_gets_a_bare_map_and_settings_a_wrapped_one(machine: Machine) -> None:
    change = machine.install("factory-droid", rule_per_event("factory-droid"))
    assert "hooks" not in json.loads(change.file.path.read_text())
    machine.remove("factory-droid")
    machine.write(".factory/settings.json", json.dumps(FACTORY))
    change = machine.install("factory-droid", rule_per_event("factory-droid"))
    assert list(json.loads(change.file.path.read_text())) == ["hooks"]


def test_entries_that_factory_droid_ignores_are_moved_to_where_it_reads_them(machine: Machine) -> None:
    rules = rule_per_event("factory-droid")
    path = machine.install("factory-droid", rules).file.path
    path.write_text(json.dumps({"hooks": json.loads(path.read_text())}))
    assert not active(machine, "factory-droid")
    machine.install("factory-droid", rules)
    assert len(active(machine, "factory-droid")) == len(rules)


def test_a_file_that_factory_droid_ignores_gets_no_entries(machine: Machine) -> None:
    path = machine.write(".factory/hooks.json", json.dumps(FACTORY))
    with pytest.raises(AnyhookError, match='remove the "hooks" around the events, then try again'):
        machine.install("factory-droid", rule_per_event("factory-droid"))
    assert json.loads(path.read_text()) == FACTORY
