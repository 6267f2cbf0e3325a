"""Mastra Code, by what its source says: files, matchers, payloads and answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anyhook.dialects import dialect, profile
from anyhook.dialects.bound_event import bind_event, bind_payload
from anyhook.dialects.places import FileKind
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.engine.interpret import interpret
from anyhook.engine.match import matcher_for
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Command, FateState, HookFile
from anyhook.model.origin import Scope
from anyhook.model.outcome import Status
from anyhook.model.payload import Notification, PostToolUse, PreToolUse, Stop, UserPromptSubmit
from anyhook.model.payload_base import Payload
from anyhook.sources.parsing.parse_json import parse_json
from anyhook.sources.recognise import recognise_content, recognise_path
from tests.bridge.bridging import make_package, run_anyhook

CLIENT = "mastra-code"
GATE = {
    "type": "command",
    "command": "node gate.js",
    "matcher": {"tool_name": "write_file|string_replace"},
    "timeout": 5000,
    "description": "the write gate",
}
BASE = {"session_id": "s", "cwd": "/w", "run_id": "r"}


def read(content: Any) -> HookFile:
    return dialect(CLIENT).read(parse_json(json.dumps(content), "hooks.json"), FileKind.HOOKS, Scope.PROJECT)


def test_events_are_at_the_top_level_and_hooks_directly_in_their_lists() -> None:
    file = read({"PreToolUse": [GATE], "Stop": [{"type": "command", "command": "true"}]})
    assert file.problems == ()
    gate, stop = file.rules
    [action] = gate.actions
    assert (gate.event, gate.matcher, action.timeout_ms) == ("PreToolUse", "write_file|string_replace", 5000)
    assert (stop.event, stop.matcher) == ("Stop", None)


@pytest.mark.parametrize(
    ("tool", "matches"), [("write_file", True), ("string_replace_lsp", True), ("Write", False), ("view", False)]
)
def test_a_matcher_is_an_expression_searched_for_in_the_name(tool: str, matches: bool) -> None:
    [rule] = read({"PreToolUse": [GATE]}).rules
    assert matcher_for(profile(CLIENT), rule).matches(tool) is matches


@pytest.mark.parametrize("name", [5, ["write_file"], {"a": 1}, True])
def test_a_tool_name_that_is_no_text_is_a_problem(name: object) -> None:
    [problem] = read({"PreToolUse": [{**GATE, "matcher": {"tool_name": name}}]}).problems
    assert (problem.code, problem.origin.pointer) == ("S008", "/PreToolUse/0/matcher/tool_name")


@pytest.mark.parametrize("matcher", [{}, {"tool_name": ""}])
def test_a_matcher_without_a_name_matches_every_tool(matcher: dict[str, str]) -> None:
    [rule] = read({"PreToolUse": [{**GATE, "matcher": matcher}]}).rules
    assert matcher_for(profile(CLIENT), rule).matches("view")


def test_a_matcher_that_is_text_is_ignored() -> None:
    file = read({"PreToolUse": [{**GATE, "matcher": "write_file"}]})
    assert [(problem.code, problem.fix) for problem in file.problems] == [("S008", 'write {"tool_name": "write_file"}')]
    assert file.rules[0].matcher is None
    assert file.rules[0].actions[0].is_loaded


def test_nothing_under_hooks_is_read() -> None:
    file = read({"hooks": {"PreToolUse": [GATE]}})
    assert [problem.code for problem in file.problems] == ["S001"]
    assert [action.fate.state for rule in file.rules for action in rule.actions] == [FateState.DROPPED]


def test_a_hook_without_type_is_lost_and_the_others_are_not() -> None:
    untyped = {key: value for key, value in GATE.items() if key != "type"}
    file = read({"PreToolUse": [untyped, GATE]})
    assert [problem.code for problem in file.problems] == ["K004"]
    assert [action.is_loaded for rule in file.rules for action in rule.actions] == [False, True]


def test_events_that_no_other_client_has_are_accepted() -> None:
    file = read({"AgentStart": [{"type": "command", "command": "true"}], "PostToolUseFailure": [GATE]})
    assert [problem.code for problem in file.problems] == ["E002"]
    assert [action.is_loaded for rule in file.rules for action in rule.actions] == [True, False]


def test_what_is_written_is_read_back_and_valid() -> None:
    file = read({"PreToolUse": [GATE], "SubagentEnd": [{"type": "command", "command": "true"}]})
    written = dialect(CLIENT).write(file.rules)
    assert written == {"PreToolUse": [GATE], "SubagentEnd": [{"type": "command", "command": "true"}]}
    jsonschema.validate(written, dialect(CLIENT).schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"PreToolUse": [{**GATE, "matcher": "write_file"}]}, dialect(CLIENT).schema())


@pytest.mark.parametrize(
    ("sent", "cls", "fields"),
    [
        (
            {"hook_event_name": "PreToolUse", "tool_name": "execute_command", "tool_input": {"command": "ls"}},
            PreToolUse,
            {"tool_name": "execute_command", "command": "ls", "turn_id": "r"},
        ),
        (
            {"hook_event_name": "PostToolUse", "tool_name": "view", "tool_input": {}, "tool_output": "text"},
            PostToolUse,
            {"tool_name": "view"},
        ),
        ({"hook_event_name": "UserPromptSubmit", "user_message": "hello"}, UserPromptSubmit, {"prompt": "hello"}),
        (
            {"hook_event_name": "Stop", "assistant_message": "done", "stop_reason": "complete"},
            Stop,
            {"last_assistant_message": "done"},
        ),
        (
            {"hook_event_name": "Notification", "reason": "agent_done"},
            Notification,
            {"notification_type": "agent_done"},
        ),
    ],
)
def test_a_payload_comes_back_unchanged(sent: dict[str, Any], cls: type[Payload], fields: dict[str, Any]) -> None:
    payload, problems = decode_payload(profile(CLIENT), {**BASE, **sent})
    assert problems == ()
    assert type(payload) is cls
    assert {name: getattr(payload, name) for name in fields} == fields
    assert encode_payload(bind_payload(profile(CLIENT), payload), payload) == {**BASE, **sent}


@pytest.mark.parametrize(
    ("event", "code", "stdout", "stderr", "status", "reason"),
    [
        ("PreToolUse", 2, "", "no", Status.BLOCKED, "no"),
        ("PreToolUse", 2, "", "", Status.BLOCKED, "Blocked by hook"),
        ("PreToolUse", 0, '{"decision": "block", "reason": "no"}', "", Status.ALLOWED, "no"),
        ("PreToolUse", 1, "", "broken", Status.FAILED_OPEN, "exited with 1: broken"),
        ("Stop", 2, "", "go on", Status.BLOCKED, "go on"),
        ("UserPromptSubmit", 2, "", "no secrets", Status.BLOCKED, "no secrets"),
    ],
)
def test_only_exit_status_two_blocks(
    event: str, code: int, stdout: str, stderr: str, status: Status, reason: str
) -> None:
    raw = RawResult(exit_code=code, stdout=stdout.encode(), stderr=stderr.encode())
    run = interpret(bind_event(profile(CLIENT), event), Command(command="gate"), raw)
    assert (run.status, run.reason) == (status, reason)


def test_files_are_recognised_by_place_name_and_content() -> None:
    assert [found.dialect for found in recognise_path(Path("/repo/.mastracode/hooks.json"))] == [CLIENT]
    for path in ("/repo/templates/mastra-hooks.json", "/repo/loose/gates.json"):
        found = recognise_content(Path(path), parse_json(json.dumps({"PreToolUse": [GATE]})))
        assert found is not None
        assert found.dialect == CLIENT


@pytest.mark.parametrize("way", ["--bridge", "--native"])
def test_a_package_is_deployed_into_its_file(way: str, tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    done = run_anyhook(package, "deploy", "--client", "mastra", way)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((package / ".mastracode/hooks.json").read_text())
    jsonschema.validate(written, dialect(CLIENT).schema())
    assert written["PreToolUse"][0].get("matcher", {"tool_name": "execute_command"})
    assert "hooks" not in written
