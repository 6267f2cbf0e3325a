"""Gemini CLI: recorded with release 0.61.0 (``conformance/recordings/gemini-cli``), and its source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import CONTEXT, REASON, SPECIFIC_NAME, specific
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping, WireFormat
from anyhook.dialects.files.actions import Reading
from anyhook.dialects.gemini_family import context_is_escaped, json_in_a_string, json_on_stderr, with_stop_reason
from anyhook.dialects.merging import join_texts, keep_strongest, later_keys_win, objects_of, stop_if_any
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Root, Writing, managed, plugin, project, user
from anyhook.dialects.plugin_form import Extensions, PluginForm
from anyhook.dialects.profile import (
    Dedupe,
    Execution,
    Invalid,
    Layout,
    LossScope,
    Matching,
    MatchMode,
    Order,
    Otherwise,
    Profile,
    SettingsRule,
    Switch,
    Timeouts,
    Unit,
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.settings.gemini_cli import SETTINGS
from anyhook.dialects.stages import (
    Answer,
    Ended,
    Entry,
    Fold,
    FoundJson,
    Opened,
    Printouts,
    Result,
    Starting,
    Weighed,
    answered,
    input_fault,
    parse_json,
)
from anyhook.dialects.vocabulary import ManyFiles, McpForm, Tools, event_names, names, tool
from anyhook.dialects.wire.replies import decode_reply
from anyhook.model.cause import Cause, CauseKind
from anyhook.model.events import Subject
from anyhook.model.lazyjson import dump_json
from anyhook.model.origin import Scope
from anyhook.model.outcome import Effect, Outcome, Run
from anyhook.model.output import Decision, Reply

_METADATA = ".gemini-extension-install.json"
_EXACT_VALUE = MatchMode(otherwise=Otherwise.EXACT, trim="whole")

_VERDICT = {"deny": "block", "block": "block", "allow": "", "approve": "", "ask": ""}
_GATE = (Field("decision", ("decision",), _VERDICT), REASON)
_STOP = (Field("continue", ("continue",)), Field("stop_reason", ("stopReason",)))

_ANSWERS = Answers(
    # Nothing is checked: unknown words, wrong types and other events' names are passed over [JSON].
    on={
        "PreToolUse": (
            Field(
                "decision",
                ("decision",),
                {"deny": "deny", "block": "deny", "ask": "ask", "allow": "allow", "approve": "allow"},
            ),
            REASON,
            specific("input", "tool_input"),  # Claude's updatedInput and permissionDecision are ignored
            *_STOP,
        ),
        "PostToolUse": (*_GATE, CONTEXT, specific("tail_call", "tailToolCallRequest"), *_STOP),
        "UserPromptSubmit": (*_GATE, CONTEXT, *_STOP),
        "Stop": (*_GATE, specific("clear_context", "clearContext"), *_STOP),
        "BeforeModel": (*_GATE, specific("input", "llm_request"), specific("output", "llm_response"), *_STOP),
        "AfterModel": (*_GATE, specific("output", "llm_response"), *_STOP),
        "BeforeToolSelection": (specific("input", "toolConfig"),),
        "SessionStart": (CONTEXT, *_STOP),
        "*": (Field("suppress", ("suppressOutput",)), Field("message", ("systemMessage",))),
    },
    event_names=(SPECIFIC_NAME,),
    refusal_drops_context_on=frozenset({"PostToolUse", "UserPromptSubmit"}),
    text_to_user=True,
)


# Its extension-manager.ts, and explored-extension-*. Extensions in a project's .gemini/extensions are not loaded.
_EXTENSIONS = Extensions(
    manifest="gemini-extension.json",
    needs=("name", "version"),
    names=r"[a-zA-Z0-9-]+",
    metadata=_METADATA,
    same_name_ends=True,
)


def response_needs_parts(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """Before a model is asked, a decision beside an llm_response without a list of parts does not count."""
    reply, response = default(answer), answer.at("hookSpecificOutput", "llm_response")
    is_given = isinstance(response, Mapping | list) or bool(response)  # for JavaScript
    if answer.bound.event != "BeforeModel" or reply.decision is None or not is_given or _has_parts(response):
        return reply  # else its hookTranslator.ts throws, and the request is made: explored-before-model-bad-response
    why = "has no list at /candidates/*/content/parts: the decision does not count"
    cause = Cause(CauseKind.BAD_VALUE, why, "/hookSpecificOutput/llm_response")
    read = {part: where for part, where in reply.read.items() if part != "decision"}
    return structs.replace(reply, decision=None, read=read, unread=(*reply.unread, cause))


def _has_parts(response: Any) -> bool:
    candidates = response.get("candidates") if isinstance(response, Mapping) else None
    contents = [each.get("content") if isinstance(each, Mapping) else None for each in candidates or ()]
    has_lists = all(isinstance(each, Mapping) and isinstance(each.get("parts"), list) for each in contents)
    return isinstance(candidates, list) and has_lists


def response_needs_a_block(answer: Answer, default: Callable[[Answer], Reply]) -> Reply:
    """Before a model is asked, an llm_response counts only with a decision that blocks."""
    reply = default(answer)
    if answer.bound.event != "BeforeModel" or reply.updated_output is None or reply.decision is Decision.BLOCK:
        return reply
    cause = Cause(CauseKind.BAD_VALUE, "is not accepted without decision block", reply.read["output"].pointer)
    read = {part: where for part, where in reply.read.items() if part != "output"}
    return structs.replace(reply, updated_output=None, read=read, unread=(*reply.unread, cause))


def other_json_is_silence(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """A JSON list, number, true, false or null says nothing, whatever the exit status."""
    is_other = ended.text[:1] not in ("{", '"', "") and not isinstance(parse_json(ended.text), Cause)
    return FoundJson(ended.use, {}) if is_other else default(ended)


def reply_before_status(result: Result, default: Callable[[Result], Run]) -> Run:
    """A JSON reply counts, whatever the exit status."""
    if (reply := result.good_reply) is None:
        return default(result)
    blocks = result.bound.profile.exits.blocks(result.code, result.event)
    return answered(result.run, reply, result.cause(CauseKind.EXIT_OVERRULED if blocks else CauseKind.REPLY))


_ADJUSTED = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart")


def replies_are_merged(given: Printouts, default: Callable[[Printouts], Reply | None]) -> Reply | None:
    """Replies are merged before they are read: later keys win; any refusal and any continue: false counts."""
    event = given.bound.event  # its hookAggregator.ts
    if event == "BeforeToolSelection":
        return default(given)
    allow = {"decision": "allow"}
    objects = objects_of(given, allow, {"decision": "deny", "reason": "{text}"}, allow)
    if event not in _ADJUSTED:
        nested = "hookSpecificOutput" if event in ("BeforeModel", "AfterModel") else ""
        return decode_reply(given.bound, later_keys_win(objects, nested)) if len(objects) > 1 else default(given)
    if not objects:
        return default(given)  # a single reply goes through it, too
    nested_values = [each.get("hookSpecificOutput") for each in objects]
    if any(value and not isinstance(value, Mapping | list) for value in nested_values):
        return Reply()  # explored-specific-text-*: extractAdditionalContext throws
    one = later_keys_win(objects, "hookSpecificOutput")
    for path in (("reason",), ("systemMessage",), ("hookSpecificOutput", "additionalContext")):
        join_texts(one, objects, *path)
    keep_strongest(one, objects, frozenset({"block", "deny"}), frozenset({"ask"}), frozenset({"allow", "approve"}))
    if "suppressOutput" in one:
        one["suppressOutput"] = any(bool(each.get("suppressOutput")) for each in objects)
    if reasons := stop_if_any(one, objects):
        one["stopReason"] = "\n".join(reasons)
    return decode_reply(given.bound, one)


def stop_reason_is_the_reason(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """The reason of a refusal is its stopReason, where it has one."""
    return default(with_stop_reason(given))


def suppressed_message_is_hidden(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """suppressOutput hides the systemMessage from the user."""
    if not given.reply.suppress:
        return default(given)
    return default(structs.replace(given, reply=structs.replace(given.reply, message=None)))


def response_is_shown(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """An llm_response in place of the model's is shown to the user."""
    outcome = default(given)
    output = outcome.updated_output
    if given.event not in ("BeforeModel", "AfterModel") or output is None:
        return outcome
    text = output if isinstance(output, str) else dump_json(output).decode()
    return structs.replace(outcome, to_user=(*outcome.to_user, text))


