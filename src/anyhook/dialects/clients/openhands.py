"""OpenHands' agent SDK: its source of 2026-08-22 (``conformance/fact-sheets/openhands.md``: OC, OE, OM)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import REASON
from anyhook.dialects.contract import Answers, Exits, Field, Folding, ModelHookRules, Stopping, WireFormat
from anyhook.dialects.events import find_event
from anyhook.dialects.files.actions import BadEntryError
from anyhook.dialects.files.reading import EventMap, FileReader
from anyhook.dialects.files.writing import write_rules
from anyhook.dialects.places import FileKind, Writing, plugin, project, user
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
    Timeouts,
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import PATCH, Tool, Tools, event_names, names, tool
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Pointer
from anyhook.model.hooks import Action, HookFile, Rule
from anyhook.model.origin import Scope

_CONTEXT = Field("context", ("additionalContext",))
_CONTINUE = Field("continue", ("continue",))
_BLOCK = (Field("decision", ("decision",), {"deny": "block", "allow": ""}), REASON, _CONTEXT, _CONTINUE)
_ANSWERS = Answers(
    on={
        "PreToolUse": (
            Field("decision", ("decision",), {"deny": "deny", "allow": "allow"}),
            REASON,
            _CONTEXT,
            _CONTINUE,
        ),
        **dict.fromkeys(("UserPromptSubmit", "Stop"), _BLOCK),
        **dict.fromkeys(("PostToolUse", "SessionStart", "SessionEnd"), (_CONTEXT, _CONTINUE)),
    },
)
_WIRE = WireFormat(
    event_key="event_type",
    renames={"working_dir": "cwd"},
    renames_on={"UserPromptSubmit": {"message": "prompt"}},
    # All keys are always there (OT).
    constants={
        "*": {
            "tool_name": None,
            "tool_input": None,
            "tool_response": None,
            "message": None,
            "session_id": None,
            "working_dir": None,
            "metadata": {},
        },
    },
)


def _editor(command: str, **fields: str) -> Tool:
    merged = "read, write and edit are one tool here, distinguished by its command input"
    return Tool(("file_editor",), {"file_path": "path", **fields}, {"command": command}, loss=merged)


PROFILE = Profile(
    name="openhands",
    title="OpenHands",
    release="2026-08-22",
    basis="documented",
    events=event_names(
        SessionStart="SessionStart session_start",
        SessionEnd="SessionEnd session_end",
        UserPromptSubmit="UserPromptSubmit user_prompt_submit",
        PreToolUse="PreToolUse pre_tool_use",
        PostToolUse="PostToolUse post_tool_use",
        Stop="Stop stop",
    ),
    tools=Tools(
        kinds={
            "shell": tool("terminal"),
            "read": _editor("view"),
            "write": _editor("create", content="file_text"),
            "edit": _editor("str_replace", old_string="old_str", new_string="new_str"),
            "glob": tool("glob"),
            "grep": tool("grep"),
            "subagent": tool("task delegate"),
            "todo": tool("task_tracker"),
        },
        many_files={"apply_patch": PATCH},
        others=names(
            "apply_patch browser finish think",
        ),
    ),
    recognition=Recognition(words=("openhands",), variables=("OPENHANDS_PROJECT_DIR",)),
    sources=(
        # The first that exists is the only one (OC): a project's file hides the user's.
        project(".openhands/hooks.json", only_first=True, writing=Writing.PREFERRED),
        user(".openhands/hooks.json", only_first=True, writing=Writing.PREFERRED),
        plugin("hooks/hooks.json", ".plugin"),
    ),
    merges_scopes=False,
    layout=Layout(
        bare_map=True,
        common_keys={"name": "name", "timeout": "timeout"},
        action_keys={
            "command": {"command": "command", "async": "is_async", "async_": "is_async"},
            "prompt": {"prompt": "prompt"},
            "agent": {"system_prompt": "prompt", "tools": "tools", "max_iterations": "max_turns"},
        },
        default_type="command",
        # One model validates the whole file: any mistake rejects it, but for unknown keys of groups and hooks (OC).
        on_bad_entry=LossScope.FILE,
        on_bad_event=LossScope.FILE,
        unknown_event=LossScope.FILE,
        flat_entry="ignored",  # a group without "hooks"
        null_matcher=False,
        one_spelling=True,  # a second name of an event rejects the file (OC)
    ),
    matching=Matching(
        # Without any of |.*+?[]()^$\ a matcher is one exact name; an invalid expression is compared as text (OC).
        mode=MatchMode(exact=r"[^|.*+?\[\]()^$\\]*", otherwise=Otherwise.FULL, flavour="python", invalid=Invalid.EXACT),
        no_subject_never_matches=True,
    ),
    timeouts=Timeouts(default_ms=60_000, whole_numbers=True, text_allowed=True, zero="at once"),
    execution=Execution(
        exports_payload=True,
        order=Order.SEQUENTIAL,
        stops_after="block",  # not on PostToolUse, SessionStart and SessionEnd, where nothing can block
        cwd="project",  # working_dir, whose .openhands/hooks.json is read (OC)
        honours_async=True,
        project_variable="OPENHANDS_PROJECT_DIR",
        exports=("OPENHANDS_PROJECT_DIR", "OPENHANDS_SESSION_ID", "OPENHANDS_EVENT_TYPE"),
        event_exports={"OPENHANDS_TOOL_NAME": frozenset({"PreToolUse", "PostToolUse"})},
    ),
    exits=Exits(json="always", ignored_on=frozenset({"PostToolUse", "SessionStart", "SessionEnd"})),
    folding=Folding(rewrite="none"),
    stopping=Stopping(cap=None, says_active=False, continue_false="blocks"),
    model_hooks=ModelHookRules(verdict="decision", max_turns=3),  # max_iterations
    wire=_WIRE,
    answers=_ANSWERS,
)


class OpenHandsReader(FileReader):
    def event_maps(self, data: Any) -> Iterator[EventMap]:
        for found in super().event_maps(data):
            events = found.events if found.pointer else data
            yield structs.replace(found, events=self._checked(events, found.pointer))

    def _checked(self, events: Mapping[str, Any], pointer: Pointer) -> Mapping[str, Any]:
        """The events, without keys that are surely none. Such a key rejects the file."""
        spellings: dict[str, str] = {}
        for key in events:
            event = self.event_of(key)
            first = spellings.setdefault(event.name, key) if event else key
            if first != key:
                text = f"{first} and {key} are the same event, and only one are allowed here"
                self.report("E004", (*pointer, key), text, f"move these hooks to {first}", Severity.ERROR)
                self.lose(key, LossScope.FILE, text, (*pointer, key))
            elif not event and not find_event(key):
                text = f'"{key}" is not an event'
                self.report("K003", (*pointer, key), text, 'remove it, or wrap the events in "hooks"')
                self.lose(key, LossScope.FILE, text, (*pointer, key))
        return {key: value for key, value in events.items() if isinstance(value, list | dict) or find_event(key)}

    def add_rule(self, native: str, pointer: Pointer, actions: Sequence[Action], **more: Any) -> None:
        matcher = more.get("matcher")
        if matcher and len(matcher) > 2 and matcher.startswith("/") and matcher.endswith("/"):
            more["matcher"] = f"(?:{matcher[1:-1]})"  # /.../ marks an expression; so does this, in every dialect (OC)
        super().add_rule(native, pointer, actions, **more)

    def prepared(self, entry: Any) -> Any:
        if isinstance(entry, dict) and entry.get("type") in ("prompt", "agent"):
            for key in ("command", "async", "async_"):
                if entry.get(key):
                    text = f'"{key}" must not be set on a hook of type {entry["type"]}'
                    raise BadEntryError("K007", text, "remove it", key)
        return entry


class OpenHands(ProfiledDialect):
    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return OpenHandsReader(self.profile, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        """Each event under one spelling, because two of the same event reject the file."""
        spellings: dict[str, str] = {}
        same = [structs.replace(r, native_event=spellings.setdefault(r.event, r.native_event)) for r in rules]
        return write_rules(self.profile, same)


DIALECT = OpenHands(PROFILE)
