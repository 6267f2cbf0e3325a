"""Rules about commands and scripts as texts that a shell must parse and expand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.stages import interpreter_for
from anyhook.lint.checked_file import CommandLine, Hook, Shell
from anyhook.lint.roots import is_template, resolve
from anyhook.lint.rules.scripts import has_windows_line_ends, scripts_of
from anyhook.lint.shell_syntax import syntax_error
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and, join_or
from anyhook.shell.command import Invocation, ShellWord
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.shell.scripts import unwrapped
from anyhook.shell.written import UNKNOWN, Quoting, ShellText, Variable, read_text


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
    words = (word for command in read_text(text).all_commands() for word in command.words)
    found = (word.text[0] for word in words if word.text and not word.is_quoted and word.text[0] in _TYPOGRAPHIC)
    return next(found, "")


# ----------------------------------------------------------------------------------------------- C014 bash-only-syntax


def check_bash_only(hook: Hook) -> Iterator[Problem]:
    """C014: syntax of bash where ``sh`` runs the text: on Debian and Ubuntu that is dash."""
    for source in shell_sources(hook):
        if source.interpreter not in {"sh", "dash"}:
            continue
        if found := _bash_only(read_text(source.text)):
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
        found.update({r.operator: None for r in command.redirects if r.operator in {"<<<", "&>", "&>>"}})
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
    if problem := _windows_shell(hook):
        yield problem
        return
    for line in lines:
        if len(lines) == 1 and fields.get(line.key) == "command" and (found := _windows_only(line.text)):
            program = found[0].strip(' "&')
            text = f"{program} exists only on Windows, and the hook has no command for other systems"
            posix = [key for key, field in fields.items() if field in {"by_os.posix", "by_os.linux"}]
            fix = f'add "{posix[0]}" for other systems' if posix else "call a script that runs everywhere"
            yield hook.file.problem("C015", line.pointer, text, fix)


def _windows_shell(hook: Hook) -> Problem | None:
    """A hook whose ``shell`` most systems lack: it does not run there, and nothing is held back."""
    action = hook.action
    if not isinstance(action, Command) or action.args is not None:
        return None
    interpreter = interpreter_for(hook.profile, action.shell)
    if interpreter is None:
        return None
    skips = f"where {join_or(interpreter.programs)} is not on the PATH, {hook.profile.title} skips the hook"
    text = f"only Windows always has {action.shell}; {skips}"
    key = next(key for key, field in keys_of(hook.profile.layout, "command").items() if field == "shell")
    return hook.file.problem("C015", hook.at(key), text, f'leave out "{key}", and call a script that runs everywhere')


# ----------------------------------------------------------------------------------------------- C017 unquoted-payload

from_payload = re.compile(r"(?<![\w$])(?P<name>[A-Za-z_]\w*)=\"?(?:\$\((?:[^()]|\([^()]*\))*?|`[^`]*?)\bjq\b").finditer


def check_unquoted_payload(hook: Hook) -> Iterator[Problem]:
    """C017: a part of the event without quotes, where a blank or a * in it makes other words of it."""
    exported = hook.profile.execution.payload_exports
    for source in shell_sources(hook):
        text = read_text(source.text)
        names = {found["name"] for found in from_payload(source.text)} | ({*exported} if not source.script else set())
        bare = [
            v.name
            for v in text.variables
            if v.name in names and v.quoting is Quoting.NONE and not v.operator and not _is_listed(text, v)
        ]
        if bare and text.is_complete:
            shown = join_and(dict.fromkeys(f"${name}" for name in bare))
            of = f" in {source.script}" if source.script else ""
            holds = "holds a part of the event and is" if len(set(bare)) == 1 else "hold parts of the event and are"
            message = f"{shown} {holds} unquoted{of}: a blank or * makes other words of a value"
            yield source.problem("C017", message, f'write "${bare[0]}"')


def _is_listed(text: ShellText, variable: Variable) -> bool:
    """Whether a variable is the list of a loop, which is meant to be split."""
    return any(
        command.program in {"for", "select"} and command.words[0].start <= variable.start < command.words[-1].end
        for command in text.commands
        if command.words
    )


# ------------------------------------------------------------------------------------------------ C019 payload-as-code

_CODE_OPTIONS = {
    **dict.fromkeys(POSIX_SHELLS, re.compile(r"-[a-z]*c")),
    **dict.fromkeys(("python", "python3"), re.compile(r"-[a-zA-Z]*c")),
    "node": re.compile(r"-e|--eval|-pe?|--print"),
    **dict.fromkeys(("perl", "ruby"), re.compile(r"-[a-zA-Z]*e")),
}
"""Programs, with the option whose value they run as code."""
_TAKES_VALUE = re.compile(r"-[^BbcDEeFIiJLlmOopQRSWw]*[BbcDEeFIiJLlmOopQRSWw]")
"""Options of ssh, several in one word, the last of which has its value in the next word."""
_KEEPS_VALUE_OUT = ("@Q", "+", ":+")
"""Operators of a variable after which its value is quoted for a shell, or not used."""


def check_payload_as_code(hook: Hook) -> Iterator[Problem]:
    """C019: a part of the event in a text that ``eval``, ``sh -c``, ``ssh`` or the like run, quoted or not."""
    for source in shell_sources(hook):
        scanned = read_text(source.text)
        if not scanned.is_complete:
            continue
        found = (_run_as_code(part, hook.profile.execution.payload_exports) for part in scanned.everything())
        if shown := next(filter(None, found), None):
            of = f" in {source.script}" if source.script else ""
            message = (
                f"{shown[0]} holds a part of the event, and {shown[1]} runs it as code{of}: the event says what is run"
            )
            yield source.problem("C019", message, """pass it as an argument: sh -c '... "$1"' sh "$VALUE\"""")


