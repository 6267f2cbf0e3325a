"""Windsurf's Cascade, now Devin Desktop: its document (``conformance/fact-sheets/windsurf.md``: WD, W12, RS).

Devin Local is another agent with files of its own (``.devin/hooks.v1.json``, Claude's manner): not described here.
"""

from __future__ import annotations

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.contract import Answers, Folding, Stopping, WireFormat
from anyhook.dialects.places import Writing, managed, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, Order, Profile, Shape, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import Tools, event_names, tool

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
    events=event_names(
        UserPromptSubmit="pre_user_prompt",
        BeforeShellExecution="pre_run_command",
        AfterShellExecution="post_run_command",
        BeforeMCPExecution="pre_mcp_tool_use",
        AfterMCPExecution="post_mcp_tool_use",
        BeforeReadFile="pre_read_code",
        AfterReadFile="post_read_code",
        BeforeFileEdit="pre_write_code",
        AfterFileEdit="post_write_code",
        AfterAgentResponse="post_cascade_response post_cascade_response_with_transcript",
        PostSetupWorktree="post_setup_worktree",
    ),
    tools=Tools(
        kinds={
            "shell": tool("run_command", command="command_line"),
            "read": tool("read_code"),
            "write": tool("write_code", "write and edit are one event here"),
            "edit": tool("write_code", "write and edit are one event here"),
        },
    ),
    recognition=Recognition(words=("windsurf",)),
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
    # Exit 2 blocks on pre_* events; stderr goes to the agent.
    folding=Folding(rewrite="none"),
    stopping=Stopping(continue_false="ignored"),
    setup=("trust the workspace: no hook runs in Restricted Mode",),
    wire=_WIRE,
    answers=Answers(speaks_json=False, text_to_user=True),  # stdout is shown to the user with show_output
)

DIALECT = ProfiledDialect(PROFILE)
