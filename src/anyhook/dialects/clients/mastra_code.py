"""Mastra Code, the coding agent of Mastra: its source (github.com/mastra-ai/mastra, ``mastracode/src/hooks``: MC).

A ``hooks.json`` is an object of events, without "hooks" around it, each with a flat list of commands. A matcher is an
object: ``{"tool_name": "write_file"}``. Only exit status 2 blocks; JSON on stdout has a reason and context.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping, WireFormat
from anyhook.dialects.files.entries import FILE_NOTES, describe
from anyhook.dialects.files.reading import EventMap, FileReader
from anyhook.dialects.places import FileKind, Writing, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, MatchMode, Order, Profile, Shape, Timeouts, Unit
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import Tools, event_names, names, tool
from anyhook.model.document import Document, Pointer
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, Fate, FateState, HookFile, Rule
from anyhook.model.origin import Scope

NAMELESS_EVENTS = frozenset({"AgentStart", "AgentEnd", "PermissionResult", "Interrupt"})
"""Events that no other client has. Like all but three, they only observe (types.ts)."""

_WITHOUT_TOOL = ("SessionStart", "SessionEnd", "Notification", "PermissionRequest", "SubagentStart", "SubagentStop")
_OBSERVING = frozenset({"PermissionRequest", "SubagentStop"})

PROFILE = Profile(
    name="mastra-code",
    title="Mastra Code",
    release="its source, 2026-07",
    basis="documented",
    nicknames=("mastra", "mastracode"),
    events=event_names(
        "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PermissionRequest Stop SubagentStart "
        "Notification",
        SubagentStop="SubagentEnd",
    ),
    tools=Tools(  # tool-names.ts, and the tools of @mastra/core/workspace for their inputs
        kinds={
            "shell": tool("execute_command"),
            "read": tool("view", file_path="path"),
            "write": tool("write_file", file_path="path"),
            "edit": tool("string_replace_lsp", file_path="path"),
            "grep": tool("search_content"),
            "list": tool("find_files"),
            "web fetch": tool("web_extract"),
            "web search": tool("web_search"),
            "subagent": tool("subagent"),
            "todo": tool("task_write"),
            "plan": tool("submit_plan"),
            "ask": tool("ask_user"),
        },
        others=names(
            "delete_file file_stat mkdir recall ast_smart_edit get_process_output kill_process lsp_inspect",
            "request_access task_update task_complete task_check",
        ),
    ),
    recognition=Recognition(words=("mastra", "mastracode"), keys=("matcher.tool_name",)),
    sources=(  # all of them run, in this order (config.ts)
        user(".mastracode/hooks.json", writing=Writing.PREFERRED),
        project(".mastracode/hooks.json", writing=Writing.PREFERRED),
    ),
    layout=Layout(
        shape=Shape.FLAT,
        bare_map=True,  # it must be: see MastraReader
        common_keys={"timeout": "timeout", "description": "note"},
        action_keys={"command": {"command": "command"}},
    ),
    matching=Matching(
        # executor.ts: `new RegExp(tool_name).test(...)`; an invalid one never matches, an empty one always does.
        mode=MatchMode(everything=("",)),
        subjects=dict.fromkeys(_WITHOUT_TOOL, Subject.NOTHING),
        no_subject_never_matches=True,
    ),
    timeouts=Timeouts(unit=Unit.MILLISECONDS, default_ms=10_000, zero="at once"),
    execution=Execution(
        order=Order.SEQUENTIAL,
        stops_after="block",
        cwd="project",
        waits_for_pipe=True,  # it waits for "close", not for "exit"
        exports=("MASTRA_HOOK_EVENT",),
        payload_exports={"MASTRA_HOOK_EVENT": "native_event"},
    ),
    # Not said here: a "reason" on stdout goes before stderr.
    exits=Exits(json="zero and two", keeps_reply=True, warning="stderr", silent_reason="Blocked by hook"),
    folding=Folding(rewrite="none", reason="first"),
    stopping=Stopping(cap=None, continue_false="ignored"),
    cannot_block=_OBSERVING,
    wire=WireFormat(
        renames={"run_id": "turn_id"},
        renames_on={
            "UserPromptSubmit": {"user_message": "prompt"},
            "PostToolUse": {"tool_output": "tool_response"},
            "Stop": {"assistant_message": "last_assistant_message"},
            "Notification": {"reason": "notification_type"},
        },
    ),
    answers=Answers(
        # types.ts has a "decision", too, which nothing reads: only the exit status decides.
        on={"*": (Field("reason", ("reason",)), Field("context", ("additionalContext",)))},
        block_by_exit=frozenset({"*"}),
    ),
)


class MastraReader(FileReader):
    expected = '{EVENT: [{"type": "command", ...}]}, without "hooks" around it'

    def event_maps(self, data: Any) -> Iterator[EventMap]:
        if isinstance(data, dict) and not isinstance(data.get("hooks"), dict):
            yield EventMap({key: value for key, value in data.items() if key not in FILE_NOTES}, ())
            return
        if isinstance(data, dict):
            why = f'{self.profile.title} reads events at the top level, not under "hooks"'
            self.report("S001", ("hooks",), why, 'remove the "hooks" around the events')
            yield EventMap(data["hooks"], ("hooks",), Fate(FateState.DROPPED, why))
        else:
            self.lose_everything("S008", (), "the file does not hold an object of events", data)

    def accepts(self, native: str) -> bool:
        return native in NAMELESS_EVENTS or super().accepts(native)

    def is_bad_matcher(self, native: str, matcher: Any) -> bool:
        return not isinstance(matcher, dict | str)

    def read_action(self, native: str, entry: Any, pointer: Pointer, fate: Fate) -> tuple[Action, Any]:
        action, matcher = super().read_action(native, entry, pointer, fate)
        if isinstance(matcher, str):
            text = f"the matcher is text, which {self.profile.title} ignores: the hook runs on every tool"
            self.report("S008", (*pointer, "matcher"), text, f'write {{"tool_name": "{matcher}"}}')
            return action, None
        pattern = matcher.get("tool_name") if isinstance(matcher, dict) else None
        if pattern is not None and not isinstance(pattern, str):
            text = f'"tool_name" of the matcher is {describe(pattern)}, not text'
            self.report("S008", (*pointer, "matcher", "tool_name"), text, 'write {"tool_name": "a|list"}')
        return action, pattern if isinstance(pattern, str) else None


class MastraCode(ProfiledDialect):
    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return MastraReader(self.profile, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        content = super().write(rules)["hooks"]
        return {event: [_with_pattern(entry) for entry in entries] for event, entries in content.items()}

    def schema(self) -> dict[str, Any]:
        made = super().schema()
        events = made["properties"]["hooks"]["properties"]
        observed = {"type": "array", "items": {"$ref": "#/$defs/entry"}, "description": "Cannot block."}
        made["properties"] = events | dict.fromkeys(sorted(NAMELESS_EVENTS), observed)
        pattern = {"type": "object", "properties": {"tool_name": {"type": "string"}}}
        made["$defs"]["command"]["properties"]["matcher"] = pattern
        return made


def _with_pattern(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"matcher": {"tool_name": entry["matcher"]}} if "matcher" in entry else entry


DIALECT = MastraCode(PROFILE)
