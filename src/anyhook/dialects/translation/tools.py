"""Which tools clients have, what they call them, and what they call a tool's inputs.

One table (``shared/dialects/MATRIX.md`` table 2, field names from the recordings). Canonical names are Claude Code's.
A translation that cannot keep everything says what it loses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from anyhook.dialects.translation.patches import read_patch, write_patch


class Tool(Struct, frozen=True):
    """One client's tool of some kind. ``fields`` maps canonical input names to this client's, where they differ."""

    names: tuple[str, ...]
    fields: Mapping[str, str] = {}
    constants: Mapping[str, str] = {}
    """Inputs that tell this kind from others that share the tool (OpenHands)."""
    patch: str = ""
    """The input that holds a patch, where paths and contents are not inputs of their own (Codex)."""
    loss: str = ""
    """What cannot be told apart or is hidden in this client's form."""


def _tool(names: str, loss: str = "", **fields: str) -> Tool:
    return Tool(tuple(names.split()), fields, loss=loss)


def _editor(command: str, **fields: str) -> Tool:
    merged = "read, write and edit are one tool here, told apart by its command input"
    return Tool(("file_editor",), {"file_path": "path", **fields}, {"command": command}, loss=merged)


def _patching(name: str, field: str) -> Tool:
    return Tool((name,), patch=field, loss="the paths and contents are inside the text of a patch")


def _names(*lines: str) -> frozenset[str]:
    return frozenset(name for line in lines for name in line.split())


