"""Kiro: documents of 2026-09 (``conformance/fact-sheets/kiro.md``: KD, KV3, K2, KJ, RS, APM).

Three formats are in use: v1 of IDE 1 and CLI 3, and those of CLI 2 and IDE 0 before it (:mod:`.formats`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import REASON
from anyhook.dialects.clients.kiro.formats import (
    CLI_EVENTS,
    IdeReader,
    KiroReader,
    V1Reader,
    v1_schema,
    write_ide_hook,
    write_v1,
)
from anyhook.dialects.contract import Answers, Field, Folding, Stopping, WireFormat
from anyhook.dialects.files.writing import write_rules
from anyhook.dialects.places import FileKind, Root, Writing, component, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, MatchMode, Otherwise, Profile, Shape, Timeouts, Unit
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import McpForm, Tools, event_names, names, tool
from anyhook.model.document import Document
from anyhook.model.hooks import HookFile, Rule
from anyhook.model.origin import Scope

_NOTES = {"description": "note", "version": "note", "enabled": "note"}
_ALIASES = {
    "execute_bash": frozenset({"executeBash", "shell"}),
    "fs_read": frozenset({"read"}),
    "fs_write": frozenset({"write"}),
    "use_aws": frozenset({"aws"}),
}

# Tools know no JSON: exit 2 and stderr. On Stop the documents of CLI 2 have a decision (K2).
_ANSWERS = Answers(
    on={"Stop": (Field("decision", ("decision",), {"block": "block"}), REASON)},
    text_is_context_on=frozenset({"SessionStart", "UserPromptSubmit"}),
)

CLI2 = Profile(
    name="kiro",
    title="Kiro",
    release="CLI 2.13",
    basis="documented",
    events=event_names(
        SessionStart="SessionStart agentSpawn",
        UserPromptSubmit="UserPromptSubmit userPromptSubmit promptSubmit",
        PreToolUse="PreToolUse preToolUse",
        PostToolUse="PostToolUse postToolUse",
        PostFileCreate="PostFileCreate fileCreated",
        PostFileSave="PostFileSave fileEdited fileSaved",
        PostFileDelete="PostFileDelete fileDeleted",
        Stop="Stop stop agentStop",
        PreTaskExec="PreTaskExec preTaskExecution",
        PostTaskExec="PostTaskExec postTaskExecution",
        ManualTrigger="Manual manual userTriggered",
    ),
    tools=Tools(
        kinds={
            "shell": tool("execute_bash executeBash shell"),
            "read": tool("fs_read fsRead read"),
            "write": tool("fs_write fsWrite write"),
            "edit": tool("str_replace strReplace"),
        },
        others=names(
            "aws use_aws web",
        ),
        mcp=McpForm("@", "/"),
    ),
    recognition=Recognition(words=("kiro",)),
    layout=Layout(
        shape=Shape.FLAT,
        common_keys={
            "command": "command",
            "timeout_ms": "timeout",
            "cache_ttl_seconds": "note",
            "name": "name",
            "description": "note",
        },
        action_keys={"command": {}},
        default_type="command",
    ),
    matching=Matching(
        # Names, aliases, @server, @server/tool, @builtin and "*": never a regular expression (K2).
        mode=MatchMode(exact=r"[A-Za-z0-9_|/@-]*", otherwise=Otherwise.GLOB),
        tool_aliases=_ALIASES,
    ),
    timeouts=Timeouts(unit=Unit.MILLISECONDS, default_ms=30_000),
    execution=Execution(cwd="project"),
    folding=Folding(rewrite="none"),
    stopping=Stopping(continue_false="ignored", says_active=False),
    cannot_block=frozenset({"UserPromptSubmit"}),
    effects={"Stop": 'decision "block" goes on (K2); the migration guide does not know it (KJ)'},
    wire=WireFormat(renames_on={"Stop": {"assistant_response": "last_assistant_message"}}),
    answers=_ANSWERS,
)

PROFILE = structs.replace(
    CLI2,
    release="IDE 1.0, CLI 3.0",
    sources=(
        project(".kiro/hooks/*.json", writing=Writing.PREFERRED, own_file=".kiro/hooks/anyhook.json"),
        # Since CLI 2.13 (K2); another note says that CLI 3 does not read it.
        user(".kiro/hooks/*.json", writing=Writing.PREFERRED, own_file=".kiro/hooks/anyhook.json"),
        project(".kiro/hooks/*.kiro.hook", FileKind.EMBEDDED),
        # Only the agent in use runs its hooks; one here hides the user's of the same name.
        component(".kiro/agents/*.json", kind=FileKind.SETTINGS),
        component(".kiro/agents/*.json", Root.HOME, FileKind.SETTINGS),
    ),
    layout=Layout(
        shape=Shape.FLAT,
        enabled_at="hook",  # KD, v1 and IDE 0; the hooks of an agent have no such key
        version="v1",
        version_required=True,
        common_keys={**_NOTES, "name": "name", "action": "note"},
        action_keys={
            "command": {"command": "command", "timeout": "timeout", "confirm": "note"},
            "prompt": {"prompt": "prompt", "timeout": "note"},  # ignored for agent actions (KD)
        },
        submits_prompts=True,
    ),
    matching=Matching(
        mode=MatchMode(otherwise=Otherwise.SEARCH, pattern_sees_aliases=True),  # KV3 shows `\\.ts$`
        tool_aliases=_ALIASES,
    ),
    timeouts=Timeouts(default_ms=60_000),
    # Exit 2 blocks (KV3); a survey says any status but 0 does. 2 is what both agree on.
    cannot_block=frozenset({"Stop"}),  # KD
    effects={},
    variants={"agentSpawn|userPromptSubmit|preToolUse|postToolUse|stop": CLI2},
)

IDE0 = structs.replace(
    PROFILE,
    release="IDE 0.x",
    layout=structs.replace(
        PROFILE.layout,
        common_keys={**_NOTES, "name": "name", "then": "note", "shortName": "note"},
        action_keys={
            "command": {"command": "command", "timeout": "timeout"},
            "prompt": {"prompt": "prompt", "timeout": "note"},
        },
    ),
)


class Kiro(ProfiledDialect):
    """Reads all three formats. Writes rules in the format they were read from, or else, and if mixed, as v1."""

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        match kind:
            case FileKind.HOOKS:
                return V1Reader(self.profile, document, kind, scope).read()
            case FileKind.EMBEDDED:
                return IdeReader(IDE0, document, kind, scope).read()
            case _:
                return KiroReader(CLI2, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        loaded = [rule for rule in rules if any(action.is_loaded for action in rule.actions)]
        if len(loaded) == 1 and "when" in loaded[0].extra:
            return write_ide_hook(IDE0, loaded[0])
        if loaded and all(_is_from_agent(rule) for rule in loaded):
            return write_rules(CLI2, loaded)
        return write_v1(self.profile, loaded)

    def schema(self) -> dict[str, Any]:
        return v1_schema(self.profile, super().schema())


def _is_from_agent(rule: Rule) -> bool:
    return rule.origin.dialect == PROFILE.name and rule.native_event in CLI_EVENTS and "when" not in rule.extra


DIALECT = Kiro(PROFILE)
