"""The VS Code hooks spec (seed 001), under the profile ``copilot-vscode``.

Where ``conformance/fact-sheets/copilot-vscode.md`` corrects the seed from the client's source,
``docs/contributing/specifications.md`` says so.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from anyhook import parse
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.events import native_names
from anyhook.dialects.files.writing import write_rules
from anyhook.dialects.wire.payloads import decode_payload, encode_payload
from anyhook.lint.lint import check_paths
from anyhook.model.hooks import Command, OsCommands
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.model.output import Decision
from tests.seeds.projects import Project, answer, hook, mark, nested

FILE = ".github/hooks/team.json"
COMMON = {
    "timestamp": "2026-02-09T10:30:00.000Z",
    "cwd": "/path/to/workspace",
    "sessionId": "session-identifier",
    "transcript_path": "/path/to/transcript.json",
}
TOOL = {"tool_name": "editFiles", "tool_input": {"files": ["src/main.ts"]}, "tool_use_id": "tool-123"}
ADDED: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "new"},
    "UserPromptSubmit": {"prompt": "Write a function to calculate factorial"},
    "PreToolUse": TOOL,
    "PostToolUse": {**TOOL, "tool_response": "File edited successfully"},
    "PreCompact": {"trigger": "auto"},
    "SubagentStart": {"agent_id": "subagent-456", "agent_type": "Plan"},
    "SubagentStop": {"agent_id": "subagent-456", "agent_type": "Plan", "stop_hook_active": False},
    "Stop": {"stop_hook_active": False},
}
"""Hook Event Details: the additional input of every event."""


def payload(event: str, **fields: Any) -> dict[str, Any]:
    return {**COMMON, "hookEventName": event, **ADDED[event], **fields}


def workspace(folder: Path, event: str, *hooks: dict[str, Any] | str, **files: Any) -> Project:
    entries = [hook(entry) if isinstance(entry, str) else entry for entry in hooks]
    scripts = {f"scripts/{name}.sh": text for name, text in files.items()}
    return Project(folder, "copilot-vscode", {FILE: {"hooks": {event: entries}}, **scripts})


def told(folder: Path, event: str, *outputs: dict[str, Any]) -> Outcome:
    """What comes of an event when its hooks answer this."""
    return workspace(folder, event, *(answer(output) for output in outputs)).fire(payload(event))


# --- Overview


@pytest.mark.parametrize("place", [".github/hooks/a.json", ".claude/settings.json", ".claude/settings.local.json"])
def test_hooks_are_found_where_the_seed_keeps_them(place: str, tmp_path: Path) -> None:
    """File location: `.github/hooks/*.json`, `.claude/settings.json`, `.claude/settings.local.json`"""
    project = Project(tmp_path, "copilot-vscode", {place: {"hooks": {"Stop": [hook(mark("a"))]}}})
    project.fire(payload("Stop"))
    assert project.ran == ["a"]


def test_files_in_folders_below_are_not_read(tmp_path: Path) -> None:
    """`.github/hooks/*.json`"""
    files = {".github/hooks/sub/x.json": {"hooks": {"Stop": [hook(mark("a"))]}}}
    assert Project(tmp_path, "copilot-vscode", files).hooks.rules == ()


def test_every_file_of_the_folder_counts(tmp_path: Path) -> None:
    """Workspace: `.github/hooks/*.json` (shared with team)"""
    files = {f".github/hooks/{name}": {"hooks": {"Stop": [hook(mark(name))]}} for name in ("a.json", "b.json", "c.txt")}
    project = Project(tmp_path, "copilot-vscode", files)
    project.fire(payload("Stop"))
    assert project.ran == ["a.json", "b.json"]


@pytest.mark.parametrize(
    ("event", "entry"),
    [
        ("PreToolUse", {"matcher": "Bash", "hooks": [hook(mark("a"))]}),
        ("preToolUse", {"type": "command", "bash": mark("a"), "powershell": "exit 1", "timeoutSec": 5}),
    ],
    ids=["Claude Code", "Copilot CLI"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the command for Windows is another one")
def test_the_formats_of_other_tools_are_read(event: str, entry: dict[str, Any], tmp_path: Path) -> None:
    """Uses the same format as Claude Code and Copilot CLI for cross-tool compatibility."""
    project = Project(tmp_path, "copilot-vscode", {FILE: {"version": 1, "hooks": {event: [entry]}}})
    project.fire(payload("PreToolUse"))
    assert project.ran == ["a"]


def test_hooks_fire_by_themselves(tmp_path: Path) -> None:
    """Hooks fire automatically at specific lifecycle events. No manual invocation required."""
    project = workspace(tmp_path, "Stop", mark("a"))
    project.fire(payload("PreCompact"))
    assert project.ran == []
    project.fire(payload("Stop"))
    assert project.ran == ["a"]


# --- Hook Events


def test_there_are_eight_events() -> None:
    """VS Code supports eight hook lifecycle events"""
    assert {event.name for event in native_names("copilot-vscode").values()} == ADDED.keys()


@pytest.mark.parametrize("event", ADDED)
def test_an_event_fires_its_hooks(event: str, tmp_path: Path) -> None:
    """Event, Fires When"""
    project = workspace(tmp_path, event, mark(event))
    assert project.fire(payload(event)).event == event
    assert project.ran == [event]


# --- Configuration Format

EXAMPLE = {
    "hooks": {
        "PreToolUse": [{"type": "command", "command": "./scripts/validate-tool.sh", "timeout": 15}],
        "PostToolUse": [{"type": "command", "command": 'npx prettier --write "$TOOL_INPUT_FILE_PATH"'}],
    }
}


def test_the_example_is_read_and_run(tmp_path: Path) -> None:
    """Hooks are defined in JSON files with the following structure"""
    script = f"#!/bin/sh\n{mark('validated')}\n"
    project = Project(tmp_path, "copilot-vscode", {FILE: EXAMPLE, "scripts/validate-tool.sh": script})
    assert project.hooks.problems == ()
    assert [rule.actions[0].timeout_ms for rule in project.hooks.rules] == [15_000, None]
    project.fire(payload("PreToolUse"))
    assert project.ran == ["validated"]


# --- Hook Properties


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ({"command": "true"}, "K004"),
        ({"type": "prompt", "prompt": "safe?"}, "K005"),
        ({"type": "command"}, "K006"),
        ({"type": "command", "timeout": 5}, "K006"),
    ],
)
def test_type_and_a_command_are_required(entry: dict[str, Any], code: str, tmp_path: Path) -> None:
    """type: Must be `"command"`. Either `command` or an OS-specific property must be provided."""
    project = workspace(tmp_path, "Stop", entry, mark("next"))
    project.fire(payload("Stop"))
    assert project.ran == ["next"]
    assert [problem.code for problem in project.hooks.problems] == [code]


def test_the_working_directory_is_relative_to_the_repository(tmp_path: Path) -> None:
    """cwd: Working directory (relative to repository root)"""
    project = workspace(tmp_path, "Stop", hook("pwd -P > where.txt", cwd="tools/sub"), "pwd -P > where.txt")
    folder = project.roots.project / "tools" / "sub"
    folder.mkdir(parents=True)
    project.fire(payload("Stop"))
    assert project.text("tools/sub/where.txt") == str(folder.resolve())
    assert project.text("where.txt") == str(project.roots.project.resolve())


def test_environment_variables_are_added(tmp_path: Path) -> None:
    """env: Additional environment variables"""
    command = 'echo "$MODE $HOME" > env.txt'
    project = workspace(tmp_path, "Stop", hook(command, env={"MODE": "strict"}))
    project.fire(payload("Stop"))
    assert project.text("env.txt") == f"strict {Path.home()}"


def test_the_timeout_is_in_seconds(tmp_path: Path) -> None:
    """timeout: Timeout in seconds (default: 30)"""
    project = workspace(tmp_path, "PreToolUse", hook(f"sleep 600; {mark('late')}; exit 2", timeout=0.2), mark("next"))
    outcome = project.fire(payload("PreToolUse"))
    assert [run.status for run in outcome.runs] == [Status.TIMED_OUT, Status.ALLOWED]
    assert (outcome.effect, project.ran) == (Effect.PROCEED, ["next"])


def test_the_timeout_is_30_seconds_by_default() -> None:
    """timeout: Timeout in seconds (default: 30)"""
    timeouts = profile("copilot-vscode").timeouts
    assert timeouts.effective_ms(None, "command", "Stop") == 30_000
    assert timeouts.to_ms(15, "command") == 15_000


# --- OS-Specific Commands

VARIANTS = {"win32": "windows", "darwin": "osx"}
"""The property for a platform; every other one is a Linux."""


def test_the_platform_selects_the_command(tmp_path: Path) -> None:
    """VS Code selects the command based on the extension host platform"""
    commands = {name: mark(name) for name in ("windows", "linux", "osx")}
    project = workspace(tmp_path, "Stop", hook(mark("default"), **commands))
    action = project.hooks.rules[0].actions[0]
    assert isinstance(action, Command)
    assert action.by_os == OsCommands(windows=mark("windows"), linux=mark("linux"), macos=mark("osx"))
    project.fire(payload("Stop"))
    assert project.ran == [VARIANTS.get(sys.platform, "linux")]


def test_the_default_command_is_for_all_other_platforms(tmp_path: Path) -> None:
    """command: Default command (cross-platform)"""
    others = {"windows", "linux", "osx"} - {VARIANTS.get(sys.platform, "linux")}
    project = workspace(tmp_path, "Stop", hook(mark("default"), **dict.fromkeys(others, mark("other"))))
    project.fire(payload("Stop"))
    assert project.ran == ["default"]


def test_an_os_specific_command_is_enough(tmp_path: Path) -> None:
    """Either `command` or an OS-specific property must be provided."""
    name = VARIANTS.get(sys.platform, "linux")
    project = workspace(tmp_path, "Stop", {"type": "command", name: mark("own")})
    assert project.hooks.problems == ()
    project.fire(payload("Stop"))
    assert project.ran == ["own"]


def test_a_command_for_other_systems_only_never_runs(tmp_path: Path) -> None:
    """The same, where none of them is this system's"""
    other = next(iter({"windows", "osx"} - {VARIANTS.get(sys.platform, "linux")}))
    project = workspace(tmp_path, "Stop", {"type": "command", other: mark("other")})
    [skip] = project.fire(payload("Stop")).skipped
    assert skip.reason == "never matches: it has no command for this system"


