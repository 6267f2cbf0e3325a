"""OpenAI Codex CLI: recorded with release 0.166.0 (``conformance/recordings/codex``), source facts in ``codex.md``."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import (
    CONTEXT,
    REASON,
    SPECIFIC_NAME,
    UNIVERSAL,
    bad_values_void_the_reply,
    long_context_is_cut,
    specific,
    wrong_event,
)
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping
from anyhook.dialects.files.actions import BadEntryError, Reading
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Writing, managed, plugin, project, user
from anyhook.dialects.profile import (
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
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.settings.codex import PROJECT_SETTINGS, SETTINGS
from anyhook.dialects.stages import (
    Answer,
    Ended,
    Entry,
    Fold,
    FoundJson,
    Opened,
    Said,
    Weighed,
    broken_json_fails,
    parse_json,
    void,
)
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, PATCH, Tool, Tools, event_names, names, tool
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.origin import Scope
from anyhook.model.outcome import Outcome
from anyhook.model.output import Decision, Reply

_TRIGGERS = frozenset({"manual", "auto"})
_TOML = frozenset({FileKind.TOML})

_TAKES_NO_STOP = (
    # "unsupported" here: the hook counts as failed and the tool runs
    Field("continue", ("continue",), {"true": ""}),
    Field("stop_reason", ("stopReason",), refused=True),
    Field("suppress", ("suppressOutput",), {"false": ""}),
    Field("message", ("systemMessage",)),
)
_BLOCK = Field("decision", ("decision",), {"block": "block"})
_ONLY_CONTEXT = (CONTEXT, *UNIVERSAL)

_ANSWERS = Answers(
    on={
        "PreToolUse": (
            specific("decision", "permissionDecision", values={"deny": "deny", "allow": "allow"}),
            specific("reason", "permissionDecisionReason"),
            structs.replace(specific("input", "updatedInput"), any_type=True),  # explored-pre-input-is-a-list
            CONTEXT,
            Field("decision", ("decision",), {"block": "deny", "approve": ""}),
            REASON,
            *_TAKES_NO_STOP,
        ),
        "PermissionRequest": (
            specific("decision", "decision", "behavior", values={"allow": "allow", "deny": "deny"}),
            specific("reason", "decision", "message"),
            specific("input", "decision", "updatedInput", refused=True),
            specific("permissions", "decision", "updatedPermissions", refused=True),
            specific("interrupt", "decision", "interrupt", values={"false": ""}),
            *_TAKES_NO_STOP,
        ),
        "PostToolUse": (
            _BLOCK,
            REASON,
            CONTEXT,
            specific("output", "updatedMCPToolOutput", refused=True),
            Field("continue", ("continue",)),
            Field("stop_reason", ("stopReason",)),
            Field("suppress", ("suppressOutput",), {"false": ""}),
            Field("message", ("systemMessage",)),
        ),
        "UserPromptSubmit": (_BLOCK, REASON, CONTEXT, *UNIVERSAL),
        **dict.fromkeys(("Stop", "SubagentStop"), (_BLOCK, REASON, *UNIVERSAL)),
        **dict.fromkeys(("SessionStart", "SubagentStart"), _ONLY_CONTEXT),
        **dict.fromkeys(("PreCompact", "PostCompact", "SessionEnd"), UNIVERSAL),
    },
    event_names=(SPECIFIC_NAME,),
    # One misspelled key voids a JSON answer; an exit status cannot be misspelled.
    block_by_exit=frozenset(
        {"PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"}
    ),
    text_is_context_on=frozenset({"SessionStart", "SubagentStart", "UserPromptSubmit"}),
)

_EVENTS = event_names(
    "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PermissionRequest Stop SubagentStart "
    "SubagentStop PreCompact PostCompact",
)
_FIRST_COMMAND_KEYS = {
    "command": "command",
    "commandWindows": "by_os.windows",
    "command_windows": "by_os.windows",
    "async": "is_async",
}
_COMMAND_KEYS = {**_FIRST_COMMAND_KEYS, "additionalContextLimit": "context_limit"}


def null_counts_as_absent(entry: Entry, default: Callable[[Entry], Reading]) -> Reading:
    """null in timeout or commandWindows counts as no such key."""
    nullable = ("timeout", "commandWindows", "command_windows")  # explored-null-timeout, explored-null-command-windows
    kept = {key: value for key, value in entry.value.items() if value is not None or key not in nullable}
    return default(structs.replace(entry, value=kept))


def async_is_refused(entry: Entry, default: Callable[[Entry], Reading]) -> Reading:
    """A hook with "async": true is skipped."""
    reading = default(entry)
    if entry.value.get("async") is not True:
        return reading
    why = f"{entry.profile.title}: async hooks are not supported yet; this one is skipped"
    raise BadEntryError("K005", why, 'remove "async"', "async", harmless=True)


def bad_entry_in_toml_ends_it(opened: Opened, default: Callable[[Opened], Layout]) -> Layout:
    """A bad entry in config.toml keeps the client from starting."""
    if opened.kind is not FileKind.TOML:  # toml-bad-entry, toml-user-bad-entry
        return default(opened)
    return structs.replace(default(opened), on_bad_entry=LossScope.START)


# Played in the releases: conformance/history/codex.json has the vectors that show each.
_CHANGES = (
    ReleaseChange(
        since="0.148.0",
        what="runs async hooks",
        before={"overrides.read_entry": (async_is_refused, null_counts_as_absent)},
    ),
    ReleaseChange(
        since="0.148.0",
        what="knows hooks of type mcp_tool, which lose the file in earlier releases",
        before={"layout.action_keys": {"command": _COMMAND_KEYS}},
    ),
    ReleaseChange(
        since="0.145.0",
        what="has SessionEnd",
        before={"events": {event: natives for event, natives in _EVENTS.items() if event != "SessionEnd"}},
    ),
    ReleaseChange(
        since="0.145.0",
        what="reads additionalContextLimit",
        before={"layout.action_keys": {"command": _FIRST_COMMAND_KEYS}},
    ),
)

_PATCH = Tool(("apply_patch",), patch="command", loss="the paths and contents are inside the text of a patch")


def byte_order_mark_is_text(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """JSON behind a byte order mark is plain text."""
    return FoundJson(JsonUse.NONE) if ended.printed.stdout.strip().startswith("\ufeff") else default(ended)


def lists_fail(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """Text that begins like a JSON list makes the hook fail."""
    if ended.text[:1] != "[" or ended.code != 0:
        return default(ended)
    why = parse_json(ended.text)
    if isinstance(why, Cause):
        return FoundJson(ended.use, fault=Cause(CauseKind.NOT_JSON, f"{ended.use} is not valid JSON: {why.text}"))
    fault = Cause(CauseKind.NOT_AN_OBJECT, f"{ended.use} is JSON, but not an object")
    return FoundJson(ended.use, fault=fault)


def specific_names_an_event(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A hookSpecificOutput that names no event, or SessionEnd on another one, costs the whole reply."""
    specific, event = answer.at("hookSpecificOutput"), answer.bound.native_event
    named = answer.at(*SPECIFIC_NAME)  # explored-start-names-session-end
    if not isinstance(specific, dict) or not (named is None or (named == "SessionEnd" and event != "SessionEnd")):
        return default(answer)
    return wrong_event(SPECIFIC_NAME, named, event)


