"""Code Agent spec (seed 004): data in environment variables, project before global, any non-zero exit blocks."""

from __future__ import annotations

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import BORROWED_TOOLS
from anyhook.dialects.contract import Answers, Exits, Field, Folding, ModelHookRules, Stopping, WireFormat
from anyhook.dialects.places import FileKind, project, user
from anyhook.dialects.profile import Dedupe, Execution, Layout, Matching, MatchMode, Order, Profile, Timeouts, Unit
from anyhook.dialects.vocabulary import event_names

# HookDecision = "allow" | "block" | "continue". Commands decide by their exit status alone; this is what callbacks say.
_DECISION = Field("decision", ("decision",), {"allow": "allow", "approve": "allow", "block": "block", "continue": ""})

_VARIABLES = {
    "TOOL_NAME": "tool_name",
    "TOOL_INPUT": "tool_input",
    "SESSION_ID": "session_id",
    "FILE_PATH": "tool_input.file_path",
    "COMMAND": "tool_input.command",
}

PROFILE = Profile(
    name="code-agent",
    title="Code Agent",
    release="Code Agent spec",
    basis="specified",
    events=event_names(
        "SessionStart SessionEnd Setup UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop "
        "SubagentStop PreCompact Notification",
    ),
    tools=BORROWED_TOOLS,
    sources=(
        project(".claude/settings.json", FileKind.SETTINGS, shared=True),
        user(".claude/settings.json", FileKind.SETTINGS, shared=True),
    ),
    layout=Layout(
        common_keys={"timeout": "timeout"},
        action_keys={"command": {"command": "command"}, "prompt": {"prompt": "prompt"}},
    ),
    matching=Matching(mode=MatchMode()),
    timeouts=Timeouts(unit=Unit.MILLISECONDS, default_ms=5_000),
    execution=Execution(
        order=Order.SEQUENTIAL,
        dedupe=Dedupe.EVERYTHING,
        cwd="project",
        exports=tuple(_VARIABLES),
        payload_exports=_VARIABLES,
    ),
    exits=Exits(blocks_above={"*": 0}),
    folding=Folding(
        refusal_effects={"Setup": "block", "SessionStart": "block"},  # "exit 0 to allow, non-zero to block"
    ),
    stopping=Stopping(cap=8),
    can_block_too=frozenset({"PostToolUse", "Setup", "SessionStart"}),
    # HookEvent {type, timestamp, sessionId, payload {toolName, input, output, error}}
    wire=WireFormat(
        event_key="type",
        case="camel",
        container="payload",
        renames={"input": "tool_input", "output": "tool_response"},
        timestamps="milliseconds",
    ),
    answers=Answers(
        on={"*": (_DECISION, Field("reason", ("reason",)))},
        speaks_json=False,
        text_to_user=True,  # IndividualHookResult.output
    ),
    model_hooks=ModelHookRules(verdict="keyword", variables=_VARIABLES),
)

DIALECT = ProfiledDialect(PROFILE)
