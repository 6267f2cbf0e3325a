"""Open Plugins hooks spec (seed 002); ``conformance/fact-sheets/open-plugins.md`` tells what became of the draft."""

from __future__ import annotations

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import BLOCK, BORROWED_TOOLS, CONTEXT, PERMISSION, REASON, SPECIFIC_NAME, UNIVERSAL
from anyhook.dialects.contract import Answers, Field, Folding, Stopping, WireFormat
from anyhook.dialects.places import Root, plugin
from anyhook.dialects.profile import Execution, Invalid, Layout, Matching, MatchMode, Order, Profile, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import event_names
from anyhook.model.events import Subject

_WITHOUT_SUBJECT = ("SessionStart", "SessionEnd", "SubagentStart", "SubagentStop")

# The seed has a prompt that reviews an edit. It does not say who hears the verdict: the model does, as on PostToolUse.
_AFTER = ("AfterFileEdit", "AfterShellExecution")

# The seed says nothing of answers; Goose and Copilot read this format with Claude's.
_GATE = (Field("decision", ("decision",), {"block": "deny", "approve": "allow"}), REASON)
_ANSWERS = Answers(
    on={
        "PreToolUse": (*PERMISSION, CONTEXT),
        **dict.fromkeys(("BeforeShellExecution", "BeforeReadFile"), _GATE),
        **dict.fromkeys(("UserPromptSubmit", "Stop", "SubagentStop", "PostToolUse", *_AFTER), (BLOCK, REASON, CONTEXT)),
        **dict.fromkeys(("SessionStart", "SubagentStart", "PostToolUseFailure"), (CONTEXT,)),
        "*": UNIVERSAL,
    },
    event_names=(SPECIFIC_NAME,),
)

PROFILE = Profile(
    name="open-plugins",
    title="Open Plugins",
    release="Open Plugins spec",
    basis="specified",
    events=event_names(
        "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure "
        "BeforeShellExecution AfterShellExecution BeforeReadFile AfterFileEdit Stop SubagentStart "
        "SubagentStop",
    ),
    tools=BORROWED_TOOLS,
    recognition=Recognition(
        shared_variables=("{PLUGIN_ROOT}",),
        plugin_folders=(".agents/plugins",),  # Goose, which follows this format (fact-sheets/others.md)
    ),
    sources=(
        plugin("hooks/hooks.json", ".plugin"),
        plugin("hooks/hooks.json", "open-plugin.json"),
        plugin("hooks/hooks.json", sniffed=True, root=Root.PROJECT),
    ),
    layout=Layout(
        many_hosts=True,  # "MUST ignore event names they do not recognize"
        common_keys={"timeout": "timeout"},
        action_keys={
            "command": {"command": "command", "args": "args", "env": "env", "cwd": "cwd"},
            "prompt": {"prompt": "prompt"},
            "agent": {"prompt": "prompt"},
        },
    ),
    matching=Matching(
        mode=MatchMode(flavour="python", everything=("",), invalid=Invalid.NEVER),
        subjects=dict.fromkeys(_WITHOUT_SUBJECT, Subject.NOTHING),
    ),
    timeouts=Timeouts(default_ms=30_000),  # "SHOULD enforce timeouts"; 30 is Goose's
    execution=Execution(
        order=Order.SEQUENTIAL,  # "within a rule, hooks execute in array order"
        cwd="project",
        exports=("PLUGIN_ROOT", "PLUGIN_DATA"),
        plugin_exports=("PLUGIN_ROOT", "PLUGIN_DATA"),
        substituted=("PLUGIN_ROOT", "PLUGIN_DATA"),
        quotes_substituted=True,
    ),
    folding=Folding(
        refusal_effects=dict.fromkeys(_AFTER, "feedback"),
        reason_to=dict.fromkeys(_AFTER, "model"),
    ),
    stopping=Stopping(cap=8),
    wire=WireFormat(also_event_keys=("event",)),  # Goose
    answers=_ANSWERS,
)

DIALECT = ProfiledDialect(PROFILE)