def unknown_keys_void_the_reply(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """One key that Codex does not know on the event costs the whole reply."""
    reply = default(answer)
    unknown = next((cause for cause in reply.unread if cause.kind is CauseKind.UNKNOWN_KEY), None)
    if unknown is None:
        return reply
    text = f"is not a key that {answer.bound.title} knows here"
    return structs.replace(void(CauseKind.UNKNOWN_KEY, unknown.pointer, text), unread=reply.unread)


def approve_needs_a_decision(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """On PreToolUse, "decision": "approve" without permissionDecision costs the whole reply."""
    reply = default(answer)  # explored-pre-approve-with-input, pre-deny-beside-approve
    is_alone = answer.value.get("decision") == "approve" and reply.decision is None and reply.invalid is None
    if answer.bound.event != "PreToolUse" or not is_alone:
        return reply
    return void(CauseKind.BAD_VALUE, "/decision", "cannot be 'approve' alone")


def parts_that_need_another(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """A refusal without its reason, an allow without an input, or one of these alone, costs the whole reply."""
    reply = default(answer)
    if reply.invalid is not None:
        return reply
    part, wanted = _needs(answer.bound.event, reply)
    return void(CauseKind.UNSUPPORTED, reply.read[part].pointer, f"is not accepted without {wanted}") if part else reply


def _needs(event: str, reply: Reply) -> tuple[str, str]:
    """A part of a reply that is accepted only with another one, and the other one, which is not there."""
    decision, has_reason = reply.decision, bool(reply.reason and reply.reason.strip())
    is_first = event == "PreToolUse"
    if is_first and decision is Decision.DENY and not (has_reason and _is_beside(reply)):
        return "decision", "reason beside it"  # explored-pre-deny-top-reason
    if is_first and decision is Decision.ALLOW and reply.updated_input is None:
        return "decision", "input"
    if is_first and reply.updated_input is not None and decision is not Decision.ALLOW:
        return "input", "decision allow"
    if event in _BLOCKS and decision is Decision.BLOCK and not has_reason:
        return "decision", "reason"
    if event in ("PreToolUse", "PostToolUse") and reply.reason is not None and decision is None:
        return "reason", "decision"  # explored-pre-reason-alone
    return "", ""


_BLOCKS = frozenset({"PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"})


def _is_beside(reply: Reply) -> bool:
    """Whether the reason is in the object that the decision is in."""
    one, other = reply.read["decision"].pointer, reply.read["reason"].pointer
    return one.rpartition("/")[0] == other.rpartition("/")[0]


def stop_survives_what_is_unsupported(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """After a tool and on a prompt, continue: false counts, with its reason, beside a part that is not accepted."""
    reply = default(answer)  # explored-post-stop-*
    is_unsupported = reply.invalid is not None and reply.invalid.kind is CauseKind.UNSUPPORTED
    if not is_unsupported or answer.bound.event not in ("PostToolUse", "UserPromptSubmit"):
        return reply
    if answer.value.get("continue") is not False:
        return reply
    said = {key: text for key in ("stopReason", "reason") if isinstance(text := answer.value.get(key), str)}
    return Reply(stop=True, stop_reason=said.get("stopReason"), reason=said.get("reason"))


def input_with_allow(said: Said, default: Callable[[Said], ProcessAnswer]) -> ProcessAnswer:
    """An input is written with allow, and allow only with an input."""
    reply, has_input = said.reply, said.reply.updated_input is not None
    if said.bound.event != "PreToolUse" or reply.stop:
        return default(said)
    if has_input and reply.decision is None:
        return default(structs.replace(said, reply=structs.replace(reply, decision=Decision.ALLOW)))
    if has_input or reply.decision is not Decision.ALLOW:
        return default(said)
    answer = default(structs.replace(said, reply=structs.replace(reply, decision=None, reason=None)))
    return structs.replace(answer, lost=("allow", *answer.lost))


def reason_before_stop_reason(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """Where continue: false refuses, the reason is "reason", then "stopReason", then a sentence of Codex's own."""
    if not given.stop_blocks:
        return default(given)
    reason = given.reply.reason or given.reply.stop_reason or "PostToolUse hook stopped execution"
    return default(structs.replace(given, reply=structs.replace(given.reply, stop_reason=reason)))


def context_before_reason(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """Context reaches the model before the reason of a refusal."""
    outcome = default(given)
    told = (outcome.reason,)
    if not outcome.reason or outcome.to_model[:1] != told:
        return outcome
    return structs.replace(outcome, to_model=(*outcome.to_model[1:], *told))


PROFILE = Profile(
    name="codex",
    title="Codex",
    release="0.166.0",
    basis="recorded",
    program="codex",
    oldest="0.142.0",  # "codex exec" of earlier ones runs no hooks without a person who trusts them first
    changes=_CHANGES,
    events=_EVENTS,
    tools=Tools(
        kinds={
            "shell": tool("Bash"),
            "write": _PATCH,
            "edit": _PATCH,
            "subagent": tool("spawn_agent"),
        },
        many_files={"apply_patch": PATCH},
        # "Tool names `shell`, `exec_command` never match Bash" (semantics.md, Matchers).
        never_sent=frozenset({"shell", "exec_command", "unified_exec", "local_shell", "container.exec"}),
        others=names(
            "update_plan view_image wait_agent write_stdin",
        ),
        mcp=DOUBLE_UNDERSCORE,
    ),
    recognition=Recognition(words=("codex",), keys=("commandWindows",)),
    sources=(
        managed("etc/codex/hooks.json"),
        managed("etc/codex/config.toml", FileKind.TOML),
        user(".codex/hooks.json", home_variable="CODEX_HOME", writing=Writing.PREFERRED),
        user(".codex/config.toml", FileKind.TOML, home_variable="CODEX_HOME", writing=Writing.IF_USED),
        project(".codex/hooks.json", writing=Writing.PREFERRED),
        project(".codex/config.toml", FileKind.TOML, writing=Writing.IF_USED),
        plugin("hooks/hooks.json", ".codex-plugin"),
        plugin(".codex-plugin/hooks.json", ".codex-plugin"),
        plugin("hooks/codex-hooks.json", "hooks/codex-hooks.json"),
        plugin(".codex-plugin/plugin.json", ".codex-plugin", FileKind.MANIFEST),
    ),
    layout=Layout(
        file_keys=frozenset({"description", "hooks"}),  # a "version" or "$schema" rejects the file [config]
        text_keys=frozenset({"description"}),
        common_keys={"timeout": "timeout", "statusMessage": "status_message"},
        action_keys={
            "command": _COMMAND_KEYS,
            "mcp_tool": {"server": "server", "tool": "tool", "input": "input"},
        },
        refused_types={
            "prompt": "prompt hooks are not supported yet; this one is skipped",
            "agent": "agent hooks are not supported yet; this one is skipped",
        },
        on_bad_entry=LossScope.FILE,  # [types, timeouts]
        on_bad_event=LossScope.FILE,
        empty_command="ignored",  # explored-empty-command
        command_required=True,  # explored-windows-command-alone
        flat_entry="ignored",  # [config flat]: accepted, runs nothing, no warning
        byte_order_mark=False,
    ),
    matching=Matching(
        # explored-patch-alias-*: a pattern is tried on the aliases, too.
        mode=MatchMode(exact=r"[A-Za-z0-9_|]*", flavour="rust", invalid=Invalid.DROPPED, pattern_sees_aliases=True),
        values={
            "SessionStart": frozenset({"startup", "resume", "clear", "compact"}),
            "SessionEnd": frozenset({"other"}),
            "PreCompact": _TRIGGERS,
            "PostCompact": _TRIGGERS,
        },
        tool_aliases={"apply_patch": frozenset({"Write", "Edit"}), "spawn_agent": frozenset({"Agent"})},
    ),
    timeouts=Timeouts(
        default_ms=600_000,
        defaults_ms={"SessionEnd": 1_000},
        minimum_ms=1_000,
        maximums_ms={"SessionEnd": 3_000},
        whole_numbers=True,
        zero="minimum",
    ),
    execution=Execution(
        order=Order.PARALLEL,
        shell=("/bin/bash", "-c"),
        uses_login_shell=True,  # fact sheet: `$SHELL -lc`, /bin/sh if it is not set
        waits_for_pipe=True,
        honours_async=True,
        sync_on=frozenset({"SessionEnd"}),
        max_async=8,
        courtesy_exports={"CLAUDE_PLUGIN_ROOT": "PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA": "PLUGIN_DATA"},
        plugin_exports=("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"),
        substituted=("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "PLUGIN_DATA", "CLAUDE_PLUGIN_DATA"),
    ),
    exits=Exits(
        needs="stderr",  # [pre_exit]: exit 2 with empty stderr is a failed hook and the tool runs
        json="zero",
        ignored_on=frozenset({"SessionStart", "SubagentStart", "PreCompact", "PostCompact", "SessionEnd"}),
    ),
    folding=Folding(
        asks_without_decision_on=frozenset({"PermissionRequest"}),
        input_needs={"Bash": "command"},  # pre-updated-input-bad-shape
        joined_reasons=dict.fromkeys(("PostToolUse", "Stop", "SubagentStop"), "\n\n"),
        reason_replaces_output_on=frozenset({"PostToolUse"}),
        reason="first",
        rewrite_winner="last to finish",
    ),
    stopping=Stopping(
        cap=None,  # 327 blocks in a row were seen
        continue_false_on={"PreToolUse": "invalid", "PostToolUse": "blocks", "SubagentStart": "ignored"},
    ),
    cannot_block=frozenset({"PreCompact"}),
    effects={
        "PostToolUse": "the tool's output is replaced by the reason",
        "PreCompact": "only continue: false stops it",
    },
    setup=(  # semantics.md, Trust
        'trust the project: trust_level = "trusted" under [projects."{project}"] in ~/.codex/config.toml',
        "start codex and trust the new hooks with /hooks: it skips others, and changed ones, silently",
        "headless, after you have looked at them: codex exec --dangerously-bypass-hook-trust",
    ),
    switches=(
        Switch(("features", "hooks"), value=False, file="config.toml"),  # explored-stop-switch-in-json
        Switch(("features", "codex_hooks"), value=False, file="config.toml"),  # settings-switch-codex-hooks
    ),
    settings=(
        SettingsRule(shape=SETTINGS, costs=LossScope.START, kinds=_TOML, scopes=frozenset({Scope.USER})),
        SettingsRule(shape=PROJECT_SETTINGS, costs=LossScope.START, kinds=_TOML, scopes=frozenset({Scope.PROJECT})),
    ),
    answers=_ANSWERS,
    overrides=Overrides(
        layout=(bad_entry_in_toml_ends_it,),
        read_entry=(null_counts_as_absent,),
        weigh=(reason_before_stop_reason, long_context_is_cut),
        fold=(context_before_reason,),
        find_json=(byte_order_mark_is_text, broken_json_fails, lists_fail),
        decode=(
            stop_survives_what_is_unsupported,
            specific_names_an_event,
            unknown_keys_void_the_reply,
            parts_that_need_another,
            approve_needs_a_decision,
            bad_values_void_the_reply,
        ),
        encode=(input_with_allow,),
    ),
)

DIALECT = ProfiledDialect(PROFILE)
