"""The universal hooks spec (seed 000): packages with ``hooks/hooks.json``, under the profile ``universal``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.events import find_event, likely_names, native_name, native_names
from anyhook.model.hooks import Prompt
from anyhook.model.outcome import Effect, Status
from anyhook.model.output import Decision
from tests.seeds.projects import Model, Project, answer, group, hook, mark, nested

FILE = "hooks/hooks.json"
WRITE = {
    "hookEventName": "pre-tool-use",
    "toolName": "Write",
    "toolInput": {"file_path": "/src/app.ts", "content": "console.log('hello');"},
}
"""The fixture payload of the spec."""

PAYLOADS: dict[str, dict[str, Any]] = {
    "pre-tool-use": WRITE,
    "permission-request": {**WRITE, "hookEventName": "permission-request"},
    "post-tool-use": {**WRITE, "hookEventName": "post-tool-use", "toolResponse": "written"},
    "pre-prompt": {"hookEventName": "pre-prompt", "prompt": "Write a haiku"},
    "session-start": {"hookEventName": "session-start"},
    "session-end": {"hookEventName": "session-end"},
    "stop": {"hookEventName": "stop"},
    "sub-agent-end": {"hookEventName": "sub-agent-end"},
    "pre-compact": {"hookEventName": "pre-compact"},
    "notification": {"hookEventName": "notification"},
}


def package(folder: Path, event: str, *groups: dict[str, Any], **files: str) -> Project:
    scripts = {f"hooks/scripts/{name}.sh": text for name, text in files.items()}
    return Project(folder, "universal", {FILE: {"version": 1, "hooks": {event: list(groups)}}, **scripts})


def test_hooks_run_outside_the_context_window(tmp_path: Path) -> None:
    """They run **outside** the context window with zero token overhead."""
    project = package(tmp_path, "pre-tool-use", group(f"{mark('a')}; echo this costs no token"))
    outcome = project.fire(WRITE)
    assert project.ran == ["a"]
    assert (outcome.effect, outcome.to_model) == (Effect.PROCEED, ())


# --- Universal hooks.json Format

EXAMPLE = {
    "version": 1,
    "hooks": {
        "pre-tool-use": [
            {
                "matcher": "Write|Edit",
                "hooks": [
                    {
                        "type": "command",
                        "command": "bash ${PACKAGE_ROOT}/hooks/scripts/validate.sh",
                        "timeout": 30,
                    }
                ],
            }
        ],
        "post-tool-use": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "npx prettier --write ${file}"}]}
        ],
        "stop": [
            {
                "hooks": [
                    {
                        "type": "prompt",
                        "prompt": "Check if all tasks are complete. Context: $ARGUMENTS",
                        "timeout": 30,
                    }
                ]
            }
        ],
        "session-start": [{"hooks": [{"type": "command", "command": "bash ${PACKAGE_ROOT}/hooks/scripts/setup.sh"}]}],
    },
}


def test_the_example_is_read_as_it_stands(tmp_path: Path) -> None:
    """The example of "Universal `hooks.json` Format", word by word."""
    hooks = Project(tmp_path, "universal", {FILE: EXAMPLE}).hooks
    assert hooks.problems == ()
    assert [(rule.native_event, rule.matcher, rule.actions[0].kind) for rule in hooks.rules] == [
        ("pre-tool-use", "Write|Edit", "command"),
        ("post-tool-use", "Write|Edit", "command"),
        ("stop", None, "prompt"),
        ("session-start", None, "command"),
    ]
    assert [rule.actions[0].timeout_ms for rule in hooks.rules] == [30_000, None, 30_000, None]


def test_the_example_runs_a_script_of_the_package(tmp_path: Path) -> None:
    """`"command": "bash ${PACKAGE_ROOT}/hooks/scripts/validate.sh"`"""
    validate = "echo the path is protected >&2\nexit 2\n"  # bash is named, so it needs no first line
    project = Project(tmp_path, "universal", {FILE: EXAMPLE, "hooks/scripts/validate.sh": validate})
    outcome = project.fire(WRITE)
    assert (outcome.effect, outcome.to_model) == (Effect.BLOCK, ("the path is protected",))


def test_the_example_runs_in_a_folder_with_a_blank(tmp_path: Path) -> None:
    """The same command as it is written, without quotes"""
    folder = tmp_path / "my work; $(touch pwned)"
    folder.mkdir()
    validate = "echo the path is protected >&2\nexit 2\n"
    project = Project(folder, "universal", {FILE: EXAMPLE, "hooks/scripts/validate.sh": validate})
    assert project.fire(WRITE).to_model == ("the path is protected",)


@pytest.mark.parametrize("command", ["printf %s, ${file}", 'printf %s, "${file}"', "printf %s, '$'${file}"])
def test_a_file_with_a_blank_is_one_word(command: str, tmp_path: Path) -> None:
    """`npx prettier --write ${file}`: quotes that the command has are kept as they are"""
    project = package(tmp_path, "post-tool-use", group(f"{command} > formatted.txt"))
    project.fire({**PAYLOADS["post-tool-use"], "toolInput": {"file_path": "/src/a  b*.ts"}})
    assert project.text("formatted.txt").removeprefix("$") == "/src/a  b*.ts,"


def test_a_command_is_told_the_file(tmp_path: Path) -> None:
    """`"command": "npx prettier --write ${file}"`"""
    project = package(tmp_path, "post-tool-use", group("echo ${file} > formatted.txt", matcher="Write|Edit"))
    project.fire(PAYLOADS["post-tool-use"])
    assert project.text("formatted.txt") == "/src/app.ts"


@pytest.mark.parametrize("version", [2, "1", True])
def test_another_version_is_another_format(version: object, tmp_path: Path) -> None:
    """`"version": 1`"""
    project = Project(tmp_path, "universal", {FILE: {"version": version, "hooks": {"stop": [group(mark("a"))]}}})
    assert project.fire(PAYLOADS["stop"]).runs == ()
    assert [problem.code for problem in project.hooks.problems] == ["S006"]


# --- Unified Hook Events


@pytest.mark.parametrize(
    ("event", "claude_code", "cursor", "copilot"),
    [
        ("pre-tool-use", "PreToolUse", "", "preToolUse"),
        ("permission-request", "PermissionRequest", "", ""),
        ("post-tool-use", "PostToolUse", "", ""),
        ("pre-prompt", "UserPromptSubmit", "beforeSubmitPrompt", "userPromptSubmitted"),
        ("session-start", "SessionStart", "", "sessionStart"),
        ("session-end", "SessionEnd", "", "sessionEnd"),
        ("stop", "Stop", "stop", ""),
        ("sub-agent-end", "SubagentStop", "", ""),
        ("pre-compact", "PreCompact", "", ""),
        ("notification", "Notification", "", ""),
    ],
)
def test_an_event_has_the_names_of_the_table(event: str, claude_code: str, cursor: str, copilot: str) -> None:
    """Unified Hook Events: Universal Event, Claude Code, Cursor, Copilot. (Today's clients have more than these.)"""
    canonical = native_names("universal")[event].name
    assert native_name(canonical, "claude-code") == claude_code
    assert not cursor or native_name(canonical, "cursor") == cursor
    assert not copilot or native_name(canonical, "copilot-cli") == copilot


def test_these_are_all_events() -> None:
    """The table has ten rows."""
    assert native_names("universal").keys() == PAYLOADS.keys()


@pytest.mark.parametrize(
    ("name", "event"),
    [("beforeShellCommand", "pre-tool-use"), ("beforeMcpCall", "pre-tool-use"), ("afterFileEdit", "post-tool-use")],
)
def test_a_cursor_name_of_the_table_names_the_event_of_its_row(name: str, event: str) -> None:
    """Cursor: `beforeShellCommand` / `beforeMcpCall`, `afterFileEdit`; it is no name of the format's own."""
    assert find_event(name, "universal") is native_names("universal")[event]
    assert likely_names(name, "universal") == [event]
    assert name not in native_names("universal")


def test_the_names_that_cursor_never_had_are_understood() -> None:
    """Cursor: `beforeShellCommand` / `beforeMcpCall`, which its documents call otherwise."""
    found = [find_event(name) for name in ("beforeShellCommand", "beforeMcpCall")]
    assert [event and event.name for event in found] == ["BeforeShellExecution", "BeforeMCPExecution"]


@pytest.mark.parametrize(
    ("event", "effect"),
    [
        ("pre-tool-use", Effect.BLOCK),
        ("permission-request", Effect.BLOCK),
        ("post-tool-use", Effect.FEEDBACK),
        ("pre-prompt", Effect.BLOCK),
        ("session-start", Effect.PROCEED),
        ("session-end", Effect.PROCEED),
        ("stop", Effect.CONTINUE),
        ("sub-agent-end", Effect.CONTINUE),
        ("pre-compact", Effect.PROCEED),
        ("notification", Effect.PROCEED),
    ],
)
def test_an_event_blocks_if_the_table_says_so(event: str, effect: Effect, tmp_path: Path) -> None:
    """Unified Hook Events: Can Block?"""
    outcome = package(tmp_path, event, group("echo no >&2; exit 2")).fire(PAYLOADS[event])
    assert outcome.effect is effect


def test_a_session_start_injects_context(tmp_path: Path) -> None:
    """`session-start`: Context inject"""
    command = answer(nested("session-start", additionalContext="The branch is main."))
    outcome = package(tmp_path, "session-start", group(command)).fire(PAYLOADS["session-start"])
    assert outcome.to_model == ("The branch is main.",)


# --- Hook Types


def test_commands_and_prompts_are_the_types(tmp_path: Path) -> None:
    """Hook Types: `command`, `prompt`."""
    kinds = ({"type": "command", "command": "true"}, {"type": "prompt", "prompt": "Is it done? $ARGUMENTS"})
    project = package(tmp_path, "stop", {"hooks": [*kinds, {"type": "http", "url": "http://localhost"}]})
    actions = project.hooks.rules[0].actions
    assert [(action.kind, action.is_loaded) for action in actions] == [
        ("command", True),
        ("prompt", True),
        ("unreadable", False),
    ]
    assert isinstance(actions[1], Prompt)
    assert actions[1].purpose == "judge"
    assert [problem.code for problem in project.hooks.problems] == ["K005"]


@pytest.mark.parametrize(
    ("verdict", "effect"),
    [('{"ok": true}', Effect.PROCEED), ('{"ok": false, "reason": "the tests have not run"}', Effect.CONTINUE)],
)
def test_a_prompt_asks_a_model_for_a_decision(verdict: str, effect: Effect, tmp_path: Path) -> None:
    """Query an LLM for context-aware decision"""
    prompt = {"type": "prompt", "prompt": "Check if all tasks are complete. Context: $ARGUMENTS", "timeout": 30}
    model = Model(verdict)
    outcome = package(tmp_path, "stop", {"hooks": [prompt]}).fire(PAYLOADS["stop"], model)
    assert outcome.effect is effect
    assert ("the tests have not run" in outcome.to_model) is (effect is Effect.CONTINUE)


def test_arguments_stand_for_the_input(tmp_path: Path) -> None:
    """LLM prompt. `$ARGUMENTS` for input."""
    prompt = {"type": "prompt", "prompt": "Is it right to do $ARGUMENTS now?"}
    model = Model('{"ok": true}')
    package(tmp_path, "pre-tool-use", {"hooks": [prompt]}).fire(WRITE, model)
    question = re.fullmatch(r"Is it right to do (.*) now\?", model.prompt)
    assert question
    assert json.loads(question[1])["toolInput"] == WRITE["toolInput"]


# --- Blocking Response Schema


@pytest.mark.parametrize("event", ["pre-tool-use", "permission-request", "pre-prompt", "stop"])
def test_a_decision_blocks(event: str, tmp_path: Path) -> None:
    """For hooks that support blocking (`pre-tool-use`, `permission-request`, `pre-prompt`, `stop`)"""
    command = answer(nested(event, permissionDecision="deny", permissionDecisionReason="not on Fridays"))
    outcome = package(tmp_path, event, group(command)).fire(PAYLOADS[event])
    assert outcome.effect is (Effect.CONTINUE if event == "stop" else Effect.BLOCK)
    assert outcome.reason == "not on Fridays"
    assert "not on Fridays" in (*outcome.to_model, *outcome.to_user)


@pytest.mark.parametrize(
    ("decision", "effect"), [("allow", Effect.PROCEED), ("deny", Effect.BLOCK), ("ask", Effect.ASK)]
)
def test_a_permission_decision(decision: str, effect: Effect, tmp_path: Path) -> None:
    """`"permissionDecision": "allow|deny|ask"`"""
    command = answer(nested("pre-tool-use", permissionDecision=decision, permissionDecisionReason="because"))
    outcome = package(tmp_path, "pre-tool-use", group(command)).fire(WRITE)
    assert (outcome.effect, outcome.decision, outcome.reason) == (effect, Decision(decision), "because")


def test_an_updated_input(tmp_path: Path) -> None:
    """`"updatedInput": {}`"""
    safe = {"file_path": "/src/safe.ts", "content": ""}
    command = answer(nested("pre-tool-use", permissionDecision="allow", updatedInput=safe))
    assert package(tmp_path, "pre-tool-use", group(command)).fire(WRITE).updated_input == safe


@pytest.mark.parametrize("event", ["stop", "sub-agent-end"])
def test_a_block_keeps_the_agent_going(event: str, tmp_path: Path) -> None:
    """For `stop` / `sub-agent-end`: `{"decision": "block", "reason": "Tests not yet executed"}`"""
    command = answer({"decision": "block", "reason": "Tests not yet executed"})
    outcome = package(tmp_path, event, group(command)).fire(PAYLOADS[event])
    assert (outcome.effect, outcome.to_model) == (Effect.CONTINUE, ("Tests not yet executed",))


# --- Exit Code Convention


def test_exit_0_is_success(tmp_path: Path) -> None:
    """`0`: Success. JSON on stdout parsed for structured control."""
    command = answer(nested("pre-tool-use", permissionDecision="deny", permissionDecisionReason="no"))
    outcome = package(tmp_path, "pre-tool-use", group("true", command)).fire(WRITE)
    assert [(run.exit_code, run.status) for run in outcome.runs] == [(0, Status.ALLOWED), (0, Status.BLOCKED)]


@pytest.mark.parametrize("event", ["pre-tool-use", "permission-request", "pre-prompt", "stop", "sub-agent-end"])
def test_exit_2_blocks_and_tells_the_agent_why(event: str, tmp_path: Path) -> None:
    """`2`: Blocking error. `stderr` fed back to agent."""
    outcome = package(tmp_path, event, group("echo protected path >&2; exit 2")).fire(PAYLOADS[event])
    assert outcome.runs[0].status is Status.BLOCKED
    assert outcome.to_model == ("protected path",)


@pytest.mark.parametrize("event", ["session-start", "session-end", "pre-compact", "notification"])
def test_exit_2_tells_the_agent_where_nothing_can_be_blocked(event: str, tmp_path: Path) -> None:
    """`stderr` fed back to agent, on the events that the table does not let block"""
    outcome = package(tmp_path, event, group("echo careful >&2; exit 2")).fire(PAYLOADS[event])
    assert (outcome.effect, outcome.to_model) == (Effect.PROCEED, ("careful",))


@pytest.mark.parametrize("status", [1, 3, 127])
def test_any_other_exit_is_only_logged(status: int, tmp_path: Path) -> None:
    """Other: Non-blocking error. Logged only."""
    outcome = package(tmp_path, "pre-tool-use", group(f"echo oops >&2; exit {status}")).fire(WRITE)
    assert (outcome.effect, outcome.to_model, outcome.to_user) == (Effect.PROCEED, (), ())
    assert outcome.runs[0].status is Status.FAILED_OPEN
    assert outcome.runs[0].reason == f"exited with {status}: oops"


def test_exit_2_and_a_deny_agree(tmp_path: Path) -> None:
    """The test case of the spec expects `exit-code: 2` and `permissionDecision: deny` of one run."""
    deny = answer(nested("pre-tool-use", permissionDecision="deny"))
    outcome = package(tmp_path, "pre-tool-use", group(f"{deny}; echo blocked >&2; exit 2")).fire(WRITE)
    assert (outcome.effect, outcome.decision, outcome.reason) == (Effect.BLOCK, Decision.DENY, "blocked")


# --- Hook Field Reference


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [(None, True), ("Write|Edit", True), ("Wr.*", True), ("Edit", False), ("^rite", False), ("Bash", False)],
)
def test_a_matcher_filters_by_tool_name(matcher: str | None, matches: bool, tmp_path: Path) -> None:
    """`matcher`, not required: Regex pattern for filtering by tool name."""
    project = package(tmp_path, "pre-tool-use", group(mark("a"), matcher=matcher))
    outcome = project.fire(WRITE)
    assert project.ran == (["a"] if matches else [])
    assert len(outcome.skipped) == (not matches)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"command": "true"}, "K004"),
        ({"type": "command"}, "K006"),
        ({"type": "prompt"}, "K006"),
        ({"type": "prompt", "command": "true"}, "K006"),
    ],
)
def test_a_required_field(entry: dict[str, Any], code: str, tmp_path: Path) -> None:
    """`hooks[].type` is required, `hooks[].command` for `command`, `hooks[].prompt` for `prompt`."""
    project = package(tmp_path, "stop", {"hooks": [entry, hook(mark("next"))]})
    assert code in [problem.code for problem in project.hooks.problems]
    project.fire(PAYLOADS["stop"])
    assert project.ran == ["next"]


