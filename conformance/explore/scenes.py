"""How each event is brought about in each client: the model's script, the prompt and the client's arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

Kind = Literal[
    "before", "permission", "after", "prompt", "start", "stop", "agent start", "agent stop", "model", "task", "quiet"
]
"""What tells the effect: whether the tool ran, what its result says, whether the model was asked at all, or again."""
Step = Mapping[str, Any]


def shell(mark: str) -> Step:
    return {"shell": f"touch mark-{mark}; echo OUT-{mark}", "marker": f"mark-{mark}"}


def failing_shell(mark: str) -> Step:
    return {"shell": f"echo OUT-{mark}; touch mark-{mark}; exit 3", "marker": f"mark-{mark}"}


def writing(mark: str) -> Step:
    return {"write": {"path": f"mark-{mark}", "content": "x\n"}}


class Scene(Struct, frozen=True, kw_only=True):
    kind: Kind
    subject: str
    """What a matcher is compared with."""
    step: Callable[[str], Step] | None = None
    """The tool call that brings the event about; without one, each start of the client plays one situation."""
    turns: tuple[Step | tuple[Step, ...], ...] = ()
    """The model's turns where there is no such call."""
    closing: tuple[Step, ...] = ({"text": "finished"},)
    """The turns after those calls."""
    prompts: tuple[str, ...] = ("do the task mark-s0",)
    files: Mapping[str, Any] = {}
    """Files of the project that bring the event about, besides the hook files."""
    home_files: Mapping[str, Any] = {}
    """The same in the home folder."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    done: str = ""
    """For a task: what the model is told when it is not refused."""
    refused: str = ""
    """Or, instead, what it is told when it is."""
    unawaited: bool = False
    """The client does not wait for the hooks: it may end before the later ones start."""
    approve: bool = True
    rewrite: tuple[str, ...] = ()
    """The path of the text in the tool's input that a hook may replace."""

    most: int = 12
    """How many situations with such a call are played in one start."""

    @property
    def at_once(self) -> int:
        return self.most if self.step else 1

    def script(self, marks: list[str]) -> list[Any]:
        if self.step:
            return [*map(self.step, marks), *self.closing]
        return list(self.turns)


