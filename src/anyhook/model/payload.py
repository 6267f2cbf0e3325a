"""What a hook receives: one class per event, named like it, with the field names of the Agent SDK hooks spec.

Clients spell these payloads differently; :mod:`anyhook.dialects.wire.payloads` translates. A field that a client did
not send, or sent as null, is None; ``spelling`` knows which. What no class names is kept in ``extra``. Required is what
that spec requires and every client sends; the optional fields are those of the recordings and of
``conformance/fact-sheets``. The file is long because it is one table: every event there is, and nothing else.
"""

# Annotations are no strings here (__future__): msgspec would compile each of them in every process that needs it.

from collections.abc import Iterator, Mapping

from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import NO_JSON, JsonField, OptionalJson
from anyhook.model.payload_base import Flag, Number, Payload, Text

# --- the session


class SessionStart(Payload, frozen=True, kw_only=True):
    source: Text = None
    session_title: Text = None
    initial_prompt: Text = None
    seconds_since_last_response: Number = None
    context_tokens: Number = None
    prompt_cache_likely_expired: Flag = None
    estimated_cache_write_usd: Number = None
    is_background_agent: Flag = None
    composer_mode: Text = None


class SessionEnd(Payload, frozen=True, kw_only=True):
    reason: Text = None
    duration_ms: Number = None
    message_count: Number = None
    is_background_agent: Flag = None
    final_status: Text = None
    error_message: Text = None


class Setup(Payload, frozen=True, kw_only=True):
    trigger: Text = None


class SessionDelete(Payload, frozen=True, kw_only=True):
    deleted_session_id: Text = None


class WorkspaceOpen(Payload, frozen=True, kw_only=True):
    pass


# --- what the user says


class UserPromptSubmit(Payload, frozen=True, kw_only=True):
    prompt: str
    submitted_prompt: Text = None
    session_title: Text = None
    attachments: OptionalJson = NO_JSON
    has_images: Flag = None


class UserPromptExpansion(Payload, frozen=True, kw_only=True):
    prompt: Text = None
    expansion_type: Text = None
    command_name: Text = None
    command_args: Text = None
    command_source: Text = None


class UserPromptTransformed(Payload, frozen=True, kw_only=True):
    prompt: Text = None
    transformed_prompt: Text = None


# --- tools


class ToolPayload(Payload, frozen=True, kw_only=True):
    """What all events about one tool call have."""

    tool_name: str
    tool_input: JsonField
    tool_use_id: Text = None
    tool_call_id: Text = None
    mcp_server: OptionalJson = NO_JSON
    mcp_context: OptionalJson = NO_JSON


class PreToolUse(ToolPayload, frozen=True, kw_only=True):
    original_request_name: Text = None
    agent_message: Text = None


class PostToolUse(ToolPayload, frozen=True, kw_only=True):
    tool_response: OptionalJson = NO_JSON
    duration_ms: Number = None
    original_request_name: Text = None


class PostToolUseFailure(ToolPayload, frozen=True, kw_only=True):
    error: Text = None
    is_interrupt: Flag = None
    failure_type: Text = None
    duration_ms: Number = None


class PostToolBatch(Payload, frozen=True, kw_only=True):
    tool_calls: OptionalJson = NO_JSON


class PermissionRequest(ToolPayload, frozen=True, kw_only=True):
    permission_suggestions: OptionalJson = NO_JSON


class PermissionDenied(ToolPayload, frozen=True, kw_only=True):
    reason: Text = None


# --- shell, MCP and files


class ShellPayload(Payload, frozen=True, kw_only=True):
    command: str
    sandbox: Flag = None


class BeforeShellExecution(ShellPayload, frozen=True, kw_only=True):
    pass


class AfterShellExecution(ShellPayload, frozen=True, kw_only=True):
    output: Text = None
    duration_ms: Number = None


class McpPayload(Payload, frozen=True, kw_only=True):
    tool_name: str
    tool_input: OptionalJson = NO_JSON
    mcp_server_name: Text = None
    url: Text = None


class BeforeMCPExecution(McpPayload, frozen=True, kw_only=True):
    server_command: Text = None


class AfterMCPExecution(McpPayload, frozen=True, kw_only=True):
    tool_response: OptionalJson = NO_JSON
    duration_ms: Number = None


class PreMcpToolCall(McpPayload, frozen=True, kw_only=True):
    tool_call_id: Text = None


class FilePayload(Payload, frozen=True, kw_only=True):
    file_path: Text = None


class BeforeReadFile(FilePayload, frozen=True, kw_only=True):
    content: Text = None
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
    content: Text = None


class AfterTabFileEdit(EditPayload, frozen=True, kw_only=True):
    pass


class PostFileCreate(FilePayload, frozen=True, kw_only=True):
    pass


class PostFileSave(FilePayload, frozen=True, kw_only=True):
    pass


class PostFileDelete(FilePayload, frozen=True, kw_only=True):
    pass


