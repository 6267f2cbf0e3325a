"""The Code Agent spec (seed 004), under the profile ``code-agent``."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import dialect
from anyhook.dialects.events import native_names
from anyhook.engine.engine import Engine
from anyhook.engine.functions.host_hooks import parse
from anyhook.model.hooks import FateState, HookSet, Prompt
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.output import Decision
from anyhook.model.payload import PreToolUse
from anyhook.model.payload_base import Payload
from tests.seeds.projects import Model, Project, group, hook, mark

PROJECT = ".claude/settings.json"
GLOBAL = "~/.claude/settings.json"

BASH = {"toolName": "Bash", "input": {"command": "npm test"}}
PAYLOADS: dict[str, dict[str, Any]] = {
    "PreToolUse": BASH,
    "PostToolUse": {**BASH, "output": "ok"},
    "PostToolUseFailure": {**BASH, "error": "exit 1"},
    "UserPromptSubmit": {"prompt": "Fix the tests"},
    "Stop": {},
    "SubagentStop": {},
    "PreCompact": {},
    "Setup": {},
    "SessionStart": {},
    "SessionEnd": {},
    "Notification": {"message": "Done"},
}


def event(name: str, **fields: Any) -> dict[str, Any]:
    """A HookEvent: type, timestamp, sessionId, payload."""
    return {
        "type": name,
        "timestamp": 1_760_000_000_000,
        "sessionId": "sess_abc123",
        "payload": {**PAYLOADS[name], **fields},
    }


def agent(folder: Path, name: str, *groups: dict[str, Any], **more: Any) -> Project:
    return Project(folder, "code-agent", {PROJECT: {"hooks": {name: list(groups)}}, **more})


def allowed(outcome: Outcome) -> bool:
    """HookResult.allowed"""
    return outcome.allowed


# --- Event Types


def test_there_are_eleven_events() -> None:
    """Code Agent supports 11 hook event types"""
    assert native_names("code-agent").keys() == PAYLOADS.keys()
    assert len(PAYLOADS) == 11


@pytest.mark.parametrize("name", PAYLOADS)
def test_an_event_triggers_its_hooks(name: str, tmp_path: Path) -> None:
    """Event, Trigger"""
    project = agent(tmp_path, name, group(mark(name)))
    assert allowed(project.fire(event(name)))
    assert project.ran == [name]


# --- Configuration


@pytest.mark.parametrize("place", [PROJECT, GLOBAL])
def test_hooks_are_in_the_settings(place: str, tmp_path: Path) -> None:
    """Global: `~/.claude/settings.json`; Project: `<project>/.claude/settings.json`"""
    files = {place: {"model": "any", "hooks": {"Stop": [group(mark("a"))]}}}
    project = Project(tmp_path, "code-agent", files)
    project.fire(event("Stop"))
    assert project.ran == ["a"]


def test_project_hooks_are_merged_with_global_hooks(tmp_path: Path) -> None:
    """Project-level hooks are merged with global hooks."""
    project = agent(tmp_path, "Stop", group(mark("project")), **{GLOBAL: {"hooks": {"Stop": [group(mark("global"))]}}})
    outcome = project.fire(event("Stop"))
    assert sorted(project.ran) == ["global", "project"]
    assert [run.origin.scope for run in outcome.runs] == ["project", "user"]


def test_timeouts_are_in_milliseconds(tmp_path: Path) -> None:
    """`"timeout": 5000`"""
    slow, short = hook("true", timeout=60_000), hook(f"sleep 600; {mark('late')}", timeout=100)
    project = agent(tmp_path, "PostToolUse", {"hooks": [slow, short]})
    assert [action.timeout_ms for action in project.hooks.rules[0].actions] == [60_000, 100]
    outcome = project.fire(event("PostToolUse"))
    assert [run.status for run in outcome.runs] == [Status.ALLOWED, Status.TIMED_OUT]
    assert project.ran == []


EXAMPLE = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "./scripts/validate-command.sh", "timeout": 5000}],
            },
            {
                "matcher": "Write|Edit",
                "hooks": [{"type": "command", "command": "echo 'File operation: $TOOL_NAME on $FILE_PATH'"}],
            },
        ],
        "PostToolUse": [
            {"matcher": ".*", "hooks": [{"type": "command", "command": "./scripts/log-tool-usage.sh"}]},
        ],
        "SessionEnd": [{"matcher": ".*", "hooks": [{"type": "command", "command": "./scripts/cleanup.sh"}]}],
    }
}
VALIDATE = """\
#!/bin/bash
# validate-command.sh

