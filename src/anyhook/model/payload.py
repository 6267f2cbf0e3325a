"""What a hook receives: one class per event, named like it, with the field names of the Agent SDK hooks spec.

Clients spell these payloads differently; :mod:`anyhook.dialects.wire.payloads` translates. A field that a client did
not send is UNSET, one that it sent as null is None. What no class names is kept in ``extra``. Required is what that
spec requires and every client sends; the optional fields are those of the recordings and of
``conformance/fact-sheets``. The file is long because it is one table: every event there is, and nothing else.
"""

# Annotations are no strings here (__future__): msgspec would compile each of them in every process that needs it.

from collections.abc import Iterator, Mapping

from msgspec import UNSET

from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import NO_JSON, JsonField, OptionalJson
from anyhook.model.payload_base import Flag, Number, Payload, Text

# --- the session


class SessionStart(Payload, frozen=True, kw_only=True):
    source: Text = UNSET
    session_title: Text = UNSET
    initial_prompt: Text = UNSET
    seconds_since_last_response: Number = UNSET
    context_tokens: Number = UNSET
    prompt_cache_likely_expired: Flag = UNSET
    estimated_cache_write_usd: Number = UNSET
    is_background_agent: Flag = UNSET
    composer_mode: Text = UNSET


class SessionEnd(Payload, frozen=True, kw_only=True):
    reason: Text = UNSET
    duration_ms: Number = UNSET
    message_count: Number = UNSET
    is_background_agent: Flag = UNSET
    final_status: Text = UNSET
    error_message: Text = UNSET


class Setup(Payload, frozen=True, kw_only=True):
    trigger: Text = UNSET


class SessionDelete(Payload, frozen=True, kw_only=True):
    deleted_session_id: Text = UNSET


class WorkspaceOpen(Payload, frozen=True, kw_only=True):
    pass


# --- what the user says


class UserPromptSubmit(Payload, frozen=True, kw_only=True):
    prompt: str
    submitted_prompt: Text = UNSET
    session_title: Text = UNSET
    attachments: OptionalJson = NO_JSON
    has_images: Flag = UNSET


class UserPromptExpansion(Payload, frozen=True, kw_only=True):
    prompt: Text = UNSET
    expansion_type: Text = UNSET
    command_name: Text = UNSET
    command_args: Text = UNSET
    command_source: Text = UNSET


class UserPromptTransformed(Payload, frozen=True, kw_only=True):
    prompt: Text = UNSET
    transformed_prompt: Text = UNSET


# --- tools


class ToolPayload(Payload, frozen=True, kw_only=True):
    """What all events about one tool call have."""

    tool_name: str
    tool_input: JsonField
    tool_use_id: Text = UNSET
    tool_call_id: Text = UNSET
    mcp_server: OptionalJson = NO_JSON
    mcp_context: OptionalJson = NO_JSON


class PreToolUse(ToolPayload, frozen=True, kw_only=True):
    original_request_name: Text = UNSET
    agent_message: Text = UNSET


class PostToolUse(ToolPayload, frozen=True, kw_only=True):
    tool_response: OptionalJson = NO_JSON
    duration_ms: Number = UNSET
    original_request_name: Text = UNSET


class PostToolUseFailure(ToolPayload, frozen=True, kw_only=True):
    error: Text = UNSET
    is_interrupt: Flag = UNSET
    failure_type: Text = UNSET
    duration_ms: Number = UNSET


class PostToolBatch(Payload, frozen=True, kw_only=True):
    tool_calls: OptionalJson = NO_JSON


class PermissionRequest(ToolPayload, frozen=True, kw_only=True):
    permission_suggestions: OptionalJson = NO_JSON


class PermissionDenied(ToolPayload, frozen=True, kw_only=True):
    reason: Text = UNSET


# --- shell, MCP and files


class ShellPayload(Payload, frozen=True, kw_only=True):
    command: str
    sandbox: Flag = UNSET


class BeforeShellExecution(ShellPayload, frozen=True, kw_only=True):
    pass


class AfterShellExecution(ShellPayload, frozen=True, kw_only=True):
    output: Text = UNSET
    duration_ms: Number = UNSET


class McpPayload(Payload, frozen=True, kw_only=True):
    tool_name: str
    tool_input: OptionalJson = NO_JSON
    mcp_server_name: Text = UNSET
    url: Text = UNSET


class BeforeMCPExecution(McpPayload, frozen=True, kw_only=True):
    server_command: Text = UNSET