# --- Input Format (stdin)


@pytest.mark.parametrize("event", ADDED)
def test_hooks_receive_the_event_on_stdin(event: str, tmp_path: Path) -> None:
    """All hooks receive JSON via stdin with common fields. Event-specific fields are added to this base object."""
    project = workspace(tmp_path, event, "cat > stdin.json")
    project.fire(payload(event))
    assert json.loads(project.text("stdin.json")) == payload(event)


def test_today_s_spelling_is_written(tmp_path: Path) -> None:
    """`sessionId`, `hookEventName`: the source of the client has session_id and hook_event_name; both are read."""
    facts = profile("copilot-vscode")
    today = {**payload("Stop"), "session_id": "session-identifier", "hook_event_name": "Stop"}
    del today["sessionId"], today["hookEventName"]
    new, _ = decode_payload(facts, today)
    old, _ = decode_payload(facts, payload("Stop"))
    assert (new.session_id, new.event, new.cwd) == (old.session_id, old.event, old.cwd)
    assert encode_payload(bind_payload(facts, new), new) == today
    made_here = type(old)(session_id=old.session_id, cwd=old.cwd)
    assert {"session_id", "hook_event_name"} <= encode_payload(bind_payload(facts, made_here), made_here).keys()


# --- Output Format (stdout)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"])
def test_continue_false_stops_processing(event: str, tmp_path: Path) -> None:
    """continue: Set to `false` to stop processing. stopReason: Message shown when `continue` is `false`"""
    stop = answer({"continue": False, "stopReason": "Security policy violation"})
    project = workspace(tmp_path, event, stop, mark("next"))
    outcome = project.fire(payload(event))
    assert (outcome.effect, outcome.reason) == (Effect.STOP, "Security policy violation")
    assert outcome.to_user == ("Security policy violation",)
    assert project.ran == []