# Environment variables are available
echo "Tool: $TOOL_NAME"
echo "Input: $TOOL_INPUT"
echo "Session: $SESSION_ID"

# Parse command for Bash tools
if [ "$TOOL_NAME" = "Bash" ]; then
  COMMAND=$(echo "$TOOL_INPUT" | jq -r '.command')

  # Block dangerous commands
  if [[ "$COMMAND" =~ "rm -rf /" ]]; then
    echo "BLOCKED: Dangerous command" >&2
    exit 1
  fi
fi

# Exit 0 to allow, non-zero to block
exit 0
"""
SCRIPTS = {
    "scripts/validate-command.sh": VALIDATE,
    "scripts/log-tool-usage.sh": '#!/bin/sh\necho "$SESSION_ID | $TOOL_NAME | $TOOL_INPUT" >> tool-usage.log\nexit 0\n',
    "scripts/cleanup.sh": f"#!/bin/sh\n{mark('cleanup')}\n",
}


@pytest.fixture
def example(tmp_path: Path) -> Project:
    return Project(tmp_path, "code-agent", {PROJECT: EXAMPLE, **SCRIPTS})


def test_the_example_configuration_is_read(example: Project) -> None:
    """Example Configuration, word by word"""
    assert example.hooks.problems == ()
    assert [(rule.native_event, rule.matcher) for rule in example.hooks.rules] == [
        ("PreToolUse", "Bash"),
        ("PreToolUse", "Write|Edit"),
        ("PostToolUse", ".*"),
        ("SessionEnd", ".*"),
    ]


def test_the_example_configuration_is_run(example: Project) -> None:
    """Example Configuration: every hook of it"""
    assert allowed(example.fire(event("PreToolUse")))
    outcome = example.fire(event("PreToolUse", toolName="Edit", input={"file_path": "/a.ts"}))
    # The command quotes the variables, so that its shell leaves them alone.
    assert outcome.to_user == ("File operation: $TOOL_NAME on $FILE_PATH",)
    example.fire(event("PostToolUse"))
    assert example.text("tool-usage.log") == 'sess_abc123 | Bash | {"command":"npm test"}'
    example.fire(event("SessionEnd"))
    assert example.ran == ["cleanup"]


# --- Config Parser


def test_a_configuration_is_parsed_and_written_again(example: Project) -> None:
    """`parse(config: unknown): HookConfig`"""
    assert dialect("code-agent").write(example.hooks.rules) == EXAMPLE


@pytest.mark.parametrize(
    ("hooks", "code"),
    [
        ({"PreTool": [group("true")]}, "E001"),
        ({"PreToolUse": "true"}, "S008"),
        ({"PreToolUse": [{"hooks": [{"type": "command"}]}]}, "K006"),
        ({"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "x"}]}]}, "K005"),
        ({"PreToolUse": [{"hooks": [hook("true", timeout="soon")]}]}, "K007"),
        ([], "S002"),
    ],
)
def test_a_configuration_is_validated(hooks: Any, code: str, tmp_path: Path) -> None:
    """`validate(config: HookConfig): ValidationResult`"""
    assert code in [
        problem.code for problem in Project(tmp_path, "code-agent", {PROJECT: {"hooks": hooks}}).hooks.problems
    ]


@pytest.mark.parametrize(("matcher", "matches"), [("Bash", True), ("Ba.*", True), (".*", True), ("Write|Edit", False)])
def test_a_matcher_is_a_pattern(matcher: str, matches: bool, tmp_path: Path) -> None:
    """`matcher: string;  // Regex pattern`"""
    project = agent(tmp_path, "PreToolUse", group(mark("a"), matcher=matcher))
    project.fire(event("PreToolUse"))
    assert project.ran == (["a"] if matches else [])


def test_definitions_are_commands_and_prompts(tmp_path: Path) -> None:
    """`type: 'command' | 'prompt'`"""
    prompt = {"type": "prompt", "prompt": "Is $COMMAND safe?", "timeout": 10000}
    actions = agent(tmp_path, "PreToolUse", {"hooks": [hook("true"), prompt]}).hooks.rules[0].actions
    assert [action.kind for action in actions] == ["command", "prompt"]


# --- Script Executor


def test_scripts_receive_environment_variables(tmp_path: Path) -> None:
    """Scripts receive these environment variables"""
    names = ("TOOL_NAME", "TOOL_INPUT", "SESSION_ID", "FILE_PATH", "COMMAND")
    command = "; ".join(f'printf "%s\\n" "{name}=${{{name}-unset}}" >> env.txt' for name in names)
    project = agent(tmp_path, "PreToolUse", group(command))
    project.fire(event("PreToolUse"))
    project.fire(event("PreToolUse", toolName="Edit", input={"file_path": "/path/to/file.ts"}))
    assert project.text("env.txt").splitlines() == [
        "TOOL_NAME=Bash",
        'TOOL_INPUT={"command":"npm test"}',
        "SESSION_ID=sess_abc123",
        "FILE_PATH=unset",
        "COMMAND=npm test",
        "TOOL_NAME=Edit",
        'TOOL_INPUT={"file_path":"/path/to/file.ts"}',
        "SESSION_ID=sess_abc123",
        "FILE_PATH=/path/to/file.ts",
        "COMMAND=unset",
    ]


def test_a_variable_is_never_shell_text(tmp_path: Path) -> None:
    """`COMMAND`: Command (for Bash), with any content"""
    hostile = "$(touch pwned); `touch pwned` ' \" \\"
    project = agent(tmp_path, "PreToolUse", group('printf %s "$COMMAND" > command.txt'))
    project.fire(event("PreToolUse", input={"command": hostile}))
    assert project.text("command.txt") == hostile
    assert not (project.roots.project / "pwned").exists()


@pytest.mark.parametrize(
    ("command", "timeout", "exit_code", "status", "text"),
    [
        ("echo out", 60_000, 0, Status.ALLOWED, "out"),
        ("echo err >&2; exit 7", 60_000, 7, Status.BLOCKED, "err"),
        ("sleep 600", 500, None, Status.TIMED_OUT, "timed out"),
    ],
)
def test_the_result_of_an_execution(
    command: str, timeout: int, exit_code: int | None, status: Status, text: str, tmp_path: Path
) -> None:
    """ExecutionResult: exitCode, stdout, stderr, timedOut"""
    run = agent(tmp_path, "PreToolUse", {"hooks": [hook(command, timeout=timeout)]}).fire(event("PreToolUse")).runs[0]
    assert (run.exit_code, run.status) == (exit_code, status)
    assert (run.reason or (run.reply and run.reply.message)) == text


# --- Events


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_hook_event_comes_back_as_it_went_in(name: str, tmp_path: Path) -> None:
    """`interface HookEvent { type, timestamp, sessionId, payload }`"""
    project = agent(tmp_path, name, group("cat > stdin.json"))
    project.fire(event(name))
    assert json.loads(project.text("stdin.json")) == event(name)


def test_a_tool_use_payload(tmp_path: Path) -> None:
    """`interface ToolUsePayload { toolName, input, output?, error? }`"""
    seen: list[Payload] = []
    project = agent(tmp_path, "Stop")
    engine = project.engine()
    engine.register("PreToolUse", seen.append)
    engine.fire_sync(PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, session_id="s"))
    [payload] = seen
    assert isinstance(payload, PreToolUse)
    assert (payload.tool_name, payload.command, payload.session_id) == ("Bash", "ls", "s")


# --- Hook Merger


def levels(folder: Path, of_project: list[dict[str, Any]], of_user: list[dict[str, Any]]) -> Project:
    return agent(folder, "PreToolUse", *of_project, **{GLOBAL: {"hooks": {"PreToolUse": of_user}}})


def test_project_hooks_run_before_global_hooks(tmp_path: Path) -> None:
    """Priority: Project hooks run before global hooks"""
    slow = f"sleep 0.2; {mark('project')}"
    project = levels(tmp_path, [group(slow)], [group(mark("global"))])
    project.fire(event("PreToolUse"))
    assert project.ran == ["project", "global"]


def test_identical_hooks_are_deduplicated(tmp_path: Path) -> None:
    """Deduplication: Identical hooks are deduplicated"""
    project = levels(
        tmp_path,
        [group(mark("same"), matcher="Bash")],
        [group(mark("same"), matcher="Bash"), group(mark("same"), matcher=".*"), group(mark("other"))],
    )
    outcome = project.fire(event("PreToolUse"))
    assert project.ran == ["same", "other"]
    assert len(outcome.skipped) == 2
    assert [action.fate.state for rule in project.hooks.rules for action in rule.actions] == [
        FateState.ACTIVE,
        FateState.SHADOWED,
        FateState.ACTIVE,  # another matcher: only the event shows that both match
        FateState.ACTIVE,
    ]


def test_hooks_with_another_definition_are_not_identical(tmp_path: Path) -> None:
    """Identical hooks"""
    hooks = [hook(mark("a")), hook(mark("a"), timeout=60_000)]
    project = levels(tmp_path, [{"hooks": hooks}], [])
    project.fire(event("PreToolUse"))
    assert project.ran == ["a", "a"]


def test_hooks_run_in_definition_order(tmp_path: Path) -> None:
    """Ordering: Hooks execute in definition order within each level"""
    slow = f"sleep 0.2; {mark('1')}"
    project = levels(
        tmp_path, [group(slow, mark("2")), group(mark("3"), matcher="Bash")], [group(mark("4"), mark("5"))]
    )
    project.fire(event("PreToolUse"))
    assert project.ran == ["1", "2", "3", "4", "5"]


# --- Prompt-Based Hook

EVALUATE: dict[str, Any] = {
    "type": "prompt",
    "prompt": "Evaluate if this command is safe to execute: $COMMAND. Consider security implications. "
    "Respond with ALLOW, BLOCK, or CONTINUE.",
    "timeout": 10000,
}


def test_a_prompt_hook_is_configured(tmp_path: Path) -> None:
    """Respond with ALLOW, BLOCK, or CONTINUE."""
    project = agent(tmp_path, "PreToolUse", {"matcher": "Bash", "hooks": [EVALUATE]})
    [action] = project.hooks.rules[0].actions
    assert isinstance(action, Prompt)
    assert (action.prompt, action.timeout_ms, project.hooks.problems) == (EVALUATE["prompt"], 10_000, ())


@pytest.mark.parametrize(
    ("answer", "decision"),
    [("ALLOW", Decision.ALLOW), ("BLOCK: it deletes everything", Decision.DENY), ("CONTINUE", None)],
)
def test_a_prompt_hook_is_evaluated(answer: str, decision: Decision | None, tmp_path: Path) -> None:
    """type HookDecision = 'allow' | 'block' | 'continue';"""
    model = Model(answer)
    project = agent(tmp_path, "PreToolUse", {"matcher": "Bash", "hooks": [EVALUATE]})
    outcome = project.fire(event("PreToolUse", toolName="Bash", input={"command": "rm -rf /"}), model)
    assert (outcome.decision, allowed(outcome)) == (decision, answer[0] != "B")
    assert outcome.reason == ("it deletes everything" if decision is Decision.DENY else "")
    assert model.prompt.startswith("Evaluate if this command is safe to execute: rm -rf /. Consider security")


# --- Hooks Engine


@pytest.mark.parametrize("name", PAYLOADS)
def test_any_exit_but_0_blocks(name: str, tmp_path: Path) -> None:
    """Exit 0 to allow, non-zero to block"""
    project = agent(tmp_path, name, group("echo BLOCKED >&2; exit 1"))
    outcome = project.fire(event(name))
    assert not allowed(outcome)
    assert (outcome.reason, outcome.runs[0].status) == ("BLOCKED", Status.BLOCKED)


@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("PreToolUse", Effect.BLOCK),
        ("UserPromptSubmit", Effect.BLOCK),
        ("PreCompact", Effect.BLOCK),
        ("Setup", Effect.BLOCK),
        ("SessionStart", Effect.BLOCK),
        ("PostToolUse", Effect.FEEDBACK),
        ("PostToolUseFailure", Effect.FEEDBACK),
        ("Stop", Effect.CONTINUE),
        ("SubagentStop", Effect.CONTINUE),
        ("SessionEnd", Effect.PROCEED),
        ("Notification", Effect.PROCEED),
    ],
)
def test_what_a_block_means_depends_on_the_event(name: str, effect: Effect, tmp_path: Path) -> None:
    """non-zero to block: what has happened already, or is only told, cannot be prevented"""
    assert agent(tmp_path, name, group("exit 3")).fire(event(name)).effect is effect


@pytest.mark.parametrize("status", [1, 2, 127])
def test_every_status_blocks(status: int, tmp_path: Path) -> None:
    """Exit 0 to allow, non-zero to block"""
    assert agent(tmp_path, "PreToolUse", group(f"exit {status}")).fire(event("PreToolUse")).effect is Effect.BLOCK


def test_the_results_are_individual_and_in_order(tmp_path: Path) -> None:
    """`results: IndividualHookResult[]`: hookId, success, output, error, decision"""
    project = agent(tmp_path, "PreToolUse", group("echo fine", "echo bad >&2; exit 1", "sleep 0"))
    outcome = project.fire(event("PreToolUse"))
    assert not allowed(outcome)
    assert [run.origin.pointer for run in outcome.runs] == [
        "/hooks/PreToolUse/0/hooks/0",
        "/hooks/PreToolUse/0/hooks/1",
        "/hooks/PreToolUse/0/hooks/2",
    ]
    assert [run.status for run in outcome.runs] == [Status.ALLOWED, Status.BLOCKED, Status.ALLOWED]
    assert [run.reply and run.reply.message for run in outcome.runs] == ["fine", None, None]
    assert [run.reason for run in outcome.runs] == ["", "bad", ""]
    assert [run.reply and run.reply.decision for run in outcome.runs] == [None, Decision.DENY, None]
    assert outcome.decided_by == outcome.runs[1].origin


TOOL = PreToolUse(tool_name="Bash", tool_input={"command": "npm test"}, session_id="sess_abc123")


@pytest.mark.parametrize(
    ("said", "effect", "is_allowed"),
    [
        ("allow", Effect.PROCEED, True),
        ("block", Effect.BLOCK, False),
        ("continue", Effect.PROCEED, True),
    ],
)
def test_a_registered_handler_decides(said: str, effect: Effect, is_allowed: bool) -> None:
    """`register(eventType, hook)`; `type HookDecision = 'allow' | 'block' | 'continue'`"""
    engine = Engine(HookSet(dialect="code-agent"))
    hook_id = engine.register("PreToolUse", lambda payload: {"decision": said, "reason": "because"})
    outcome = engine.fire_sync(TOOL)
    assert (outcome.effect, allowed(outcome)) == (effect, is_allowed)
    assert outcome.runs[0].origin.pointer == hook_id
    assert outcome.runs[0].reason == "because"


def test_a_handler_is_unregistered() -> None:
    """`unregister(eventType: EventType, hookId: string): void`"""
    called: list[str] = []

    def first(payload: Payload) -> None:
        called.append("first")

    def second(payload: Payload) -> None:
        called.append("second")

    engine = Engine(HookSet(dialect="code-agent"))
    hook_id = engine.register("PreToolUse", first)
    engine.register("PreToolUse", second)
    engine.fire_sync(TOOL)
    assert engine.unregister(hook_id)
    engine.fire_sync(TOOL)
    assert called == ["first", "second", "second"]
    assert not engine.unregister(hook_id)


def test_handlers_are_never_taken_for_identical() -> None:
    """Deduplication is about configurations: two functions are two hooks, whatever they are called."""
    called: list[int] = []
    engine = Engine(HookSet(dialect="code-agent"))
    for number in (1, 2):
        engine.register("PreToolUse", lambda payload, number=number: called.append(number))
    engine.fire_sync(TOOL)
    assert called == [1, 2]


# --- Hook Execution Flow


def test_the_flow_of_an_event(tmp_path: Path) -> None:
    """Event occurs, load config, match hooks, execute hooks, collect results, return decision"""
    project = levels(
        tmp_path,
        [group(mark("project"), matcher="Bash"), group(mark("no"), matcher="Write")],
        [group(f'{mark("global")}; [ "$TOOL_NAME" != Bash ]')],
    )
    engine = project.engine()
    planned = engine.plan(TOOL)
    assert [hook.verdict for hook in planned.hooks] == ["runs", "skipped", "runs"]
    assert project.ran == []
    outcome = engine.fire_sync(TOOL)
    assert project.ran == ["project", "global"]
    assert (outcome.effect, allowed(outcome), len(outcome.runs), len(outcome.skipped)) == (Effect.BLOCK, False, 2, 1)


# --- Writing Hook Scripts


@pytest.mark.skipif(shutil.which("jq") is None, reason="the script of the spec needs jq")
@pytest.mark.parametrize(("command", "is_allowed"), [("npm test", True), ("rm -rf / --no-preserve-root", False)])
def test_the_basic_script_template(command: str, is_allowed: bool, example: Project) -> None:
    """Basic Script Template, unchanged"""
    outcome = example.fire(event("PreToolUse", input={"command": command}))
    assert allowed(outcome) is is_allowed
    assert outcome.reason == ("" if is_allowed else "BLOCKED: Dangerous command")
    if is_allowed:
        assert outcome.to_user == ('Tool: Bash\nInput: {"command":"npm test"}\nSession: sess_abc123',)


def test_the_script_with_logging(example: Project) -> None:
    """Script with Logging"""
    assert allowed(example.fire(event("PostToolUse", toolName="Read", input={})))
    assert example.text("tool-usage.log") == "sess_abc123 | Read | {}"


def test_a_guard_that_cannot_be_given_the_command_refuses(tmp_path: Path) -> None:
    """Environment Variables: the system allows 128 kB each, so that TOOL_INPUT of a huge command would be missing."""
    guard = 'case "$COMMAND" in *"rm -rf /"*) exit 1;; esac'
    project = agent(tmp_path, "PreToolUse", group(guard, matcher="Bash"))
    huge = {"toolName": "Bash", "input": {"command": "rm -rf / " + "x" * 200_000}}
    outcome = project.fire(event("PreToolUse", **huge))
    assert outcome.effect is Effect.BLOCK
    assert "is too large for an environment variable" in outcome.reason
    assert project.fire(event("PreToolUse", toolName="Bash", input={"command": "ls"})).effect is Effect.PROCEED


def test_a_matcher_may_look_ahead(tmp_path: Path) -> None:
    """Config Parser: a matcher is a regular expression of TypeScript."""
    project = agent(tmp_path, "PreToolUse", group("exit 1", matcher="^(?!Read).*"))
    assert not allowed(project.fire(event("PreToolUse", toolName="Bash", input={})))
    assert allowed(project.fire(event("PreToolUse", toolName="Read", input={})))


def test_a_session_sends_a_timestamp(tmp_path: Path) -> None:
    """HookEvent.timestamp"""
    engine, seen = Engine(HookSet(dialect="code-agent"), project=tmp_path), []
    engine.register("Stop", lambda payload: seen.append(payload.timestamp))

    async def host() -> None:
        async with engine.session() as session:
            await session.stop()

    asyncio.run(host())
    assert isinstance(seen[0], int)


@pytest.mark.parametrize("name", ["Setup", "SessionStart"])
def test_a_block_ends_a_session_before_it_begins(name: str, tmp_path: Path) -> None:
    """Exit 0 to allow, non-zero to block: on Setup and SessionStart, the session"""
    engine = agent(tmp_path, name, group("echo no licence >&2; exit 1")).engine()
    started: list[object] = []
    engine.register("SessionStart", started.append)

    async def host() -> list[str]:
        async with engine.session(setup="init") as session:
            prompt = await session.prompt("go")
            tool = await session.tool("Bash", {"command": "ls"}, run=lambda tool_input: "ran")
            async with session.subagent("Explore") as helper:
                helped = await helper.tool("Bash", {"command": "ls"}, run=lambda tool_input: "ran")
            assert not prompt.allowed
            assert not (await session.stop()).keep_going
            return [session.refused or "", prompt.reason, tool.status, helped.status]

    assert asyncio.run(host()) == ["no licence", "no licence", "denied", "denied"]
    assert len(started) == (0 if name == "Setup" else 1)


def test_a_session_that_is_cleared_may_begin(tmp_path: Path) -> None:
    """SessionStart again, in the same session"""
    engine = Engine(HookSet(dialect="code-agent"), project=tmp_path)
    engine.register("SessionStart", lambda event: "continue" if event.source == "clear" else "block")

    async def host() -> tuple[bool, bool]:
        async with engine.session() as session:
            first = await session.prompt("go")
            await session.clear()
            return first.allowed, (await session.prompt("go")).allowed

    assert asyncio.run(host()) == (False, True)


def test_a_configuration_may_be_an_object(tmp_path: Path) -> None:
    """Config Parser: parse(config)"""
    hooks = parse({"hooks": {"PreToolUse": [group("exit 1", matcher="Bash")], "PreToolUze": []}}, "code-agent")
    assert "E001" in [problem.code for problem in hooks.problems]
    engine = Engine(hooks, project=tmp_path)
    assert not engine.fire_sync(PreToolUse(tool_name="Bash", tool_input={})).allowed
    assert engine.fire_sync(PreToolUse(tool_name="Read", tool_input={})).allowed