class AfterMCPExecution(McpPayload, frozen=True, kw_only=True):
    tool_response: OptionalJson = NO_JSON
    duration_ms: Number = UNSET


class PreMcpToolCall(McpPayload, frozen=True, kw_only=True):
    tool_call_id: Text = UNSET


class FilePayload(Payload, frozen=True, kw_only=True):
    file_path: Text = UNSET


class BeforeReadFile(FilePayload, frozen=True, kw_only=True):
    content: Text = UNSET
    attachments: OptionalJson = NO_JSON


class AfterReadFile(FilePayload, frozen=True, kw_only=True):
    pass


class EditPayload(FilePayload, frozen=True, kw_only=True):
    edits: OptionalJson = NO_JSON


class BeforeFileEdit(EditPayload, frozen=True, kw_only=True):
    pass


class AfterFileEdit(EditPayload, frozen=True, kw_only=True):
    pass


class BeforeTabFileRead(FilePayload, frozen=True, kw_only=True):
    content: Text = UNSET


class AfterTabFileEdit(EditPayload, frozen=True, kw_only=True):
    pass


class PostFileCreate(FilePayload, frozen=True, kw_only=True):
    pass


class PostFileSave(FilePayload, frozen=True, kw_only=True):
    pass


class PostFileDelete(FilePayload, frozen=True, kw_only=True):
    pass


class FileChanged(FilePayload, frozen=True, kw_only=True):
    change: Text = UNSET
    """change, add or unlink; Claude Code's key for it is "event"."""


# --- the model


class BeforeModel(Payload, frozen=True, kw_only=True):
    llm_request: OptionalJson = NO_JSON


class AfterModel(Payload, frozen=True, kw_only=True):
    llm_request: OptionalJson = NO_JSON
    llm_response: OptionalJson = NO_JSON


class BeforeToolSelection(Payload, frozen=True, kw_only=True):
    llm_request: OptionalJson = NO_JSON


class ModelSwitchPayload(Payload, frozen=True, kw_only=True):
    from_model: Text = UNSET
    to_model: Text = UNSET
    requested_model: Text = UNSET
    source: Text = UNSET
    context_tokens: Number = UNSET
    prompt_cache_warm: Flag = UNSET
    cache_ttl: Text = UNSET
    estimated_cache_write_usd: Number = UNSET
    pricing: Text = UNSET


class PreModelSwitch(ModelSwitchPayload, frozen=True, kw_only=True):
    pass


class PostModelSwitch(ModelSwitchPayload, frozen=True, kw_only=True):
    pass


class PreInvocation(Payload, frozen=True, kw_only=True):
    pass


class PostInvocation(Payload, frozen=True, kw_only=True):
    pass


# --- what the agent says


class MessageDisplay(Payload, frozen=True, kw_only=True):
    message_id: Text = UNSET
    index: Number = UNSET
    final: Flag = UNSET
    delta: Text = UNSET
    displayed_text: Text = UNSET


class AfterAgentResponse(Payload, frozen=True, kw_only=True):
    text: Text = UNSET
    rules_applied: OptionalJson = NO_JSON


class AfterAgentThought(Payload, frozen=True, kw_only=True):
    text: Text = UNSET
    duration_ms: Number = UNSET


# --- stopping


class StopPayload(Payload, frozen=True, kw_only=True):
    """What the ends of agents and of their helpers have in common."""

    stop_hook_active: Flag = UNSET
    last_assistant_message: Text = UNSET
    background_tasks: OptionalJson = NO_JSON
    session_crons: OptionalJson = NO_JSON
    stop_reason: Text = UNSET
    status: Text = UNSET
    loop_count: Number = UNSET


class Stop(StopPayload, frozen=True, kw_only=True):
    prompt: Text = UNSET
    context_usage: Number = UNSET
    context_limit: Number = UNSET
    input_tokens: Number = UNSET
    tool_execution_count: Number = UNSET
    elapsed_time: Number = UNSET


class StopFailure(Payload, frozen=True, kw_only=True):
    error: OptionalJson = NO_JSON
    """A kind such as "rate_limit"; Copilot sends an object with message, name and stack."""
    error_details: OptionalJson = NO_JSON
    error_context: Text = UNSET
    recoverable: Flag = UNSET
    last_assistant_message: Text = UNSET