def test_continue_is_true_by_default(tmp_path: Path) -> None:
    """continue: (default: `true`)"""
    project = workspace(tmp_path, "PreToolUse", answer({}), answer({"continue": True}), mark("next"))
    assert project.fire(payload("PreToolUse")).effect is Effect.PROCEED
    assert project.ran == ["next"]


def test_a_system_message_is_shown_to_the_user(tmp_path: Path) -> None:
    """systemMessage: Warning message shown to user"""
    outcome = told(tmp_path, "PreToolUse", {"systemMessage": "Operation blocked by security hook"})
    assert (outcome.to_user, outcome.to_model) == (("Operation blocked by security hook",), ())


# --- Exit Codes


def test_exit_0_is_success(tmp_path: Path) -> None:
    """0, Success: Parse stdout for JSON, proceed with action"""
    outcome = workspace(tmp_path, "PreToolUse", "echo plain text", answer({"systemMessage": "read"})).fire(
        payload("PreToolUse")
    )
    assert (outcome.effect, outcome.to_user) == (Effect.PROCEED, ("read",))


@pytest.mark.parametrize(
    ("event", "effect"),
    [
        ("PreToolUse", Effect.BLOCK),
        ("UserPromptSubmit", Effect.BLOCK),
        ("PostToolUse", Effect.FEEDBACK),
        ("Stop", Effect.CONTINUE),
        ("SubagentStop", Effect.CONTINUE),
    ],
)
def test_exit_2_blocks(event: str, effect: Effect, tmp_path: Path) -> None:
    """2, Blocking error: Ignore stdout, feed stderr to agent as error, block action"""
    ignored = answer({"continue": False, **nested(event, permissionDecision="allow", additionalContext="from stdout")})
    outcome = workspace(tmp_path, event, f"{ignored}; echo from stderr >&2; exit 2").fire(payload(event))
    assert (outcome.effect, outcome.to_model) == (effect, ("from stderr",))


