"""Where an event belongs in the life of a session: in the session, in a turn, or in a call of a tool. Pure."""

from __future__ import annotations

import enum

from anyhook.model.events import BY_NAME, Subject


class LifeLevel(enum.StrEnum):
    SESSION = "session"
    TURN = "turn"
    CALL = "call"


_OF_SESSIONS = frozenset(
    {
        "SessionStart", "SessionEnd", "Setup", "SessionDelete", "WorkspaceOpen", "InstructionsLoaded", "ConfigChange",
        "CwdChanged", "DirectoryAdded", "WorktreeCreate", "WorktreeRemove", "PostSetupWorktree",
    }
)  # fmt: skip
_OF_CALLS = frozenset({Subject.TOOL, Subject.COMMAND, Subject.MCP_TOOL, Subject.FILE_PATH})
OPENS_TURN = frozenset({"UserPromptSubmit", "ManualTrigger"})
CLOSES_TURN = frozenset({"Stop", "StopFailure", "SessionEnd"})


def level_of(canonical: str) -> LifeLevel:
    """The level of an event by its canonical name; one that is not known belongs to a turn."""
    if canonical in _OF_SESSIONS:
        return LifeLevel.SESSION
    if canonical in BY_NAME and BY_NAME[canonical].subject in _OF_CALLS:
        return LifeLevel.CALL
    return LifeLevel.TURN
