"""The shell guard for hook functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anyhook.guards.call import GuardCall, Shadowed
from anyhook.guards.families import Family
from anyhook.guards.options import LEVELS
from anyhook.guards.shell_commands import judge
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload


def shell_guard(event: Payload, *, families: Mapping[str, str] | None = None) -> Reply | None:
    """Judge the shell command of an event, to be returned by a hook function.

    ``families`` maps names of families to ``block`` (the default), ``ask``, ``warn`` or ``off``; see docs/guards.md.
    """
    families = families or {}
    if unknown := [name for name in families if name not in tuple(Family)]:
        raise ValueError(f"shell_guard has no family {unknown[0]!r}; the families are {', '.join(Family)}")
    if wrong := [level for level in families.values() if level not in LEVELS]:
        raise ValueError(f"{wrong[0]!r} is not a level; the levels are {', '.join(LEVELS)}")
    if not isinstance(event.command, str):
        return None
    reply = judge(GuardCall(event=event, settings={"families": families}, project=_project(event)))
    return None if isinstance(reply, Shadowed) else reply


def _project(event: Payload) -> Path:
    """The repository around the payload's folder; else that folder."""
    folder = Path(event.cwd) if isinstance(event.cwd, str) and event.cwd else Path.cwd()
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
