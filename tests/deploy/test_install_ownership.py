"""Which entries are ours, who else may have some in the file, and what becomes of them."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from msgspec import structs

from anyhook.deploy.install import Owner, apply
from anyhook.dialects import dialect
from anyhook.model.hooks import Command, Rule
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.state import state_folder
from tests.deploy.installing import (
    BRIDGE,
    CLAUDE,
    NATIVE,
    STOP,
    Machine,
    rule,
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_update_keeps_the_place_and_changes_only_what_differs(machine: Machine) -> None:
    ours = '{"hooks":[ {"type":"command","command":"anyhook exec old", "timeout": 5} ]}'
    text = '{"hooks": {"Stop": [\n  ' + ours + ',\n  {"hooks": []}\n]}}'
    path = machine.write(CLAUDE, text)
    new = rule("Stop", "anyhook exec new")
    new = structs.replace(new, actions=(Command(command="anyhook exec new", timeout_ms=5000),))
    change = machine.install("claude-code", [new])
    assert (len(change.updated), len(change.added)) == (1, 0)
    assert path.read_bytes().decode() == text.replace("exec old", "exec new")


def test_our_hook_in_a_strangers_group_is_taken_out_of_it(machine: Machine) -> None:
    ours, theirs = {"type": "command", "command": "anyhook exec x"}, {"type": "command", "command": "./x"}
    path = machine.write(CLAUDE, json.dumps({"hooks": {"Stop": [{"hooks": [theirs, ours]}]}}))
    machine.remove("claude-code")
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_what_others_changed_meanwhile_stays_and_only_ours_goes(machine: Machine) -> None:
    path = machine.write(CLAUDE, '{\n  "a": 1\n}\n')
    machine.install("claude-code", [STOP])
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"a": 1', '"a": 2,\n  "b": {}'), encoding="utf-8")
    machine.remove("claude-code")
    assert path.read_text(encoding="utf-8") == '{\n  "a": 2,\n  "b": {}\n}\n'


def test_two_owners_share_a_file_and_leave_it_in_any_order(machine: Machine) -> None:
    recorder = Owner("record", lambda action: action.summary().startswith("anyhook record "))
    record = rule("Stop", "anyhook record stop")
    before = '{"hooks" : { }}'
    path = machine.write(CLAUDE, before)
    for first, second in ((BRIDGE, recorder), (recorder, BRIDGE)):
        machine.install("claude-code", [STOP], BRIDGE)
        both = machine.install("claude-code", [record], recorder)
        assert both.file.after is not None
        assert len(json.loads(both.file.after)["hooks"]["Stop"]) == 2
        machine.remove("claude-code", first)
        assert len(json.loads(path.read_bytes())["hooks"]["Stop"]) == 1
        machine.remove("claude-code", second)
        assert path.read_bytes().decode() == before


def test_an_owner_that_was_there_before_the_record_is_not_brought_back(machine: Machine) -> None:
    recorder = Owner("record", lambda action: action.summary().startswith("anyhook record "))
    path = machine.install("claude-code", [STOP]).file.path
    machine.own_folder("another")
    machine.install("claude-code", [rule("Stop", "anyhook record stop")], recorder)
    machine.remove("claude-code", BRIDGE)
    machine.remove("claude-code", recorder)
    assert not path.exists() or json.loads(path.read_bytes()) == {}


def test_entries_without_a_mark_are_known_by_the_ledger_of_the_project(machine: Machine) -> None:
    before = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./theirs"}]}]}}'
    path = machine.write(CLAUDE, before)
    machine.install("claude-code", [rule("Stop", "./ours")], NATIVE)
    assert (machine.roots.project / ".anyhook/deployed.json").exists()
    machine.own_folder("a teammate")
    change = machine.install("claude-code", [rule("Stop", "./ours.sh")], NATIVE)
    assert (len(change.updated), len(change.added), len(change.removed)) == (1, 0, 0)
    assert not machine.plan("claude-code", [rule("Stop", "./ours.sh")], NATIVE).file.is_needed
    machine.remove("claude-code", NATIVE)
    assert path.read_bytes().decode() == before
    assert not (machine.roots.project / ".anyhook").exists()


def test_an_identical_entry_of_somebody_else_is_neither_doubled_nor_taken_away(machine: Machine) -> None:
    wanted = rule("Stop", "./same")
    path = machine.write(CLAUDE, json.dumps(dialect("claude-code").write([wanted])))
    before = path.read_bytes()
    assert not machine.install("claude-code", [wanted], NATIVE).file.is_needed
    assert machine.remove("claude-code", NATIVE) == []
    assert path.read_bytes() == before


def test_an_edited_entry_is_no_longer_ours(machine: Machine) -> None:
    path = machine.install("claude-code", [rule("Stop", "./ours")], NATIVE).file.path
    path.write_text(path.read_text(encoding="utf-8").replace("./ours", "./mine"), encoding="utf-8")
    assert machine.remove("claude-code", NATIVE) == []
    assert "./mine" in path.read_text(encoding="utf-8")


def test_a_broken_ledger_is_refused(machine: Machine) -> None:
    machine.write(".anyhook/deployed.json", "{")
    machine.write(CLAUDE, '{"hooks": {"Stop": []}}')
    with pytest.raises(AnyhookError, match=r"deployed\.json"):
        machine.plan("claude-code", [STOP], NATIVE)


def test_a_change_that_was_planned_on_an_older_text_is_planned_anew(machine: Machine) -> None:
    path = machine.write(CLAUDE, '{"a": 1}')
    planned = machine.plan("claude-code", [STOP])
    path.write_text('{"a": 2}', encoding="utf-8")
    done = apply(planned)
    assert done.file.before == b'{"a": 2}'
    assert json.loads(path.read_bytes())["a"] == 2


def test_no_rules_are_a_removal(machine: Machine) -> None:
    machine.install("claude-code", [STOP])
    assert machine.install("claude-code", []).file.after is None
    assert machine.files() == {}


def test_a_rule_that_the_client_cannot_have_is_refused(machine: Machine) -> None:
    unknown = Rule(event="Nonsense", native_event="Nonsense", actions=(Command(command="anyhook exec x"),))
    with pytest.raises(AnyhookError, match="Nonsense"):
        machine.install("claude-code", [unknown])


@pytest.mark.skipif(os.name == "nt", reason="other rights there")
def test_the_ledger_of_a_user_is_private(machine: Machine) -> None:
    machine.install("claude-code", [rule("Stop", "./ours")], NATIVE, Scope.USER)
    ledger = state_folder() / "deployed.json"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    machine.remove("claude-code", NATIVE, Scope.USER)
    assert not ledger.exists()
    assert machine.files() == {}