@pytest.mark.parametrize("event", ["SessionStart", "SubagentStart", "PreCompact"])
def test_exit_2_is_a_warning_where_there_is_nothing_to_block(event: str, tmp_path: Path) -> None:
    """The source of the client continues after an error on these events."""
    outcome = workspace(tmp_path, event, "echo careful >&2; exit 2").fire(payload(event))
    assert (outcome.effect, outcome.to_user) == (Effect.PROCEED, ("careful",))


def test_another_exit_is_a_warning(tmp_path: Path) -> None:
    """Other, Non-blocking warning: Show warning to user, continue processing"""
    project = workspace(tmp_path, "PreToolUse", "echo no formatter >&2; exit 1", mark("next"))
    outcome = project.fire(payload("PreToolUse"))
    assert (outcome.effect, outcome.to_user, outcome.to_model) == (Effect.PROCEED, ("no formatter",), ())
    assert project.ran == ["next"]


@pytest.mark.parametrize(
    ("entry", "text"),
    [("exit 1", "exited with 1"), (hook("sleep 600", timeout=0.2), "timed out")],
    ids=["silent", "timed out"],
)
def test_a_silent_failure_is_a_warning_too(entry: dict[str, Any] | str, text: str, tmp_path: Path) -> None:
    """Show warning to user"""
    outcome = workspace(tmp_path, "PreToolUse", entry).fire(payload("PreToolUse"))
    [message] = outcome.to_user
    assert message.endswith(text)
    assert outcome.effect is Effect.PROCEED


# --- Hook Event Details

REPLACED = {"files": ["src/safe.ts"]}


@pytest.mark.parametrize(
    ("decision", "effect"), [("allow", Effect.PROCEED), ("deny", Effect.BLOCK), ("ask", Effect.ASK)]
)
def test_pre_tool_use_decides(decision: str, effect: Effect, tmp_path: Path) -> None:
    """permissionDecision: `"allow"`, `"deny"`, `"ask"`; permissionDecisionReason: Reason shown to user"""
    said = nested("PreToolUse", permissionDecision=decision, permissionDecisionReason="Destructive command blocked")
    outcome = told(tmp_path, "PreToolUse", said)
    assert (outcome.effect, outcome.decision) == (effect, Decision(decision))
    assert outcome.reason == "Destructive command blocked"
    assert outcome.to_user == (() if decision == "allow" else ("Destructive command blocked",))


