"""GitHub Copilot CLI: recorded with release 1.0.102 (``conformance/recordings/copilot-cli``), also ``copilot-cli.md``.

Event names choose a variant: camelCase names get Copilot's own rules, PascalCase names those that imitate Claude Code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import CONTEXT as NESTED_CONTEXT
from anyhook.dialects.claude_family import REASON, SPECIFIC_NAME, specific
from anyhook.dialects.contract import (
    BLOCKING_STATUS,
    Answers,
    Exits,
    Field,
    Folding,
    Stopping,
    WireFormat,
)
from anyhook.dialects.merging import later_keys_win, objects_of
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Writing, local, managed, plugin, project, user
from anyhook.dialects.profile import (
    Execution,
    Invalid,
    Layout,
    LossScope,
    Matching,
    MatchMode,
    Order,
    Otherwise,
    Profile,
    ReleaseChange,
    SettingsRule,
    Shape,
    Switch,
    Timeouts,
)
from anyhook.dialects.recognition import NEAR_GITHUB_HOOKS, Recognition
from anyhook.dialects.settings.copilot_cli import CLAUDE_SETTINGS, PROJECT_SETTINGS, SETTINGS
from anyhook.dialects.settings.shapes import FLAG, object_of
from anyhook.dialects.stages import (
    Answer,
    Called,
    Fold,
    FoundJson,
    Judged,
    Opened,
    Printouts,
    Result,
    failed,
    fails_closed,
    parse_json,
    refusal_on,
)
from anyhook.dialects.vocabulary import PATCH, McpForm, Tools, event_names, tool
from anyhook.dialects.wire.replies import decode_reply
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.events import Subject
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Scope
from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.model.output import Decision, Reply

CLAUDE_NAMES = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "task": "Agent",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
}
"""Copilot's tools as the PascalCase variant calls them."""

# explored-failure-matcher: after a tool that failed, too, matchers are not read.
_NO_SUBJECT = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PostToolUseFailure",
    "Stop",
    "StopFailure",
    "SubagentStop",
)
_MATCHING = Matching(
    # `^(?:PATTERN)$`; `*`, `[`, `(?i)` and "" are invalid and the entry is skipped.
    mode=MatchMode(otherwise=Otherwise.FULL, invalid=Invalid.DROPPED, everything=(), empty_is_invalid=True),
    subjects=dict.fromkeys(_NO_SUBJECT, Subject.NOTHING),
    values={
        "PreCompact": frozenset({"auto", "manual"}),
        "Notification": frozenset(
            {
                "shell_completed",
                "shell_detached_completed",
                "agent_completed",
                "agent_idle",
                "permission_prompt",
                "elicitation_dialog",
            }
        ),
    },
)

_PERMISSION = {"deny": "deny", "allow": "allow", "ask": "ask"}
_BLOCK = (Field("decision", ("decision",), {"block": "block", "allow": ""}), REASON)
_CONTEXT = Field("context", ("additionalContext",))
_FLAT_PERMISSION = (
    Field("decision", ("permissionDecision",), _PERMISSION),
    Field("reason", ("permissionDecisionReason",)),
    _CONTEXT,
)
# Only flat fields, and no continue, systemMessage or decision: block on tools: all of these are ignored.
_ANSWERS = Answers(
    output_text=("textResultForLlm",),
    on={
        "PreToolUse": (*_FLAT_PERMISSION, Field("input", ("modifiedArgs",), any_type=True)),
        "PermissionRequest": (
            Field("decision", ("behavior",), {"allow": "allow", "deny": "deny"}),
            Field("reason", ("message",)),
            Field("interrupt", ("interrupt",)),
        ),
        "UserPromptSubmit": (
            *_BLOCK,
            _CONTEXT,
            Field("output", ("modifiedPrompt",)),
            Field("handled", ("handled",)),
            Field("response", ("responseContent",)),
        ),
        "UserPromptTransformed": (Field("output", ("modifiedTransformedPrompt",)),),
        "PostToolUse": (*_BLOCK, _CONTEXT, Field("output", ("modifiedResult",))),
        "Stop": _BLOCK,
        "SubagentStop": (
            Field("decision", ("decision",), {"block": "block", "allow": "allow"}),
            REASON,
            Field("output", ("modifiedResponse",)),
        ),
        **dict.fromkeys(("SessionStart", "SubagentStart", "Notification", "PostToolUseFailure"), (_CONTEXT,)),
    },
    refusal_drops_context_on=frozenset({"PostToolUse"}),  # l-post-block-ctx
)
# Claude's wrapper is read on PreToolUse alone; the name inside it is not checked (P-PreToolUse-hso-mismatch).
_PASCAL_ANSWERS = structs.replace(
    _ANSWERS,
    on={
        **_ANSWERS.on,
        "PreToolUse": (
            specific("decision", "permissionDecision", values=_PERMISSION),
            specific("reason", "permissionDecisionReason"),
            structs.replace(specific("input", "updatedInput"), any_type=True),  # explored-input-text
            NESTED_CONTEXT,
            *_FLAT_PERMISSION,
        ),
    },
    event_names=(SPECIFIC_NAME,),
)

