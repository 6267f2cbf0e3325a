"""Which script a command is, directly, through an interpreter, or through programs that start others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from anyhook.shell.command import Invocation, ShellWord, command_of
from anyhook.shell.one_liners import is_code_option
from anyhook.shell.programs import is_code_runner
from anyhook.shell.wrapper_tables import SUBCOMMANDS, WRAPPERS
from anyhook.shell.wrappers import started_by

_STARTERS = WRAPPERS.keys() | SUBCOMMANDS.keys() | {"env"}
_RUNS_FILES = frozenset({"bun", "deno"})
"""Interpreters that also say ``run`` before the file."""
_SCRIPT_NAME = re.compile(r".*\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php)", re.DOTALL)


class Script(Struct, frozen=True):
    """A file that a command starts, directly or through an interpreter."""

    path: str
    """As it is written, with its variables, without its quotes."""
    interpreter: str = ""
    """Empty: the file is started directly."""


def unwrapped(command: Invocation) -> tuple[Invocation, str]:
    """What ``env``, ``timeout 5``, ``uv run`` ... start in the end, and the last of them that finds packages."""
    runner = ""
    while command.name in _STARTERS:
        started = started_by(command)
        if len(started) != 1 or not started[0].words:
            break
        wrapper = WRAPPERS.get(command.name)
        if command.name in SUBCOMMANDS or (wrapper is not None and wrapper.names_package):
            runner = command.name
        command = command_of(started[0].words)
    return command, runner


def script_of(command: Invocation) -> Script | None:
    """The script that a command with its arguments is."""
    command, runner = unwrapped(command)
    if not command.words:
        return None
    program = command.words[0].text
    if is_code_runner(command.name):
        operands = command.arguments[1:] if command.name in _RUNS_FILES and command.arguments[:1] == ("run",) else None
        for text in command.arguments if operands is None else operands:
            if is_code_option(text) or text in ("-m", "-s", "-"):
                return None
            if not text.startswith("-"):
                return Script(text, command.name) if _SCRIPT_NAME.fullmatch(text) else None
        return None
    is_path = (
        "/" in program
        and (not runner or _SCRIPT_NAME.fullmatch(program))
        and not program.endswith("/")
        and (program.startswith((".", "$", "~", "/")) or _SCRIPT_NAME.fullmatch(program))
    )
    return Script(program, runner) if is_path else None


def script_of_words(words: Sequence[str]) -> Script | None:
    """The same for a program with its arguments that no shell reads."""
    return script_of(command_of([ShellWord(text) for text in words]))
