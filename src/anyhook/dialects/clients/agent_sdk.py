"""In-process callbacks of the Agent SDK hooks spec (seed 003): 15 events, sync and async outputs, no files.

``agent-sdk.md`` has the real SDK.
"""

from __future__ import annotations

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import (
    BORROWED_TOOLS,
    CLAUDE_ANSWERS,
    CLAUDE_WIRE,
    CONTEXT,
    REASON,
    SPECIFIC_NAME,
    specific,
)
from anyhook.dialects.contract import Answers, Field, Folding, Stopping
from anyhook.dialects.profile import Execution, Layout, Matching, MatchMode, Order, Otherwise, Profile, Timeouts, Unit
from anyhook.dialects.vocabulary import event_names

# Section 8 looks for deny, allow and block, so that "ask" does not hide a block; "approve" decides nothing.
_DECIDED = frozenset({"deny", "allow"})
_PRE_TOOL_USE = (
    specific("decision", "permissionDecision", values={"deny": "deny", "allow": "allow", "ask": "", "defer": ""}),
    Field("reason", ("hookSpecificOutput", "permissionDecisionReason"), only_with=_DECIDED),
    specific("input", "updatedInput"),
    Field("decision", ("decision",), {"block": "deny", "approve": ""}),
    Field("reason", ("reason",), only_with=_DECIDED),  # of the block, not of "ask" beside it
    specific("decision", "permissionDecision", values={"ask": "ask", "defer": "defer", "deny": "", "allow": ""}),
    specific("reason", "permissionDecisionReason"),
    REASON,
    CONTEXT,
)

PROFILE = Profile(
    name="agent-sdk",
    title="Agent SDK",
    release="Agent SDK hooks spec",
    basis="specified",
    events=event_names(
        "SessionStart SessionEnd Setup UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure "
        "PermissionRequest Stop SubagentStart SubagentStop TeammateIdle TaskCompleted PreCompact Notification",
    ),
    tools=BORROWED_TOOLS,
    layout=Layout(
        # Callbacks have no file; this is how the same groups are written when command hooks are kept for them.
        common_keys={"timeout": "timeout"},
        action_keys={"command": {"command": "command"}},
    ),
    matching=Matching(mode=MatchMode(exact=r"[A-Za-z0-9_|]*", otherwise=Otherwise.GLOB)),
    timeouts=Timeouts(
        default_ms=None,  # a callback out of time is an error like any other: it is logged, and the others go on
        async_unit=Unit.SECONDS,  # the spec; the real SDK counts milliseconds (SEED-CONFLICTS row 30)
    ),
    execution=Execution(order=Order.SEQUENTIAL, stops_after="continue false", honours_async=True),
    folding=Folding(
        decision="first",  # processPreToolUseResults returns at the first deny or allow
        no_decision="ask",
        context_joint="\n",  # section 9, collectAdditionalContext
    ),
    stopping=Stopping(cap=8, continue_true_restarts=True, continue_false="stops the hooks"),
    wire=CLAUDE_WIRE,
    # Claude Code's fields without its limits: no cap on context, any value as a tool's output, no text beside JSON.
    answers=Answers(
        on={**CLAUDE_ANSWERS.on, "PreToolUse": _PRE_TOOL_USE},
        event_names=(SPECIFIC_NAME,),
        block_by_exit=CLAUDE_ANSWERS.block_by_exit,
        message_to=frozenset({"user", "model"}),  # section 9 joins systemMessage into the context
        honours_suppress=True,  # section 4.1: "hide from user"
    ),
)

DIALECT = ProfiledDialect(PROFILE)
