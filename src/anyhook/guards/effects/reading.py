"""The effects of a call."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from functools import cache

from anyhook.guards.effects.model import Effect, Effects, ToolCall
from anyhook.guards.effects.program_table import Reads, merged
from anyhook.guards.effects.programs import deletes, files
from anyhook.guards.effects.told import Told
from anyhook.guards.effects.where import Where
from anyhook.shell.command import Invocation, ShellWord, command_of
from anyhook.shell.reader import read_script


def effects_of(call: ToolCall, where: Where) -> Effects:
    """What a call would do. Never raises."""
    commands: list[Invocation] = []
    effects: list[Effect] = []
    is_readable = True
    for line in call.lines:
        script = read_script(line)
        is_readable &= not script.is_truncated
        first = len(commands)
        commands += script.commands
        effects += _of_line(script.commands, first, where)
    return Effects(tuple(commands), tuple(dict.fromkeys(effects)), is_readable, bool(call.lines))


def _of_line(commands: Sequence[Invocation], first: int, where: Where) -> list[Effect]:
    effects: list[Effect] = []
    for number, command in enumerate(commands, first):
        told = Told(command, where, number)
        _read(told)
        effects += told.effects
    return effects


def _read(told: Told) -> None:
    command = told.command
    if command.redirects or command.name in files.WRITERS or command.arguments[:1] == ("apply",):
        files.writes(told)
        deletes.emptied(told)
    if not command.words:
        return
    if command.words[0].has_glob:  # `/bin/r?`: read as every program that it could be
        for name in sorted(_programs()):
            if fnmatch.fnmatch(name, command.name):
                other = Told(command_of((ShellWord(name), *command.words[1:]), command), told.where, told.by)
                _read(other)
                told.effects += other.effects
        return
    for read in _programs().get(command.name, ()):
        read(told)


@cache
def _programs() -> Mapping[str, tuple[Reads, ...]]:
    return merged(deletes.PROGRAMS)
