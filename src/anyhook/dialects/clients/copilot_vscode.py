"""VS Code agent hooks: the VS Code hooks spec (seed 001), corrected by its source of 2026-03-29.

``conformance/fact-sheets/copilot-vscode.md`` has the facts.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import CONTEXT, REASON, SPECIFIC_NAME, specific, wrong_event
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping, WireFormat
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Writing, component, local, plugin, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, Order, Profile, Shape, Timeouts
from anyhook.dialects.recognition import NEAR_GITHUB_HOOKS, Recognition
from anyhook.dialects.stages import Answer, Judged
from anyhook.dialects.vocabulary import PATCH, ManyFiles, Tools, event_names, names, tool
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Reply

_BLOCK = {"block": "block"}
_NESTED_BLOCK = (specific("decision", "decision", values=_BLOCK), specific("reason", "reason"))
_ANSWERS = Answers(
    on={
        "PreToolUse": (
            specific("decision", "permissionDecision", values={"deny": "deny", "ask": "ask", "allow": "allow"}),
            specific("reason", "permissionDecisionReason"),
            specific("input", "updatedInput"),
            CONTEXT,
        ),
        "PostToolUse": (Field("decision", ("decision",), _BLOCK), REASON, CONTEXT),
        "UserPromptSubmit": (
            Field("decision", ("decision",), _BLOCK),
            REASON,
            CONTEXT,
            Field("context", ("additionalContext",)),
        ),
        **dict.fromkeys(("SessionStart", "SubagentStart"), (CONTEXT,)),
        "Stop": _NESTED_BLOCK,  # the source reads it nowhere else
        # The source reads it nested, the spec and the reference say top level: both are written.
        "SubagentStop": (
            *_NESTED_BLOCK,
            Field("decision", ("decision",), _BLOCK, mirror=True),
            structs.replace(REASON, mirror=True),
        ),
        "*": (
            Field("continue", ("continue",)),
            Field("stop_reason", ("stopReason",)),
            Field("message", ("systemMessage",)),
        ),
    },
    event_names=(("hookEventName",), SPECIFIC_NAME),
)
# The spec and older releases write sessionId and hookEventName; the source and the documents of August 2026 do not.
_WIRE = WireFormat(
    also_event_keys=("hookEventName",),
    renames={"session_id": "session_id", "sessionId": "session_id"},
    timestamps="iso",
    # "First prompt of a new session, source always new" (fact sheet, section 2).
    start_sources={"startup": "new", "clear": "new", "resume": "", "compact": ""},
)


def another_event_voids(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A hookEventName of another event costs the whole reply."""
    named, event = answer.value.get("hookEventName"), answer.bound.native_event
    return default(answer) if named in (None, event) else wrong_event(("hookEventName",), named, event)


