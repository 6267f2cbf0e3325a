"""How each event is brought about in each client: the model's script, the prompt and the client's arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

Kind = Literal[
    "before", "permission", "after", "prompt", "start", "stop", "agent start", "agent stop", "model", "quiet"
]
"""What tells the effect: whether the tool ran, what its result says, whether the model was asked at all, or again."""
Step = Mapping[str, Any]


def shell(mark: str) -> Step:
    return {"shell": f"touch mark-{mark}; echo OUT-{mark}", "marker": f"mark-{mark}"}


def failing_shell(mark: str) -> Step:
    return {"shell": f"echo OUT-{mark}; touch mark-{mark}; exit 3", "marker": f"mark-{mark}"}


class Scene(Struct, frozen=True, kw_only=True):
    kind: Kind
    subject: str
    """What a matcher is compared with."""
    step: Callable[[str], Step] | None = None
    """The tool call that brings the event about; without one, each start of the client plays one situation."""
    turns: tuple[Step, ...] = ()
    """The model's turns where there is no such call."""
    prompt: str = "do the task mark-s0"
    args: tuple[str, ...] = ()
    approve: bool = True
    rewrite: tuple[str, ...] = ()
    """The path of the text in the tool's input that a hook may replace."""

    @property
    def at_once(self) -> int:
        return 8 if self.step else 1

    def script(self, marks: list[str]) -> list[Any]:
        if self.step:
            return [*map(self.step, marks), {"text": "finished"}]
        return list(self.turns)


_COMMAND = ("command",)
_ANSWER = ({"text": "first answer"},)
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


def _missing(tool: str, key: str) -> Callable[[str], Step]:
    return lambda mark: {"raw": {"name": tool, "input": {key: f"@PROJECT@/mark-{mark}"}}}


def _agent(name: str, call: Mapping[str, Any], subject: str, **more: str) -> dict[str, Scene]:
    turns = ({"raw": {"name": name, "input": call, **more}}, {"text": "agent answer"}, *_ANSWERS)
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
        "InstructionsLoaded": Scene(kind="quiet", subject="session_start", turns=_ANSWER),
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
        **_agent(
            "task",
            {"agent_type": "general-purpose", "description": "d", "prompt": "p", "name": "sub", "mode": "sync"},
            "general-purpose",
        ),
    },
    "codex": {
        **_tools("Bash"),
        **_turns("startup"),
        "SessionEnd": Scene(kind="quiet", subject="other", turns=_ANSWER),
        **_agent("spawn_agent", {"message": "p"}, "default", namespace="multi_agent_v1"),
    },
    "gemini-cli": {
        **_tools("run_shell_command"),
        **_turns("startup"),
        "BeforeModel": Scene(kind="prompt", subject="anything", turns=_ANSWER),
        "AfterModel": Scene(kind="model", subject="anything", turns=_ANSWER),
        "BeforeToolSelection": Scene(kind="start", subject="anything", turns=_ANSWER),
        "PreCompact": Scene(kind="start", subject="auto", turns=_ANSWER),
        "SessionEnd": Scene(kind="quiet", subject="exit", turns=_ANSWER),
    },
    "qwen-code": {
        **_tools("run_shell_command"),
        **_turns("startup"),
        "PostToolUseFailure": Scene(kind="after", subject="run_shell_command", step=failing_shell),
        "PostToolBatch": Scene(kind="after", subject="anything", step=shell),
        "InstructionsLoaded": Scene(kind="quiet", subject="anything", turns=_ANSWER),
        "Notification": Scene(kind="quiet", subject="auth_success", turns=_ANSWER),
        "PermissionRequest": Scene(
            kind="permission", subject="run_shell_command", step=shell, approve=False, rewrite=_COMMAND
        ),
        **_agent("agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}, "general-purpose"),
    },
}
"""By client and canonical event. An event that is missing cannot be brought about without a person at the client."""