def test_pre_tool_use_changes_the_input_and_adds_context(tmp_path: Path) -> None:
    """updatedInput: Modified tool input (optional); additionalContext: Extra context for model"""
    context = "Current environment: production"
    outcome = told(tmp_path, "PreToolUse", nested("PreToolUse", updatedInput=REPLACED, additionalContext=context))
    assert (outcome.updated_input, outcome.to_model) == (REPLACED, (context,))


@pytest.mark.parametrize(
    ("decisions", "wins"),
    [
        (("allow", "deny"), "deny"),
        (("deny", "allow"), "deny"),
        (("ask", "deny"), "deny"),
        (("allow", "ask"), "ask"),
        (("ask", "allow"), "ask"),
        (("allow", "allow"), "allow"),
    ],
)
def test_the_most_restrictive_decision_wins(decisions: tuple[str, str], wins: str, tmp_path: Path) -> None:
    """When multiple hooks run, most restrictive wins: `deny` > `ask` > `allow`."""
    outputs = [nested("PreToolUse", permissionDecision=decision) for decision in decisions]
    outcome = told(tmp_path, "PreToolUse", *outputs)
    assert outcome.decision == wins
    assert len(outcome.runs) == 2


def test_post_tool_use_tells_the_model(tmp_path: Path) -> None:
    """PostToolUse: decision `block` with its reason, and additionalContext"""
    said = nested("PostToolUse", additionalContext="File has lint errors that need fixing")
    outcome = told(
        tmp_path, "PostToolUse", {"decision": "block", "reason": "Post-processing validation failed", **said}
    )
    assert outcome.effect is Effect.FEEDBACK
    assert outcome.to_model == ("Post-processing validation failed", "File has lint errors that need fixing")


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreCompact"])
def test_an_event_with_the_common_output(event: str, tmp_path: Path) -> None:
    """Uses common output format only."""
    outcome = told(tmp_path, event, {"continue": True, "systemMessage": "noted"})
    assert (outcome.effect, outcome.to_user) == (Effect.PROCEED, ("noted",))


@pytest.mark.parametrize(
    ("event", "context"),
    [
        ("SessionStart", "Project: my-app v2.1.0 | Branch: main"),
        ("SubagentStart", "Follow project coding guidelines"),
    ],
)
def test_an_event_that_adds_context(event: str, context: str, tmp_path: Path) -> None:
    """Decision Control (hookSpecificOutput): additionalContext"""
    outcome = told(tmp_path, event, nested(event, additionalContext=context))
    assert (outcome.effect, outcome.to_model) == (Effect.PROCEED, (context,))


def test_a_session_is_always_new(tmp_path: Path) -> None:
    """`"source": "new"`; the client sends the event for no other reason"""
    seen: list[object] = []
    engine = workspace(tmp_path, "Stop").engine()
    engine.register("SessionStart", lambda event: seen.append(event.source))

    async def host() -> None:
        async with engine.session() as session:
            await session.compact("auto", run=str)
        async with engine.session(source="resume"):
            pass

    asyncio.run(host())
    assert seen == ["new"]


@pytest.mark.parametrize(
    ("event", "output"),
    [
        ("Stop", nested("Stop", decision="block", reason="Run test suite before finishing")),
        ("SubagentStop", {"decision": "block", "reason": "Run test suite before finishing"}),
    ],
)
def test_a_block_keeps_the_agent_going(event: str, output: dict[str, Any], tmp_path: Path) -> None:
    """Stop: hookSpecificOutput.decision; SubagentStop: decision"""
    outcome = told(tmp_path, event, output)
    assert (outcome.effect, outcome.to_model) == (Effect.CONTINUE, ("Run test suite before finishing",))


@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_hook_can_see_that_the_agent_was_kept_going(event: str, tmp_path: Path) -> None:
    """Note: Check `stop_hook_active` to prevent infinite loops."""
    more = answer(nested(event, decision="block", reason="more"))
    project = workspace(tmp_path, event, f"grep -q '\"stop_hook_active\":true' || {more}")
    assert project.fire(payload(event)).effect is Effect.CONTINUE
    assert project.fire(payload(event, stop_hook_active=True)).effect is Effect.PROCEED


# --- Example Use Cases

