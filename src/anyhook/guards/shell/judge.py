"""Judge a command line: the findings of every family, for every program that the line starts."""

from __future__ import annotations

import fnmatch
from functools import cache, lru_cache

from anyhook.guards.shell import arrivals
from anyhook.guards.shell.families import (
    approval,
    code,
    containers,
    databases,
    deletes,
    disks,
    downloads,
    files,
    git,
    hooks,
    infrastructure,
    permissions,
    publishing,
    sending,
    system,
    windows,
)
from anyhook.guards.shell.finding import Family, Finding, Judge
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation, ShellWord, command_of
from anyhook.shell.programs import CODE_RUNNERS, is_code_runner, is_interpreter
from anyhook.shell.reader import read_script

_ACTING = files.WRITERS.keys() | files.DELETERS | hooks.MAKERS | hooks.SETTERS | sending.NETCATS | {"socat"}
"""Programs that write to files, set variables or open connections."""
_DOWNLOADED = LazyPattern(r"\$\(\s*(?:curl|wget)")
_HELP = frozenset({"--help", "-help", "help", "/?"})
"""With one of these in its place, programs print a text and end."""
_SUBCOMMAND = LazyPattern(r"[A-Za-z][\w.:-]*")
_NAMES_TARGETS = deletes.JUDGES.keys() | disks.JUDGES.keys() | system.JUDGES.keys() | databases.CLIENTS
"""Programs for which the first word is what they work on, also if it is ``help``."""


@cache
def _judges() -> dict[str, tuple[Judge, ...]]:
    modules = (
        deletes,
        disks,
        git,
        downloads,
        sending,
        permissions,
        system,
        containers,
        infrastructure,
        databases,
        publishing,
        hooks,
        approval,
        windows,
    )
    found: dict[str, tuple[Judge, ...]] = {}
    for module in modules:
        for name, judges in module.JUDGES.items():
            found[name] = (*found.get(name, ()), *judges)
    for name in CODE_RUNNERS:
        found[name] = (*found.get(name, ()), *_for_code(name))
    return found


def _judges_of(name: str) -> tuple[Judge, ...]:
    judges = _judges().get(name)
    if judges is not None:
        return judges
    return (disks.judge_mkfs,) if name.startswith("mkfs") else _for_code(name)


def _for_code(name: str) -> tuple[Judge, ...]:
    if is_interpreter(name):
        return (code.judge, downloads.judge_runner, approval.judge_module)
    return (downloads.judge_runner,) if is_code_runner(name) else ()


@lru_cache(maxsize=64)
def judge_command_line(text: str) -> tuple[Finding, ...]:
    """Every reason to refuse a command line; none if it is harmless. Never raises."""
    script = read_script(text)
    if script.is_truncated:
        return (
            Finding(Family.SYSTEM, "is too long to be read", "Write the text to a file with the edit tool, in parts."),
        )
    findings: dict[Finding, None] = {}
    for command in script.commands:
        for finding in _judge_command(command):
            findings[finding] = None
    for whole in (
        arrivals.judge_started(script.commands),
        infrastructure.judge_planned_destruction(script.commands),
        sending.judge_gathered_then_sent(script.commands),
        sending.judge_connection(text),
        system.judge_fork_bomb(text, script.commands),
        windows.judge_line(text),
    ):
        if whole is not None:
            findings[whole] = None
    return tuple(findings)


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


def _judge_effects(command: Invocation) -> list[Finding]:
    """What any program may be told to do: to write to files, to set variables, to open connections."""
    acts = command.redirects or command.assignments or command.name in _ACTING
    if not acts and command.arguments[:1] != ("apply",):  # most commands do nothing of all this
        plain = (hooks.judge_switches(command), approval.judge(command, ()))
        return [finding for finding in plain if finding is not None]
    written, deleted = files.written_paths(command), files.deleted_paths(command)
    findings = (
        hooks.judge(command, written, deleted),
        approval.judge(command, written),
        disks.judge_write(written),
        deletes.judge_emptied(command),
        system.judge_pseudo_files(command),
        system.judge_assignments(command),
        files.judge(command, written, deleted),
        sending.judge_reverse_shell(command),
    )
    return [finding for finding in findings if finding is not None]


def _judge_command(command: Invocation) -> list[Finding]:
    found = _judge_effects(command)
    if not command.words or _asks_for_help(command):
        return found
    if command.words[0].has_glob:  # `/bin/r?`: judged as every program that it could be
        guesses = [name for name in sorted(_judges()) if fnmatch.fnmatch(name, command.name)]
        return [
            finding
            for name in guesses
            for finding in _judge_command(command_of((ShellWord(name), *command.words[1:]), command))
        ]
    found += [finding for judge in _judges_of(command.name) if (finding := judge(command)) is not None]
    if command.words[0].text[:1] in "$`" and _DOWNLOADED.match(command.words[0].text):
        found.append(Finding(Family.REMOTE_CODE, "runs what it downloads", ""))
    return found
