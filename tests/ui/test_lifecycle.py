from __future__ import annotations

import pytest

from anyhook.model.events import BY_NAME
from anyhook.ui.lifecycle import _OF_SESSIONS, CLOSES_TURN, OPENS_TURN, LifeLevel, level_of


@pytest.mark.parametrize(
    ("event", "level"),
    [
        ("SessionStart", LifeLevel.SESSION),
        ("UserPromptSubmit", LifeLevel.TURN),
        ("PreToolUse", LifeLevel.CALL),
        ("BeforeShellExecution", LifeLevel.CALL),
        ("AfterFileEdit", LifeLevel.CALL),
        ("PermissionRequest", LifeLevel.CALL),
        ("Stop", LifeLevel.TURN),
        ("SubagentStop", LifeLevel.TURN),
        ("SessionEnd", LifeLevel.SESSION),
        ("", LifeLevel.TURN),
        ("Unheard", LifeLevel.TURN),
    ],
)
def test_level(event: str, level: LifeLevel) -> None:
    assert level_of(event) is level


def test_the_named_events_exist() -> None:
    assert {*_OF_SESSIONS, *OPENS_TURN, *CLOSES_TURN} <= BY_NAME.keys()