BLOCK_DANGEROUS = """\
#!/bin/bash
INPUT=$(cat)
TOOL_NAME=$(echo "$INPUT" | jq -r '.tool_name')
COMMAND=$(echo "$INPUT" | jq -r '.tool_input.command // empty')

if [[ "$COMMAND" == *"rm -rf"* ]]; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",\
"permissionDecisionReason":"Destructive rm command blocked"}}'
  exit 0
fi

exit 0
"""


@pytest.mark.skipif(shutil.which("jq") is None, reason="the script of the spec needs jq")
@pytest.mark.parametrize(("command", "effect"), [("rm -rf /", Effect.BLOCK), ("ls", Effect.PROCEED)])
def test_block_dangerous_commands(command: str, effect: Effect, tmp_path: Path) -> None:
    """Block Dangerous Commands, with the script unchanged"""
    project = workspace(tmp_path, "PreToolUse", "./scripts/block-dangerous.sh", **{"block-dangerous": BLOCK_DANGEROUS})
    outcome = project.fire(payload("PreToolUse", tool_name="runTerminalCommand", tool_input={"command": command}))
    assert outcome.effect is effect
    assert outcome.reason == ("Destructive rm command blocked" if effect is Effect.BLOCK else "")


def test_auto_format_after_edits(tmp_path: Path) -> None:
    """Auto-Format After Edits: `npx prettier --write "$TOOL_INPUT_FILE_PATH"`"""
    entry = hook('echo "$TOOL_INPUT_FILE_PATH" > formatted.txt', timeout=60)
    project = workspace(tmp_path, "PostToolUse", entry)
    project.fire(payload("PostToolUse", tool_input={"file_path": "/src/a b.ts"}))
    assert project.text("formatted.txt") == "/src/a b.ts"


def test_auto_format_after_an_edit_of_files(tmp_path: Path) -> None:
    """The same with the document's own input of editFiles"""
    project = workspace(tmp_path, "PostToolUse", 'echo "$TOOL_INPUT_FILE_PATH" > formatted.txt')
    project.fire(payload("PostToolUse"))
    assert project.text("formatted.txt") == "src/main.ts"


INJECT_CONTEXT = """\
#!/bin/sh
BRANCH=main
cat <<EOF
{
  "hookSpecificOutput": {
    "hookEventName": "SessionStart",
    "additionalContext": "Project: my-app | Branch: $BRANCH"
  }
}
EOF
"""


def test_inject_project_context(tmp_path: Path) -> None:
    """Inject Project Context, without the programs that its script calls"""
    project = workspace(tmp_path, "SessionStart", "./scripts/inject-context.sh", **{"inject-context": INJECT_CONTEXT})
    assert project.fire(payload("SessionStart")).to_model == ("Project: my-app | Branch: main",)


# --- Safety Considerations


def test_scripts_find_the_project(tmp_path: Path) -> None:
    """Use absolute paths with `"$CLAUDE_PROJECT_DIR"` for project-relative scripts"""
    project = workspace(tmp_path, "Stop", '"$CLAUDE_PROJECT_DIR"/scripts/a.sh', a=f"#!/bin/sh\n{mark('a')}\n")
    project.fire(payload("Stop"))
    assert project.ran == ["a"]


def test_values_of_an_event_never_become_shell_text(tmp_path: Path) -> None:
    """Validate and sanitize all input data: what the event holds reaches the command as data, not as text of it"""
    project = workspace(tmp_path, "PostToolUse", 'printf %s "$TOOL_INPUT_FILE_PATH" > path.txt')
    hostile = "$(touch pwned); `touch pwned` ' \" \\"
    project.fire(payload("PostToolUse", tool_input={"file_path": hostile}))
    assert project.text("path.txt") == hostile
    assert not (project.roots.project / "pwned").exists()


# --- Troubleshooting, Validation Checklist


def codes(folder: Path, files: dict[str, Any]) -> set[str]:
    project = Project(folder, "copilot-vscode", {".git/HEAD": "ref: refs/heads/main\n", **files})
    report = check_paths([project.roots.project], project.roots, ["copilot-vscode"])
    return {problem.code for problem in report.problems}


