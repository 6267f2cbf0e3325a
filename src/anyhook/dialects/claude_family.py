"""What the clients of Claude Code's family share: its tools, how it matches, and the fields of its answers.

Many clients took these over from Claude Code (recorded with release 2.1.325, ``conformance/recordings/claude-code``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import structs

from anyhook.dialects.contract import Answers, Field, WireFormat
from anyhook.dialects.profile import Invalid, MatchMode
from anyhook.dialects.stages import Answer, Fold, Result, Weighed, refuses, void
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, Tools, event_names, names, tool
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.lazyjson import LazyJson
from anyhook.model.outcome import Effect, Outcome, Run
from anyhook.model.output import Reply

EVENT_NAMES = event_names(
    "SessionStart SessionEnd Setup UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse "
    "PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied FileChanged PreModelSwitch "
    "PostModelSwitch MessageDisplay Stop StopFailure SubagentStart SubagentStop TeammateIdle TaskCreated "
    "TaskCompleted PreCompact PostCompact InstructionsLoaded Notification ConfigChange CwdChanged "
    "DirectoryAdded WorktreeCreate WorktreeRemove Elicitation ElicitationResult",
)
"""The events of Claude Code, whose names are the canonical ones."""

TOOLS = Tools(
    kinds={
        "shell": tool("Bash PowerShell"),
        "read": tool("Read"),
        "write": tool("Write"),
        "edit": tool("Edit"),
        "notebook": tool("NotebookEdit"),
        "glob": tool("Glob"),
        "grep": tool("Grep"),
        "web fetch": tool("WebFetch"),
        "web search": tool("WebSearch"),
        "subagent": tool("Agent Task"),
        "todo": tool("TodoWrite"),
        "plan": tool("ExitPlanMode"),
        "ask": tool("AskUserQuestion"),
    },
    others=names(
        "BashOutput CronCreate CronDelete CronList EndConversation EnterPlanMode EnterWorktree",
        "ExitWorktree KillBash KillShell LSP ListMcpResourcesTool Monitor PushNotification",
        "ReadMcpResourceTool RemoteTrigger ScheduleWakeup SendMessage Skill SlashCommand",
        "StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate",
        "TeamDelete ToolSearch Workflow",
    ),
    removed={"MultiEdit": "Edit", "LS": "Glob", "NotebookRead": "Read"},
    mcp=DOUBLE_UNDERSCORE,
)
BORROWED_TOOLS = structs.replace(TOOLS, borrowed=True)
"""The same, for formats whose documents use Claude Code's names."""

# Only letters, digits, _ - space , | make a list of exact names (comma since 2.1.191, hyphen since 2.1.195).
EXACT_LIST = MatchMode(exact=r"[A-Za-z0-9_\-, |]*", separators="|,", trim="names", invalid=Invalid.NEVER)


def specific(part: str, *path: str, values: Mapping[str, str] | None = None, refused: bool = False) -> Field:
    """A field below hookSpecificOutput."""
    return Field(part, ("hookSpecificOutput", *path), values or {}, refused=refused)


