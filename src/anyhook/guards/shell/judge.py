"""Judge a command line: the findings of every family, for every program that the line starts."""

from __future__ import annotations

import fnmatch
import re
from functools import cache, lru_cache

from anyhook.guards.shell.families import (
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
from anyhook.shell.command import Invocation, ShellWord, command_of
from anyhook.shell.programs import SHELLS, is_code_runner, is_interpreter
from anyhook.shell.reader import read_script

_FOR_EVERY_COMMAND: tuple[Judge, ...] = (
    hooks.judge,
    disks.judge_write,
    deletes.judge_emptied,
    system.judge_pseudo_files,
    system.judge_assignments,
    files.judge,
    sending.judge_reverse_shell,
)
_FOR_CODE: tuple[Judge, ...] = (code.judge, downloads.judge_runner)
_DOWNLOADED = re.compile(r"\$\(\s*(?:curl|wget)")
_HELP = frozenset({"--help", "-help", "help", "/?"})
"""With one of these, programs print a text and end."""


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
        windows,
    )
    names = {name for module in modules for name in module.JUDGES}
    return {name: tuple([judge for module in modules for judge in module.JUDGES.get(name, ())]) for name in names}


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
        downloads.judge_downloaded_then_run(script.commands),
        sending.judge_gathered_then_sent(script.commands),
        sending.judge_connection(text),
        system.judge_fork_bomb(text, script.commands),
        windows.judge_line(text),
    ):
        if whole is not None:
            findings[whole] = None
    return tuple(findings)


def _judge_command(command: Invocation) -> list[Finding]:
    found = [finding for judge in _FOR_EVERY_COMMAND if (finding := judge(command)) is not None]
    if not command.words or _HELP.intersection(command.arguments):
        return found
    if command.words[0].has_glob:  # `/bin/r?`: judged as every program that it could be
        guesses = [name for name in (*SHELLS, *_judges()) if fnmatch.fnmatch(name, command.name)]
        return [
            finding
            for name in guesses
            for finding in _judge_command(command_of((ShellWord(name), *command.words[1:]), command))
        ]
    name = command.name
    judges = _judges().get(name, ())
    if is_code_runner(name):
        judges = (*judges, *_FOR_CODE) if is_interpreter(name) else (*judges, downloads.judge_runner)
    elif name.startswith("mkfs"):
        judges = (*judges, disks.judge_mkfs)
    found += [finding for judge in judges if (finding := judge(command)) is not None]
    if command.words[0].text[:1] in "$`" and _DOWNLOADED.match(command.words[0].text):
        found.append(Finding(Family.REMOTE_CODE, "runs what it downloads", ""))
    return found
