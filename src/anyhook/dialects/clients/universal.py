"""The package format of the universal hooks spec (seed 000, AAM): kebab-case ``hooks/hooks.json``, version 1."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import BORROWED_TOOLS, CONTEXT, REASON, SPECIFIC_NAME, UNIVERSAL, specific
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping, WireFormat
from anyhook.dialects.files.reading import read_file
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, managed, project
from anyhook.dialects.profile import Execution, Layout, LossScope, Matching, MatchMode, Profile, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.stages import Fold
from anyhook.dialects.vocabulary import event_names
from anyhook.model.document import Document
from anyhook.model.events import Subject
from anyhook.model.hooks import Fate, FateState, Guard, HookFile, Rule, with_fate
from anyhook.model.origin import Scope
from anyhook.model.outcome import Outcome

# "Regex pattern for filtering by tool name": no other event has a subject.
_TOOL_EVENTS_ONLY = dict.fromkeys(
    ("SessionStart", "SessionEnd", "SubagentStop", "PreCompact", "Notification"), Subject.NOTHING
)

_REFUSALS = {"deny": "block", "allow": "", "ask": ""}
_BLOCK = (Field("decision", ("decision",), {"block": "block"}), REASON)
_NESTED_REFUSAL = (
    specific("decision", "permissionDecision", values=_REFUSALS),
    specific("reason", "permissionDecisionReason"),
)
_PERMISSION = (
    specific("decision", "permissionDecision", values={"deny": "deny", "ask": "ask", "allow": "allow"}),
    specific("reason", "permissionDecisionReason"),
    specific("input", "updatedInput"),
    CONTEXT,
)
_ANSWERS = Answers(
    on={
        **dict.fromkeys(("PreToolUse", "PermissionRequest"), _PERMISSION),
        # "stop" is listed under both shapes; its own example has the second.
        "Stop": (*_BLOCK, *_NESTED_REFUSAL),
        "SubagentStop": _BLOCK,
        "UserPromptSubmit": (*_NESTED_REFUSAL, *_BLOCK, CONTEXT),
        "PostToolUse": (*_BLOCK, CONTEXT),
        "SessionStart": (CONTEXT,),  # "context inject"; the spec does not say how
        "*": UNIVERSAL,
    },
    event_names=(SPECIFIC_NAME,),
)


def refusal_is_told(given: Fold, default: Callable[[Fold], Outcome]) -> Outcome:
    """The reason of a refusal reaches the model also on events that cannot be blocked."""
    outcome = default(given)  # "stderr fed back to agent", whatever the event
    is_told = given.event in ("SessionStart", "SessionEnd", "PreCompact", "Notification") and outcome.reason
    return structs.replace(outcome, to_model=(outcome.reason, *outcome.to_model)) if is_told else outcome


PROFILE = Profile(
    name="universal",
    title="universal hooks",
    release="universal hooks spec",
    basis="specified",
    nicknames=("aam",),
    events=event_names(
        SessionStart="session-start",
        SessionEnd="session-end",
        UserPromptSubmit="pre-prompt",
        PreToolUse="pre-tool-use",
        PostToolUse="post-tool-use",
        PermissionRequest="permission-request",
        Stop="stop",
        SubagentStop="sub-agent-end",
        PreCompact="pre-compact",
        Notification="notification",
    ),
    # Unified Hook Events, column Cursor. These are events of their own in Cursor, and part of one here.
    listed_events={
        "beforeShellCommand": "PreToolUse",
        "beforeMcpCall": "PreToolUse",
        "afterFileEdit": "PostToolUse",
    },
    tools=BORROWED_TOOLS,
    recognition=Recognition(event_style=r"[a-z]+(-[a-z]+)+", variables=("PACKAGE_ROOT",)),
    sources=(
        # The organisation's hooks, for all packages: anyhook's own, not the spec's.
        managed("etc/anyhook/hooks.json"),
        managed("Library/Application Support/anyhook/hooks.json"),
        managed("ProgramData/anyhook/hooks.json"),
        project("hooks/hooks.json", sniffed=True),
        # Hooks in Python, anyhook's own, too. A name that starts with _ is that of a module which they import.
        project("hooks/[!_]*.py", sniffed=True),
        # Guards and rules without scripts, among the project's settings and in a file of their own.
        project("anyhook.toml", sniffed=True),
        project("hooks/rules.yaml", sniffed=True),
        project("hooks/rules.yml", sniffed=True),
    ),
    layout=Layout(
        version=1,
        version_required=True,
        file_keys=frozenset({"version", "hooks", "$schema"}),
        common_keys={"timeout": "timeout"},
        # Kinds of tools are anyhook's own, not the spec's: a matcher misses the tools of MCP servers that do the same.
        group_keys=frozenset({"matcher", "hooks", "kind"}),
        action_keys={"command": {"command": "command"}, "prompt": {"prompt": "prompt"}},
        unknown_event=LossScope.ENTRY,
    ),
    matching=Matching(mode=MatchMode(flavour="python"), subjects=_TOOL_EVENTS_ONLY),
    timeouts=Timeouts(default_ms=30_000, minimum_ms=1_000, maximums_ms={"*": 300_000}),
    execution=Execution(
        cwd="project",
        exports=("PACKAGE_ROOT",),
        substituted=("PACKAGE_ROOT", "file"),
        quotes_substituted=True,
        payload_exports={"file": "tool_input.file_path"},
    ),
    # JSON counts on exit 0, stderr on exit 2. A hook may give both, as the spec's own test case does: stderr counts.
    exits=Exits(json="zero"),
    folding=Folding(  # "stderr fed back to agent", whatever the event
        reason_to={"UserPromptSubmit": "both"},
    ),
    stopping=Stopping(cap=8),
    cannot_block=frozenset({"PreCompact"}),
    effects={"PostToolUse": "feedback for the agent"},
    wire=WireFormat(event_key="hookEventName", also_event_keys=("hook_event_name",), case="camel or snake"),
    answers=_ANSWERS,
    overrides=Overrides(fold=(refusal_is_told,)),
)

_OWN_LAYOUT = structs.replace(
    PROFILE.layout,
    action_keys={
        "python": {"function": "function"},
        "guard": {"guard": "guard", "settings": "settings", "failClosed": "fail_closed"},
        "rule": {"settings": "settings", "failClosed": "fail_closed"},
        "rule_command": {
            "command": "command",
            "args": "args",
            "settings": "settings",
            "failClosed": "fail_closed",
        },
    },
)
_IN_OWN_FILES = structs.replace(PROFILE, layout=_OWN_LAYOUT)


class UniversalDialect(ProfiledDialect):
    """Hooks of a package may also be functions, guards and rules; those are in files of their own, never in JSON."""

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        if not document.format.is_own:
            return read_file(self.profile, document, kind, scope)
        file = read_file(_IN_OWN_FILES, document, kind, scope)
        return structs.replace(
            file, rules=tuple(with_fate(rule, _OFF) if _is_off(rule) else rule for rule in file.rules)
        )


_OFF = Fate(FateState.DISABLED, "its level is off")


def _is_off(rule: Rule) -> bool:
    return all(isinstance(action, Guard) and action.settings.get("level") == "off" for action in rule.actions)


DIALECT = UniversalDialect(PROFILE)