_COMMAND = ("command",)
_ANSWER = ({"text": "first answer"},)
_TWO_PROMPTS = ("do the task mark-s0", "and the next")
_COMPACTING = ("do the task mark-s0", "/compact")
_SWITCHING = ("do the task mark-s0", "/model claude-sonnet-4-5", "and the next")
_WAITING = ({"shell": "sleep 2"}, {"text": "finished"})  # the client does not wait for these hooks
_FAILURE = ({"fail": {"status": 429, "message": "slow"}}, *_WAITING)
_AT_ONCE = {"CLAUDE_CODE_MAX_RETRIES": "0"}
_TASKS = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
_TASK = (
    {"raw": {"name": "TaskCreate", "input": {"subject": "t", "description": "d"}}},
    {"raw": {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}},
    {"text": "finished"},
)
_TODOS = {"QWEN_CODE_SYSTEM_DEFAULTS_PATH": "@PROJECT@/defaults.json"}
_TODO_TOOL = {"defaults.json": {"tools": {"todoWrite": {"enabled": True}}}}
_CLEARING = ("do the task mark-s0", "/clear", "and the next")
_COMPRESSING = ("do the task mark-s0 " + "and so on " * 4000, "/compress", "and the next")
_AGAIN_AND_AGAIN = ({"shell": "echo same"},) * 6  # Qwen Code ends an agent that does this
_LITTLE_MEMORY = {"COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "18000"}
_LONG_OUTPUT = ({"shell": "seq 1 8000"}, {"shell": "seq 1 3000"}, {"text": "finished"})
_IN_BACKGROUND = {"command": "echo x", "description": "d", "mode": "async", "shellId": "other"}
_ASKING = {
    "mcpServers": {
        "asking": {
            "type": "stdio",
            "command": sys.executable,
            "args": ["-I", str(Path(__file__).resolve().with_name("mcp_server.py"))],
            "tools": ["*"],
        }
    }
}
_WATCHED = '{"hookSpecificOutput": {"hookEventName": "SessionStart", "watchPaths": ["@PROJECT@/watched.txt"]}}'
_WATCHING = f"echo '{_WATCHED}'"
_NOW_DENIED = """echo '{"permissions": {"deny": ["Bash(touch:*)"]}}' > .claude/settings.local.json; sleep 3"""
_WORKTREE = ({"raw": {"name": "EnterWorktree", "input": {"name": "other"}}}, {"text": "finished"})
_WORKTREE_AND_BACK = (
    _WORKTREE[0],
    {"raw": {"name": "ExitWorktree", "input": {"action": "remove", "discard_changes": True}}},
    *_WAITING,
)
_EXTENSION = ".gemini/extensions/other"
_SMALL_CONTEXT = ("-c", "model_auto_compact_token_limit=10")
_TOOL_THEN_ANSWERS = ({"shell": "echo one"}, {"text": "first answer"}, {"text": "second answer"})
_ANSWERS = ({"text": "first answer"}, {"text": "second answer"}, {"text": "third answer"})


def _tools(tool: str, **more: Any) -> dict[str, Scene]:
    return {
        "PreToolUse": Scene(kind="before", subject=tool, step=shell, rewrite=_COMMAND, **more),
        "PostToolUse": Scene(kind="after", subject=tool, step=shell, **more),
    }


def _turns(source: str) -> dict[str, Scene]:
    return {
        "SessionStart": Scene(kind="start", subject=source, turns=_ANSWER),
        "UserPromptSubmit": Scene(kind="prompt", subject="anything", turns=_ANSWER),
        "Stop": Scene(kind="stop", subject="anything", turns=_ANSWERS),
    }


def _changing_folder(mark: str) -> Step:
    return {"shell": f"mkdir -p @PROJECT@/at-mark-{mark}; cd @PROJECT@/at-mark-{mark}"}


def _creating_task(mark: str) -> Step:
    return {"raw": {"name": "TaskCreate", "input": {"subject": f"mark-{mark}", "description": "d"}}}


def _asking(tool: str) -> Callable[[str], Step]:
    return lambda mark: {"raw": {"name": tool, "input": {"about": f"mark-{mark}"}}}


def _escalating(mark: str) -> Step:
    """A command for which Codex wants an approval."""
    call = {"cmd": shell(mark)["shell"], "sandbox_permissions": "require_escalated", "justification": "needed"}
    return {"raw": {"name": "exec_command", "input": call}, "marker": f"mark-{mark}"}


def _todos(**by_mark: str) -> Step:
    todos = [{"id": mark, "content": f"mark-{mark}", "status": status} for mark, status in by_mark.items()]
    return {"raw": {"name": "todo_write", "input": {"todos": todos}}}


def _other_hook(event: str, command: str) -> dict[str, Any]:
    """A hook that the event depends on, for a settings file that no situation writes."""
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}


def _missing(tool: str, key: str) -> Callable[[str], Step]:
    return lambda mark: {"raw": {"name": tool, "input": {key: f"@PROJECT@/mark-{mark}"}}}


def _agent(name: str, call: Mapping[str, Any], subject: str, *beside: Step, **more: str) -> dict[str, Scene]:
    """``beside``: what else the agent does in the turn in which it starts another one, to wait for it."""
    turns = (({"raw": {"name": name, "input": call, **more}}, *beside), {"text": "agent answer"}, *_ANSWERS)
    return {
        "SubagentStart": Scene(kind="agent start", subject=subject, turns=turns),
        "SubagentStop": Scene(kind="agent stop", subject=subject, turns=turns),
    }