def another_events_object_is_unread(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A hookSpecificOutput that names another event is not read."""
    named, event = answer.at(*SPECIFIC_NAME), answer.bound.native_event
    if named in (None, event):
        return default(answer)
    rest = {key: value for key, value in answer.value.items() if key != "hookSpecificOutput"}
    reply = default(structs.replace(answer, value=rest))
    cause = Cause(
        CauseKind.WRONG_EVENT, f"is {named!r}, not {event!r}" if named else "is missing", "/hookSpecificOutput"
    )
    return structs.replace(reply, unread=(cause, *reply.unread))


def failures_are_told(judged: Judged, default: Callable[[Judged], Run]) -> Run:
    """The user is told of a hook that fails, times out or does not start, too, when it prints nothing."""
    run = default(judged)  # fact sheet, section 5
    if run.status not in (Status.FAILED_OPEN, Status.TIMED_OUT) or run.reply is not None:
        return run
    return structs.replace(run, reply=Reply(message=f"hook {run.summary}: {run.reason}"))


PROFILE = Profile(
    name="copilot-vscode",
    title="VS Code",
    release="VS Code hooks spec",
    basis="documented",
    nicknames=("vscode",),
    events=event_names(
        SessionStart="SessionStart sessionStart",
        UserPromptSubmit="UserPromptSubmit userPromptSubmitted",
        PreToolUse="PreToolUse preToolUse",
        PostToolUse="PostToolUse postToolUse",
        Stop="Stop agentStop",
        SubagentStart="SubagentStart subagentStart",
        SubagentStop="SubagentStop subagentStop",
        PreCompact="PreCompact preCompact",
    ),
    tools=Tools(
        kinds={
            "shell": tool("run_in_terminal"),
            "read": tool("read_file", file_path="filePath", offset="startLine", limit="endLine"),
            "write": tool("create_file", file_path="filePath"),
            "edit": tool(
                "replace_string_in_file multi_replace_string_in_file insert_edit_into_file apply_patch",
                file_path="filePath",
                old_string="oldString",
                new_string="newString",
            ),
            "glob": tool("file_search", pattern="query"),
            "grep": tool("grep_search semantic_search", pattern="query"),
            "list": tool("list_dir"),
            "web fetch": tool("fetch_webpage", url="urls"),
            "subagent": tool("runSubagent"),
        },
        many_files={"apply_patch": PATCH, "multi_replace_string_in_file": ManyFiles("edit", "replacements")},
        # Older names, in the documents' examples.
        others=names(
            "createFile editFiles runTerminalCommand",
        ),
    ),
    recognition=Recognition(
        flat_keys=("windows", "osx"),
        signs=(".vscode", ".github/hooks", ".github/copilot", ".github/copilot-instructions.md"),
        also_called_by={"copilot-cli": "timestamp"},
        caller_keys=("timestamp", "hook_event_name"),  # SRC; Copilot CLI, too, but that sets a variable
        sibling="copilot-cli",
        wrong_places={
            **NEAR_GITHUB_HOOKS,
            ".vscode/hooks.json": ".github/hooks/",
            ".vscode/hooks/*.json": ".github/hooks/",
        },
    ),
    sources=(
        # Copilot CLI reads these folders too, so each client's entries have a file of their own.
        project(".github/hooks/*.json", writing=Writing.PREFERRED, own_file=".github/hooks/anyhook-vscode.json"),
        project(".claude/settings.json", FileKind.SETTINGS, shared=True),
        local(".claude/settings.local.json", shared=True),
        user(
            ".copilot/hooks/*.json",
            home_variable="COPILOT_HOME",
            shared=True,
            writing=Writing.PREFERRED,
            own_file=".copilot/hooks/anyhook-vscode.json",
        ),
        user(".claude/settings.json", FileKind.SETTINGS, home_variable="CLAUDE_CONFIG_DIR", shared=True),
        component(".github/agents/**/*.agent.md"),
        plugin("com.github.copilot/hooks/hooks.json", "com.github.copilot"),
        plugin("hooks.json", "plugin.json", shared=True),
        plugin("hooks/hooks.json", ".claude-plugin", shared=True),
    ),
    layout=Layout(
        shape=Shape.EITHER,  # fact sheet, section 1; the spec has the flat form alone
        writes_flat=True,
        common_keys={"timeout": "timeout", "timeoutSec": "timeout", "cwd": "cwd", "env": "env"},
        action_keys={
            "command": {
                "command": "command",
                "windows": "by_os.windows",
                "linux": "by_os.linux",
                "osx": "by_os.macos",
                # The Copilot CLI form is parsed too: bash means macOS and Linux.
                "bash": "by_os.posix",
                "powershell": "by_os.windows",
            }
        },
        comments=True,
        trailing_commas=True,
        ignored_keys=frozenset({"version"}),
    ),
    matching=Matching(ignored=True),  # "every hook runs for every tool" (VSH FAQ)
    timeouts=Timeouts(default_ms=30_000),
    execution=Execution(
        plugins_run_at_home=True,
        order=Order.SEQUENTIAL,
        stops_after="continue false",
        cwd="project",
        exports=("TOOL_INPUT_FILE_PATH", "CLAUDE_PROJECT_DIR"),  # the spec; the source sets neither
        plugin_exports=("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"),
        substituted=("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"),
        payload_exports={"TOOL_INPUT_FILE_PATH": "tool_input.file_path"},
    ),
    exits=Exits(
        json="zero",
        warning="stderr",
        ignored_on=frozenset({"SessionStart", "SubagentStart", "PreCompact"}),
    ),
    folding=Folding(
        reason="first",
        rewrite_winner="last",
        # "reason shown to user", "feed stderr to agent as error"
        reason_to={"PreToolUse": "both", "UserPromptSubmit": "both"},
    ),
    stopping=Stopping(cap=None),
    cannot_block=frozenset({"PreCompact"}),
    effects={"PostToolUse": "the model is told"},
    setup=(
        "trust the workspace; hooks are a preview feature, which an organisation can switch off",
        "if your settings have chat.hookFilesLocations, .github/hooks must be true in it",
    ),
    wire=_WIRE,
    answers=_ANSWERS,
    overrides=Overrides(decode=(another_event_voids, another_events_object_is_unread), report=(failures_are_told,)),
)

DIALECT = ProfiledDialect(PROFILE)