KINDS: Mapping[str, Mapping[str, Tool]] = {
    "shell": {
        "claude-code": _tool("Bash PowerShell"),
        "copilot-vscode": _tool("run_in_terminal"),
        "copilot-cli": _tool("bash powershell"),
        "cursor": _tool("Shell"),
        "gemini-cli": _tool("run_shell_command"),
        "codex": _tool("Bash"),
        "qwen-code": _tool("run_shell_command"),
        "windsurf": _tool("run_command", command="command_line"),
        "factory-droid": _tool("Execute"),
        "kiro": _tool("execute_bash executeBash shell"),
        "openhands": _tool("terminal"),
        "antigravity": _tool("run_command", command="CommandLine"),
    },
    "read": {
        "claude-code": _tool("Read"),
        "copilot-vscode": _tool("read_file", file_path="filePath", offset="startLine", limit="endLine"),
        "copilot-cli": _tool("view", file_path="path"),
        "cursor": _tool("Read"),
        "gemini-cli": _tool("read_file", offset="start_line", limit="end_line"),
        "qwen-code": _tool("read_file"),
        "windsurf": _tool("read_code"),
        "factory-droid": _tool("Read"),
        "kiro": _tool("fs_read fsRead read"),
        "openhands": _editor("view"),
        "antigravity": _tool("view_file", file_path="AbsolutePath"),
    },
    "write": {
        "claude-code": _tool("Write"),
        "copilot-vscode": _tool("create_file", file_path="filePath"),
        "copilot-cli": _tool("create", file_path="path", content="file_text"),
        "cursor": _tool("Write", "write and edit are one tool here"),
        "gemini-cli": _tool("write_file"),
        "codex": _patching("apply_patch", "command"),
        "qwen-code": _tool("write_file"),
        "windsurf": _tool("write_code", "write and edit are one event here"),
        "factory-droid": _tool("Create"),
        "kiro": _tool("fs_write fsWrite write"),
        "openhands": _editor("create", content="file_text"),
        "antigravity": _tool("write_to_file", file_path="TargetFile", content="CodeContent"),
    },
    "edit": {
        "claude-code": _tool("Edit"),
        "copilot-vscode": _tool(
            "replace_string_in_file multi_replace_string_in_file insert_edit_into_file apply_patch",
            file_path="filePath", old_string="oldString", new_string="newString",
        ),
        "copilot-cli": _tool(
            "edit str_replace_editor apply_patch", file_path="path", old_string="old_str", new_string="new_str"
        ),
        "cursor": _tool("Write", "write and edit are one tool here"),
        "gemini-cli": _tool("replace", replace_all="allow_multiple"),
        "codex": _patching("apply_patch", "command"),
        "qwen-code": _tool("edit"),
        "windsurf": _tool("write_code", "write and edit are one event here"),
        "factory-droid": _tool("Edit ApplyPatch"),
        "kiro": _tool("str_replace strReplace"),
        "openhands": _editor("str_replace", old_string="old_str", new_string="new_str"),
        "antigravity": _tool("replace_file_content multi_replace_file_content", file_path="TargetFile"),
    },
    "notebook": {
        "claude-code": _tool("NotebookEdit"),
        "cursor": _tool("EditNotebook"),
        "qwen-code": _tool("notebook_edit"),
    },
    "glob": {
        "claude-code": _tool("Glob"),
        "copilot-vscode": _tool("file_search", pattern="query"),
        "copilot-cli": _tool("glob"),
        "gemini-cli": _tool("glob"),
        "qwen-code": _tool("glob"),
        "factory-droid": _tool("Glob"),
        "openhands": _tool("glob"),
        "antigravity": _tool("find_by_name", pattern="Pattern"),
    },
    "grep": {
        "claude-code": _tool("Grep"),
        "copilot-vscode": _tool("grep_search semantic_search", pattern="query"),
        "copilot-cli": _tool("grep rg"),
        "cursor": _tool("Grep"),
        "gemini-cli": _tool("grep_search search_file_content"),
        "qwen-code": _tool("grep_search"),
        "factory-droid": _tool("Grep"),
        "openhands": _tool("grep"),
        "antigravity": _tool("grep_search", pattern="Query"),
    },
    "list": {
        "copilot-vscode": _tool("list_dir"),
        "gemini-cli": _tool("list_directory"),
        "qwen-code": _tool("list_directory"),
        "factory-droid": _tool("LS"),
        "antigravity": _tool("list_dir"),
    },
    "web fetch": {
        "claude-code": _tool("WebFetch"),
        "copilot-vscode": _tool("fetch_webpage", url="urls"),
        "copilot-cli": _tool("web_fetch"),
        "cursor": _tool("WebFetch"),
        "gemini-cli": _tool("web_fetch", "the address is inside the prompt"),
        "qwen-code": _tool("web_fetch"),
        "factory-droid": _tool("FetchUrl"),
    },
    "web search": {
        "claude-code": _tool("WebSearch"),
        "copilot-cli": _tool("web_search"),
        "cursor": _tool("WebSearch"),
        "gemini-cli": _tool("google_web_search"),
        "qwen-code": _tool("web_search"),
        "factory-droid": _tool("WebSearch"),
    },
    "subagent": {
        "claude-code": _tool("Agent Task"),
        "copilot-vscode": _tool("runSubagent"),
        "copilot-cli": _tool("task", subagent_type="agent_type"),
        "cursor": _tool("Task"),
        "gemini-cli": _tool("invoke_agent"),
        "codex": _tool("spawn_agent"),
        "qwen-code": _tool("agent"),
        "factory-droid": _tool("Task"),
        "openhands": _tool("task delegate"),
    },
    "todo": {
        "claude-code": _tool("TodoWrite"),
        "copilot-cli": _tool("update_todo"),
        "gemini-cli": _tool("write_todos"),
        "qwen-code": _tool("todo_write"),
        "factory-droid": _tool("TodoWrite"),
        "openhands": _tool("task_tracker"),
    },
    "plan": {
        "claude-code": _tool("ExitPlanMode"),
        "gemini-cli": _tool("exit_plan_mode"),
        "qwen-code": _tool("exit_plan_mode"),
    },
    "ask": {
        "claude-code": _tool("AskUserQuestion"),
        "copilot-cli": _tool("ask_user"),
        "gemini-cli": _tool("ask_user"),
        "qwen-code": _tool("ask_user_question"),
        "factory-droid": _tool("AskUser"),
    },
}  # fmt: skip

SAME_VOCABULARY: Mapping[str, str] = {
    "universal": "claude-code",
    "open-plugins": "claude-code",
    "agent-sdk": "claude-code",
    "code-agent": "claude-code",
    "rulesync": "claude-code",
}
"""Dialects whose documents use another client's tool names."""