SPECIFIC_NAME = ("hookSpecificOutput", "hookEventName")
CONTEXT = specific("context", "additionalContext")
REASON = Field("reason", ("reason",))
BLOCK = Field("decision", ("decision",), {"block": "block", "approve": ""})
PERMISSION = (
    specific("decision", "permissionDecision", values={name: name for name in ("deny", "allow", "ask", "defer")}),
    specific("reason", "permissionDecisionReason"),
    specific("input", "updatedInput"),
    Field("decision", ("decision",), {"block": "deny", "approve": "allow"}),  # deprecated, still honoured
    REASON,
)
PERMISSION_REQUEST = (
    specific("decision", "decision", "behavior", values={"allow": "allow", "deny": "deny"}),
    specific("reason", "decision", "message"),
    specific("input", "decision", "updatedInput"),
    specific("permissions", "decision", "updatedPermissions"),
    specific("interrupt", "decision", "interrupt"),
)
UNIVERSAL = (
    Field("continue", ("continue",)),
    Field("stop_reason", ("stopReason",)),
    Field("suppress", ("suppressOutput",)),
    Field("message", ("systemMessage",)),
)
# The union in the client's schema: a deny takes no input, an allow no message, and one of the two must be said.
_CLAUDE_PERMISSION_REQUEST = (
    structs.replace(PERMISSION_REQUEST[0], required=True),
    *(
        structs.replace(field, only_with=frozenset({"deny"}))
        for field in PERMISSION_REQUEST
        if field.part in ("reason", "interrupt")
    ),
    *(
        structs.replace(field, only_with=frozenset({"allow"}))
        for field in PERMISSION_REQUEST
        if field.part in ("input", "permissions")
    ),
)
_NO_SPECIFIC = specific("specific", refused=True)
_UNUSED = (Field("decision", ("decision",), {"block": "", "approve": ""}), REASON)  # checked, without effect
_WATCH = specific("watch_paths", "watchPaths")
_ELICITATION = (  # explored-elicitation-*: to block is to decline
    specific("decision", "action", values={"decline": "deny", "accept": "allow", "cancel": ""}),
    specific("content", "content"),
    BLOCK,
    REASON,
)
_GATES = ("ConfigChange", "PreCompact", "PreModelSwitch", "TaskCreated", "TaskCompleted")
_BLOCKED_BY_DECISION = ("UserPromptExpansion", "PostToolUseFailure", "PostToolBatch")

CLAUDE_WIRE = WireFormat(
    renames_on={"FileChanged": {"event": "change"}},
    final_newline=True,  # h-stdin-bytes
)
CLAUDE_ANSWERS = Answers(
    output_text=("stdout",),
    on={
        **dict.fromkeys(EVENT_NAMES, (*_UNUSED, _NO_SPECIFIC)),
        **dict.fromkeys((*_BLOCKED_BY_DECISION, "Stop", "SubagentStop"), (BLOCK, REASON, CONTEXT)),
        **dict.fromkeys(_GATES, (BLOCK, REASON, _NO_SPECIFIC)),
        "PreToolUse": (*PERMISSION, CONTEXT),
        # permreq-block-legacy; a reason beside the decision is not told: explored-permission-deny-*
        "PermissionRequest": (*_CLAUDE_PERMISSION_REQUEST, _UNUSED[0], structs.replace(REASON, part="unused_reason")),
        "PermissionDenied": (specific("retry", "retry"), *_UNUSED),
        "PostToolUse": (
            BLOCK,
            REASON,
            CONTEXT,
            specific("output", "updatedToolOutput"),
            specific("output", "updatedMCPToolOutput"),
            specific("classifier_context", "classifierContext"),
        ),
        "UserPromptSubmit": (
            BLOCK,
            REASON,
            CONTEXT,
            specific("session_title", "sessionTitle"),
            specific("suppress_prompt", "suppressOriginalPrompt"),
        ),
        "SessionStart": (
            CONTEXT,
            specific("initial_message", "initialUserMessage"),
            specific("session_title", "sessionTitle"),
            _WATCH,
            specific("reload_skills", "reloadSkills"),
            *_UNUSED,
        ),
        **dict.fromkeys(("Setup", "SubagentStart", "Notification", "PostModelSwitch"), (CONTEXT, *_UNUSED)),
        **dict.fromkeys(("CwdChanged", "FileChanged"), (_WATCH, *_UNUSED)),
        **dict.fromkeys(("Elicitation", "ElicitationResult"), _ELICITATION),
        "MessageDisplay": (specific("output", "displayContent"), *_UNUSED),
        "WorktreeCreate": (specific("output", "worktreePath"), *_UNUSED),
        "*": (
            *UNIVERSAL,
            Field("terminal", ("terminalSequence",)),
            Field("async", ("async",)),
            Field("async_timeout", ("asyncTimeout",)),
        ),
    },
    null_is_absent=False,  # h-json-hso-null
    event_names=(SPECIFIC_NAME,),
    block_by_exit=frozenset({"TeammateIdle", "Elicitation", "ElicitationResult", "WorktreeCreate"}),
    # precompact-plain: on PreCompact the text goes to the summariser, even if it is JSON.
    # explored-post-model-switch-text
    text_is_context_on=frozenset(
        {"SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreCompact", "PostModelSwitch"}
    ),
)


