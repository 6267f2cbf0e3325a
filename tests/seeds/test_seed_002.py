"""The Open Plugins spec (seed 002): ``hooks/hooks.json`` of a plugin, under the profile ``open-plugins``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import profile
from anyhook.dialects.events import native_names
from anyhook.engine.models.models import ModelRequest
from anyhook.model.events import Subject
from anyhook.model.hooks import Agent, Command, Prompt
from anyhook.model.outcome import Effect, Status
from tests.lint.projects import check
from tests.seeds.projects import Model, Project, group, hook, mark

FILE = "hooks/hooks.json"
EDIT = {
    "hook_event_name": "PostToolUse",
    "session_id": "s",
    "tool_name": "Edit",
    "tool_input": {"file_path": "/src/app.ts"},
    "tool_response": "edited",
}


def plugin(folder: Path, events: dict[str, Any], **scripts: str) -> Project:
    files = {f"scripts/{name}.sh": text for name, text in scripts.items()}
    return Project(folder, "open-plugins", {FILE: {"hooks": events}, **files})


def payload(event: str, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "session_id": "s", **fields}


# --- Hooks


def test_a_hook_automates_what_follows_an_edit(tmp_path: Path) -> None:
    """They enable plugins to automate actions like formatting code after edits"""
    script = '#!/bin/sh\ntr A-Z a-z < "$PLUGIN_ROOT/app.txt" > "$PLUGIN_ROOT/formatted.txt"\n'
    events = {"PostToolUse": [group("${PLUGIN_ROOT}/scripts/format.sh", matcher="Write|Edit")]}
    project = plugin(tmp_path, events, format=script)
    (project.roots.project / "app.txt").write_text("LOUD\n")
    assert project.fire(EDIT).effect is Effect.PROCEED
    assert project.text("formatted.txt") == "loud"


# --- Configuration Format


def test_the_example_is_read_and_run(tmp_path: Path) -> None:
    """Hooks are configured in hooks/hooks.json at the plugin root."""
    action = {"type": "command", "command": "${PLUGIN_ROOT}/scripts/format-code.sh"}
    events = {"PostToolUse": [{"matcher": "Write|Edit", "hooks": [action]}]}
    project = plugin(tmp_path, events, **{"format-code": f"#!/bin/sh\n{mark('formatted')}\n"})
    assert project.hooks.problems == ()
    project.fire(EDIT)
    assert project.ran == ["formatted"]


@pytest.mark.parametrize("marker", [".plugin/plugin.json", "open-plugin.json"])
def test_a_plugin_is_known_by_its_manifest(marker: str, tmp_path: Path) -> None:
    """hooks/hooks.json at the plugin root"""
    files = {marker: {"name": "p"}, FILE: {"hooks": {"Stop": [group(mark("a"))]}}}
    project = Project(tmp_path, "open-plugins", files)
    assert [rule.origin.file for rule in project.hooks.rules] == [str(project.roots.project / FILE)]


# --- Hook Rules


@pytest.mark.parametrize(
    ("matcher", "matches"),
    [(None, True), ("", True), ("Write|Edit", True), ("^Ed", True), ("dit$", True), ("Read", False), ("(", False)],
)
def test_a_matcher_filters_events(matcher: str | None, matches: bool, tmp_path: Path) -> None:
    """matcher | No | string | Regex pattern to filter events. Matches all if omitted."""
    project = plugin(tmp_path, {"PostToolUse": [group(mark("a"), matcher=matcher)]})
    project.fire(EDIT)
    assert project.ran == (["a"] if matches else [])


@pytest.mark.parametrize("rule", [{"matcher": "Write"}, {"matcher": "Write", "hooks": "lint"}])
def test_a_rule_must_have_hooks(rule: dict[str, Any], tmp_path: Path) -> None:
    """hooks | Yes | HookAction[] | Actions to execute when the rule matches."""
    project = plugin(tmp_path, {"PostToolUse": [rule, group(mark("next"))]})
    project.fire(EDIT)
    assert project.ran == ["next"]
    assert project.hooks.problems


def test_a_rule_dispatches_to_several_actions(tmp_path: Path) -> None:
    """A hook rule matches events and dispatches to one or more hook actions."""
    project = plugin(tmp_path, {"PostToolUse": [group(mark("a"), mark("b"), mark("c"), matcher="Edit")]})
    assert len(project.fire(EDIT).runs) == 3


# --- Core Events, Extended Events

TOOL = {"tool_name": "Bash", "tool_input": {"command": "npm test"}}
CONTEXTS: dict[str, tuple[Subject, dict[str, Any], str, str]] = {
    # event: matcher context, fields of its payload, a matcher that matches, one that does not
    "PreToolUse": (Subject.TOOL, TOOL, "Bash", "npm"),
    "PostToolUse": (Subject.TOOL, TOOL, "Bash", "npm"),
    "PostToolUseFailure": (Subject.TOOL, {**TOOL, "error": "exit 1"}, "Bash", "exit"),
    "BeforeReadFile": (Subject.FILE_PATH, {"file_path": "/app/.env"}, r"\.env$", "Read"),
    "AfterFileEdit": (Subject.FILE_PATH, {"file_path": "/app/main.ts"}, r"\.ts$", "Edit"),
    "BeforeShellExecution": (Subject.COMMAND, {"command": "git push --force"}, "--force", "Bash"),
    "AfterShellExecution": (Subject.COMMAND, {"command": "npm test", "output": "ok"}, "^npm ", "ok"),
}
WITHOUT_CONTEXT: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "logout"},
    "UserPromptSubmit": {"prompt": "hello"},
    "Stop": {},
    "SubagentStart": {"agent_type": "Plan"},
    "SubagentStop": {"agent_type": "Plan"},
}


@pytest.mark.parametrize("event", CONTEXTS)
def test_a_matcher_sees_the_context_of_its_event(event: str, tmp_path: Path) -> None:
    """tool name for tool events, file path for file events, command string for shell events"""
    subject, fields, matches, misses = CONTEXTS[event]
    project = plugin(
        tmp_path, {event: [group(mark("matches"), matcher=matches), group(mark("misses"), matcher=misses)]}
    )
    project.fire(payload(event, **fields))
    assert project.ran == ["matches"]
    assert profile("open-plugins").matching.subject(event) is subject


@pytest.mark.parametrize("event", WITHOUT_CONTEXT)
def test_an_event_without_a_context_has_nothing_to_match(event: str, tmp_path: Path) -> None:
    """Matcher Context: —"""
    project = plugin(tmp_path, {event: [group(mark("plain")), group(mark("matched"), matcher="nothing like it")]})
    project.fire(payload(event, **WITHOUT_CONTEXT[event]))
    assert project.ran == ["plain", "matched"]
    assert profile("open-plugins").matching.subject(event) is Subject.NOTHING


def test_these_are_all_events() -> None:
    """Core Events and Extended Events"""
    assert native_names("open-plugins").keys() == CONTEXTS.keys() | WITHOUT_CONTEXT.keys()


@pytest.mark.parametrize("name", ["BeforeCoffee", "preToolUse", "com.example/own", ""])
def test_an_unknown_event_is_ignored(name: str, tmp_path: Path) -> None:
    """Tools MUST ignore event names they do not recognize."""
    project = plugin(tmp_path, {name: [group(mark("unknown"))], "PostToolUse": [group(mark("known"))]})
    assert project.fire(EDIT).effect is Effect.PROCEED
    assert project.ran == ["known"]
    project.fire(payload("PreToolUse", **TOOL))
    assert project.ran == ["known"]


@pytest.mark.parametrize(
    ("name", "severity"),
    [("BeforeCoffee", "note"), ("PermissionRequest", "note"), ("PreTolUse", "error"), ("preToolUse", "error")],
)
def test_an_event_of_another_host_is_no_mistake(name: str, severity: str, tmp_path: Path) -> None:
    """The same; a name that is nearly right is a mistake"""
    [problem] = plugin(tmp_path, {name: [group("true")]}).hooks.problems
    assert problem.severity == severity


# --- Hook Action Types


def test_a_command_receives_the_event_on_stdin(tmp_path: Path) -> None:
    """command: Receives event context as JSON on stdin."""
    project = plugin(tmp_path, {"PostToolUse": [group("cat > stdin.json")]})
    project.fire(EDIT)
    assert json.loads(project.text("stdin.json")) == EDIT


@pytest.mark.parametrize(("status", "expected"), [(0, Status.ALLOWED), (1, Status.FAILED_OPEN)])
def test_exit_0_is_success(status: int, expected: Status, tmp_path: Path) -> None:
    """Exit code 0 = success."""
    outcome = plugin(tmp_path, {"PostToolUse": [group(f"exit {status}")]}).fire(EDIT)
    assert [run.status for run in outcome.runs] == [expected]


def test_the_three_types_of_actions_are_read(tmp_path: Path) -> None:
    """command, prompt, agent"""
    actions = [
        {"type": "command", "command": "${PLUGIN_ROOT}/scripts/lint.sh"},
        {"type": "prompt", "prompt": "Review the following change for security issues: $ARGUMENTS"},
        {"type": "agent", "prompt": "Verify the code changes follow the style guide."},
    ]
    hooks = plugin(tmp_path, {"PostToolUse": [{"hooks": actions}]}).hooks
    assert hooks.problems == ()
    assert [type(action) for action in hooks.rules[0].actions] == [Command, Prompt, Agent]
    assert [action.summary() for action in hooks.rules[0].actions] == [
        action.get("command") or action["prompt"] for action in actions
    ]


def test_a_prompt_is_sent_to_the_model_with_the_event(tmp_path: Path) -> None:
    """Sends the prompt to the LLM. $ARGUMENTS is replaced with event context."""
    prompt = {"type": "prompt", "prompt": "Review the following change for security issues: $ARGUMENTS"}
    model = Model('{"ok": false, "reason": "it opens a port"}')
    outcome = plugin(tmp_path, {"PostToolUse": [{"hooks": [prompt]}]}).fire(EDIT, model)
    assert (outcome.effect, outcome.to_model) == (Effect.FEEDBACK, ("it opens a port",))
    question, _, context = model.prompt.partition(": ")
    assert question == "Review the following change for security issues"
    assert json.loads(context)["tool_input"] == EDIT["tool_input"]
    assert model.requests[0].tools == ()


def test_an_agent_has_tools_for_several_steps(tmp_path: Path) -> None:
    """Like prompt, but with tool access for multi-step verification."""

    async def verify(request: ModelRequest) -> dict[str, Any]:
        tools = {tool.name: tool.call for tool in request.tools}
        [name] = (await tools["glob"]({"pattern": "**/*.md"})).splitlines()
        style = await tools["read_file"]({"path": name})
        return {"ok": False, "reason": f"against the style guide: {style}"}

    agent = {"type": "agent", "prompt": "Verify the code changes follow the style guide."}
    project = plugin(tmp_path, {"PostToolUse": [{"hooks": [agent]}]})
    (project.roots.project / "STYLE.md").write_text("tabs", encoding="utf-8")
    assert project.fire(EDIT, verify).to_model == ("against the style guide: tabs",)


# --- Script Requirements


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [("lint.sh", "#!/bin/sh\n", "C003"), ("lint.sh 755", "true\n", "C004"), ("lint.sh 755", "#!/bin/sh\n", "")],
)
def test_a_script_that_cannot_be_started_is_found(name: str, text: str, code: str, tmp_path: Path) -> None:
    """Hook scripts MUST be executable, include a shebang line, and use ${PLUGIN_ROOT} for internal paths."""
    files = {
        FILE: {"hooks": {"PostToolUse": [group('"${PLUGIN_ROOT}"/scripts/lint.sh')]}},
        f"scripts/{name}": text,
        ".git/HEAD": "ref: refs/heads/main\n",
    }
    found = {problem.code for problem in check(tmp_path, files, "open-plugins").problems}
    assert found == ({code} if code else set())


def test_a_script_finds_its_plugin(tmp_path: Path) -> None:
    """use ${PLUGIN_ROOT} for internal paths"""
    project = plugin(tmp_path, {"PostToolUse": [group('echo "$PLUGIN_ROOT" > root.txt')]})
    project.fire(EDIT)
    assert project.text("root.txt") == str(project.roots.project)


def test_a_script_is_found_in_a_folder_with_a_blank(tmp_path: Path) -> None:
    """`${PLUGIN_ROOT}/scripts/format-code.sh`, as it is written, without quotes"""
    folder = tmp_path / "my work"
    folder.mkdir()
    script = "#!/bin/sh\necho formatted > formatted.txt\n"
    project = plugin(folder, {"PostToolUse": [group("${PLUGIN_ROOT}/scripts/format.sh")]}, format=script)
    project.fire(EDIT)
    assert project.text("formatted.txt") == "formatted"


def test_a_script_writes_errors_to_stderr(tmp_path: Path) -> None:
    """Exit 0 on success, write errors to stderr."""
    outcome = plugin(tmp_path, {"PostToolUse": [group("echo the formatter is missing >&2; exit 1")]}).fire(EDIT)
    assert outcome.runs[0].reason == "exited with 1: the formatter is missing"


# --- Execution Model


def test_all_matching_rules_are_executed(tmp_path: Path) -> None:
    """Multiple rules MAY match the same event. All are executed."""
    rules = [group(mark("a"), matcher="Edit"), group(mark("b")), group(mark("no"), matcher="Read"), group(mark("c"))]
    project = plugin(tmp_path, {"PostToolUse": rules})
    outcome = project.fire(EDIT)
    assert project.ran == ["a", "b", "c"]
    assert len(outcome.skipped) == 1


def test_hooks_of_a_rule_run_in_array_order(tmp_path: Path) -> None:
    """Within a rule, hooks execute in array order."""
    slow = f"sleep 0.2; {mark('first')}"
    project = plugin(tmp_path, {"PostToolUse": [group(slow, mark("second"), mark("third"))]})
    project.fire(EDIT)
    assert project.ran == ["first", "second", "third"]


def test_timeouts_are_enforced(tmp_path: Path) -> None:
    """Tools SHOULD enforce timeouts."""
    slow = hook(f"sleep 600; {mark('late')}", timeout=0.2)
    project = plugin(tmp_path, {"PostToolUse": [{"hooks": [slow, hook(mark("next"))]}]})
    outcome = project.fire(EDIT)
    assert [run.status for run in outcome.runs] == [Status.TIMED_OUT, Status.ALLOWED]
    assert project.ran == ["next"]
    assert profile("open-plugins").timeouts.default_ms is not None


@pytest.mark.parametrize(
    "failing",
    [
        "exit 1",
        "${PLUGIN_ROOT}/scripts/not-there.sh",
        "kill -KILL $$",
        r"printf '\377\376'; exit 3",
        "exec <&- >&- 2>&-",
        "echo '{not json'",
    ],
)
def test_failures_do_not_crash_the_host(failing: str, tmp_path: Path) -> None:
    """Failures MUST NOT crash the host tool."""
    project = plugin(tmp_path, {"PostToolUse": [group(failing, mark("next"))]})
    outcome = project.fire(EDIT)
    assert (outcome.effect, project.ran) == (Effect.PROCEED, ["next"])


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"PostToolUse": [1, {"hooks": [2]}]}}'])
def test_a_broken_file_does_not_crash_the_host(text: str, tmp_path: Path) -> None:
    """Failures MUST NOT crash the host tool."""
    project = Project(tmp_path, "open-plugins", {FILE: text})
    assert project.fire(EDIT).runs == ()
    assert project.hooks.problems