def test_a_command_receives_json_on_stdin(tmp_path: Path) -> None:
    """`hooks[].command`: Shell command. Receives JSON on stdin."""
    project = package(tmp_path, "pre-tool-use", group("cat > stdin.json"))
    project.fire(WRITE)
    assert json.loads(project.text("stdin.json")) == WRITE


def test_a_timeout_is_in_seconds(tmp_path: Path) -> None:
    """`hooks[].timeout`: Timeout in seconds."""
    slow = hook(f"sleep 600; {mark('late')}; exit 2", timeout=1)
    project = package(tmp_path, "pre-tool-use", {"hooks": [slow]})
    assert project.hooks.rules[0].actions[0].timeout_ms == 1000
    outcome = project.fire(WRITE)
    assert [run.status for run in outcome.runs] == [Status.TIMED_OUT]
    assert (outcome.effect, project.ran) == (Effect.PROCEED, [])


# --- Hooks Directory


def test_the_folder_of_hooks(tmp_path: Path) -> None:
    """`hooks.json` REQUIRED — hook definitions; `scripts/`: Shell scripts referenced by hooks"""
    setup = f"#!/bin/sh\n{mark('setup')}\n"
    project = package(tmp_path, "session-start", group("${PACKAGE_ROOT}/hooks/scripts/setup.sh"), setup=setup)
    project.fire(PAYLOADS["session-start"])
    assert project.ran == ["setup"]
    assert [file.path for file in project.hooks.files] == [str(project.roots.project / FILE)]


def test_without_the_file_there_are_no_hooks(tmp_path: Path) -> None:
    """`hooks.json` REQUIRED"""
    project = Project(tmp_path, "universal", {"hooks/scripts/setup.sh": f"#!/bin/sh\n{mark('setup')}\n"})
    assert (project.hooks.rules, project.hooks.problems) == ((), ())


# --- Hook Testing: the fixtures are payloads; the runner is of a later release


def test_a_fixture_is_a_payload(tmp_path: Path) -> None:
    """Fixtures simulate the JSON event that a hook receives on stdin during real execution."""
    project = package(tmp_path, "pre-tool-use", group(mark("a"), matcher="Write"))
    assert profile("universal").wire.event_key == "hookEventName"
    assert project.fire(WRITE).event == "PreToolUse"
    assert project.ran == ["a"]