OTHER_TOOLS: Mapping[str, frozenset[str]] = {
    "claude-code": _names(
        "EnterPlanMode Skill SlashCommand BashOutput KillShell KillBash TaskOutput TaskStop",
        "TaskCreate TaskUpdate TaskGet TaskList ListMcpResourcesTool ReadMcpResourceTool ToolSearch LSP Monitor",
        "EnterWorktree ExitWorktree SendMessage TeamCreate TeamDelete EndConversation StructuredOutput Workflow",
        "CronCreate CronDelete CronList ScheduleWakeup PushNotification RemoteTrigger",
    ),
    "cursor": _names(
        # Seen by users in the field beside the documented ones (shared/corpus, section 10 rule T6).
        "Delete StrReplace SemanticSearch TabRead TabWrite Glob ReadLints TodoWrite CallMcpTool",
        "FetchMcpResource Subagent",
    ),
    "copilot-vscode": _names("runTerminalCommand createFile editFiles"),  # older names, in the documents' examples
    "codex": _names("view_image update_plan write_stdin wait_agent"),
    "gemini-cli": _names("read_many_files save_memory activate_skill enter_plan_mode"),
    "qwen-code": _names("skill save_memory read_many_files"),
    "kiro": _names("use_aws aws web"),
    "openhands": _names("apply_patch browser think finish"),
}
"""Tools beyond the table's kinds, so that a matcher that names one is not called wrong."""

REMOVED: Mapping[str, Mapping[str, str]] = {
    "claude-code": {"MultiEdit": "Edit", "LS": "Glob", "NotebookRead": "Read"},
}
"""Tools that a client no longer has, with what took their place."""


class Translation(Struct, frozen=True):
    """The other client's names for a tool (none: it has no such tool), and what is lost on the way."""

    names: tuple[str, ...]
    losses: tuple[str, ...] = ()


def _vocabulary(dialect: str) -> str:
    return SAME_VOCABULARY.get(dialect, dialect)


def is_same_vocabulary(one: str, other: str) -> bool:
    """Whether two clients have the same names for tools and their inputs."""
    return _vocabulary(one) == _vocabulary(other)


@cache
def tool_names(dialect: str) -> frozenset[str]:
    """Every tool name that a client is known to use, aside from those of MCP servers."""
    own = _vocabulary(dialect)
    return OTHER_TOOLS.get(own, frozenset()).union(*(tools[own].names for tools in KINDS.values() if own in tools))


@cache
def owners_of(name: str) -> tuple[str, ...]:
    """The clients that have a tool of this name."""
    clients = {client for tools in KINDS.values() for client in tools} | OTHER_TOOLS.keys()
    return tuple(sorted(client for client in clients if name in tool_names(client)))


@cache
def kinds_of(name: str, dialect: str) -> tuple[str, ...]:
    """What a client's tool does; several kinds when the client merges them."""
    own = _vocabulary(dialect)
    return tuple(kind for kind, tools in KINDS.items() if own in tools and name in tools[own].names)


def input_name(field: str, kind: str, dialect: str) -> str:
    """What a client calls an input, known by its canonical name, of its tool of this kind."""
    tool = KINDS[kind].get(_vocabulary(dialect))
    return tool.fields.get(field, field) if tool else field


def patch_input(kind: str, dialect: str) -> str:
    """The input that holds a patch in a client's tool of this kind; empty: it has inputs of its own for everything."""
    tool = KINDS[kind].get(_vocabulary(dialect))
    return tool.patch if tool else ""


def tools_of_kind(kind: str, dialect: str) -> tuple[str, ...]:
    """A client's names for its tools of a kind, the usual one first."""
    tool = KINDS[kind].get(_vocabulary(dialect))
    return tool.names if tool else ()


def kind_of_call(name: str, tool_input: Mapping[str, Any], dialect: str) -> str | None:
    """What one call does, told by its input where the client has one tool for several kinds; None: not known."""
    own = _vocabulary(dialect)
    kinds = kinds_of(name, dialect)
    for kind in kinds:
        tool = KINDS[kind][own]
        if tool.constants and all(tool_input.get(key) == value for key, value in tool.constants.items()):
            return kind
        if tool.patch and (patched := read_patch(str(tool_input.get(tool.patch)))):
            return patched.kind
    if len(kinds) > 1 and "edit" in kinds and input_name("old_string", "edit", dialect) in tool_input:
        return "edit"
    return kinds[0] if kinds else None


