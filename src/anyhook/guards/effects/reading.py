"""The effects of a call."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from anyhook.guards.effects import tools
from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Effect, Effects, ToolCall, Verb, words
from anyhook.guards.effects.program_table import Reads, merged
from anyhook.guards.effects.programs import (
    approval,
    code,
    deletes,
    endless,
    files,
    git,
    guards,
    machine,
    network,
    reads,
    services,
    windows,
)
from anyhook.guards.effects.where import Where
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import InputKind, Invocation, ShellWord, command_of
from anyhook.shell.programs import AWKS, CODE_RUNNERS, is_code_runner, is_interpreter
from anyhook.shell.reader import read_script
from anyhook.shell.words import without_quoted

MAX_WORDS = 3000
"""Words of all commands of a line; a line with more is not readable: every word may be a path."""
_DOWNLOADED = LazyPattern(r"\$\(\s*(?:curl|wget)")
_HELP = frozenset({"--help", "-help", "help", "/?"})
"""With one of these in its place, programs print a text and end."""
_SUBCOMMAND = LazyPattern(r"[A-Za-z][\w.:-]*")
_ACTING = files.WRITERS.keys() | machine.SETTERS | network.NETCATS | {"socat"}
"""Programs that write to files, set variables or open connections."""


def effects_of(call: ToolCall, where: Where) -> Effects:
    """What a call would do. Never raises."""
    commands: list[Invocation] = []
    effects: list[Effect] = []
    is_readable = True
    for line in call.lines:
        script = read_script(line)
        if script.is_truncated or sum([len(command.words) for command in script.commands]) > MAX_WORDS:
            is_readable = False
        else:
            effects += _of_line(line, script.commands, len(commands), where)
        commands += script.commands
    if "shell" not in call.kinds or len(call.kinds) > 1:
        run = CommandEffects(Invocation(()), where)
        tools.read(call, run)
        effects += run.effects
        for line in tools.cell_lines(call):
            script = read_script(line)
            is_readable = is_readable and not script.is_truncated
            effects += [replace(effect, by=None) for effect in _of_line(line, script.commands, 0, where)]
    return Effects(tuple(commands), tuple(dict.fromkeys(effects)), is_readable, call.lines)


def _of_line(line: str, commands: Sequence[Invocation], first: int, where: Where) -> list[Effect]:
    run = [CommandEffects(command, where, number) for number, command in enumerate(commands, first)]
    wrappers = {name for command in commands for name in command.wrapped_by}
    for one in run:
        _read(one)
        if one.name not in wrappers or one.name in AWKS:  # what they are given is read by the commands that they start
            reads.reads(one)
    network.arrived(run)
    network.gathered(run)
    network.printed(run)
    services.planned(run)
    whole = CommandEffects(Invocation(()), where)
    if network.opens_connection(line):
        whole.add(Verb.SENDS, "connection", "opens a connection to another machine")
    if _is_endless(line, commands):
        whole.add(Verb.MACHINE, "system", "starts processes without end")
    windows.line(whole, line)
    return [effect for one in (*run, whole) for effect in one.effects]


_COPIES_INPUT = ("cat", "tee")


def _is_endless(line: str, commands: Sequence[Invocation]) -> bool:
    """In quotes and here-documents, only what a program runs counts."""
    runs_code = any(is_code_runner(one.name) or "/" in one.words[0].text for one in commands if one.words)
    takes_text = any(one.input is not None and one.name not in _COPIES_INPUT for one in commands)
    if not runs_code and not takes_text:
        for one in commands:
            if one.input is not None and one.input.kind is InputKind.TEXT and one.input.text:
                line = line.replace(one.input.text, "", 1)
    if endless.may_be_endless(line) and endless.is_endless(without_quoted(line)):
        return True
    return any(endless.is_endless(" ".join(one.arguments)) for one in commands if is_code_runner(one.name))


def _read(run: CommandEffects) -> None:
    command = run.command
    acts = command.redirects or command.assignments or command.name in _ACTING or command.arguments[:1] == ("apply",)
    if acts:
        files.writes(run)
        guards.variables(run)
        machine.variables(run)
        deletes.emptied(run)
        network.connections(run)
    guards.switches(run)
    approval.approval(run)
    network.addresses(run)
    if not command.words or _asks_for_help(command):
        return
    if command.words[0].has_glob:  # `/bin/r?`: read as every program that it could be
        for name in sorted(_programs()):
            if fnmatch.fnmatch(name, command.name):
                other = CommandEffects(command_of((ShellWord(name), *command.words[1:]), command), run.where, run.by)
                _read(other)
                run.effects += other.effects
        return
    for read in _programs_of(command.name):
        read(run)
    if command.words[0].text[:1] in "$`" and _DOWNLOADED.match(command.words[0].text):
        run.add(Verb.RUNS, "code", "runs what it downloads")


def _asks_for_help(command: Invocation) -> bool:
    """``git push --help``, ``npm help publish``, ``aws s3 rb help``; not ``rm -rf ~ help`` or ``git commit -m --help``.

    After an option it may be a value, and after an operand a program of BSD takes it for another operand.
    """
    arguments = command.arguments
    if _HELP.isdisjoint(arguments):
        return False
    place = next(place for place, argument in enumerate(arguments) if argument in _HELP)
    if not all(_SUBCOMMAND.fullmatch(argument) for argument in arguments[:place]):
        return False
    if arguments[place] != "help":
        return True
    is_last = place == len(arguments) - 1
    return command.name not in _NAMES_TARGETS and (place == 0 or (is_last and command.name in ("aws", "awslocal")))


_NAMES_TARGETS = (
    deletes.PROGRAMS.keys() | (machine.PROGRAMS.keys() - machine.PERMISSIONS.keys()) | words(services.CLIENTS)
)
"""Programs for which the first word is what they work on, also if it is ``help``."""


@cache
def _programs() -> Mapping[str, tuple[Reads, ...]]:
    tables = (deletes, git, machine, network, services, guards, approval, windows)
    found = merged(*[module.PROGRAMS for module in tables])
    return merged(found, {name: _for_code(name) for name in CODE_RUNNERS})


def _programs_of(name: str) -> tuple[Reads, ...]:
    found = _programs().get(name)
    if found is not None:
        return found
    return (machine.mkfs,) if name.startswith("mkfs") else _for_code(name)


def _for_code(name: str) -> tuple[Reads, ...]:
    if is_interpreter(name):
        return (code.code, network.runner, approval.module)
    return (network.runner,) if is_code_runner(name) else ()
