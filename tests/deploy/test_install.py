"""Entries go into a client's file and out of it again, and nothing else is touched."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import Command
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from tests.deploy.installing import (
    CLAUDE,
    CLIENTS,
    STOP,
    Machine,
    active,
    rule_per_event,
)
from tests.effort import examples
from tests.sources.editing.styled_json import objects, styled


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# --------------------------------------------------------------------------------------------------------- every client


@pytest.mark.parametrize("scope", [Scope.PROJECT, Scope.USER])
@pytest.mark.parametrize("client", CLIENTS)
def test_an_empty_project_gets_a_file_and_is_empty_again_afterwards(
    client: str, scope: Scope, machine: Machine
) -> None:
    rules = rule_per_event(client)
    change = machine.install(client, rules, scope=scope)
    assert len(change.added) == len(rules)
    assert sorted(active(machine, client)) == sorted(a.summary() for r in rules for a in r.actions)
    assert not machine.plan(client, rules, scope=scope).file.is_needed
    machine.remove(client, scope=scope)
    assert machine.files() == {}
    assert machine.remove(client, scope=scope) == []


@pytest.mark.parametrize("order", [("copilot-cli", "copilot-vscode"), ("copilot-vscode", "copilot-cli")])
def test_the_last_of_two_files_takes_the_folder_along(order: tuple[str, str], machine: Machine) -> None:
    for client in ("copilot-cli", "copilot-vscode"):
        machine.install(client, rule_per_event(client))
    for client in order:
        machine.remove(client)
    assert list(machine.roots.project.iterdir()) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_foreign_entries_stay_as_they_are(client: str, machine: Machine) -> None:
    rules = rule_per_event(client)
    place = machine.plan(client, rules).target
    foreign = dialect(client).write(rule_per_event(client, "./check.sh"))
    if place.kind is FileKind.SETTINGS:
        foreign = {"theme": "dark", **foreign, "last": [1]}
    before = json.dumps(foreign, indent="\t").replace("\n", "\r\n")
    path = machine.write(place.name, before)
    machine.install(client, rules)
    assert sorted(active(machine, client)) == sorted(a.summary() for r in rules for a in r.actions)
    lines = iter(path.read_bytes().decode().splitlines())
    assert all(any(line.rstrip(",") == new.rstrip(",") for new in lines) for line in before.splitlines())
    assert not machine.plan(client, rules).file.is_needed
    machine.remove(client)
    assert path.read_bytes().decode() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_clone_on_another_machine_is_updated_and_cleaned_by_content(client: str, machine: Machine) -> None:
    """Without anything in the state folder, only the file tells what is ours."""
    rules = rule_per_event(client)
    path = machine.install(client, rules).file.path
    machine.own_folder("another")
    newer = [structs.replace(r, actions=(Command(command=f"{r.actions[0].summary()} -x", name="ours"),)) for r in rules]
    change = machine.install(client, newer)
    assert (len(change.added), len(change.updated), len(change.removed)) == (0, len(rules), 0)
    assert all(command.endswith(" -x") for command in active(machine, client))
    machine.own_folder("a third")
    machine.remove(client)
    assert not path.exists()


@pytest.mark.parametrize("client", ["rulesync", "universal", "open-plugins", "agent-sdk", "code-agent"])
def test_a_dialect_without_a_file_of_its_own_is_refused(client: str, machine: Machine) -> None:
    with pytest.raises(AnyhookError, match="has no hook file of its own for the scope project"):
        machine.plan(client, [STOP])


# ---------------------------------------------------------------------------------------------------------- every style


def settings_with_hooks(*events: str) -> st.SearchStrategy[dict[str, Any]]:
    """Contents of a settings file: among other things hooks, perhaps, and perhaps empty ones."""
    groups = st.lists(st.just({"hooks": [{"type": "command", "command": "./x"}]}), max_size=3)
    hooks = st.dictionaries(st.sampled_from(events), groups, max_size=2)
    rest = objects.map(
        lambda found: {key: value for key, value in found.items() if key not in ("hooks", "permissions")}
    )
    optional: st.SearchStrategy[dict[str, Any]] = st.just({}) | hooks.map(lambda found: {"hooks": found})
    return st.builds(lambda first, own, last: {**first, **own, **last}, rest, optional, rest)


@settings(max_examples=examples(60))
@given(styled(settings_with_hooks("Stop", "PreToolUse"), strict=True), st.sampled_from(["", "\n"]))
def test_any_file_is_given_back_byte_for_byte(text: str, end: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        path = machine.write(CLAUDE, text.rstrip() + end)
        before, rules = path.read_bytes(), rule_per_event("claude-code")[:3]
        machine.install("claude-code", rules)
        after = json.loads(path.read_bytes())
        for written in dialect("claude-code").write(rules)["hooks"].items():
            assert after["hooks"][written[0]].pop() == written[1][0]
        after["hooks"] = {event: groups for event, groups in after["hooks"].items() if groups}
        original = json.loads(before)
        kept = {event: groups for event, groups in original.pop("hooks", {}).items() if groups}
        assert (after.pop("hooks"), after) == (kept, original)
        assert not machine.plan("claude-code", rules).file.is_needed
        machine.remove("claude-code")
        assert path.read_bytes() == before


@settings(max_examples=examples(60))
@given(styled(settings_with_hooks("Stop", "PreToolUse")))
def test_comments_trailing_commas_and_a_byte_order_mark_stay(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        path = machine.write(".github/hooks/anyhook-vscode.json", text)
        rules = rule_per_event("copilot-vscode")[:3]
        machine.install("copilot-vscode", rules)
        after = path.read_bytes().decode()
        at = 0
        for character in text.replace(" ", "").replace("\t", "").replace("\r", "").replace("\n", ""):
            at = after.index(character, at) + 1  # nothing that was written is gone
        machine.remove("copilot-vscode")
        assert path.read_bytes().decode() == text


ENTRY = {"hooks": [{"type": "command", "command": "anyhook exec stop"}]}
WHOLE = {"hooks": {"Stop": [ENTRY]}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", json.dumps(WHOLE, indent=2) + "\n"),
        ("\n\n", json.dumps(WHOLE, indent=2) + "\n"),
        ("{}", json.dumps(WHOLE, indent=2)),
        ("{\r\n}\r\n", json.dumps(WHOLE, indent=2).replace("\n", "\r\n") + "\r\n"),
        ('{"hooks": {"Stop": []}}\n', json.dumps(WHOLE) + "\n"),
        ('{"hooks":{}}', json.dumps(WHOLE, separators=(",", ":"))),
        ('{\n\t"a": 1,\n\t"hooks": {}\n}', json.dumps({"a": 1, **WHOLE}, indent="\t")),
        ('{\n    "hooks": {\n        "Stop": []\n    }\n}', json.dumps(WHOLE, indent=4)),
    ],
)
def test_the_new_text(before: str, after: str, machine: Machine) -> None:
    path = machine.write(CLAUDE, before)
    machine.install("claude-code", [structs.replace(STOP, actions=(Command(command="anyhook exec stop"),))])
    assert path.read_bytes().decode() == after
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before


def test_five_thousand_foreign_entries(machine: Machine) -> None:
    groups = [{"matcher": f"Tool{at}", "hooks": [{"type": "command", "command": f"./{at}"}]} for at in range(5_000)]
    before = json.dumps({"hooks": {"PreToolUse": groups}}, indent=2)
    path = machine.write(CLAUDE, before)
    rules = rule_per_event("claude-code")
    machine.install("claude-code", rules)
    assert not machine.plan("claude-code", rules).file.is_needed
    assert path.read_bytes().decode().startswith(before[:-20])
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before