def translate_name(name: str, source: str, target: str) -> Translation:
    """The target client's names for a tool of the source client."""
    theirs, ours = _vocabulary(source), _vocabulary(target)
    if is_same_vocabulary(source, target):
        return Translation((name,))
    if mcp := split_mcp_name(name, source):
        return join_mcp_name(*mcp, target)
    kinds = kinds_of(REMOVED.get(theirs, {}).get(name, name), source)
    if not kinds:
        return Translation((), (f"{target} has no tool that {source}'s {name} is known to stand for",))
    found = [KINDS[kind][ours] for kind in kinds if ours in KINDS[kind]]
    if not found:
        return Translation((), (f"{target} has no {kinds[0]} tool",))
    names = tuple(dict.fromkeys(n for tool in found for n in tool.names))
    losses = tuple(dict.fromkeys(tool.loss for tool in found if tool.loss))
    return Translation(names, losses)


def translate_input(
    tool_input: Mapping[str, Any], kind: str, source: str, target: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The same input under the target's field names; fields that neither table knows keep theirs."""
    tools = KINDS.get(kind, {})
    theirs, ours = tools.get(_vocabulary(source), Tool(())), tools.get(_vocabulary(target))
    if ours is None:
        return dict(tool_input), (f"{target} has no {kind} tool",)
    if theirs is ours:
        return dict(tool_input), ()
    canonical, losses = _canonical_input(tool_input, theirs)
    if ours.patch:
        return {ours.patch: write_patch(kind, canonical)}, (*losses, ours.loss)
    renamed = {ours.fields.get(key, key): value for key, value in canonical.items()}
    return {**ours.constants, **renamed}, (*losses, *filter(None, (ours.loss,)))


def _canonical_input(tool_input: Mapping[str, Any], tool: Tool) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A tool's input under Claude Code's field names."""
    if tool.patch:
        patched = read_patch(str(tool_input.get(tool.patch)))
        if patched is None:
            return dict(tool_input), ("the patch names no file",)
        others = f"the patch changes {', '.join(patched.other_files)} too" if patched.other_files else ""
        return dict(patched.tool_input), (others,) if others else ()
    names = {native: name for name, native in tool.fields.items()}
    return {names.get(key, key): value for key, value in tool_input.items() if key not in tool.constants}, ()


# ----------------------------------------------------------------------------------------------------------- MCP tools


class McpForm(Struct, frozen=True):
    """How a client builds the name of an MCP server's tool."""

    prefix: str
    separator: str
    """Between server and tool; empty: the server is not named (Cursor)."""


_DOUBLE = McpForm("mcp__", "__")
MCP_FORMS: Mapping[str, McpForm] = {
    **dict.fromkeys(("claude-code", "codex", "qwen-code", "factory-droid"), _DOUBLE),
    "gemini-cli": McpForm("mcp_", "_"),
    "kiro": McpForm("@", "/"),
    "copilot-cli": McpForm("", "-"),
    "cursor": McpForm("MCP:", ""),
}
"""Clients that are not listed call such a tool by its own name."""


def mcp_form(dialect: str) -> McpForm | None:
    return MCP_FORMS.get(_vocabulary(dialect))


def is_mcp_name(name: str, dialect: str) -> bool:
    prefix = (mcp_form(dialect) or _DOUBLE).prefix
    return bool(prefix) and name.startswith(prefix)


def split_mcp_name(name: str, dialect: str) -> tuple[str, str] | None:
    """Server and tool of an MCP tool's name, the server empty where it is not named; None: it is another tool."""
    form = mcp_form(dialect)
    if form is None or not name.startswith(form.prefix) or name in tool_names(dialect):
        return None
    if not form.separator:
        return "", name.removeprefix(form.prefix)
    server, found, tool = name.removeprefix(form.prefix).partition(form.separator)
    return (server, tool) if found else None


def join_mcp_name(server: str, tool: str, dialect: str) -> Translation:
    """A client's name for the tool of an MCP server."""
    form = mcp_form(dialect)
    if form is None or not form.separator:
        losses = (f"{dialect} does not name the server: {server} is lost",) if server else ()
        return Translation(((form.prefix if form else "") + tool,), losses)
    if not server:
        return Translation((), (f"{dialect} names the server of a tool, and it is not known here",))
    losses = ("server and tool are joined with one underscore",) if form.separator == "_" else ()
    return Translation((f"{form.prefix}{server}{form.separator}{tool}",), losses)