def _run_as_code(text: ShellText, exported: Iterable[str]) -> tuple[str, str] | None:
    """A part of the event that the text runs as code, and what runs it."""
    names = _names_of_payload(text, exported)
    for before, whole in itertools.pairwise((None, *text.commands)):
        if whole is None or not (command := unwrapped(whole)[0]).words:
            continue
        program, words = command.words[0].text.rpartition("/")[2], command.words
        if name := _payload_alone(text, words[0], names):
            return f"${name}", "the shell"
        for word in (*_code_words(program, words), *_here_string(program, words, whole)):
            if name := next(_payload_in(text, word, names), ""):
                return f"${name}", program
            if UNKNOWN in word.text and _is_raw_jq(text.text[word.start : word.end]):
                return "the output of jq", program
        for printing in _sourced(text, program, words):
            if shown := _prints_payload(text, printing, names):
                return shown, program
        feeds = before if whole.before == "|" and _reads_code(program, words) else None
        if feeds and (shown := _prints_payload(text, feeds, names)):
            return shown, program
    return None


def _names_of_payload(text: ShellText, exported: Iterable[str]) -> frozenset[str]:
    """Variables that hold a part of the event: exported ones, those filled by jq, and what is made of these."""
    filled = {
        found["name"] for found in from_payload(text.text) if _is_raw_jq(_rest_of_line(text.text, found.end() - 2))
    }
    names = filled | ({*exported} - text.assigned_names())
    assigning = [command for command in text.commands if command.assignments and UNKNOWN not in _written(command)]
    for _ in assigning:  # a name that is filled later may be used in an earlier line of a loop
        names |= {name for one in assigning for name, _ in one.assignments if any(_payload_in(text, one, names))}
    return frozenset(names)


def _rest_of_line(text: str, start: int) -> str:
    return text[start:].partition("\n")[0]


def _is_raw_jq(text: str) -> bool:
    """Whether jq prints values as they are; its @sh quotes them for a shell, so that they may be given to eval."""
    return re.search(r"\bjq\b", text) is not None and "@sh" not in text


def _payload_in(text: ShellText, part: ShellWord | Invocation, names: Collection[str]) -> Iterator[str]:
    """The names among these whose values are part of a word; those inside a command substitution are not."""
    for variable in text.variables:
        if variable.name in names and part.start <= variable.start < part.end:
            is_direct = re.search(rf"\$\{{?{variable.name}\b", _written(part)) is not None
            if is_direct and not variable.operator.startswith(_KEEPS_VALUE_OUT):
                yield variable.name


def _written(part: ShellWord | Invocation) -> str:
    """The text of a word, or of what a command assigns."""
    return part.text if isinstance(part, ShellWord) else " ".join([value for _, value in part.assignments])


def _payload_alone(text: ShellText, program: ShellWord, names: Collection[str]) -> str:
    """The name of a part of the event that is the program itself: ``$P``. A folder of the event in front is not."""
    is_alone = re.fullmatch(r"\$(\w+)|\$\{(\w+)\}", program.text)
    return next(_payload_in(text, program, names), "") if is_alone else ""


def _prints_payload(text: ShellText, printing: Invocation, names: Collection[str]) -> str:
    """A part of the event that a command prints, in words; empty: it prints none."""
    if printing.program == "jq" and _is_raw_jq(printing.text):
        return "the output of jq"
    found = (name for word in printing.words for name in _payload_in(text, word, names))
    return next((f"${name}" for name in found), "")


def _here_string(program: str, words: Sequence[ShellWord], whole: Invocation) -> Iterator[ShellWord]:
    """What ``<<<`` gives a shell that reads its code from stdin, as a word of the line."""
    if _reads_code(program, words):
        for redirect in whole.redirects:
            if redirect.operator == "<<<":
                yield replace(redirect.target, start=words[-1].end, end=whole.end)


def _sourced(text: ShellText, program: str, words: Sequence[ShellWord]) -> Iterator[Invocation]:
    """The commands whose output a shell runs as a script: ``source <(...)``, ``bash <(...)``."""
    if program not in POSIX_SHELLS | {"source", "."}:
        return
    script = next((word for word in words[1:] if not word.text.startswith("-")), None)
    if script is not None and text.text.startswith("<(", script.start):
        yield from (command for command in text.commands if script.start < command.start < command.end <= script.end)


def _remote_words(words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The words after the host, which ssh joins to a line for the shell there."""
    takes_value = False
    for place, word in enumerate(words[1:], start=1):
        if not takes_value and not word.text.startswith("-"):
            return words[place + 1 :]
        takes_value = not takes_value and _TAKES_VALUE.fullmatch(word.text) is not None
    return ()


def _code_words(program: str, words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The words of a command that its program runs as code."""
    if program == "eval":
        return words[1:]
    if program == "ssh":
        return _remote_words(words)
    is_option = _CODE_OPTIONS.get(program)
    places = [index for index, word in enumerate(words) if is_option and index and is_option.fullmatch(word.text)]
    return words[places[0] + 1 : places[0] + 2] if places else ()


def _reads_code(program: str, words: Sequence[ShellWord]) -> bool:
    """Whether a program takes its code from stdin: a shell without a script."""
    return (
        program in POSIX_SHELLS
        and all(word.text.startswith("-") for word in words[1:])
        and not _code_words(program, words)
    )