class FileChanged(FilePayload, frozen=True, kw_only=True):
    change: Text = None
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
    from_model: Text = None
    to_model: Text = None
    requested_model: Text = None
    source: Text = None
    context_tokens: Number = None
    prompt_cache_warm: Flag = None
    cache_ttl: Text = None
    estimated_cache_write_usd: Number = None
    pricing: Text = None


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
    message_id: Text = None
    index: Number = None
    final: Flag = None
    delta: Text = None
    displayed_text: Text = None


class AfterAgentResponse(Payload, frozen=True, kw_only=True):
    text: Text = None
    rules_applied: OptionalJson = NO_JSON


class AfterAgentThought(Payload, frozen=True, kw_only=True):
    text: Text = None
    duration_ms: Number = None


# --- stopping


class StopPayload(Payload, frozen=True, kw_only=True):
    """What the ends of agents and of their helpers have in common."""

    stop_hook_active: Flag = None
    last_assistant_message: Text = None
    background_tasks: OptionalJson = NO_JSON
    session_crons: OptionalJson = NO_JSON
    stop_reason: Text = None
    status: Text = None
    loop_count: Number = None


class Stop(StopPayload, frozen=True, kw_only=True):
    prompt: Text = None
    context_usage: Number = None
    context_limit: Number = None
    input_tokens: Number = None
    tool_execution_count: Number = None
    elapsed_time: Number = None


class StopFailure(Payload, frozen=True, kw_only=True):
    error: OptionalJson = NO_JSON
    """A kind such as "rate_limit"; Copilot sends an object with message, name and stack."""
    error_details: OptionalJson = NO_JSON
    error_context: Text = None
    recoverable: Flag = None
    last_assistant_message: Text = None


class SubagentStart(Payload, frozen=True, kw_only=True):
    agent_name: Text = None
    agent_display_name: Text = None
    agent_description: Text = None
    task: Text = None
    parent_conversation_id: Text = None
    tool_call_id: Text = None
    subagent_model: Text = None
    is_parallel_worker: Flag = None
    git_branch: Text = None


class SubagentStop(StopPayload, frozen=True, kw_only=True):
    agent_transcript_path: Text = None
    agent_name: Text = None
    agent_display_name: Text = None
    task: Text = None
    task_error: Text = None
    description: Text = None
    summary: Text = None
    duration_ms: Number = None
    message_count: Number = None
    tool_call_count: Number = None
    modified_files: OptionalJson = NO_JSON


class TeammateIdle(Payload, frozen=True, kw_only=True):
    teammate_name: str
    team_name: Text = None


# --- tasks


class TaskPayload(Payload, frozen=True, kw_only=True):
    task_id: str
    task_subject: str
    task_description: Text = None
    teammate_name: Text = None
    team_name: Text = None


class TaskCreated(TaskPayload, frozen=True, kw_only=True):
    pass


class TaskCompleted(TaskPayload, frozen=True, kw_only=True):
    pass


class TodoPayload(Payload, frozen=True, kw_only=True):
    todo_id: Text = None
    todo_content: Text = None
    todo_status: Text = None
    previous_status: Text = None
    all_todos: OptionalJson = NO_JSON
    phase: Text = None


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
    trigger: Text = None
    custom_instructions: Text = None
    context_usage_percent: Number = None
    context_tokens: Number = None
    context_window_size: Number = None
    message_count: Number = None
    messages_to_compact: Number = None
    is_first_compaction: Flag = None


class PostCompact(Payload, frozen=True, kw_only=True):
    trigger: Text = None
    compact_summary: Text = None


class InstructionsLoaded(FilePayload, frozen=True, kw_only=True):
    memory_type: Text = None
    load_reason: Text = None
    globs: OptionalJson = NO_JSON
    trigger_file_path: Text = None
    parent_file_path: Text = None


# --- the surroundings


class Notification(Payload, frozen=True, kw_only=True):
    message: Text = None
    title: Text = None
    notification_type: Text = None
    details: OptionalJson = NO_JSON


class ConfigChange(FilePayload, frozen=True, kw_only=True):
    source: Text = None


class CwdChanged(Payload, frozen=True, kw_only=True):
    old_cwd: Text = None
    new_cwd: Text = None


class DirectoryAdded(Payload, frozen=True, kw_only=True):
    directory: Text = None
    source: Text = None


class WorktreeCreate(Payload, frozen=True, kw_only=True):
    name: Text = None


class WorktreeRemove(Payload, frozen=True, kw_only=True):
    worktree_path: Text = None


class PostSetupWorktree(Payload, frozen=True, kw_only=True):
    worktree_path: Text = None
    root_workspace_path: Text = None


class ElicitationPayload(Payload, frozen=True, kw_only=True):
    mcp_server_name: Text = None
    mode: Text = None
    elicitation_id: Text = None


class Elicitation(ElicitationPayload, frozen=True, kw_only=True):
    message: Text = None
    url: Text = None
    requested_schema: OptionalJson = NO_JSON


class ElicitationResult(ElicitationPayload, frozen=True, kw_only=True):
    action: Text = None
    content: OptionalJson = NO_JSON


# --- the table


def _descendants(cls: type[Payload]) -> Iterator[type[Payload]]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)


PAYLOADS: Mapping[str, type[Payload]] = {cls.__name__: cls for cls in _descendants(Payload) if cls.__name__ in BY_NAME}
"""The class of every canonical event."""
