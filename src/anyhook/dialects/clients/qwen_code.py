"""Qwen Code: recorded with release 0.24.4 (``conformance/recordings/qwen-code``), source facts in ``qwen-code.md``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import (
    CONTEXT,
    PERMISSION_REQUEST,
    REASON,
    SPECIFIC_NAME,
    UNIVERSAL,
    specific,
)
from anyhook.dialects.contract import (
    BLOCKING_STATUS,
    Answers,
    Exits,
    Field,
    Folding,
    Stopping,
    WireFormat,
)
from anyhook.dialects.gemini_family import context_is_escaped, json_in_a_string, json_on_stderr, with_stop_reason
from anyhook.dialects.merging import join_texts, keep_strongest, later_keys_win, objects_of, stop_if_any
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Root, Writing, managed, plugin, project, user
from anyhook.dialects.plugin_form import Extensions
from anyhook.dialects.profile import (
    Dedupe,
    Execution,
    Invalid,
    Layout,
    LossScope,
    Matching,
    MatchMode,
    Order,
    Profile,
    ReleaseChange,
    SettingsRule,
    Switch,
    Timeouts,
    Unit,
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.settings.qwen_code import SETTINGS, USER_SETTINGS
from anyhook.dialects.stages import (
    Answer,
    Called,
    Ended,
    Fold,
    FoundJson,
    Interpreter,
    Opened,
    Posted,
    Printouts,
    Result,
    ShellNamed,
    Weighed,
    answered,
    broken_json_fails,
    refuses,
)
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, Tools, event_names, names, tool
from anyhook.dialects.wire.replies import decode_reply
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.events import Subject
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Scope
from anyhook.model.outcome import Effect, Outcome, Run
from anyhook.model.output import Decision, Reply

_LIST_THEN_SEARCH = MatchMode(list_first=True, trim="whole", invalid=Invalid.NEVER)
_TRIGGERS = frozenset({"auto", "manual"})

_ONLY_BLOCK = {"block": "block", "deny": "", "approve": "", "allow": ""}
_BLOCK = (Field("decision", ("decision",), {"block": "block", "deny": "block", "approve": "", "allow": ""}), REASON)
_GATE = (*_BLOCK, CONTEXT)

_ANSWERS = Answers(
    text_to_user=True,
    on={
        "PreToolUse": (
            # The nested decision hides the other one. updatedInput and additionalContext are ignored here.
            specific("decision", "permissionDecision", values={"deny": "deny", "allow": "allow", "ask": "ask"}),
            Field(
                "decision",
                ("decision",),
                {"deny": "deny", "block": "deny", "ask": "ask", "allow": "allow", "approve": "allow"},
            ),
            # explored-pre-stop-nested-reason: not read with continue: false alone
            structs.replace(specific("reason", "permissionDecisionReason"), only_with=frozenset({"deny", "ask"})),
            REASON,
        ),
        "PermissionRequest": PERMISSION_REQUEST,
        **dict.fromkeys(("UserPromptSubmit", "UserPromptExpansion", "PostToolBatch"), _GATE),
        **dict.fromkeys(("Stop", "SubagentStop"), _BLOCK),
        # explored-todo-*: a refusal is spelled "block"; "deny" and exit 2 have no effect
        **dict.fromkeys(("TodoCreated", "TodoCompleted"), (structs.replace(_BLOCK[0], values=_ONLY_BLOCK), REASON)),
        # A block after a tool changes nothing that the model sees; only the context does.
        "PostToolUse": (REASON, CONTEXT),
        **dict.fromkeys(("SessionStart", "PostToolUseFailure", "SubagentStart", "PreCompact"), (CONTEXT,)),
        "*": UNIVERSAL,
    },
    event_names=(SPECIFIC_NAME,),
    refusal_drops_context_on=frozenset({"UserPromptSubmit", "PostToolUse"}),
    # explored-expansion-text
    text_is_context_on=frozenset({"UserPromptSubmit", "UserPromptExpansion", "SessionStart"}),
    output_cap=1_000_000,
)
_WIRE = WireFormat(
    renames_on={
        "Stop": {"crons": "session_crons"},
        "SubagentStop": {"crons": "session_crons"},
        "MessageDisplay": {"is_final": "final"},
    },
    timestamps="iso",
)

_EVENTS = event_names(
    "SessionStart SessionEnd SessionDelete UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse "
    "PostToolUseFailure PostToolBatch PermissionRequest PermissionDenied MessageDisplay Stop StopFailure "
    "SubagentStart SubagentStop TodoCreated TodoCompleted PreCompact PostCompact InstructionsLoaded "
    "Notification",
)
_EVENTS_OF_0_21_2 = {event: natives for event, natives in _EVENTS.items() if event != "SessionDelete"}
_EVENTS_OF_0_15_10 = event_names(
    "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PermissionRequest Stop "
    "StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification",
)
_CHANGES = (
    ReleaseChange(since="0.21.10", what="has SessionDelete", before={"events": _EVENTS_OF_0_21_2}),
    ReleaseChange(
        since="0.21.2",
        what="has InstructionsLoaded, MessageDisplay, PermissionDenied, PostToolBatch, TodoCompleted, TodoCreated and "
        "UserPromptExpansion",
        before={"events": _EVENTS_OF_0_15_10},
    ),
    ReleaseChange(
        since="0.15.6",
        what="fires events besides UserPromptSubmit and Stop",
        before={"events": event_names("UserPromptSubmit Stop")},
    ),
    ReleaseChange(
        since="0.15.6",
        what="runs hooks without --experimental-hooks, and has disableAllHooks",
        before={
            "setup": ("start it with --experimental-hooks, or set hooksConfig.enabled to true: else hooks are off",),
            "switches": (),
        },
    ),
)

# Its extensionManager.ts, and explored-extension-*. Extensions in a project's .qwen/extensions are not loaded.
_EXTENSIONS = Extensions(
    manifest="qwen-extension.json",
    needs=("name",),
    names=r"[a-zA-Z0-9_.-]+",
    metadata=".qwen-extension-install.json",
    manifest_hooks=True,
)


def blank_nested_reason_is_none(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """An empty permissionDecisionReason does not hide the reason beside hookSpecificOutput."""
    specific_output = answer.at("hookSpecificOutput")  # explored-pre-blank-reason
    if answer.at("hookSpecificOutput", "permissionDecisionReason") != "":
        return default(answer)
    kept = {key: value for key, value in specific_output.items() if key != "permissionDecisionReason"}
    return default(structs.replace(answer, value={**answer.value, "hookSpecificOutput": kept}))


def stderr_alone_with_status_2(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """With exit status 2, JSON on stderr is the reply; stdout is not read."""
    return default(structs.replace(ended.on_stderr(), code=0) if ended.code == BLOCKING_STATUS else ended)


def reply_on_stderr_before_status(result: Result, default: Callable[[Result], Run]) -> Run:
    """A JSON reply on stderr counts, whatever the exit status."""
    if (reply := result.good_reply) is None or result.found.use is not JsonUse.STDERR:
        return default(result)
    blocks = result.bound.profile.exits.blocks(result.code, result.event)
    return answered(result.run, reply, result.cause(CauseKind.EXIT_OVERRULED if blocks else CauseKind.REPLY))


_TEXT = {"decision": "allow", "reason": "Hook executed successfully"}
_REFUSAL = {"decision": "deny", "reason": "{text}"}
_FAILURE = {"decision": "allow", "reason": "Non-blocking error: {text}"}
"""What text counts as: an "allow" with a reason of its own, which is joined to the others."""
_ADJUSTED = names(
    "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Stop SubagentStop",
    "UserPromptSubmit UserPromptExpansion TodoCreated TodoCompleted",
)


def replies_are_merged(given: Printouts, default: Callable[[Printouts], Reply | None]) -> Reply | None:
    """Several replies are merged before they are read: later keys win, so that an allow after a deny runs the tool."""
    objects = objects_of(given, _TEXT, _REFUSAL, _FAILURE)  # its hookAggregator.ts
    if given.bound.event == "PermissionRequest" or len(objects) < 2:
        return default(given)
    is_adjusted = given.bound.event in _ADJUSTED
    one = later_keys_win(objects, "hookSpecificOutput" if is_adjusted else "")
    join_texts(one, objects, "hookSpecificOutput", "additionalContext")
    if is_adjusted:
        join_texts(one, objects, "reason")
        keep_strongest(one, objects, _DENIALS, frozenset({"allow"}))
        one |= {"decision": "block"} if one.get("decision") in _DENIALS else {}  # explored-todo-*-merged
        if reasons := stop_if_any(one, objects):
            one["stopReason"] = reasons[-1]
    return decode_reply(given.bound, one)


_DENIALS = frozenset({"block", "deny"})


def decision_before_stop(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """On PreToolUse, continue: false has no effect beside a refusal or a question; its reason can be their reason."""
    reply = given.reply
    if given.event != "PreToolUse" or reply.decision in (None, Decision.ALLOW):
        return default(given)
    # explored-pre-stop-reason-without-reason
    reason = reply.reason or reply.stop_reason if refuses(reply) else reply.reason
    return default(structs.replace(given, reply=structs.replace(reply, reason=reason, stop=None)))


def stop_reason_is_the_reason(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """On prompts, batches and stops, the reason of a refusal is its stopReason, where it has one."""
    return default(with_stop_reason(given) if given.event in _STOPPABLE else given)


_STOPPABLE = ("UserPromptSubmit", "UserPromptExpansion", "PostToolBatch", "Stop", "SubagentStop")


def stop_has_a_reason(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """Where continue: false refuses without any reason, the reason is "No reason provided"."""
    if not given.stop_blocks:
        return default(given)
    reason = given.reply.stop_reason or given.reply.reason or "No reason provided"
    return default(structs.replace(given, reply=structs.replace(given.reply, stop_reason=reason)))


def context_is_unheard_in_subagents(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """On SubagentStart, context reaches no model."""
    if given.event != "SubagentStart":  # explored-subagent-start-context
        return default(given)
    return default(structs.replace(given, reply=structs.replace(given.reply, context=None)))


def stop_reason_must_be_text(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """After a batch of tools, continue: false with a stopReason that is not text ends the client."""
    outcome = default(given)  # explored-batch-stop-reason-no-text: it ends with an error
    unread = [part.pointer for reply in given.replies if reply.stop for part in reply.unread]
    if given.event != "PostToolBatch" or "/stopReason" not in unread:
        return outcome
    fault = "hook returned a stopReason that is not text"
    told = tuple(text for text in outcome.to_model if text != outcome.reason)
    cause, to_user = Cause(CauseKind.INPUT_REFUSED), (fault, *outcome.to_user)
    return structs.replace(
        outcome, effect=Effect.STOP, cause=cause, reason=fault, to_model=told, to_user=to_user, updated_output=None
    )


def extensions_are_strict_json(opened: Opened, default: Callable[[Opened], Layout]) -> Layout:
    """The hook file of an extension is strict JSON, and may have its events at the top level."""
    if opened.scope is not Scope.PLUGIN:  # explored-extension-*
        return default(opened)
    return structs.replace(default(opened), comments=False, byte_order_mark=False, bare_map=True)


def broken_user_settings_end_it(opened: Opened, default: Callable[[Opened], Layout]) -> Layout:
    """Settings of the user or the organisation that cannot be parsed keep the client from starting."""
    if opened.scope not in (Scope.USER, Scope.MANAGED):  # settings-user-broken
        return default(opened)
    return structs.replace(default(opened), on_syntax_error=LossScope.START)


def variables_in_urls(posted: Posted, default: Callable[[Posted], str]) -> str:
    """Variables are filled in in the URL of an HTTP hook, too."""
    return default(structs.replace(posted, url=posted.filled(posted.url)))  # its httpHookRunner.ts


def text_is_a_message(called: Called, default: Callable[[Called], bytes | None]) -> bytes | None:
    """An answer to an HTTP hook that is not sent as JSON is a message for the user."""
    if "application/json" in called.media_type.lower():  # its httpHookRunner.ts
        return default(called) or b""
    text = called.body.decode("utf-8", "replace")[:10_000]
    return dump_json({"systemMessage": text}) if text else b""


def powershell_needs_powershell(
    named: ShellNamed, default: Callable[[ShellNamed], Interpreter | None]
) -> Interpreter | None:
    """With "shell": "powershell", powershell runs the hook; pwsh does not count, and any other shell is bash."""
    # shell-powershell, shell-pwsh, shell-cmd
    is_named = named.name == "powershell"
    return Interpreter(programs=("powershell",), options=("-Command",)) if is_named else default(named)


PROFILE = Profile(
    name="qwen-code",
    title="Qwen Code",
    release="0.24.4",
    basis="recorded",
    program="qwen",
    oldest="0.12.0",
    changes=_CHANGES,
    nicknames=("qwen",),
    events=_EVENTS,
    tools=Tools(
        kinds={
            "shell": tool("run_shell_command"),
            "read": tool("read_file"),
            "write": tool("write_file"),
            "edit": tool("edit"),
            "notebook": tool("notebook_edit"),
            "glob": tool("glob"),
            "grep": tool("grep_search"),
            "list": tool("list_directory"),
            "web fetch": tool("web_fetch"),
            "web search": tool("web_search"),
            "subagent": tool("agent"),
            "todo": tool("todo_write"),
            "plan": tool("exit_plan_mode"),
            "ask": tool("ask_user_question"),
        },
        others=names(
            "read_many_files save_memory skill",
        ),
        mcp=DOUBLE_UNDERSCORE,
    ),
    recognition=Recognition(words=("qwen",)),
    sources=(
        project(".qwen/settings.json", FileKind.SETTINGS, writing=Writing.PREFERRED),
        user(".qwen/settings.json", FileKind.SETTINGS, writing=Writing.PREFERRED),
        managed("etc/qwen-code/settings.json", FileKind.SETTINGS),
        managed("Library/Application Support/QwenCode/settings.json", FileKind.SETTINGS),
        managed("ProgramData/qwen-code/settings.json", FileKind.SETTINGS),
        plugin(".qwen/extensions/*/hooks/hooks.json", root=Root.HOME),
        plugin("hooks/hooks.json", "qwen-extension.json"),
    ),
    layout=Layout(
        group_keys=frozenset({"matcher", "hooks", "sequential"}),
        common_keys={
            "name": "name",
            "description": "note",
            "timeout": "timeout",
            "statusMessage": "status_message",
        },
        action_keys={
            "command": {"command": "command", "async": "is_async", "env": "env", "shell": "shell"},
            "http": {"url": "url", "headers": "headers", "allowedEnvVars": "allowed_env", "once": "once"},
            "prompt": {"prompt": "prompt", "model": "model"},
        },
        comments=True,
        bad_matcher="event",
        values="loose",
    ),
    matching=Matching(
        mode=_LIST_THEN_SEARCH,
        subjects={"InstructionsLoaded": Subject.FILE_PATH},
        values={
            "SessionStart": frozenset({"startup", "resume", "clear", "compact", "branch"}),
            "PreCompact": _TRIGGERS,
            "PostCompact": _TRIGGERS,
        },
        tool_aliases={
            "run_shell_command": frozenset({"Bash", "Shell", "ShellTool"}),
            "read_file": frozenset({"Read", "ReadFile", "ReadFileTool"}),
            "write_file": frozenset({"Write", "WriteFile", "WriteFileTool"}),
            "edit": frozenset({"Edit", "EditTool"}),
            "glob": frozenset({"Glob", "FindFiles"}),
            "grep_search": frozenset({"Grep", "SearchText"}),
            "web_fetch": frozenset({"WebFetch"}),
            "web_search": frozenset({"WebSearch"}),
            "agent": frozenset({"Agent", "Task"}),
            "todo_write": frozenset({"TodoWrite"}),
            "list_directory": frozenset({"LS", "ReadFolder"}),
        },
    ),
    timeouts=Timeouts(
        unit=Unit.EITHER,  # observed; the documents say milliseconds for command hooks
        units={"http": Unit.SECONDS, "prompt": Unit.SECONDS},
        default_ms=60_000,
        defaults_ms={"http": 600_000, "prompt": 30_000},
        zero="default",
    ),
    execution=Execution(
        order=Order.PARALLEL_UNLESS_ASKED,
        chains_input=True,
        dedupe=Dedupe.NAME_AND_COMMAND,
        shell=("bash", "-c"),
        cwd="project",
        waits_for_pipe=True,
        honours_async=True,
        project_variable="QWEN_PROJECT_DIR",
        exports=(
            "QWEN_PROJECT_DIR",
            "GEMINI_PROJECT_DIR",
            "CLAUDE_PROJECT_DIR",
            "QWEN_CODE_SESSION_ID",
            "QWEN_CODE_MODEL",
            "QWEN_CODE_PROMPT_ID",
        ),
        # explored-variable-in-quotes: its hookRunner.ts passes a command for bash on unchanged.
        plugin_text=("CLAUDE_PLUGIN_ROOT",),  # explored-extension-variables
    ),
    exits=Exits(
        warning="stderr",
        needs="stderr",
        json="not two",
        ignored_on=frozenset(
            {
                "SessionStart",
                "PostToolUse",
                "PostToolUseFailure",
                "SessionEnd",
                "Notification",
                "TodoCreated",
                "TodoCompleted",
            }
        ),
    ),
    folding=Folding(
        decisions={"PreToolUse": "last"},
        joined_reasons={"PermissionRequest": "\n"},
        default_reason="No reason provided",
        refusal_effects={"PostToolBatch": "feedback"},
        reason_to=dict.fromkeys(("PostToolBatch", "TodoCreated", "TodoCompleted"), "model"),
        reason_replaces_output_on=frozenset({"PostToolUse", "PostToolBatch"}),
        rewrite="none",
    ),
    stopping=Stopping(
        cap=8,
        continue_false_on={
            **dict.fromkeys(("PostToolUseFailure", "SubagentStart", "Notification", "InstructionsLoaded"), "ignored"),
            # explored-EVENT-continue-false
            **dict.fromkeys(("SessionEnd", "PreCompact", "PostCompact", "TodoCreated", "TodoCompleted"), "ignored"),
            "SubagentStop": "blocks",
            "PreToolUse": "blocks",
            "PostToolUse": "blocks",
            "Stop": "blocks",
            "PostToolBatch": "blocks",
            "UserPromptSubmit": "blocks",
            "SessionStart": "ignored",
        },
    ),
    cannot_block=frozenset({"PreCompact", "PostToolBatch"}),
    effects={"PostToolUse": "nothing the model sees"},
    setup=("with security.folderTrust.enabled, trust the folder: in others the hooks are off",),
    switches=(Switch(("disableAllHooks",), others="by truth"),),  # settings-switch-*
    settings=(
        SettingsRule(shape=SETTINGS, costs=LossScope.START),
        SettingsRule(shape=USER_SETTINGS, costs=LossScope.START, scopes=frozenset({Scope.USER})),
    ),
    wire=_WIRE,
    answers=_ANSWERS,
    overrides=Overrides(
        interpreter=(powershell_needs_powershell,),
        url=(variables_in_urls,),
        read_http=(text_is_a_message,),
        layout=(extensions_are_strict_json, broken_user_settings_end_it),
        merge=(replies_are_merged,),
        weigh=(
            decision_before_stop,
            stop_reason_is_the_reason,
            stop_has_a_reason,
            context_is_unheard_in_subagents,
            context_is_escaped,
        ),
        fold=(stop_reason_must_be_text,),
        decode=(blank_nested_reason_is_none,),
        find_json=(json_on_stderr, stderr_alone_with_status_2, broken_json_fails, json_in_a_string),
        interpret=(reply_on_stderr_before_status,),
    ),
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class QwenCode(ProfiledDialect):
    """Its loadExtension fails on values that it does not check [explored-extension-*]."""

    def why_extension_is_lost(self, manifest: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        asked, files, skills = (
            manifest.get("settings"),
            manifest.get("contextFileName"),
            manifest.get("skillStates", {}),
        )
        if asked and not (isinstance(asked, list) and all(map(_can_be_asked, asked))):
            return '"settings" in its manifest is not a list of objects, each with the name of a variable in "envVar"'
        if files and not all(isinstance(name, str) for name in (files if isinstance(files, list) else [files])):
            return '"contextFileName" in its manifest is neither text nor a list of texts'
        if not isinstance(skills, dict) or not all(isinstance(is_on, bool) for is_on in skills.values()):
            return '"skillStates" in its manifest is not an object of true and false'
        return ""


def _can_be_asked(setting: Any) -> bool:
    name = setting.get("envVar") if isinstance(setting, dict) else None
    is_name = name is None or (isinstance(name, str) and _VARIABLE.fullmatch(name) is not None)
    return setting is not None and is_name


DIALECT = QwenCode(PROFILE, extensions=_EXTENSIONS)
