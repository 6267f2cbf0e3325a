"""Programs that hooks start, directly or in their scripts, and that the PATH of the client does not have."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping

from anyhook.dialects.stages import interpreter_for
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.lint.checked_file import Hook
from anyhook.lint.rules.scripts import script_files
from anyhook.lint.rules.shell import interpreter_of
from anyhook.model.hooks import Command, FateState
from anyhook.model.problems import Problem, problem
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.shell.reader import read_script

_BUILT_IN = frozenset(
    {
        "", ".", ":", "[", "[[", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command",
        "compgen", "complete", "continue", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else",
        "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function",
        "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile",
        "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "select", "set", "setopt",
        "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap", "true", "type",
        "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{", "}", "!",
    }
)  # fmt: skip
"""What a shell has itself."""
_function = re.compile(r"^[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\([ \t]*\))", re.MULTILINE).finditer
_FETCHERS = frozenset({"npx", "bunx", "pnpx", "uvx", "npm", "pnpm", "yarn", "bun", "pipx", "uv", "go"})
"""Programs that find others in packages, or fetch them."""
_LOOKUPS = frozenset({"command", "which", "type", "hash", "whence"})
"""Programs by which a script finds out whether another one exists, and then does without it."""


def missing_programs(hook: Hook, environment: Mapping[str, str]) -> Iterator[Problem]:
    """One problem for every program that a hook needs and that cannot be found."""
    action = hook.action
    if not isinstance(action, Command) or action.fate.state is not FateState.ACTIVE or is_own_call(action):
        return
    path = action.env.get("PATH", environment.get("PATH", os.defpath))
    if "$" in path:
        return  # only the client knows the value
    interpreter = None if action.args is not None else interpreter_for(hook.file.profile, action.shell)
    if interpreter is not None:
        if not any(shutil.which(name, path=path) for name in interpreter.programs):
            yield _missing(hook, " or ".join(interpreter.programs), f'"shell": "{action.shell}" needs it')
        return  # what the command starts is not written for a POSIX shell
    line = action.line()
    needed = dict.fromkeys(_programs_in(line) if action.args is None else [line], "")
    for _, script in script_files(hook):
        text = hook.file.disk.text(script) or ""
        first = interpreter_of(text)
        started = _programs_in(text) if first in POSIX_SHELLS or script.suffix in {".sh", ".bash"} else ()
        for name in (*([first] if first else ()), *started):
            needed.setdefault(name, script.name)
    for name, script_name in needed.items():
        if "/" not in name and "\\" not in name and shutil.which(name, path=path) is None:
            yield _missing(hook, name, f"{script_name or 'the hook'} needs it", ", or write its full path")


def _missing(hook: Hook, name: str, why: str, otherwise: str = "") -> Problem:
    text = f"{name} is not on the PATH, and {why}"
    return problem("H001", hook.action.origin, text, f"install {name}{otherwise}")


def _programs_in(text: str) -> Iterator[str]:
    """The programs that a shell would look for on the PATH, without those that the text defines or looks for itself."""
    commands = read_script(text).commands
    looked_for = {word for command in commands if command.name in _LOOKUPS for word in command.arguments}
    looked_for |= {found[1] or found[2] for found in _function(text)}
    for command in commands:
        first = command.words[0] if command.words else None
        if first is None or not first.is_known or first.has_glob or not _FETCHERS.isdisjoint(command.wrapped_by):
            continue
        if first.text not in _BUILT_IN and first.text not in looked_for and "=" not in first.text:
            yield first.text
