"""Files as a whole: versions, names of events, types, keys and duplicates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.model.codes import Severity
from tests.lint.projects import PLACES, check, codes, flat, found, groups, guard, hook


def test_copilot_loads_a_file_without_a_version(tmp_path: Path) -> None:
    own = {"type": "command", "bash": "x", "powershell": "x"}
    (problem,) = found(tmp_path / "a", {PLACES["copilot-cli"]: flat("preToolUse", own, version=None)}, "S005")
    assert problem.severity is Severity.NOTE
    assert problem.edits
    assert found(tmp_path / "b", {PLACES["copilot-cli"]: flat("PreToolUse", own, version=None)}, "S005") == []
    (problem,) = found(tmp_path / "c", {PLACES["cursor"]: flat("stop", {"command": "x"}, version=None)}, "S005")
    assert problem.severity is Severity.WARNING


def test_mixed_spelling(tmp_path: Path) -> None:
    entry = [hook("x")]
    mixed = {"version": 1, "hooks": {"preToolUse": entry, "PostToolUse": entry}}
    (problem,) = found(tmp_path / "a", {PLACES["copilot-cli"]: mixed}, "E004")
    assert problem.origin.pointer == "/hooks/PostToolUse"
    one_word = {"version": 1, "hooks": {"stop": entry, "preToolUse": entry}}
    assert found(tmp_path / "b", {PLACES["cursor"]: one_word}, "E004") == []
    one_is_unknown = {"version": 1, "hooks": {"preToolUse": entry, "PostToolUse": entry}}
    assert {code for code in codes(tmp_path / "c", {PLACES["cursor"]: one_is_unknown}) if code[0] == "E"} == {"E002"}


def test_events_in_a_list(tmp_path: Path) -> None:
    listed = {"hooks": [{"event": "PreToolUse", "command": "x"}, {"event": "TaskCompleted", "command": "y"}]}
    problems = check(tmp_path, {PLACES["copilot-cli"]: listed}).problems
    assert [(p.code, p.origin.line) for p in problems if p.code in {"S002", "E002"}] == [("S002", 2), ("E002", 7)]


def test_a_strange_key_that_is_an_event_is_said_once(tmp_path: Path) -> None:
    bare = {"Stop": [{"hooks": [hook("x")]}], "SessionStart": [{"hooks": [hook("x")]}]}
    assert [p.code for p in check(tmp_path, {PLACES["codex"]: bare}).problems] == ["S001"]


def test_a_type_on_the_wrong_event(tmp_path: Path) -> None:
    prompt = {"type": "prompt", "prompt": "Is it done?"}
    assert "K005" in codes(tmp_path / "a", {PLACES["claude-code"]: groups("SessionStart", prompt)})
    assert "K005" not in codes(tmp_path / "b", {PLACES["claude-code"]: groups("Stop", prompt)})


def test_keys_without_effect(tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "a", {PLACES["claude-code"]: groups("Stop", hook("x", once=True))}, "K008")
    assert (problem.severity, problem.origin.pointer) == (Severity.WARNING, "/hooks/Stop/0/hooks/0/once")
    files = {PLACES["claude-code"]: groups("Stop", hook("x", **{"if": "Bash(git *)"}))}
    (problem,) = found(tmp_path / "b", files, "K008")
    assert problem.severity is Severity.ERROR
    assert found(tmp_path / "c", guard("claude-code", "x", **{"if": "Bash(git *)"}), "K008") == []
    skill = (
        "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x, once: true}\n---\nText\n"
    )
    assert found(tmp_path / "d", {".claude/skills/a/SKILL.md": skill}, "K008") == []


def test_keys_of_an_entry_that_is_lost_anyway(tmp_path: Path) -> None:
    entry = {**hook("x"), "blocking": True, "timeoutMs": 5}
    problems = check(tmp_path, {PLACES["claude-code"]: {"hooks": {"Stop": [entry]}}}).problems
    assert [p.code for p in problems if p.code[0] in "SKT"] == ["S003", "T003"]


@pytest.mark.parametrize(("client", "severity"), [("codex", Severity.WARNING), ("claude-code", Severity.NOTE)])
def test_the_same_hook_twice(client: str, severity: Severity, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, {PLACES[client]: groups("Stop", hook("x"), hook("x"))}, "D001")
    assert problem.severity is severity
    assert "line 6" in problem.text


def test_hooks_that_are_not_the_same(tmp_path: Path) -> None:
    files = {
        PLACES["claude-code"]: {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Edit", "hooks": [hook("x"), hook("bash", args=["a"]), hook("bash", args=["b"])]},
                    {"matcher": "Write", "hooks": [hook("x"), hook("y", **{"if": "Write(a)"}), hook("y")]},
                ],
                "Stop": [{"hooks": [hook("x")]}],
            }
        }
    }
    assert found(tmp_path, files, "D001") == []


def test_a_manifest_that_stands_alone_is_not_judged(tmp_path: Path) -> None:
    manifest = {".claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"}}
    assert found(tmp_path / "alone", manifest, "S012") == []
    assert len(found(tmp_path / "whole", {**manifest, "README.md": "x"}, "S012")) == 1


@pytest.mark.parametrize(
    ("client", "more", "severity"),
    [
        ("codex", {"args": ["a"]}, Severity.WARNING),
        ("codex", {"if": "Bash(git *)"}, Severity.WARNING),
        ("codex", {"enabled": False}, Severity.WARNING),
        ("codex", {"enabled": True}, Severity.NOTE),
        ("codex", {"description": "why"}, Severity.NOTE),
    ],
)
def test_an_unread_key_weighs_what_it_changes(client: str, more: Any, severity: Severity, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, guard(client, "x", **more), "K002")
    assert problem.severity is severity


def test_lost_entries_with_other_matchers_are_not_the_same(tmp_path: Path) -> None:
    listed = {"hooks": [{"event": "PreToolUse", "command": "x", "matcher": tool} for tool in ("Edit", "Write")]}
    assert found(tmp_path, {PLACES["copilot-cli"]: listed}, "D001") == []
    tools = {"hooks": {"Stop": [{"tool_name": tool, "command": "x"} for tool in ("edit", "write")]}}
    assert found(tmp_path / "b", {PLACES["claude-code"]: tools}, "D001") == []
    same = {"hooks": {"Stop": [{"tool_name": "edit", "command": "x"}] * 2}}
    assert len(found(tmp_path / "c", {PLACES["claude-code"]: same}, "D001")) == 1


def test_hooks_that_differ_in_folder_or_variables_are_not_the_same(tmp_path: Path) -> None:
    entry = {"bash": "npm test", "type": "command"}
    twice = flat("preToolUse", {**entry, "cwd": "a"}, {**entry, "cwd": "b"}, {**entry, "env": {"A": "1"}}, entry)
    assert not found(tmp_path, {".github/hooks/x.json": twice}, "D001")
    same = flat("preToolUse", {**entry, "cwd": "a"}, {**entry, "cwd": "a"})
    assert found(tmp_path, {".github/hooks/x.json": same}, "D001")


def test_one_mistake_has_one_code(tmp_path: Path) -> None:
    nonsense = {".claude/settings.json": {"hooks": {"onSessionStart": "echo hi"}}}
    assert codes(tmp_path / "a", nonsense) == {"E001"}
    glob = {".claude/settings.json": groups("PreToolUse", hook("true"), matcher="tools:Write AND **/*.ts")}
    assert {code for code in codes(tmp_path / "b", glob) if code.startswith("M")} == {"M003"}
    assert codes(tmp_path / "c", {".claude/settings.json": "// nothing but a comment\n"}) == {"F001"}
    unknown = {"hooks": {"onSomething": [{"matcher": "x", "note": 1, "hooks": [hook("true", blocking=True)]}]}}
    assert codes(tmp_path / "d", {PLACES["codex"]: unknown}) == {"E001"}
    broken = 'echo \'{"permissionDecision": "deny", "why": "don\'t"}\''
    assert codes(tmp_path / "e", guard("gemini-cli", broken)) == {"C013"}


def test_the_default_file_of_a_plugin_is_named_and_does_not_exist(tmp_path: Path) -> None:
    manifest = {".claude-plugin/plugin.json": {"name": "p", "hooks": "./hooks/hooks.json"}}
    project = {**manifest, ".git/HEAD": "", "README.md": "", "commands/a.md": ""}
    assert codes(tmp_path / "a", project) == {"S012"}
    assert codes(tmp_path / "b", {**project, "hooks/hooks.json": groups("Stop", hook("true"))}) == {"S010"}
    assert codes(tmp_path / "alone", manifest) == {"S010"}


@pytest.mark.parametrize(
    ("file", "content", "code", "text"),
    [
        (".claude/settings.json", flat("PreToolUse", hook("true"), version=None), "S003", "directly under PreToolUse"),
        (".claude/settings.json", groups("PreToolUse", hook("true", type="comand")), "K005", 'type "comand"'),
        (".rulesync/hooks.json", flat("Stop", {"command": "true"}), "E002", "rulesync never fires it"),
        (".rulesync/hooks.json", flat("onSomething", {"command": "true"}), "S009", "called onSomething"),
        (".codex/hooks.json", groups("Stop", {"type": "http", "url": "http://localhost"}), "K005", 'type "http"'),
        (".agents/hooks.json", {"lint": {"Stop": [{"command": "true", "timeout": "5"}]}}, "K007", '"timeout" must be'),
    ],
)
def test_a_mistake_that_costs_the_whole_file_has_one_code(
    file: str, content: dict[str, Any], code: str, text: str, tmp_path: Path
) -> None:
    (problem,) = check(tmp_path, {file: content}).problems
    assert (problem.code, problem.severity) == (code, Severity.ERROR)
    assert text in problem.text
    assert "drops the whole file" in problem.text
    assert problem.fix != "correct or remove the entry"
    assert bool(problem.edits) is (code == "S003")


def test_two_mistakes_have_two_codes(tmp_path: Path) -> None:
    content = groups("Stop", hook("true", type="http", url="http://localhost"), hook("./missing.sh"))
    assert codes(tmp_path, {".codex/hooks.json": content}) >= {"K005", "C005"}


def test_an_event_that_a_format_for_many_clients_does_not_know_is_a_note(tmp_path: Path) -> None:
    goose = {".agents/plugins/p/hooks/hooks.json": groups("SomethingNew", hook("true"))}
    goose[".agents/plugins/p/hooks/hooks.json"]["hooks"] |= groups("Notification", hook("true"))["hooks"]
    assert {(p.code, p.severity) for p in check(tmp_path / "a", goose).problems if p.code[0] == "E"} == {
        ("E001", Severity.NOTE),
        ("E002", Severity.NOTE),
    }
    assert [
        p.severity for p in found(tmp_path / "c", {PLACES["codex"]: groups("SomethingNew", hook("x"))}, "E001")
    ] == [Severity.ERROR]


def test_the_events_of_a_template_go_under_hooks_when_it_is_installed(tmp_path: Path) -> None:
    events = groups("PreToolUse", hook("echo {{NAME}}"))["hooks"]
    assert "S001" not in codes(tmp_path, {"templates/codex/hooks.json": events, ".git/HEAD": ""})
    assert "S001" in codes(tmp_path / "real", {".codex/hooks.json": events})


@pytest.mark.parametrize(
    ("file", "group", "code", "fix"),
    [
        ("hooks/hooks.json", {"matchr": "Bash", "hooks": [hook("true")]}, "K001", "did you mean matcher?"),
        (".claude/settings.json", {"matchr": "Bash", "hooks": [hook("true")]}, "K001", "did you mean matcher?"),
        (".claude/settings.json", {"hooks": [hook("true", timout=3)]}, "K002", "did you mean timeout?"),
        ("hooks/hooks.json", {"hooks": [hook("true", timout=3)]}, "K002", "did you mean timeout?"),
        ("hooks/hooks.json", {"hooks": [{"type": "command", "comand": "true"}]}, "K006", "did you mean command?"),
        (".codex/hooks.json", {"hooks": [{"type": "command", "comand": "true"}]}, "K006", "did you mean command?"),
    ],
)
def test_a_misspelled_key_of_a_group_or_a_hook_has_a_suggestion(
    file: str, group: Any, code: str, fix: str, tmp_path: Path
) -> None:
    event = "pre-tool-use" if file.startswith("hooks") else "PreToolUse"
    content = {"version": 1} if file.startswith("hooks") else {}
    [problem] = found(tmp_path, {file: {**content, "hooks": {event: [group]}}}, code)
    assert problem.fix.endswith(fix)


def test_a_misspelled_event_of_another_client_s_spelling_has_a_suggestion(tmp_path: Path) -> None:
    module = 'from anyhook import hook\n\n\n@hook("PreTolUse")\ndef guard(event):\n    return None\n'
    [problem] = found(tmp_path, {"hooks/guard.py": module}, "E001")
    assert problem.fix == "did you mean pre-tool-use?"


@pytest.mark.parametrize(
    ("second", "is_same"),
    [
        ("{name: a, then: block, when: {previous: {kind: edit}}}", True),
        ("{name: a, then: block, when: {previous: {kind: edit}}, message: x}", False),
        ("{name: a, then: ask, when: {previous: {kind: edit}}}", False),
        ("{name: a, then: block, when: {previous: {kind: read}}}", False),
    ],
)
def test_equal_rules(tmp_path: Path, second: str, is_same: bool) -> None:
    (tmp_path / "hooks").mkdir()
    first = "{name: a, then: block, when: {previous: {kind: edit}}}"
    (tmp_path / "hooks" / "rules.yaml").write_text(f"rules:\n- {first}\n- {second}\n")
    assert bool(found(tmp_path, {}, "D001")) is is_same


def test_one_command_for_two_kinds_of_tools(tmp_path: Path) -> None:
    both = [{"kind": [kind], "hooks": [hook("x")]} for kind in ("shell", "edit")]
    file = {"version": 1, "hooks": {"pre-tool-use": both}}
    assert found(tmp_path, {"hooks/hooks.json": file}, "D001") == []