SCENES: Mapping[str, Mapping[str, Scene]] = {
    "claude-code": {
        **_tools("Bash"),
        **_turns("startup"),
        "PostToolUseFailure": Scene(kind="after", subject="Bash", step=failing_shell),
        "PostToolBatch": Scene(kind="after", subject="anything", step=shell),
        "PermissionRequest": Scene(kind="permission", subject="Bash", step=shell, approve=False, rewrite=_COMMAND),
        "SessionEnd": Scene(kind="quiet", subject="other", turns=_ANSWER),
        "MessageDisplay": Scene(kind="quiet", subject="anything", turns=_ANSWER),
        "InstructionsLoaded": Scene(
            kind="start", subject="session_start", turns=_WAITING, files={"CLAUDE.md": "Be brief.\n"}
        ),
        "Setup": Scene(kind="start", subject="init", turns=_ANSWER, args=("--init",)),
        "UserPromptExpansion": Scene(
            kind="prompt",
            subject="hello",
            turns=_ANSWER,
            prompts=("/hello mark-s0",),
            files={".claude/commands/hello.md": "Say $ARGUMENTS\n"},
        ),
        "TaskCreated": Scene(
            kind="task", subject="anything", step=_creating_task, env=_TASKS, done="created successfully: mark-{mark}"
        ),
        "TaskCompleted": Scene(kind="task", subject="anything", turns=_TASK, env=_TASKS, done="Updated task #1 status"),
        "CwdChanged": Scene(kind="after", subject="anything", step=_changing_folder, closing=_WAITING),
        "StopFailure": Scene(kind="start", subject="rate_limit", turns=_FAILURE, prompts=_TWO_PROMPTS, env=_AT_ONCE),
        "PreCompact": Scene(kind="start", subject="manual", turns=_ANSWERS, prompts=_COMPACTING),
        "PostCompact": Scene(kind="start", subject="manual", turns=_ANSWERS, prompts=_COMPACTING),
        "PreModelSwitch": Scene(
            kind="task",
            subject="claude-sonnet-4-5",
            turns=_ANSWERS,
            prompts=_SWITCHING,
            refused="was blocked by a PreModelSwitch hook",
        ),
        "PostModelSwitch": Scene(kind="start", subject="claude-sonnet-4-5", turns=_ANSWERS, prompts=_SWITCHING),
        "PermissionDenied": Scene(
            kind="after",
            subject="Bash",
            step=shell,
            approve=False,
            args=("--permission-mode", "plan"),
            most=6,  # after ten denials Claude Code gives up
        ),
        "Elicitation": Scene(
            kind="task",
            subject="asking",
            step=_asking("mcp__asking__ask"),
            files={".mcp.json": _ASKING},
            refused="about mark-{mark}: decline",
        ),
        "ElicitationResult": Scene(
            kind="task",
            subject="asking",
            turns=(_asking("mcp__asking__ask")("s0"), {"text": "finished"}),
            files={".mcp.json": _ASKING},
            refused="about mark-{mark}: decline",
        ),
        "Notification": Scene(
            kind="start",
            subject="elicitation_response",
            turns=(_asking("mcp__asking__ask")("s0"), *_WAITING),
            files={".mcp.json": _ASKING},
        ),
        "ConfigChange": Scene(
            kind="task",
            subject="local_settings",
            turns=({"shell": _NOW_DENIED}, shell("s0"), {"text": "finished"}),
            files={".claude/settings.local.json": {}},
            done="has been denied",
        ),
        "FileChanged": Scene(
            kind="start",
            subject="watched.txt",
            turns=({"shell": "echo new > watched.txt; sleep 2"}, *_WAITING),
            files={"watched.txt": "old\n", ".claude/settings.local.json": _other_hook("SessionStart", _WATCHING)},
        ),
        "WorktreeCreate": Scene(kind="quiet", subject="anything", turns=_WORKTREE),
        "WorktreeRemove": Scene(
            kind="start",
            subject="anything",
            turns=_WORKTREE_AND_BACK,
            files={".claude/settings.local.json": _other_hook("WorktreeCreate", "mkdir -p other && realpath other")},
        ),
        **_agent(
            "Agent",
            {"description": "d", "prompt": "p", "subagent_type": "general-purpose", "run_in_background": False},
            "general-purpose",
        ),
    },
    "copilot-cli": {
        **_tools("bash"),
        **_turns("new"),
        "PostToolUseFailure": Scene(kind="after", subject="view", step=_missing("view", "path")),
        "PermissionRequest": Scene(kind="permission", subject="bash", step=shell, approve=False),
        "UserPromptTransformed": Scene(kind="start", subject="anything", turns=_ANSWER),
        "SessionEnd": Scene(kind="quiet", subject="complete", turns=_ANSWER),
        "StopFailure": Scene(
            kind="quiet", subject="anything", turns=({"fail": {"status": 400, "message": "bad"}}, *_ANSWER)
        ),
        "PreCompact": Scene(kind="start", subject="auto", turns=_LONG_OUTPUT, env=_LITTLE_MEMORY),
        "Notification": Scene(
            kind="quiet",  # its context comes before or after the next request to the model
            subject="shell_completed",
            turns=({"raw": {"name": "bash", "input": _IN_BACKGROUND}}, *_WAITING),
        ),
        "PreMcpToolCall": Scene(
            kind="task",
            subject="asking/ask",
            step=_asking("asking-ask"),
            files={"mcp.json": _ASKING},
            args=("--additional-mcp-config", "@mcp.json"),
            done="about mark-{mark}: ",
        ),
        **_agent(
            "task",
            {"agent_type": "general-purpose", "description": "d", "prompt": "p", "name": "sub", "mode": "sync"},
            "general-purpose",
        ),
    },
    "codex": {
        **_tools("Bash"),
        **_turns("startup"),
        "PermissionRequest": Scene(
            kind="permission", subject="Bash", step=_escalating, approve=False, args=("--approve-for-me",)
        ),
        "SessionEnd": Scene(kind="quiet", subject="other", turns=_ANSWER),
        "PreCompact": Scene(kind="start", subject="auto", turns=_TOOL_THEN_ANSWERS, args=_SMALL_CONTEXT),
        "PostCompact": Scene(kind="start", subject="auto", turns=_TOOL_THEN_ANSWERS, args=_SMALL_CONTEXT),
        **_agent("spawn_agent", {"message": "p"}, "default", {"shell": "sleep 4"}, namespace="multi_agent_v1"),
    },
    "gemini-cli": {
        **_tools("run_shell_command"),
        **_turns("startup"),
        "BeforeModel": Scene(kind="prompt", subject="anything", turns=_ANSWER),
        "AfterModel": Scene(kind="model", subject="anything", turns=_ANSWER),
        "BeforeToolSelection": Scene(kind="start", subject="anything", turns=_ANSWER),
        "PreCompact": Scene(kind="start", subject="auto", turns=_ANSWER),
        "SessionEnd": Scene(kind="quiet", subject="exit", turns=_ANSWER),
        "Notification": Scene(
            kind="quiet",
            subject="ToolPermission",
            turns=(shell("s0"), {"text": "finished"}),
            home_files={
                f"{_EXTENSION}/gemini-extension.json": {"name": "other", "version": "1.0.0"},
                f"{_EXTENSION}/hooks/hooks.json": _other_hook("BeforeTool", """echo '{"decision": "ask"}'"""),
            },
        ),
    },
    "qwen-code": {
        **_tools("run_shell_command"),
        **_turns("startup"),
        "PostToolUseFailure": Scene(kind="after", subject="run_shell_command", step=failing_shell),
        "PostToolBatch": Scene(kind="after", subject="anything", step=shell),
        "InstructionsLoaded": Scene(kind="quiet", subject="anything", turns=_ANSWER),
        "Notification": Scene(kind="quiet", subject="auth_success", turns=_ANSWER),
        "MessageDisplay": Scene(kind="quiet", subject="anything", turns=_ANSWER),
        "SessionEnd": Scene(kind="start", subject="clear", turns=(*_ANSWER, *_WAITING), prompts=_CLEARING),
        "UserPromptExpansion": Scene(
            kind="prompt",
            subject="hello",
            turns=_ANSWER,
            prompts=("/hello mark-s0",),
            files={".qwen/commands/hello.md": "Say {{args}}\n"},
        ),
        "PreCompact": Scene(kind="start", subject="manual", turns=_ANSWERS, prompts=_COMPRESSING),
        "PostCompact": Scene(kind="start", subject="manual", turns=_ANSWERS, prompts=_COMPRESSING),
        "StopFailure": Scene(kind="quiet", subject="loop_detected", turns=_AGAIN_AND_AGAIN, unawaited=True),
        "TodoCreated": Scene(
            kind="task",
            subject="anything",
            turns=(_todos(s0="pending"), {"text": "finished"}),
            files=_TODO_TOOL,
            env=_TODOS,
            refused="Todo creation blocked",
        ),
        "TodoCompleted": Scene(
            kind="task",
            subject="anything",
            turns=(_todos(s0="pending"), _todos(s0="completed"), {"text": "finished"}),
            files=_TODO_TOOL,
            env=_TODOS,
            refused="Todo completion blocked",
        ),
        **_agent("agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}, "general-purpose"),
    },
}
"""By client and canonical event. An event that is missing cannot be brought about without a person at the client."""