def compaction_gets_text(result: Result, default: Callable[[Result], Run]) -> Run:
    """On PreCompact, what is printed goes to the summariser as it is, even JSON."""
    is_taken = result.event == "PreCompact" and not result.is_blocked and result.fault is None
    if not is_taken or result.reply is None or refuses(result.reply):
        return default(result)
    return default(structs.replace(result, reply=None, code=0))  # precompact-plain


def bad_values_void_the_reply(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """One bad value costs the whole reply; one of async or asyncTimeout costs only itself."""
    reply = default(answer)  # pre-json-bogus, pre-json-wrongtype; explored: async 7 and {} are passed over
    for cause in reply.unread if reply.invalid is None else ():
        if cause.kind in (CauseKind.BAD_VALUE, CauseKind.UNSUPPORTED) and not cause.pointer.startswith("/async"):
            return structs.replace(void(cause.kind, cause.pointer, cause.text), unread=reply.unread)
    return reply


def specific_names_its_event(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A hookSpecificOutput without the name of the event, or with another one, costs the whole reply."""
    specific, event = answer.at("hookSpecificOutput"), answer.bound.native_event
    named = answer.at(*SPECIFIC_NAME)
    if not isinstance(specific, Mapping) or named == event:  # pre-hso-noevent, pre-hso-mismatch
        return default(answer)
    return wrong_event(SPECIFIC_NAME, named, event)


def wrong_event(path: tuple[str, ...], named: object, event: str) -> Reply:
    """A reply that the client discards because it does not name this event."""
    why = f"is {named!r}, not {event!r}" if named else "is missing"
    return void(CauseKind.WRONG_EVENT, "/" + "/".join(path), why)


def output_needs_its_type(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """A replaced output that is an object where the tool's is not, or the reverse, has no effect."""
    reply, original = given.reply, getattr(given.payload, "tool_response", None)
    is_object = isinstance(reply.updated_output, dict)  # PostToolUse-updatedToolOutput-str
    if reply.updated_output is None or not isinstance(original, LazyJson) or original.is_object == is_object:
        return default(given)
    return default(structs.replace(given, reply=structs.replace(reply, updated_output=None)))


def long_context_is_cut(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """Context of more than 10,000 characters reaches the model without its middle."""
    text, cap = given.reply.context or "", 10_000 if given.context_cap is None else given.context_cap
    if not cap or len(text) <= cap:
        return default(given)
    cut = f"{text[: cap // 2]}\n[{len(text) - cap} characters cut]\n{text[-(cap // 2) :]}"
    return default(structs.replace(given, reply=structs.replace(given.reply, context=cut)))


def context_keeps_going(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """On Stop and SubagentStop, context alone keeps the agent going."""
    outcome = default(given)
    is_told = given.event in ("Stop", "SubagentStop") and any(reply.context for reply in given.replies)
    if not is_told or outcome.effect is not Effect.PROCEED:
        return outcome  # Stop-ctx
    return structs.replace(outcome, effect=Effect.CONTINUE, cause=Cause(CauseKind.CONTEXT_CONTINUES))


def initial_message_is_told(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """On SessionStart, initialUserMessage reaches the model."""
    outcome = default(given)
    said = tuple(str(reply.other["initial_message"]) for reply in given.replies if "initial_message" in reply.other)
    return structs.replace(outcome, to_model=(*said, *outcome.to_model)) if said else outcome