_TOOL_RESULT = {"toolResult": "tool_response"}
_WIRE = WireFormat(
    event_key="",
    case="camel",
    renames={"stop_hook_active": "stop_hook_active", "notification_type": "notification_type"},
    renames_on={
        "PreToolUse": {"toolArgs": "tool_input"},
        "PostToolUse": {"toolArgs": "tool_input", **_TOOL_RESULT},
        "PostToolUseFailure": {"toolArgs": "tool_input"},
        "SubagentStop": {"response": "last_assistant_message"},
        "PreMcpToolCall": {"serverName": "mcp_server_name", "arguments": "tool_input"},
    },
    constants={
        "Notification": {"hook_event_name": "Notification"},
        "PermissionRequest": {"hookName": "permissionRequest"},
    },
    timestamps="milliseconds",
)
# Two events do not follow their variant (*.pascal.json): PermissionRequest is all camelCase, SubagentStart is mixed.
_CAMEL_COMMON = {"sessionId": "session_id", "transcriptPath": "transcript_path"}
_PASCAL_WIRE = WireFormat(
    event_keys_on={"PermissionRequest": "", "SubagentStart": "", "PreMcpToolCall": ""},
    renames_on={
        "PostToolUse": {"tool_result": "tool_response"},
        "PermissionRequest": {
            **_CAMEL_COMMON,
            "toolName": "tool_name",
            "toolInput": "tool_input",
            "permissionSuggestions": "permission_suggestions",
        },
        "SubagentStart": {**_CAMEL_COMMON, "agentName": "agent_name"},
        "PreMcpToolCall": {
            **_CAMEL_COMMON,
            "toolCallId": "tool_call_id",
            "serverName": "mcp_server_name",
            "toolName": "tool_name",
            "arguments": "tool_input",
        },
    },
    constants={"PermissionRequest": {"hookName": "permissionRequest"}},
    timestamps="iso",
)

_CLAUDE_FILES = (".claude/settings.json", ".claude/settings.local.json")
_GITHUB_FILES = (".github/copilot/settings.json", ".github/copilot/settings.local.json")
_PROJECT_FILES = (*_CLAUDE_FILES, *_GITHUB_FILES)


def bad_entry_costs_the_settings(opened: Opened, default: Callable[[Opened], Layout]) -> Layout:
    """A bad entry in a settings file costs all hooks of the file."""
    if opened.kind is not FileKind.SETTINGS:  # settings-*-bad-entry
        return default(opened)
    return structs.replace(default(opened), on_bad_entry=LossScope.FILE)


def other_machines_by_https(called: Called, default: Callable[[Called], str]) -> str:
    """An HTTP hook on another machine is called only by https."""
    is_plain = not called.is_loopback and called.scheme != "https"
    return f"{called.profile.title} calls other machines only by https" if is_plain else default(called)


def text_is_passed_over(called: Called, default: Callable[[Called], bytes | None]) -> bytes | None:
    """An answer to an HTTP hook that is no JSON object says nothing."""
    # 5xx, 302 and no connection refuse a tool, as a failing command does; text and a time-out do not.
    return default(called) or b""


def tools_stop_at_a_decision(judged: Judged, default: Callable[[Judged], bool]) -> bool:
    """Only around tools does a decision keep later hooks from running; on permissionRequest, a failure does."""
    if judged.bound.event == "PermissionRequest":
        return judged.run.status is Status.FAILED_CLOSED
    return judged.bound.event in ("PreToolUse", "PostToolUse") and default(judged)


