"""In-process callbacks of the Agent SDK hooks spec (seed 003): 15 events, sync and async outputs, no files.

``agent-sdk.md`` has the real SDK.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

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
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.profile import Execution, Layout, Matching, MatchMode, Order, Otherwise, Profile, Timeouts, Unit
from anyhook.dialects.stages import Fold, Weighed
from anyhook.dialects.vocabulary import event_names
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.events import FoldRule
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Reply

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


def message_is_context(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """A systemMessage reaches the model, too, before the context; suppressOutput hides it from the user."""
    reply = given.reply  # sections 9 and 4.1
    if not reply.message:
        return default(given)
    context = "\n".join(filter(None, (reply.message, reply.context)))
    message = None if reply.suppress else reply.message
    return default(structs.replace(given, reply=structs.replace(reply, context=context, message=message)))


def context_is_one_text(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """The contexts of all hooks reach the model as one text, joined by line breaks."""
    outcome = default(given)  # section 9, collectAdditionalContext
    told = outcome.to_model[:1] if outcome.reason and outcome.to_model[:1] == (outcome.reason,) else ()
    contexts = outcome.to_model[len(told) :]
    return structs.replace(outcome, to_model=(*told, "\n".join(contexts))) if contexts else outcome


def continue_true_goes_on(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """When the agent stops, continue: true keeps it going; a decision does not."""
    outcome = default(given)
    if given.bound.fold_rule is not FoldRule.CONTINUATION:
        return outcome
    told = outcome.to_model[1:] if outcome.effect is Effect.CONTINUE and outcome.reason else outcome.to_model
    if not any(reply.stop is False for reply in given.replies):
        stops = any(reply.stop for reply in given.replies)
        cause = Cause(CauseKind.STOP_ENDS_HOOKS if stops else CauseKind.NO_DECISION)
        return structs.replace(outcome, effect=Effect.PROCEED, cause=cause, to_model=told, decided_by=None)
    reasons = (reply.reason for reply in given.replies if reply.stop is False and reply.reason)
    reason = outcome.reason or next(reasons, "")
    to_model = (reason, *told) if reason else told
    cause = Cause(CauseKind.CONTINUE_TRUE)
    return structs.replace(outcome, effect=Effect.CONTINUE, cause=cause, reason=reason, to_model=to_model)


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
        decisions={"*": "first"},  # processPreToolUseResults returns at the first deny or allow
        asks_without_decision_on=frozenset({"PreToolUse", "PermissionRequest"}),
    ),
    stopping=Stopping(cap=8, continue_false="stops the hooks"),
    wire=CLAUDE_WIRE,
    # Claude Code's fields without its limits: no cap on context, any value as a tool's output, no text beside JSON.
    answers=Answers(
        on={**CLAUDE_ANSWERS.on, "PreToolUse": _PRE_TOOL_USE},
        event_names=(SPECIFIC_NAME,),
        block_by_exit=CLAUDE_ANSWERS.block_by_exit,
    ),
    overrides=Overrides(weigh=(message_is_context,), fold=(context_is_one_text, continue_true_goes_on)),
)

DIALECT = ProfiledDialect(PROFILE)