def test_a_sound_workspace_has_no_problems(tmp_path: Path) -> None:
    """Validation Checklist, everything as it should be"""
    files = {FILE: {"hooks": {"PreToolUse": [hook("./scripts/a.sh", timeout=60)]}}, "scripts/a.sh": "#!/bin/sh\n"}
    assert codes(tmp_path, files) == set()


def test_a_wrong_place_is_not_read(tmp_path: Path) -> None:
    """Verify file in `.github/hooks/` with `.json` extension. Stored in correct location"""
    files = {"hooks.txt": {"hooks": {"Stop": [hook(mark("a"))]}}, ".github/hooks/a.yaml": {"hooks": {}}}
    assert Project(tmp_path, "copilot-vscode", files).hooks.files == ()


@pytest.mark.parametrize(("entry", "code"), [({"command": "x"}, "K004"), ({"type": "http", "url": "u"}, "K005")])
def test_a_wrong_type_is_reported(entry: dict[str, Any], code: str, tmp_path: Path) -> None:
    """`type` property set to `"command"`"""
    assert code in codes(tmp_path, {FILE: {"hooks": {"Stop": [entry]}}})


@pytest.mark.parametrize(
    ("script", "code"), [({}, "C002"), ({"scripts/a.sh": "true\n"}, "C003"), ({"scripts/a.sh": "#!/bin/sh\n"}, "")]
)
def test_a_command_that_cannot_be_started_is_reported(script: dict[str, str], code: str, tmp_path: Path) -> None:
    """Command exists and is executable. Ensure script has execute permissions (`chmod +x script.sh`)"""
    files = {FILE: {"hooks": {"Stop": [hook("./scripts/a.sh")]}}, "README.md": "a project\n", **script}
    assert codes(tmp_path, files) == ({code} if code else set())


def test_a_command_without_permission_is_a_warning(tmp_path: Path) -> None:
    """Permission denied"""
    project = workspace(tmp_path, "PreToolUse", "./scripts/a.sh", a="exit 2\n")
    outcome = project.fire(payload("PreToolUse"))
    assert (outcome.effect, outcome.runs[0].exit_code) == (Effect.PROCEED, 126)
    assert "ermission denied" in outcome.to_user[0]


def test_an_answer_that_nobody_reads_is_reported(tmp_path: Path) -> None:
    """Script outputs valid JSON when needed"""
    assert codes(tmp_path, {FILE: {"hooks": {"PreToolUse": [hook('echo \'{"decison": "deny"}\'')]}}}) == {"A004"}


def test_json_that_cannot_be_read_is_plain_text(tmp_path: Path) -> None:
    """JSON parse errors"""
    outcome = workspace(tmp_path, "PreToolUse", "echo '{not json'").fire(payload("PreToolUse"))
    assert (outcome.effect, outcome.runs[0].status) == (Effect.PROCEED, Status.ALLOWED)


def test_exit_1_is_no_way_to_block(tmp_path: Path) -> None:
    """Exit codes used correctly (0 = success, 2 = blocking error)"""
    guard = "grep -q 'rm -rf' && { echo blocked >&2; exit 1; }; exit 0"
    assert "A002" in codes(tmp_path, {FILE: {"hooks": {"PreToolUse": [hook(guard)]}}})


def test_a_timeout_in_milliseconds_is_reported(tmp_path: Path) -> None:
    """Timeout set appropriately for long-running operations"""
    assert codes(tmp_path, {FILE: {"hooks": {"PreToolUse": [hook("true", timeout=30000)]}}}) == {"T001"}


def test_an_unquoted_variable_is_reported(tmp_path: Path) -> None:
    """Quote shell variables: use `"$VAR"` not `$VAR`"""
    files = {FILE: {"hooks": {"Stop": [hook("$CLAUDE_PROJECT_DIR/scripts/a.sh")]}}, "scripts/a.sh": "#!/bin/sh\n"}
    assert codes(tmp_path, files) == {"C001"}


# --- Written form


def test_hooks_are_written_flat_as_the_seed_prints_them() -> None:
    """VS Code reads groups too (fact sheet, section 1); a rule that comes from a group is written flat all the same."""
    rules = parse({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}, "copilot-vscode").rules
    assert rules[0].is_nested
    written = write_rules(profile("copilot-vscode"), rules)
    assert written["hooks"] == {"Stop": [{"type": "command", "command": "true"}]}
