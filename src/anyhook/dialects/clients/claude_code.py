"""Claude Code: recorded with release 2.1.325 (``conformance/recordings/claude-code``), and documents."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.claude_family import (
    BLOCK,
    CLAUDE_ANSWERS,
    CLAUDE_WIRE,
    EVENT_NAMES,
    EXACT_LIST,
    REASON,
    TOOLS,
    bad_values_void_the_reply,
    compaction_gets_text,
    context_keeps_going,
    initial_message_is_told,
    long_context_is_cut,
    output_needs_its_type,
    specific_names_its_event,
)
from anyhook.dialects.contract import (
    Exits,
    Folding,
    ModelHookRules,
    Stopping,
)
from anyhook.dialects.events import native_names
from anyhook.dialects.files.actions import BadEntryError, Reading, keys_of
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import (
    FileKind,
    Root,
    Writing,
    component,
    local,
    managed,
    plugin,
    project,
    user,
)
from anyhook.dialects.plugin_form import PluginForm
from anyhook.dialects.profile import (
    Dedupe,
    Execution,
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
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.settings.claude_code import SETTINGS
from anyhook.dialects.stages import (
    Asked,
    Entry,
    Interpreter,
    Lost,
    Result,
    ShellNamed,
    Starting,
    Weighed,
    refusal_on,
    refuses,
)
from anyhook.dialects.wire.replies import decode_reply
from anyhook.model.cause import CauseKind
from anyhook.model.hooks import Prompt
from anyhook.model.origin import Scope
from anyhook.model.outcome import Run
from anyhook.model.output import Reply
from anyhook.model.wording import join_or

COMMON_KEYS = {
    "timeout": "timeout",
    "if": "condition",
    "statusMessage": "status_message",
    "once": "once",
}
COMMAND_KEYS = {
    "command": "command",
    "args": "args",
    "shell": "shell",
    "async": "is_async",
    "asyncRewake": "rewakes",
    "rewakeMessage": "note",
    "rewakeSummary": "note",
    "onFailure": "fail_closed=block",
}
HTTP_KEYS = {"url": "url", "headers": "headers", "allowedEnvVars": "allowed_env", "onFailure": "fail_closed=block"}
PROMPT_KEYS = {"prompt": "prompt", "model": "model", "continueOnBlock": "continue_on_block"}
AGENT_KEYS = {"prompt": "prompt", "model": "model"}
MCP_KEYS = {"server": "server", "tool": "tool", "input": "input"}

_SOURCES = frozenset({"startup", "resume", "clear", "compact", "fork"})
_TRIGGERS = frozenset({"manual", "auto"})
VALUES = {
    "SessionStart": _SOURCES,
    "Setup": frozenset({"init", "maintenance"}),
    "PreCompact": _TRIGGERS,
    "PostCompact": _TRIGGERS,
    "SessionEnd": frozenset({"clear", "resume", "logout", "prompt_input_exit", "other", "bypass_permissions_disabled"}),
    "Notification": frozenset(
        {
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        }
    ),
    "StopFailure": frozenset(
        {
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "unknown",
        }
    ),
    "InstructionsLoaded": frozenset({"session_start", "nested_traversal", "path_glob_match", "include", "compact"}),
    "ConfigChange": frozenset({"user_settings", "project_settings", "local_settings", "policy_settings", "skills"}),
    "DirectoryAdded": frozenset({"slash_command", "register_repo_root"}),
}

NARROW_LIST = MatchMode(exact=r"[A-Za-z0-9_|]*")

_OBSERVED_TYPES = frozenset({"command", "http", "mcp_tool"})
_STARTING_TYPES = frozenset({"command", "mcp_tool"})
_EVERY_TYPE_ON = frozenset(
    {
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PreToolUse",
        "PermissionRequest",
        "PermissionDenied",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStop",
        "TaskCreated",
        "TaskCompleted",
        "Stop",
        "TeammateIdle",
    }
)
_ENV_FILE_EVENTS = frozenset({"SessionStart", "Setup", "CwdChanged", "FileChanged"})

_ACTION_KEYS = {
    "command": COMMAND_KEYS,
    "http": HTTP_KEYS,
    "mcp_tool": MCP_KEYS,
    "prompt": PROMPT_KEYS,
    "agent": AGENT_KEYS,
}

_WORDS = {
    "onFailure": ("block", "continue"),  # explored-on-failure-unknown
    "shell": ("bash", "powershell"),  # explored-shell-unknown
}


def some_keys_hold_words(entry: Entry, default: Callable[[Entry], Reading]) -> Reading:
    """An onFailure or a shell that Claude Code does not know makes the entry invalid."""
    reading = default(entry)
    keys = keys_of(entry.profile.layout, reading.action.kind)
    for key, words in _WORDS.items():
        value = entry.value.get(key)
        if key in keys and isinstance(value, str) and value not in words:
            raise BadEntryError("K007", f'"{key}" cannot be "{value}"', f"write {join_or(words)}", key)
    return reading


# Played in the releases: conformance/history/claude-code.json has the vectors that show each.
_CHANGES = (
    ReleaseChange(
        since="2.1.295",
        what="reads onFailure",
        before={
            "layout.action_keys": {
                kind: {key: field for key, field in keys.items() if key != "onFailure"}
                for kind, keys in _ACTION_KEYS.items()
            }
        },
    ),
    ReleaseChange(
        since="2.1.257",
        what="loses one entry to a hook of unknown type, where earlier releases lose the file",
        before={"layout.on_bad_entry": LossScope.FILE},
    ),
    ReleaseChange(
        since="2.1.233",
        what="takes commas and blanks in a matcher that is a list of names",
        before={"matching.mode": NARROW_LIST},
    ),
    ReleaseChange(
        since="2.1.233",
        what="keeps the agent going when a Stop hook gives context",
        before={
            "overrides.fold": (initial_message_is_told,),
            "answers.on": {**CLAUDE_ANSWERS.on, **dict.fromkeys(("Stop", "SubagentStop"), (BLOCK, REASON))},
        },
        hooks_of=frozenset({"Stop", "SubagentStop"}),
    ),
    ReleaseChange(
        since="2.1.152",
        what="has MessageDisplay",
        before={"events": {event: natives for event, natives in EVENT_NAMES.items() if event != "MessageDisplay"}},
    ),
)

AGENT_EVENTS = {"Stop": "SubagentStop"}  # i-agent-frontmatter-trusted


def stderr_is_shown_at_the_end(result: Result, default: Callable[[Result], Run]) -> Run:
    """What a failing hook prints on stderr is shown to the user on SessionEnd alone."""
    return default(result if result.event == "SessionEnd" else structs.replace(result, warning=""))


def block_is_told_with_status_2(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2, "decision": "block" is told with its reason, whatever else the reply decides."""
    value, reply = result.found.value or {}, result.good_reply  # explored-exit2-block-beside-*
    if not result.is_blocked or reply is None or refuses(reply) or value.get("decision") != "block":
        return default(result)
    reason = value.get("reason")
    said = reason if isinstance(reason, str) and reason else None
    refusal = structs.replace(reply, decision=refusal_on(result.event), reason=said)
    return default(structs.replace(result, reply=refusal))