def input_comes_before_the_question(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """A rewritten input that lacks what the tool needs refuses the call, also where the user would be asked."""
    outcome = default(given)  # explored-ask-with-bad-input
    fault = input_fault(given, outcome.updated_input)
    if outcome.effect is not Effect.ASK or outcome.updated_input is None or not fault:
        return outcome
    told = tuple(text for text in outcome.to_model if text != outcome.reason)
    return structs.replace(
        outcome,
        effect=Effect.BLOCK,
        tool_runs=False,
        cause=Cause(CauseKind.INPUT_REFUSED),
        reason=fault,
        updated_input=None,
        to_model=(fault, *told),
    )


def tail_call_needs_a_name(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """A tailToolCallRequest without the name of a tool ends the client."""
    outcome = default(given)  # tail-call-without-name: its search for the tool throws
    calls = [reply.other.get("tail_call") for reply in given.replies]
    is_nameless = any(isinstance(call, Mapping) and not isinstance(call.get("name"), str) for call in calls)
    if outcome.effect is not Effect.PROCEED or not is_nameless:
        return outcome
    fault = "hook returned tail_call without string field name"
    cause, to_user = Cause(CauseKind.INPUT_REFUSED), (fault, *outcome.to_user)
    return structs.replace(outcome, effect=Effect.STOP, cause=cause, reason=fault, to_user=to_user)


def null_timeout_is_none(entry: Entry, default: Callable[[Entry], Reading]) -> Reading:
    """null as a timeout is the default."""
    kept = {key: value for key, value in entry.value.items() if key != "timeout" or value is not None}
    return default(structs.replace(entry, value=kept))  # explored-null-timeout


def extensions_are_strict_json(opened: Opened, default: Callable[[Opened], Layout]) -> Layout:
    """The hook file of an extension is strict JSON; a mistake in it costs that file alone."""
    if opened.scope is not Scope.PLUGIN:  # explored-extension-*: its extension-manager.ts
        return default(opened)
    return structs.replace(default(opened), comments=False, on_syntax_error=LossScope.FILE, single_object=False)


_QUOTED = ("GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR")
_is_no_command = re.compile(r"""[^'"\\$`;&|<>()\n\r]*""").fullmatch


def variables_are_quoted(starting: Starting, default: Callable[[Starting], str]) -> str:
    """$NAME of a variable of Gemini CLI's own is replaced by its quoted value, also within quotes."""
    text = starting.text  # explored-variable-in-quotes
    for name in _QUOTED:
        # The name may go on: $GEMINI_CWDX is the folder and an X. A value that could be read as a command within the
        # quotes around the name is left to the shell.
        if (given := starting.variables.get(name)) is not None and _is_no_command(given):
            text = text.replace(f"${name}", _quoted(given))
    return default(structs.replace(starting, text=text))


def _quoted(value: str) -> str:
    """A value without quotes as one word of a shell command, as Gemini CLI writes it."""
    return f"'{value}'" if re.search(r"\s", value) else re.sub(r"([#!*,:=?@\[\]^{}])", r"\\\1", value)


PROFILE = Profile(
    name="gemini-cli",
    title="Gemini CLI",
    release="0.61.0",
    basis="recorded",
    program="gemini",
    oldest="0.42.0",
    nicknames=("gemini",),
    events=event_names(
        "SessionStart SessionEnd BeforeModel AfterModel BeforeToolSelection Notification",
        UserPromptSubmit="BeforeAgent",
        PreToolUse="BeforeTool",
        PostToolUse="AfterTool",
        Stop="AfterAgent",
        PreCompact="PreCompress",
    ),
    # Its own migrator and early tutorials.
    former_events={"SubAgentStop": "SubagentStop", "UserPromptSubmitted": "UserPromptSubmit"},
    tools=Tools(
        kinds={
            "shell": tool("run_shell_command"),
            "read": tool("read_file", offset="start_line", limit="end_line"),
            "write": tool("write_file"),
            "edit": tool("replace", replace_all="allow_multiple"),
            "glob": tool("glob"),
            "grep": tool("grep_search search_file_content"),
            "list": tool("list_directory"),
            "web fetch": tool("web_fetch", "the address is inside the prompt"),
            "web search": tool("google_web_search"),
            "subagent": tool("invoke_agent"),
            "todo": tool("write_todos"),
            "plan": tool("exit_plan_mode"),
            "ask": tool("ask_user"),
        },
        many_files={"read_many_files": ManyFiles("read", "include")},
        others=names(
            "activate_skill enter_plan_mode read_many_files save_memory",
        ),
        mcp=McpForm("mcp_", "_"),
    ),
    recognition=Recognition(
        words=("gemini",),
        variables=("extensionPath", "GEMINI_PROJECT_DIR"),
        wrong_places={"gemini-extension.json": "hooks/hooks.json, beside the manifest"},
    ),
    sources=(  # the settings files' lists are joined in this order: explored-after-project-is-later
        user(".gemini/settings.json", FileKind.SETTINGS, writing=Writing.PREFERRED),
        project(".gemini/settings.json", FileKind.SETTINGS, writing=Writing.PREFERRED),
        managed("etc/gemini-cli/settings.json", FileKind.SETTINGS),
        managed("Library/Application Support/GeminiCli/settings.json", FileKind.SETTINGS),
        managed("ProgramData/gemini-cli/settings.json", FileKind.SETTINGS),
        plugin(".gemini/extensions/*/hooks/hooks.json", root=Root.HOME),
        plugin("hooks/hooks.json", "gemini-extension.json"),
        plugin("hooks/hooks.json", sniffed=True),
    ),
    layout=Layout(
        group_keys=frozenset({"matcher", "hooks", "sequential"}),
        common_keys={"name": "name", "description": "note", "timeout": "timeout"},
        action_keys={"command": {"command": "command", "env": "env"}},
        comments=True,
        byte_order_mark=False,
        on_syntax_error=LossScope.START,  # exit status 52
        single_object=True,  # "schema warning, but runs"
        bad_matcher="event",
        values="loose",
        event_settings=frozenset({"enabled", "disabled", "notifications"}),
    ),
    matching=Matching(
        mode=MatchMode(trim="whole", invalid=Invalid.EXACT),
        on={"SessionStart": _EXACT_VALUE, "SessionEnd": _EXACT_VALUE, "PreCompact": _EXACT_VALUE},
        # The planner gets no trigger for Notification, so a matcher there matches everything (GP).
        subjects={"Notification": Subject.NOTHING},
        values={
            "SessionStart": frozenset({"startup", "resume", "clear"}),
            "SessionEnd": frozenset({"exit", "clear", "logout", "prompt_input_exit", "other"}),
            "PreCompact": frozenset({"auto", "manual"}),
        },
    ),
    timeouts=Timeouts(
        unit=Unit.MILLISECONDS,
        default_ms=60_000,
        text_allowed=True,  # "800" works
        zero="at once",
    ),
    execution=Execution(
        order=Order.PARALLEL_UNLESS_ASKED,
        chains_input=True,
        dedupe=Dedupe.NAME_AND_COMMAND,
        shell=("bash", "-c"),
        cwd="project",
        waits_for_pipe=True,
        project_variable="GEMINI_PROJECT_DIR",
        exports=("GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_SESSION_ID", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR"),
        plugin_text=("extensionPath", "workspacePath", "/", "pathSeparator"),  # explored-extension-variables
        substituted=(
            "GEMINI_PROJECT_DIR",
            "GEMINI_CWD",
            "GEMINI_SESSION_ID",
            "GEMINI_PLANS_DIR",
            "CLAUDE_PROJECT_DIR",
            "extensionPath",
        ),
    ),
    exits=Exits(
        warning="any text",
        blocks_above={"*": 1},  # [tool_exit]: 3, 126 and 127 block like 2, if any text was printed
        needs="any text",
        json="always",
        ignored_on=frozenset({"SessionStart", "SessionEnd", "Notification", "PreCompact", "BeforeToolSelection"}),
    ),
    folding=Folding(
        input_needs={
            "run_shell_command": "command",
            **dict.fromkeys(("read_file", "write_file", "replace"), "file_path"),
        },
        joined_reasons={"*": "\n"},
        rewrite_winner="last",
        default_reason="No reason provided",
        reason_replaces_output_on=frozenset({"PostToolUse"}),
        reason_to={"Stop": "both"},
    ),
    stopping=Stopping(
        cap=None,
        continue_false_on={"SessionStart": "ignored"},
    ),
    cannot_block=frozenset({"PreCompact"}),
    # conformance/fact-sheets/gemini-cli.md
    disturbed_by_hooks={"AfterModel": "it is sent for every piece of a streamed answer"},
    effects={"PostToolUse": "the reason replaces the tool's output"},
    setup=(  # semantics.md, Trust
        "Gemini CLI warns of the new hooks once and runs them",
        'with security.folderTrust.enabled, trust the folder: "{project}": "TRUST_FOLDER" in'
        " ~/.gemini/trustedFolders.json, or GEMINI_CLI_TRUST_WORKSPACE=true for one run",
    ),
    switches=(
        Switch(("hooksConfig", "enabled"), value=False, others="by meaning"),  # settings-switch-*
        Switch(("hooksConfig", "disabled"), reach="named"),
    ),
    settings=(SettingsRule(shape=SETTINGS, costs=LossScope.START),),
    wire=WireFormat(renames_on={"Stop": {"prompt_response": "last_assistant_message"}}, timestamps="iso"),
    answers=_ANSWERS,
    overrides=Overrides(
        command_text=(variables_are_quoted,),
        layout=(extensions_are_strict_json,),
        read_entry=(null_timeout_is_none,),
        merge=(replies_are_merged,),
        weigh=(stop_reason_is_the_reason, suppressed_message_is_hidden, context_is_escaped),
        fold=(response_is_shown, tail_call_needs_a_name, input_comes_before_the_question),
        decode=(response_needs_a_block, response_needs_parts),
        find_json=(json_on_stderr, other_json_is_silence, json_in_a_string),
        interpret=(reply_before_status,),
    ),
)


class GeminiCli(ProfiledDialect):
    """Its _buildExtension fails on values that it does not check [explored-extension-*]."""

    def why_extension_is_lost(self, manifest: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        asked = manifest.get("settings")
        if asked and (not isinstance(asked, list | str) or None in asked):
            return '"settings" in its manifest is not a list of objects'
        if metadata.get("type") in ("git", "github-release") and not _is_repository(metadata.get("source") or ""):
            return f'"source" in {_METADATA} is not the address of a repository'
        return ""

    def why_extension_ends_it(self, manifest: Mapping[str, Any]) -> str:
        if (tools := manifest.get("excludeTools")) and not isinstance(tools, list | str):
            return '"excludeTools" in the manifest of this extension is not a list'
        if (themes := manifest.get("themes")) and (not isinstance(themes, list | str) or None in themes):
            return '"themes" in the manifest of this extension is not a list of objects'
        return ""


def _is_repository(source: str) -> bool:
    """Whether its tryParseGithubUrl reads an address: one of GitHub has an owner and a name."""
    if source.startswith("git@") and not source.startswith("git@github.com:"):
        return True
    try:
        url = urlsplit(urljoin("https://github.com", source.removeprefix("git@github.com:")))
    except ValueError:
        return False
    return url.hostname != "github.com" or len(list(filter(None, url.path.split("/")))) == 2


PLUGIN = PluginForm(  # played with 0.61.0 in tests/realclients/test_plugin.py
    noun="extension",
    manifests={
        "gemini-extension.json": {"name": "{name}", "version": "{version}", "description": "{description}"},
    },
    hook_file="hooks/hooks.json",
    root="extensionPath",
    validation="gemini extensions validate {folder}",
    installation=("gemini extensions install {folder}",),
    installed="~/.gemini/extensions/{name}",
)

DIALECT = GeminiCli(PROFILE, plugin_form=PLUGIN, extensions=_EXTENSIONS)
