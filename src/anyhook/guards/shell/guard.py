"""The hook function of the guard."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.judge import judge_command_line
from anyhook.model.functions import ask, context, deny
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload


class Level(StrEnum):
    """What the guard does about a family of commands."""

    OFF = "off"
    WARN = "warn"
    ASK = "ask"
    BLOCK = "block"


_ORDER = tuple(Level)


def shell_guard(event: Payload, *, families: Mapping[str, str] | None = None) -> Reply | None:
    """Judge the shell command of an event, to be returned by a hook function.

    ``families`` maps names of families to ``block`` (the default), ``ask``, ``warn`` or ``off``; see docs/guards.md.
    """
    levels = _levels(families or {})
    command = event.command
    if not isinstance(command, str):
        return None
    findings = [finding for finding in judge_command_line(command) if levels[finding.family] is not Level.OFF]
    if not findings:
        return None
    worst = max(findings, key=lambda finding: _ORDER.index(levels[finding.family]))
    match levels[worst.family]:
        case Level.BLOCK:
            return deny(_message(worst))
        case Level.ASK:
            return ask(_message(worst))
        case Level.WARN:
            return context(_message(worst))
        case _:
            return None


def _levels(given: Mapping[str, str]) -> dict[Family, Level]:
    """The level of every family; ValueError for a name or a level that does not exist."""
    if unknown := [name for name in given if name not in tuple(Family)]:
        raise ValueError(f"shell_guard has no family {unknown[0]!r}; the families are {', '.join(Family)}")
    if wrong := [level for level in given.values() if level not in tuple(Level)]:
        raise ValueError(f"{wrong[0]!r} is not a level; the levels are {', '.join(Level)}")
    return {family: Level(given.get(family, Level.BLOCK)) for family in Family}


def _message(finding: Finding) -> str:
    return f"This command {finding.what}. {finding.instead}".rstrip() + f" (shell guard: {finding.family})"
