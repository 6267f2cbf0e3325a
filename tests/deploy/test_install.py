"""Entries go into a client's file and out of it again, and nothing else is touched."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from anyhook.deploy.install import Owner, apply
from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import Command, Rule, State
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.state import state_folder
from tests.deploy.installing import BRIDGE, CLIENTS, NATIVE, Machine, is_ours, rule, rule_per_event
from tests.sources.styled_json import objects, styled

CLAUDE = ".claude/settings.json"
CODEX = ".codex/hooks.json"
STOP = rule("Stop", "anyhook exec stop")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def active(machine: Machine, client: str) -> list[str]:
    hooks = hooks_for_project(client, machine.roots)
    return [a.summary() for r in hooks.rules for a in r.actions if a.fate.state is State.ACTIVE and is_ours(a)]


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
    assert not machine.plan(client, rules, scope=scope).is_needed
    machine.remove(client, scope=scope)
    assert machine.files() == {}
    assert machine.remove(client, scope=scope) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_foreign_entries_stay_as_they_are(client: str, machine: Machine) -> None:
    rules = rule_per_event(client)
    place = machine.plan(client, rules).place
    foreign = dialect(client).write(rule_per_event(client, "./check.sh"))
    if place.kind is FileKind.SETTINGS:
        foreign = {"theme": "dark", **foreign, "last": [1]}
    before = json.dumps(foreign, indent="\t").replace("\n", "\r\n")
    path = machine.write(place.name, before)
    machine.install(client, rules)
    assert sorted(active(machine, client)) == sorted(a.summary() for r in rules for a in r.actions)
    lines = iter(path.read_bytes().decode().splitlines())
    assert all(any(line.rstrip(",") == new.rstrip(",") for new in lines) for line in before.splitlines())
    assert not machine.plan(client, rules).is_needed
    machine.remove(client)
    assert path.read_bytes().decode() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_a_clone_on_another_machine_is_updated_and_cleaned_by_content(client: str, machine: Machine) -> None:
    """Without anything in the state folder, only the file tells what is ours."""
    rules = rule_per_event(client)
    path = machine.install(client, rules).path
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


def hooks_text(*names: str) -> st.SearchStrategy[Any]:
    """Contents of a settings file: with hooks, with other things of that name, or without."""
    group = st.fixed_dictionaries({"hooks": st.just([{"type": "command", "command": "./x"}])})
    events = st.dictionaries(st.sampled_from(names), st.lists(group, max_size=3), max_size=2)
    rest = objects.map(lambda found: {key: value for key, value in found.items() if key != "hooks"})
    return st.builds(
        lambda a, hooks, b: {**a, **hooks, **b}, rest, st.just({}) | events.map(lambda e: {"hooks": e}), rest
    )


@settings(max_examples=60)
@given(styled(hooks_text("Stop", "PreToolUse"), strict=True), st.sampled_from(["", "\n"]))
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
        assert not machine.plan("claude-code", rules).is_needed
        machine.remove("claude-code")
        assert path.read_bytes() == before


@settings(max_examples=60)
@given(styled(hooks_text("Stop", "PreToolUse")))
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n'
             '            "command": "anyhook exec stop"\n          }\n        ]\n      }\n    ]\n  }\n}\n'),
        ("{}", '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n'
               '            "command": "anyhook exec stop"\n          }\n        ]\n      }\n    ]\n  }\n}'),
        (
            '{"hooks": {"Stop": []}}\n',
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "anyhook exec stop"}]}]}}\n',
        ),
        (
            '{\n\t"a": 1,\n\t"hooks": {}\n}',
            '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"type": "command",\n'
            '\t\t\t\t\t\t"command": "anyhook exec stop"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}',
        ),
    ],
)  # fmt: skip
def test_the_new_text(before: str, after: str, machine: Machine) -> None:
    path = machine.write(CLAUDE, before)
    machine.install("claude-code", [structs.replace(STOP, actions=(Command(command="anyhook exec stop"),))])
    assert path.read_bytes().decode() == after
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before


# ------------------------------------------------------------------------------------------------------------- ownership


def test_an_update_keeps_the_place_and_changes_only_what_differs(machine: Machine) -> None:
    text = '{"hooks": {"Stop": [\n  {"hooks":[ {"type":"command","command":"anyhook exec old", "timeout": 5} ]},\n  {"hooks": []}\n]}}'
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
        assert both.after is not None
        assert len(json.loads(both.after)["hooks"]["Stop"]) == 2
        machine.remove("claude-code", first)
        assert len(json.loads(path.read_bytes())["hooks"]["Stop"]) == 1
        machine.remove("claude-code", second)
        assert path.read_bytes().decode() == before


def test_an_owner_that_was_there_before_the_record_is_not_brought_back(machine: Machine) -> None:
    recorder = Owner("record", lambda action: action.summary().startswith("anyhook record "))
    path = machine.install("claude-code", [STOP]).path
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
    assert not machine.plan("claude-code", [rule("Stop", "./ours.sh")], NATIVE).is_needed
    machine.remove("claude-code", NATIVE)
    assert path.read_bytes().decode() == before
    assert not (machine.roots.project / ".anyhook").exists()


def test_an_identical_entry_of_somebody_else_is_neither_doubled_nor_taken_away(machine: Machine) -> None:
    wanted = rule("Stop", "./same")
    path = machine.write(CLAUDE, json.dumps(dialect("claude-code").write([wanted])))
    before = path.read_bytes()
    assert not machine.install("claude-code", [wanted], NATIVE).is_needed
    assert machine.remove("claude-code", NATIVE) == []
    assert path.read_bytes() == before


def test_an_edited_entry_is_no_longer_ours(machine: Machine) -> None:
    path = machine.install("claude-code", [rule("Stop", "./ours")], NATIVE).path
    path.write_text(path.read_text(encoding="utf-8").replace("./ours", "./mine"), encoding="utf-8")
    assert machine.remove("claude-code", NATIVE) == []
    assert "./mine" in path.read_text(encoding="utf-8")


def test_a_broken_ledger_is_refused(machine: Machine) -> None:
    machine.write(".anyhook/deployed.json", "{")
    machine.write(CLAUDE, '{"hooks": {"Stop": []}}')
    with pytest.raises(AnyhookError, match=r"deployed\.json"):
        machine.plan("claude-code", [STOP], NATIVE)


# ---------------------------------------------------------------------------------------------------------- which file


@pytest.mark.parametrize(
    ("client", "existing", "text", "chosen"),
    [
        ("codex", ".codex/config.toml", 'model = "x"\n', CODEX),
        ("codex", ".codex/config.toml", '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\ncommand="x"\n', ".codex/config.toml"),
        ("factory-droid", ".factory/settings.json", '{"theme": "x"}', ".factory/hooks.json"),
        ("factory-droid", ".factory/settings.json", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}', ".factory/settings.json"),
        ("windsurf", ".devin/hooks.json", '{"hooks": {"post_cascade_response": [{"command": "x"}]}}', ".devin/hooks.json"),
        ("openhands", ".openhands/hooks.json", '{"stop": [{"hooks": [{"command": "x"}]}]}', ".openhands/hooks.json"),
    ],
)  # fmt: skip
def test_entries_go_where_the_client_reads_hooks_already(
    client: str, existing: str, text: str, chosen: str, machine: Machine
) -> None:
    path = machine.write(existing, text)
    rules = rule_per_event(client)
    change = machine.install(client, rules)
    assert change.place.name == chosen
    assert len(active(machine, client)) == len(rules)
    foreign = [a for r in hooks_for_project(client, machine.roots).rules for a in r.actions if not is_ours(a)]
    assert all(action.fate.state is State.ACTIVE for action in foreign)
    machine.remove(client)
    assert path.read_bytes().decode() == text
    assert chosen == existing or not change.path.exists()


def test_entries_stay_where_they_are_when_another_file_appears(machine: Machine) -> None:
    toml = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\ncommand="x"\n'
    machine.write(".codex/config.toml", toml)
    machine.install("codex", [STOP])
    machine.write(CODEX, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "y"}]}]}}')
    assert not machine.plan("codex", [STOP]).is_needed


def test_a_file_that_would_hide_another_says_so(machine: Machine) -> None:
    theirs = machine.roots.home / ".openhands/hooks.json"
    theirs.parent.mkdir()
    theirs.write_text('{"Stop": [{"hooks": [{"command": "x"}]}]}', encoding="utf-8")
    assert machine.plan("openhands", rule_per_event("openhands")).hides == (theirs,)
    assert machine.plan("openhands", rule_per_event("openhands"), scope=Scope.USER).hides == ()


def test_the_folder_that_a_variable_names_is_used(machine: Machine, tmp_path: Path) -> None:
    machine.roots = structs.replace(machine.roots, environment={"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert machine.install("codex", [STOP], scope=Scope.USER).path == tmp_path / "elsewhere/hooks.json"


def test_toml_keeps_its_comments_and_gets_tables(machine: Machine) -> None:
    before = '# mine\r\nmodel = "x" # fast\r\n\r\n[[hooks.Stop]] # all\r\n[[hooks.Stop.hooks]]\r\ntype = "command"\r\ncommand = "x"\r\n\r\n[tui]\r\na = 1'
    path = machine.write(".codex/config.toml", before)
    machine.install("codex", [structs.replace(STOP, matcher='a "b"', actions=(Command(command="anyhook exec 'x'"),))])
    added = '[[hooks.Stop]]\r\nmatcher = "a \\"b\\""\r\n\r\n[[hooks.Stop.hooks]]\r\ntype = "command"\r\ncommand = "anyhook exec \'x\'"'
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


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (CLAUDE, '{\n  "hooks": {,\n}', r"settings\.json:2: expected a key"),
        (CLAUDE, "// nothing\n", "only comments"),
        (CLAUDE, "[]", "the file holds a list"),
        (CLAUDE, '{\n "hooks": []}', r'settings\.json:2: "hooks" holds a list'),
        (CLAUDE, '{"hooks": {"Stop": {}}}', '"Stop" holds an object'),
        (CLAUDE, '{"hooks": {}, "hooks": {}}', r'settings\.json:1: "hooks" stands twice'),
        (CLAUDE, '{"hooks": {"Stop": [],\n"Stop": []}}', '"Stop" stands twice'),
        (
            CODEX,
            '{"hooks": {}, // why\n "description": ""}',
            r"hooks\.json:1: Codex would not load the new hooks: comment",
        ),
        (CODEX, '{"version": 1, "hooks": {}}', 'Codex would not load the new hooks: top-level key "version"'),
        (CODEX, '\ufeff{"hooks": {}}', "byte order mark"),
    ],
)
def test_a_file_that_cannot_take_an_entry_is_refused_and_left_alone(
    name: str, text: str, message: str, machine: Machine
) -> None:
    path = machine.write(name, text)
    client = "codex" if "codex" in name else "claude-code"
    with pytest.raises(AnyhookError, match=message) as refused:
        machine.install(client, [STOP])
    assert "\n" in str(refused.value), "a remedy"
    assert path.read_bytes().decode() == text


def test_a_key_that_stands_twice_elsewhere_does_not_matter(machine: Machine) -> None:
    before = '{"a": 1, "a": 2, "hooks": {"Stop": [{"hooks": []}]}}'
    path = machine.write(CLAUDE, before)
    machine.install("claude-code", [STOP])
    assert path.read_bytes().decode().startswith('{"a": 1, "a": 2, "hooks"')
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before


def test_a_read_only_file_is_refused(machine: Machine) -> None:
    path = machine.write(CLAUDE, "{}")
    path.chmod(0o444)
    with pytest.raises(AnyhookError, match="read-only"):
        machine.install("claude-code", [STOP])
    assert path.read_bytes() == b"{}"


def test_a_file_where_a_folder_is_needed_is_refused(machine: Machine) -> None:
    machine.write(".claude", "")
    with pytest.raises(AnyhookError, match="could not be written"):
        machine.install("claude-code", [STOP])


def test_bytes_that_are_not_utf_8_are_refused(machine: Machine) -> None:
    machine.write(CLAUDE, "").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(AnyhookError, match="not UTF-8"):
        machine.install("claude-code", [STOP])


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_a_link_is_followed_and_stays_a_link(machine: Machine, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}', encoding="utf-8")
    link = machine.roots.project / CLAUDE
    link.parent.mkdir()
    link.symlink_to(real)
    change = machine.install("claude-code", [STOP])
    assert (change.path, change.target) == (link, real.resolve())
    assert link.is_symlink()
    assert "hooks" in json.loads(real.read_bytes())
    machine.remove("claude-code")
    assert (link.is_symlink(), real.read_text(encoding="utf-8")) == (True, '{"a": 1}')
    real.unlink()
    with pytest.raises(AnyhookError, match="leads nowhere"):
        machine.install("claude-code", [STOP])


@pytest.mark.skipif(os.name == "nt", reason="other rights there")
def test_the_mode_stays_and_our_own_files_are_private(machine: Machine) -> None:
    path = machine.write(CLAUDE, "{}")
    path.chmod(0o640)
    before = os.umask(0)
    try:
        machine.install("claude-code", [STOP])
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    own = [state_folder(), *state_folder().rglob("*")]
    assert {stat.S_IMODE(p.stat().st_mode) for p in own if p.is_dir()} == {0o700}
    assert {stat.S_IMODE(p.stat().st_mode) for p in own if p.is_file()} == {0o600}


def test_a_change_that_was_planned_on_an_older_text_is_planned_anew(machine: Machine) -> None:
    path = machine.write(CLAUDE, '{"a": 1}')
    planned = machine.plan("claude-code", [STOP])
    path.write_text('{"a": 2}', encoding="utf-8")
    done = apply(planned)
    assert done.before == b'{"a": 2}'
    assert json.loads(path.read_bytes())["a"] == 2


def test_five_thousand_foreign_entries(machine: Machine) -> None:
    groups = [{"matcher": f"Tool{at}", "hooks": [{"type": "command", "command": f"./{at}"}]} for at in range(5_000)]
    before = json.dumps({"hooks": {"PreToolUse": groups}}, indent=2)
    path = machine.write(CLAUDE, before)
    rules = rule_per_event("claude-code")
    machine.install("claude-code", rules)
    assert not machine.plan("claude-code", rules).is_needed
    assert path.read_bytes().decode().startswith(before[:-20])
    machine.remove("claude-code")
    assert path.read_bytes().decode() == before


def test_no_rules_are_a_removal(machine: Machine) -> None:
    machine.install("claude-code", [STOP])
    assert machine.install("claude-code", []).after is None
    assert machine.files() == {}


def test_a_rule_that_the_client_cannot_have_is_refused(machine: Machine) -> None:
    unknown = Rule(event="Nonsense", native_event="Nonsense", actions=(Command(command="anyhook exec x"),))
    with pytest.raises(AnyhookError, match="Nonsense"):
        machine.install("claude-code", [unknown])