class SubagentStart(Payload, frozen=True, kw_only=True):
    agent_name: Text = UNSET
    agent_display_name: Text = UNSET
    agent_description: Text = UNSET
    task: Text = UNSET
    parent_conversation_id: Text = UNSET
    tool_call_id: Text = UNSET
    subagent_model: Text = UNSET
    is_parallel_worker: Flag = UNSET
    git_branch: Text = UNSET


class SubagentStop(StopPayload, frozen=True, kw_only=True):
    agent_transcript_path: Text = UNSET
    agent_name: Text = UNSET
    agent_display_name: Text = UNSET
    task: Text = UNSET
    task_error: Text = UNSET
    description: Text = UNSET
    summary: Text = UNSET
    duration_ms: Number = UNSET
    message_count: Number = UNSET
    tool_call_count: Number = UNSET
    modified_files: OptionalJson = NO_JSON


class TeammateIdle(Payload, frozen=True, kw_only=True):
    teammate_name: str
    team_name: Text = UNSET


# --- tasks


class TaskPayload(Payload, frozen=True, kw_only=True):
    task_id: str
    task_subject: str
    task_description: Text = UNSET
    teammate_name: Text = UNSET
    team_name: Text = UNSET


class TaskCreated(TaskPayload, frozen=True, kw_only=True):
    pass


class TaskCompleted(TaskPayload, frozen=True, kw_only=True):
    pass


class TodoPayload(Payload, frozen=True, kw_only=True):
    todo_id: Text = UNSET
    todo_content: Text = UNSET
    todo_status: Text = UNSET
    previous_status: Text = UNSET
    all_todos: OptionalJson = NO_JSON
    phase: Text = UNSET


class TodoCreated(TodoPayload, frozen=True, kw_only=True):
    pass


class TodoCompleted(TodoPayload, frozen=True, kw_only=True):
    pass


class PreTaskExec(Payload, frozen=True, kw_only=True):
    pass


class PostTaskExec(Payload, frozen=True, kw_only=True):
    pass


class ManualTrigger(Payload, frozen=True, kw_only=True):
    pass


# --- context


class PreCompact(Payload, frozen=True, kw_only=True):
    trigger: Text = UNSET
    custom_instructions: Text = UNSET
    context_usage_percent: Number = UNSET
    context_tokens: Number = UNSET
    context_window_size: Number = UNSET
    message_count: Number = UNSET
    messages_to_compact: Number = UNSET
    is_first_compaction: Flag = UNSET


class PostCompact(Payload, frozen=True, kw_only=True):
    trigger: Text = UNSET
    compact_summary: Text = UNSET


class InstructionsLoaded(FilePayload, frozen=True, kw_only=True):
    memory_type: Text = UNSET
    load_reason: Text = UNSET
    globs: OptionalJson = NO_JSON
    trigger_file_path: Text = UNSET
    parent_file_path: Text = UNSET


# --- the surroundings


class Notification(Payload, frozen=True, kw_only=True):
    message: Text = UNSET
    title: Text = UNSET
    notification_type: Text = UNSET
    details: OptionalJson = NO_JSON


class ConfigChange(FilePayload, frozen=True, kw_only=True):
    source: Text = UNSET


class CwdChanged(Payload, frozen=True, kw_only=True):
    old_cwd: Text = UNSET
    new_cwd: Text = UNSET


class DirectoryAdded(Payload, frozen=True, kw_only=True):
    directory: Text = UNSET
    source: Text = UNSET


class WorktreeCreate(Payload, frozen=True, kw_only=True):
    name: Text = UNSET


class WorktreeRemove(Payload, frozen=True, kw_only=True):
    worktree_path: Text = UNSET


class PostSetupWorktree(Payload, frozen=True, kw_only=True):
    worktree_path: Text = UNSET
    root_workspace_path: Text = UNSET


class ElicitationPayload(Payload, frozen=True, kw_only=True):
    mcp_server_name: Text = UNSET
    mode: Text = UNSET
    elicitation_id: Text = UNSET


class Elicitation(ElicitationPayload, frozen=True, kw_only=True):
    message: Text = UNSET
    url: Text = UNSET
    requested_schema: OptionalJson = NO_JSON


class ElicitationResult(ElicitationPayload, frozen=True, kw_only=True):
    action: Text = UNSET
    content: OptionalJson = NO_JSON


# --- the table


def _descendants(cls: type[Payload]) -> Iterator[type[Payload]]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)


PAYLOADS: Mapping[str, type[Payload]] = {cls.__name__: cls for cls in _descendants(Payload) if cls.__name__ in BY_NAME}
"""The class of every canonical event."""