def stderr_is_the_reason(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2, the reason is what is on stderr, unless the reply refuses, too."""
    reply = result.reply
    if not result.is_blocked or reply is None or refuses(reply):
        return default(result)
    return default(structs.replace(result, reply=structs.replace(reply, reason=None)))


def foreign_reply_is_the_reason(result: Result, default: Callable[[Result], Run]) -> Run:
    """With exit status 2, a reply that is right for another event is told to the model in place of stderr."""
    fault = result.fault  # explored-exit2-wrong-name
    if not result.is_blocked or fault is None or not _is_for_another_event(result):
        return default(result)
    return default(structs.replace(result, printed=structs.replace(result.printed, stderr=fault.text)))


def _is_for_another_event(result: Result) -> bool:
    value = result.found.value or {}
    specific = value.get("hookSpecificOutput")
    name = specific.get("hookEventName") if isinstance(specific, dict) else None
    other = native_names(result.bound.client.name).get(name) if isinstance(name, str) else None
    if result.fault is None or result.fault.kind is not CauseKind.WRONG_EVENT or other is None:
        return False
    return decode_reply(bind_event(result.bound.client, other.name, str(name)), value).invalid is None


def context_is_unheard_on_setup(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """On Setup and Notification, context reaches no model."""
    if given.event not in ("Setup", "Notification"):  # explored-setup-context, explored-notification-context
        return default(given)
    return default(structs.replace(given, reply=structs.replace(given.reply, context=None)))


def plugin_variables_are_for_plugins(starting: Starting, default: Callable[[Starting], str]) -> str:
    """A hook outside of a plugin that uses a plugin's variable is not started."""
    if starting.action.origin.scope in (Scope.PLUGIN, Scope.COMPONENT):  # placeholder-plugin-root
        return default(starting)
    names = (name for name in starting.profile.execution.plugin_exports if f"${{{name}}}" in starting.action.command)
    name = next(names, "")
    return f"${{{name}}} is set only for hooks of a plugin" if name else default(starting)


def refusal_ends_the_turn(asked: Asked, default: Callable[[Asked], Reply | None]) -> Reply | None:
    """The refusal of a prompt hook also ends the turn, but with continueOnBlock and when the agent stops."""
    reply, action = default(asked), asked.action  # semantics.md section 7; an agent is as with continueOnBlock
    if not refuses(reply) or not isinstance(action, Prompt) or action.continue_on_block:
        return reply
    if reply is None or asked.event in ("Stop", "SubagentStop"):
        return reply
    return structs.replace(reply, stop=True, stop_reason=reply.reason)


def verdicts_on_permissions_have_no_effect(asked: Asked, default: Callable[[Asked], Reply | None]) -> Reply | None:
    """On PermissionRequest and PermissionDenied, a model's verdict has no effect."""
    # The fact sheet, table 2: ok:false has no effect on a request, and what is said to a denial is dropped.
    return None if asked.event in ("PermissionRequest", "PermissionDenied") else default(asked)


def guards_lose_the_file(lost: Lost, default: Callable[[Lost], LossScope]) -> LossScope:
    """A bad entry under PreToolUse or PermissionRequest costs the whole file, with its permissions."""
    # cfg-unknown-type, h-cfg-bad-pre-perms; elsewhere it costs itself
    return LossScope.FILE if lost.event in ("PreToolUse", "PermissionRequest") else default(lost)


def powershell_needs_a_program(
    named: ShellNamed, default: Callable[[ShellNamed], Interpreter | None]
) -> Interpreter | None:
    """With "shell": "powershell", pwsh or powershell runs the hook; without either it does not run."""
    if named.name != "powershell":
        return default(named)
    return Interpreter(  # shell-powershell; the options were seen with a program of that name
        programs=("pwsh", "powershell"),
        options=("-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"),
        suffix="\n; if (-not $?) { if ($LASTEXITCODE -eq 2) { exit 2 } }",
    )


PROFILE = Profile(
    name="claude-code",
    title="Claude Code",
    release="2.1.325",
    basis="recorded",
    program="claude",
    oldest="2.1.143",
    changes=_CHANGES,
    nicknames=("claude",),
    events=EVENT_NAMES,
    tools=TOOLS,
    recognition=Recognition(
        words=("claude",),
        shared_variables=("CLAUDE_PLUGIN_ROOT",),
        also_called_by={"cursor": "cursor_version", "copilot-cli": "timestamp", "copilot-vscode": "timestamp"},
        wrong_places={
            ".claude-plugin/hooks/*.json": "hooks/hooks.json, beside .claude-plugin",
            ".claude-plugin/hooks.json": "hooks/hooks.json, beside .claude-plugin",
        },
    ),
    sources=(
        managed("etc/claude-code/managed-settings.json", FileKind.SETTINGS),
        managed("etc/claude-code/managed-settings.d/*.json", FileKind.SETTINGS),
        managed("Library/Application Support/ClaudeCode/managed-settings.json", FileKind.SETTINGS),
        managed("ProgramData/ClaudeCode/managed-settings.json", FileKind.SETTINGS),
        user(".claude/settings.json", FileKind.SETTINGS, home_variable="CLAUDE_CONFIG_DIR", writing=Writing.PREFERRED),
        project(".claude/settings.json", FileKind.SETTINGS, writing=Writing.PREFERRED),
        local(".claude/settings.local.json"),
        plugin("hooks/hooks.json", ".claude-plugin"),
        plugin("hooks/hooks.json", sniffed=True),
        plugin(".claude-plugin/plugin.json", ".claude-plugin", FileKind.MANIFEST, default_file="hooks/hooks.json"),
        component("skills/**/SKILL.md", Root.PLUGIN, marker=".claude-plugin"),
        component("commands/**/*.md", Root.PLUGIN, marker=".claude-plugin"),
        # "For security reasons", say its documents on subagents.
        component(
            "agents/**/*.md", Root.PLUGIN, marker=".claude-plugin", ignored="hooks of a plugin's agents are ignored"
        ),
        component(".claude/skills/**/SKILL.md"),
        component(".claude/agents/**/*.md", events=AGENT_EVENTS),
        component(".claude/commands/**/*.md"),
        component(".claude/skills/**/SKILL.md", Root.HOME),
        component(".claude/agents/**/*.md", Root.HOME, events=AGENT_EVENTS),
        component(".claude/commands/**/*.md", Root.HOME),
    ),
    layout=Layout(
        common_keys=COMMON_KEYS,
        action_keys=_ACTION_KEYS,
        on_bad_entry=LossScope.ENTRY,
        values="strict",
        empty_command="ignored",
        null_matcher=False,
        once_in_components_only=True,
    ),
    matching=Matching(
        mode=EXACT_LIST,
        on={"FileChanged": NARROW_LIST, "StopFailure": NARROW_LIST},
        values=VALUES,
        tool_aliases={"Agent": frozenset({"Task"})},
    ),
    timeouts=Timeouts(
        async_default_ms=15_000,  # async-output
        default_ms=600_000,
        defaults_ms={
            "prompt": 30_000,
            "agent": 60_000,
            "UserPromptSubmit": 30_000,
            "MessageDisplay": 10_000,
            "SessionEnd": 1_500,
        },
        maximums_ms={"SessionEnd": 60_000},
    ),
    execution=Execution(
        cwd_follows=True,  # semantics.md, section 9
        order=Order.PARALLEL,
        dedupe=Dedupe.COMMAND,  # a plugin's copy runs in addition (h-plugin-dedupe)
        honours_async=True,
        project_variable="CLAUDE_PROJECT_DIR",
        exports=(
            "CLAUDE_PROJECT_DIR",
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_REMOTE",
            "CLAUDE_CODE_BRIDGE_SESSION_ID",
            "CLAUDE_CODE_TMPDIR",
            "CLAUDE_CODE_CHILD_SESSION",
            "CLAUDE_EFFORT",
            "CLAUDE_PID",
            "AI_AGENT",
        ),
        plugin_exports=("CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"),
        event_exports={"CLAUDE_ENV_FILE": _ENV_FILE_EVENTS},
        substituted=("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"),
    ),
    exits=Exits(
        silent_reason="No stderr output",
        blocks_above={"WorktreeCreate": 0},
        warning="stderr",
        json="always",  # exit1-json-deny, exit3-out
        keeps_reply=True,
        ignored_on=frozenset(
            {
                "PermissionRequest",  # permreq-exit2: only its JSON counts
                "SessionStart",
                "SubagentStart",
                "SessionEnd",
                "MessageDisplay",
                "Notification",
                "PostCompact",
                "StopFailure",
                "Setup",
            }
        ),
    ),
    folding=Folding(
        asks_without_decision_on=frozenset({"PermissionRequest"}),
        input_needs={"Bash": "command", **dict.fromkeys(("Read", "Write", "Edit"), "file_path")},
        refusal_effects={"PostToolBatch": "stop"},
        joined_reasons=dict.fromkeys(
            ("Stop", "SubagentStop", "PostToolUse", "PostToolUseFailure", "TaskCreated", "TaskCompleted"), "\n"
        ),
        reason_to={"TaskCreated": "model", "TaskCompleted": "model", "PostToolBatch": "none"},
        default_reason="Blocked by hook",
        precedence=("deny", "defer", "ask", "allow"),  # hooks reference: deny > defer > ask > allow
        decisions={"PermissionRequest": "first to finish"},  # permreq-conflict
        reason="last to finish",  # two-deny-denyslow
        rewrite_winner="last to finish",  # two-updatedInput-slow
        context="completion order",
    ),
    stopping=Stopping(
        cap=8,
        continue_false_on={
            "PreToolUse": "stops after the tool has run",  # pre-continue-false
            "PostToolUseFailure": "ignored",
            "PermissionRequest": "ignored",
            "SessionStart": "ignored",
            # explored-EVENT-continue-false
            **dict.fromkeys(
                (
                    "Setup",
                    "TaskCreated",
                    "TaskCompleted",
                    "PostCompact",
                    "CwdChanged",
                    "InstructionsLoaded",
                    "PreModelSwitch",
                    "PostModelSwitch",
                    "StopFailure",
                    "PermissionDenied",
                    "Notification",
                    "SubagentStart",
                    "FileChanged",
                    "ConfigChange",
                    "WorktreeRemove",
                    "Elicitation",
                    "ElicitationResult",
                ),
                "ignored",
            ),
            "PreCompact": "ignored",
            "MessageDisplay": "ignored",
            "SessionEnd": "ignored",
        },
    ),
    effects={
        "PostToolUse": "the model is told; the result stays",
        "PostToolBatch": "the turn ends; the model never sees the reason",
    },
    types_on={
        event: _STARTING_TYPES if event in {"SessionStart", "Setup"} else _OBSERVED_TYPES
        for event in EVENT_NAMES
        if event not in _EVERY_TYPE_ON
    },
    disturbed_by_hooks={"WorktreeCreate": "a hook takes the place of git worktree"},  # ev-worktree-*
    setup=("trust the folder when Claude Code asks; with -p it does not ask",),
    switches=(Switch(("disableAllHooks",)), Switch(("allowManagedHooksOnly",), reach="unmanaged")),
    settings=(SettingsRule(shape=SETTINGS),),
    model_hooks=ModelHookRules(
        backslash_escapes=True,
    ),
    wire=CLAUDE_WIRE,
    answers=CLAUDE_ANSWERS,
    overrides=Overrides(
        loss=(guards_lose_the_file,),
        interpreter=(powershell_needs_a_program,),
        why_not_started=(plugin_variables_are_for_plugins,),
        judge=(refusal_ends_the_turn, verdicts_on_permissions_have_no_effect),
        read_entry=(some_keys_hold_words,),
        weigh=(context_is_unheard_on_setup, output_needs_its_type, long_context_is_cut),
        fold=(context_keeps_going, initial_message_is_told),
        decode=(specific_names_its_event, bad_values_void_the_reply),
        interpret=(
            stderr_is_shown_at_the_end,
            block_is_told_with_status_2,
            stderr_is_the_reason,
            foreign_reply_is_the_reason,
            compaction_gets_text,
        ),
    ),
)

# Played with 2.1.325 in tests/realclients/test_plugin.py. It runs a plugin of a local marketplace where that is.
PLUGIN = PluginForm(
    noun="plugin",
    manifests={
        ".claude-plugin/plugin.json": {
            "name": "{name}",
            "version": "{version}",
            "description": "{description}",
            "author": {"name": "{author}"},
        },
        ".claude-plugin/marketplace.json": {
            "name": "{name}",
            "description": "{description}",
            "owner": {"name": "{author}"},
            "plugins": [{"name": "{name}", "source": "./", "description": "{description}"}],
        },
    },
    hook_file="hooks/hooks.json",
    root="CLAUDE_PLUGIN_ROOT",
    validation="claude plugin validate {folder}",
    installation=("claude plugin marketplace add {folder}", "claude plugin install {name}@{name}"),
    installed="{folder}",
)

DIALECT = ProfiledDialect(PROFILE, plugin_form=PLUGIN)