def handled_prompt_is_blocked(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A prompt that a hook has handled, with a response, does not reach the model."""
    reply = default(answer)  # explored-handled-*
    handled = reply.other.get("handled")
    is_handled = isinstance(handled, Mapping | list) or bool(handled)  # for JavaScript
    if reply.decision is not None or not is_handled or not reply.other.get("response"):
        return reply
    read = {**reply.read, "decision": Cause(CauseKind.REPLY, "", "/responseContent")}
    return structs.replace(reply, decision=Decision.BLOCK, read=read)


def a_block_needs_a_reason(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A block without a reason is none; of a prompt, the reason may be empty."""
    reply = default(answer)
    has_reason = bool(reply.reason and reply.reason.strip())
    if has_reason or reply.decision is not Decision.BLOCK:
        return reply
    if answer.bound.event == "UserPromptSubmit" and reply.reason == "":
        return reply
    cause = Cause(CauseKind.BAD_VALUE, "is not accepted without reason", reply.read["decision"].pointer)
    read = {part: where for part, where in reply.read.items() if part != "decision"}
    return structs.replace(reply, decision=None, read=read, unread=(*reply.unread, cause))


def bad_nested_value_hides_flat_one(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """With a PascalCase name, a bad value in hookSpecificOutput hides the key of the same name beside it."""
    reply = default(answer)  # explored-nested-bogus-flat-deny
    nested = [cause.pointer.removeprefix("/hookSpecificOutput/") for cause in reply.unread if cause.kind in _BAD]
    hidden = answer.value.keys() & set(nested)
    if not hidden:
        return reply
    return default(structs.replace(answer, value={key: v for key, v in answer.value.items() if key not in hidden}))


_BAD = (CauseKind.BAD_VALUE, CauseKind.UNSUPPORTED)


def stderr_is_a_hint_after_a_failed_tool(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2 on postToolUseFailure, stderr is context for the model, and JSON is not read."""
    if result.event != "PostToolUseFailure" or result.code != BLOCKING_STATUS:
        return default(result)
    unread = structs.replace(result, found=FoundJson(JsonUse.NONE), reply=None, fault=None)
    text = result.printed.stderr.strip()
    if not text:
        return default(structs.replace(unread, status=CauseKind.EXIT_NEEDS_STDERR))
    refusal = Reply(decision=refusal_on(result.event), context=text)
    return structs.replace(
        result.run, status=Status.BLOCKED, cause=unread.cause(result.status), reason=text, reply=refusal
    )


def stderr_is_not_quoted(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2, the model reads only that the hook said no; what is on stderr is not told."""
    if not result.is_blocked:  # pre-exit2
        return default(result)
    told = result.bound.profile.exits.silent_reason
    return default(structs.replace(result, printed=structs.replace(result.printed, stderr=told)))


def stderr_is_shown_with_status_2(result: Result, default: Callable[[Result], Run]) -> Run:
    """What a failing hook prints on stderr is shown to the user with exit status 2 alone."""
    return default(result if result.code == BLOCKING_STATUS else structs.replace(result, warning=""))


def text_is_no_permission(result: Result, default: Callable[[Result], Run]) -> Run:
    """On permissionRequest, a hook that prints anything but JSON fails, and so refuses."""
    text = result.printed.stdout.strip() if result.event == "PermissionRequest" else ""
    if not text or result.code != 0 or result.reply is not None or not isinstance(parse_json(text), Cause):
        return default(result)
    cause = Cause(CauseKind.NOT_JSON, "stdout is not JSON")
    return failed(result.run, result.bound, cause, cause.text, closed=fails_closed(result.bound, result.action))


def nested_object_hides_reason(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2, a reply that has hookSpecificOutput gives no reason."""
    nested = (result.found.value or {}).get("hookSpecificOutput")  # explored-exit2-nested-reason
    if not result.is_blocked or result.reply is None or not isinstance(nested, dict):
        return default(result)
    return default(structs.replace(result, reply=structs.replace(result.reply, reason=None)))


def replies_are_merged(given: Printouts, default: Callable[[Printouts], Reply | None]) -> Reply | None:
    """On prompts, stops and permissions, several replies are merged before they are read: later keys win."""
    if given.bound.event not in ("UserPromptSubmit", "Stop", "PermissionRequest"):
        return default(given)  # explored-stop-block-then-*
    refusal = {"behavior": "deny"} if given.bound.event == "PermissionRequest" else {}
    objects = objects_of(given, {}, refusal, {})
    return decode_reply(given.bound, later_keys_win(objects)) if len(objects) > 1 else default(given)


def rewritten_text_is_told(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """A prompt or an answer of a subagent that a hook rewrites reaches the model as it is then."""
    outcome = default(given)
    output = outcome.updated_output
    if given.event not in _REWRITTEN or output is None or outcome.effect is Effect.BLOCK:
        return outcome
    told = (output if isinstance(output, str) else dump_json(output).decode(),)
    is_prompt = given.event == "UserPromptSubmit"  # before what is added to it
    to_model = (*told, *outcome.to_model) if is_prompt else (*outcome.to_model, *told)
    return structs.replace(outcome, to_model=to_model)


_REWRITTEN = ("UserPromptSubmit", "UserPromptTransformed", "SubagentStop")


_INTERPRET = (
    stderr_is_a_hint_after_a_failed_tool,
    stderr_is_shown_with_status_2,
    text_is_no_permission,
    stderr_is_not_quoted,
)

_CAMEL = Profile(
    name="copilot-cli",
    title="Copilot CLI",
    release="1.0.102",
    basis="recorded",
    nicknames=("copilot",),
    events=event_names(
        SessionStart="sessionStart SessionStart",
        SessionEnd="sessionEnd SessionEnd",
        UserPromptSubmit="userPromptSubmitted UserPromptSubmit",
        UserPromptTransformed="userPromptTransformed",
        PreToolUse="preToolUse PreToolUse",
        PostToolUse="postToolUse PostToolUse",
        PostToolUseFailure="postToolUseFailure PostToolUseFailure",
        PermissionRequest="permissionRequest PermissionRequest",
        PreMcpToolCall="preMcpToolCall PreMcpToolCall",
        Stop="agentStop Stop",
        StopFailure="errorOccurred ErrorOccurred",
        SubagentStart="subagentStart SubagentStart",
        SubagentStop="subagentStop SubagentStop",
        PreCompact="preCompact PreCompact",
        Notification="notification Notification",
    ),
    tools=Tools(
        kinds={
            "shell": tool("bash powershell"),
            "read": tool("view", file_path="path"),
            "write": tool("create", file_path="path", content="file_text"),
            "edit": tool(
                "edit str_replace_editor apply_patch", file_path="path", old_string="old_str", new_string="new_str"
            ),
            "glob": tool("glob"),
            "grep": tool("grep rg"),
            "web fetch": tool("web_fetch"),
            "web search": tool("web_search"),
            "subagent": tool("task", subagent_type="agent_type"),
            "todo": tool("update_todo"),
            "ask": tool("ask_user"),
        },
        many_files={"apply_patch": PATCH},
        mcp=McpForm("", "-"),
    ),
    recognition=Recognition(
        words=("copilot", ".github"),
        keys=("timeoutSec", "powershell", "bash"),
        variables=("COPILOT_PLUGIN_ROOT",),
        release_variable="COPILOT_CLI_BINARY_VERSION",  # in the recorded environments
        wrong_places={
            **NEAR_GITHUB_HOOKS,
            ".github/hooks/*.JSON": "a file that ends in .json; no other is read",
            ".github/hooks/.*.json": "a file whose name does not start with a dot; hidden ones are not read",
            ".github/hooks/*/.*.json": "a file whose name does not start with a dot; hidden ones are not read",
            ".github/hooks/.*/*.json": "a folder whose name does not start with a dot; hidden ones are not read",
        },
        signs=(".github/hooks", ".github/copilot", ".github/copilot-instructions.md"),
        also_called_by={"copilot-vscode": "timestamp"},
        caller_keys=("timestamp",),  # recorded on every event; Claude Code sends none
        caller_environment=("COPILOT_CLI",),
    ),
    sources=(
        managed("etc/github-copilot/policy.d/*.json"),
        managed("ProgramData/GitHub/Copilot/policy.d/*.json"),
        user(
            ".copilot/hooks/**/*.json",
            home_variable="COPILOT_HOME",
            globbed=True,  # order0-2, explored-hidden-files, explored-linked-beside
            writing=Writing.PREFERRED,
            own_file=".copilot/hooks/anyhook.json",
        ),
        user(".copilot/settings.json", FileKind.SETTINGS, home_variable="COPILOT_HOME"),
        project(
            ".github/hooks/**/*.json",
            globbed=True,  # order0-2, explored-hidden-files, explored-linked-beside
            writing=Writing.PREFERRED,
            own_file=".github/hooks/anyhook.json",
        ),
        project(".claude/settings.json", FileKind.SETTINGS, shared=True),
        local(".claude/settings.local.json", shared=True),
        project(".github/copilot/settings.json", FileKind.SETTINGS),
        local(".github/copilot/settings.local.json"),
        plugin("hooks.json", "plugin.json"),
        plugin("hooks/hooks.json", "plugin.json"),
        plugin("hooks.json", ".github/plugin"),
        plugin("hooks/hooks.json", ".github/plugin"),
        plugin("hooks.json", sniffed=True),
        plugin("hooks/hooks.json", sniffed=True),
    ),
    layout=Layout(
        shape=Shape.EITHER,
        version=1,
        common_keys={"timeoutSec": "timeout", "timeout": "timeout", "cwd": "cwd", "env": "env"},
        action_keys={
            "command": {"command": "command", "bash": "by_os.posix", "powershell": "by_os.windows"},
            "http": {"url": "url", "headers": "headers", "allowedEnvVars": "allowed_env"},
            "prompt": {"prompt": "prompt"},
        },
        default_type="command",
        submits_prompts=True,
        on_bad_entry=LossScope.ENTRY,
        on_bad_event=LossScope.FILE,
        null_matcher=False,
        bad_matcher="flat entry",  # explored-group-matcher-list
        unused_matchers_checked=False,  # explored-stop-matcher-list
        byte_order_mark=False,
    ),
    matching=_MATCHING,
    timeouts=Timeouts(default_ms=30_000, zero="invalid"),
    execution=Execution(
        makes_executable=True,  # semantics.md, section 7
        plugins_run_at_home=True,
        templates=("project_dir", "plugin_data_dir"),  # CLC
        order=Order.SEQUENTIAL,
        chains_input=True,
        stops_after="decision",  # the first deny, ask or error ends the chain
        shell=("/bin/bash", "--norc", "--noprofile", "-c"),
        cwd="project",
        waits_for_pipe=True,
        loopback_variable="COPILOT_HOOK_ALLOW_LOCALHOST",
        project_variable="COPILOT_PROJECT_DIR",
        exports=("COPILOT_CLI", "COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "COPILOT_HOOK_DIR"),
        plugin_exports=(
            "PLUGIN_ROOT",
            "COPILOT_PLUGIN_ROOT",
            "CLAUDE_PLUGIN_ROOT",
            "PLUGIN_DATA",
            "COPILOT_PLUGIN_DATA",
            "CLAUDE_PLUGIN_DATA",
        ),
    ),
    exits=Exits(
        silent_reason="hook exited with code 2",
        warning="stderr",
        json="zero and two",
        keeps_reply=True,
        fails_closed_on=frozenset({"PreToolUse", "PermissionRequest"}),
        ignored_on=frozenset(
            {
                "UserPromptSubmit",
                "UserPromptTransformed",
                "PostToolUse",
                "Stop",
                "SubagentStop",
                "SessionStart",
                "SessionEnd",
                "PreCompact",
                "PreMcpToolCall",  # explored-mcp-exit2
            }
        ),
    ),
    folding=Folding(
        asks_without_decision_on=frozenset({"PermissionRequest"}),
        input_needs={
            **dict.fromkeys(("bash", "Bash"), "command"),
            **dict.fromkeys(("view", "Read", "create", "Write", "edit", "Edit"), "path"),
        },
        # explored-subagent-stop-block-then-allow
        decisions=dict.fromkeys(("PermissionRequest", "UserPromptSubmit", "SubagentStop"), "last"),
        reason="last",
    ),
    stopping=Stopping(
        cap=8,
        uncapped=frozenset({"SubagentStop"}),  # 331 blocks in a row were seen
        continue_false="ignored",
    ),
    cannot_block=frozenset({"PreCompact"}),
    effects={
        "PostToolUse": "the reason replaces the tool's result",
        "Stop": "decision: block keeps it going; exit 2 is only a warning",
    },
    types_on={"SessionStart": frozenset({"command", "prompt"})},
    setup=(  # semantics.md, 1: untrusted, untrusted-env
        "trust the folder when Copilot CLI asks",
        "with -p, add --trust-folder or set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true: else no hook of it loads",
    ),
    switches=(
        Switch(("disableAllHooks",), reach="file"),
        *(
            Switch((name,), reach="all", file=file)  # dis-repo, switch-*
            for name in ("disableAllHooks", "disable_all_hooks")
            for file in _PROJECT_FILES
        ),
        Switch(("disable_all_hooks",), reach="file", file=".copilot/settings.json"),
    ),
    settings=(
        SettingsRule(
            shape=object_of({"disableAllHooks": FLAG}), kinds=frozenset({FileKind.HOOKS}), scopes=frozenset(Scope)
        ),
        SettingsRule(shape=SETTINGS, scopes=frozenset({Scope.USER})),
        SettingsRule(shape=CLAUDE_SETTINGS, files=_CLAUDE_FILES),
        SettingsRule(shape=PROJECT_SETTINGS, files=_GITHUB_FILES),
    ),
    wire=_WIRE,
    answers=_ANSWERS,
    overrides=Overrides(
        why_not_called=(other_machines_by_https,),
        read_http=(text_is_passed_over,),
        ends_sequence=(tools_stop_at_a_decision,),
        layout=(bad_entry_costs_the_settings,),
        decode=(
            handled_prompt_is_blocked,
            a_block_needs_a_reason,
        ),
        interpret=_INTERPRET,
        merge=(replies_are_merged,),
        fold=(rewritten_text_is_told,),
    ),
)

_PASCAL_EVENTS = r"[A-Z].*"
_PASCAL = structs.replace(
    _CAMEL,
    matching=structs.replace(
        _MATCHING,
        mode=MatchMode(
            exact=r"[A-Za-z0-9_|]*",
            otherwise=Otherwise.FULL,
            trim="whole",  # " Bash " matches, and " " matches everything
            everything=("*", "**", ".*", ""),
            empty_is_invalid=True,  # "" is "all" in Claude Code, here the hook is skipped
            invalid=Invalid.DROPPED,
        ),
        on=dict.fromkeys(("Notification", "PreCompact"), _MATCHING.mode),  # explored-notification-matcher-*
        renamed_tools=CLAUDE_NAMES,
        tool_aliases={
            name: frozenset(own for own, claude in CLAUDE_NAMES.items() if claude == name)
            for name in CLAUDE_NAMES.values()
        }
        | {"Agent": frozenset({"task", "Task"})},
    ),
    wire=_PASCAL_WIRE,
    answers=_PASCAL_ANSWERS,
    overrides=structs.replace(
        _CAMEL.overrides,
        decode=(handled_prompt_is_blocked, a_block_needs_a_reason, bad_nested_value_hides_flat_one),
        interpret=(nested_object_hides_reason, *_INTERPRET),
    ),
)

_FIRST_MATCHING = structs.replace(
    _MATCHING,
    subjects={**_MATCHING.subjects, "PostToolUse": Subject.NOTHING},
)
_OWN_NAMES = {claude: own for own, claude in reversed(CLAUDE_NAMES.items())}

# Played in the releases: conformance/history/copilot-cli.json has the vectors that show each.
_CHANGES = (
    ReleaseChange(
        since="1.0.80",
        what="reads .claude/settings.json of the project",
        before={"sources": tuple(source for source in _CAMEL.sources if not source.shared)},
    ),
    ReleaseChange(
        since="1.0.80",
        what="takes Claude Code's tool names in matchers of PascalCase events",
        before={
            "variants": {
                _PASCAL_EVENTS: structs.replace(
                    _PASCAL, matching=structs.replace(_FIRST_MATCHING, renamed_tools=_OWN_NAMES, tool_aliases={})
                )
            }
        },
    ),
    ReleaseChange(
        since="1.0.63",
        what="applies matchers after a tool has run",
        before={"matching": _FIRST_MATCHING},
        hooks_of=frozenset({"PostToolUse"}),
    ),
)

PROFILE = structs.replace(
    _CAMEL, program="copilot", oldest="1.0.57", changes=_CHANGES, variants={_PASCAL_EVENTS: _PASCAL}
)

DIALECT = ProfiledDialect(PROFILE)
