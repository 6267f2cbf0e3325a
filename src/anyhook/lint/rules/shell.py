"""Rules about commands and scripts as texts that a shell must parse and expand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.dialects.files.actions import keys_of
from anyhook.lint.checked_file import CommandLine, Hook, Shell
from anyhook.lint.roots import is_template, resolve
from anyhook.lint.rules.scripts import has_windows_line_ends, scripts_of
from anyhook.lint.shell_syntax import syntax_error
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and
from anyhook.sources.shell_text import Quoting, ShellText, scan


class ShellSource(Struct, frozen=True):
    """A text that a shell runs for a hook: a command line, or a script that it starts."""

    line: CommandLine
    text: str
    interpreter: str
    """``sh``, ``bash``: what runs it; empty: unknown."""
    script: str = ""
    """The name of the script; empty for the command line."""

    @property
    def what(self) -> str:
        return self.script or "the command"

    def problem(self, code: str, text: str, fix: str, severity: Severity | None = None) -> Problem:
        return self.line.hook.file.problem(code, self.line.pointer, text, fix, severity=severity)


def shell_sources(hook: Hook) -> Iterator[ShellSource]:
    """Every text of a hook that a POSIX shell runs and that can be read."""
    own = hook.profile.execution.shell[0].rpartition("/")[2]
    if isinstance(hook.action, Command) and hook.action.shell:
        own = hook.action.shell
    for line in hook.commands():
        if line.shell is Shell.POSIX:
            keys = keys_of(hook.profile.layout, "command")
            yield ShellSource(line, line.text, "bash" if line.key == "bash" and line.key in keys else own)
        for script in scripts_of(line):
            path = resolve(hook, script.path)
            if path is None or not hook.file.disk.is_file(path):
                continue
            text = hook.file.disk.text(path)
            program = script.interpreter or interpreter_of(text or "")
            if text and program in _SHELLS and not has_windows_line_ends(text):  # such a script has C018
                yield ShellSource(line, text, program, path.name)


_SHELLS = frozenset({"sh", "bash", "dash"})


def interpreter_of(text: str) -> str:
    """The program that the first line of a script names."""
    first = text.split("\n", 1)[0]
    words = first.removeprefix("#!").split() if first.startswith("#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return Path(words[0]).name if words else ""


# ---------------------------------------------------------------------------------------------- C013 not-valid-shell

_TYPOGRAPHIC = "“”„‘’‚«»"


def check_syntax(hook: Hook) -> Iterator[Problem]:
    """C013: a shell cannot parse it, or takes typographic quotes for letters."""
    for source in shell_sources(hook):
        if is_template(hook.file) and "{{" in source.text:
            continue
        if error := syntax_error(source.text):
            fix = "correct it; bash -n shows the place" if source.script else "correct it, or move it to a script"
            yield source.problem("C013", f"a shell cannot parse {source.what}: {error}", fix)
        elif not source.script and (sign := _typographic_quote(source.text)):
            text = f"{sign} is no quote for a shell but a letter, so the words are split and {sign} is part of one"
            yield source.problem("C013", text, "write \" or '")


def _typographic_quote(text: str) -> str:
    words = (word for part in scan(text).everything() for command in part.commands for word in command.words)
    found = (word.text[0] for word in words if word.text and not word.is_quoted and word.text[0] in _TYPOGRAPHIC)
    return next(found, "")


# ----------------------------------------------------------------------------------------------- C014 bash-only-syntax


def check_bash_only(hook: Hook) -> Iterator[Problem]:
    """C014: syntax of bash where ``sh`` runs the text: on Debian and Ubuntu that is dash."""
    for source in shell_sources(hook):
        if source.interpreter not in {"sh", "dash"}:
            continue
        if found := _bash_only(scan(source.text)):
            who = source.script or hook.profile.title
            runs = f"{who} is run by sh" if source.script else f"{who} runs commands with {source.interpreter}"
            verb = "is" if len(found) == 1 else "are"
            text = f"{join_and(found)} {verb} syntax of bash, but {runs}, which is dash on Debian and Ubuntu"
            fix = (
                "start it with bash" if source.script else "write bash -c '...', or call a script that has #!/bin/bash"
            )
            yield source.problem("C014", text, fix)


def _bash_only(text: ShellText) -> list[str]:
    found: dict[str, None] = {}
    for command in text.commands:
        if command.program in {"[[", "function", "shopt", "mapfile", "readarray"}:
            found[command.program] = None
        found.update({r.operator: None for r in command.redirections if r.operator in {"<<<", "&>", "&>>"}})
        if command.program == "set" and any("pipefail" in word.text for word in command.words):
            found["set -o pipefail"] = None
    for variable in text.variables:
        if variable.name in {"PIPESTATUS", "BASH_SOURCE", "BASH_REMATCH"}:
            found[f"${variable.name}"] = None
        elif re.match(r"//?[^/]|\^|,|@[A-Z]", variable.operator):
            found[text.text[variable.start : variable.end][:30]] = None
    return list(found)[:3]


# ------------------------------------------------------------------------------------------- C015 windows-only-command

_windows_only = re.compile(
    r"\s*(?:&\s*)?\"?(?:powershell(?:\.exe)?|cmd(?:\.exe)?(?=\s+/c))(?![\w=.-])|\s*\"?[^\s\"]+\.(?:bat|ps1)\b",
    re.IGNORECASE,
).match


def check_windows_only(hook: Hook) -> Iterator[Problem]:
    """C015: a program of Windows as the only command."""
    if not hook.file.is_shared or "windows" in hook.file.path.name.lower():
        return
    fields = keys_of(hook.profile.layout, "command")
    lines = hook.commands()
    for line in lines:
        if len(lines) == 1 and fields.get(line.key) == "command" and (found := _windows_only(line.text)):
            program = found[0].strip(' "&')
            text = f"{program} exists only on Windows, and the hook has no command for other systems"
            posix = [key for key, field in fields.items() if field in {"by_os.posix", "by_os.linux"}]
            fix = f'add "{posix[0]}" for other systems' if posix else "call a script that runs everywhere"
            yield hook.file.problem("C015", line.pointer, text, fix)


# ----------------------------------------------------------------------------------------------- C017 unquoted-payload

from_payload = re.compile(r"(?<![\w$])(?P<name>[A-Za-z_]\w*)=\"?\$\((?:[^()]|\([^()]*\))*?\bjq\b").finditer


def check_unquoted_payload(hook: Hook) -> Iterator[Problem]:
    """C017: a part of the event without quotes, where a blank or a * in it makes other words of it."""
    exported = hook.profile.execution.payload_exports
    for source in shell_sources(hook):
        text = scan(source.text)
        names = {found["name"] for found in from_payload(source.text)} | ({*exported} if not source.script else set())
        bare = [v.name for v in text.variables if v.name in names and v.quoting is Quoting.NONE and not v.operator]
        if bare and text.is_complete:
            shown = join_and(dict.fromkeys(f"${name}" for name in bare))
            of = f" in {source.script}" if source.script else ""
            message = (
                f"{shown} holds a part of the event and is unquoted{of}: a blank or * in it makes other words of it"
            )
            yield source.problem("C017", message, f'write "${bare[0]}"')
