"""Windsurf's Cascade, now Devin Desktop: its document (``shared/dialects/windsurf.md``: WD, W12, RS).

Devin Local is another agent with files of its own (``.devin/hooks.v1.json``, Claude's manner): not described here.
"""

from __future__ import annotations

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.contract import Answers, Exits, Folding, Stopping, WireFormat
from anyhook.dialects.places import Writing, managed, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, Order, Profile, Shape, Timeouts

_WIRE = WireFormat(
    event_key="agent_action_name",
    container="tool_info",
    inside=frozenset({"cwd"}),
    renames={
        "trajectory_id": "session_id",
        "execution_id": "turn_id",
        "command_line": "command",
        "user_prompt": "prompt",
        "mcp_server_name": "mcp_server_name",
        "mcp_tool_name": "tool_name",
        "mcp_tool_arguments": "tool_input",
        "mcp_result": "tool_response",
        "response": "text",
    },
)

PROFILE = Profile(
    name="windsurf",
    title="Windsurf",
    release="Cascade hooks, document of 2026-09",
    basis="documented",
    # All are merged, in this order. Since the new name, a Devin file hides Windsurf's in the same place
    # (docs.devin.ai/desktop/cascade/hooks); the user's file kept its path. The dashboard's hooks have no file.
    sources=(
        managed("etc/devin/hooks.json", only_first=True),
        managed("Library/Application Support/Devin/hooks.json", only_first=True),
        managed("ProgramData/Devin/hooks.json", only_first=True),
        managed("etc/windsurf/hooks.json", only_first=True),
        managed("Library/Application Support/Windsurf/hooks.json", only_first=True),
        managed("ProgramData/Windsurf/hooks.json", only_first=True),
        user(".codeium/windsurf/hooks.json", writing=Writing.PREFERRED),
        user(".codeium/hooks.json"),  # JetBrains
        project(".devin/hooks.json", only_first=True, writing=Writing.IF_USED),
        project(".windsurf/hooks.json", only_first=True, writing=Writing.PREFERRED),
    ),
    layout=Layout(
        shape=Shape.FLAT,
        action_keys={
            "command": {
                "command": "command",
                "powershell": "by_os.windows",  # RS, newer
                "show_output": "show_output",
                "working_directory": "cwd",
            },
        },
        default_type="command",  # there is no "type"
    ),
    # No matcher: the event is the kind of tool, and filtering is the command's work.
    matching=Matching(ignored=True),
    timeouts=Timeouts(default_ms=None, configurable=False),  # no limit is documented
    execution=Execution(
        order=Order.SEQUENTIAL,
        cwd="project",  # working_directory; on post_setup_worktree the new worktree
        event_exports={"ROOT_WORKSPACE_PATH": frozenset({"PostSetupWorktree"})},
    ),
    exits=Exits(blocking=frozenset({2})),  # on pre_* events; stderr goes to the agent
    folding=Folding(rewrite="none"),
    stopping=Stopping(continue_false="ignored"),
    trust="a trusted workspace: none run in Restricted Mode",
    setup=("trust the workspace: no hook runs in Restricted Mode",),
    wire=_WIRE,
    answers=Answers(speaks_json=False, text_to_user=True),  # stdout is shown to the user with show_output
)

DIALECT = ProfiledDialect(PROFILE)
