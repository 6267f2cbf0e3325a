"""Rules about the text of a command: quoting, variables, placeholders, and paths of one machine."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import structs

from anyhook.dialects.clients import OWN
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import Starting
from anyhook.lint.checked_file import CheckedFile, CommandLine, Hook, Shell
from anyhook.lint.roots import clients_that_set, is_root_variable, is_template, project_variable, set_variables
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command
from anyhook.model.problems import Edit, Problem
from anyhook.model.wording import join_and
from anyhook.record.entries import recorder_like
from anyhook.shell.written import Quoting, ShellText, Variable, read_text
from anyhook.sources.editing.json_edits import is_editable, string_offsets

# --------------------------------------------------------------------------------------------------- C001 unquoted-root


def check_quoting(hook: Hook) -> Iterator[Problem]:
    """C001: a root variable without quotes."""
    for line in hook.shell_commands():
        text = read_text(line.text)
        bare = [part for part in text.everything() if part.is_complete and _bare_roots(hook, part)]
        if not bare:
            continue
        names = dict.fromkeys(variable.name for part in bare for variable in _bare_roots(hook, part))
        shown = join_and(f"${name}" for name in names)
        yield hook.file.problem(
            "C001",
            line.pointer,
            f"{shown} is unquoted; a folder with a space in its name breaks the command",
            f'write "${{{next(iter(names))}}}/..." with quotes around the path',
            edits=_quote(line, _bare_roots(hook, text)) if bare == [text] else (),
        )


def _bare_roots(hook: Hook, text: ShellText) -> list[Variable]:
    return [
        variable
        for variable in text.variables
        if variable.quoting is Quoting.NONE
        and is_root_variable(variable.name)
        and not (text.text[variable.start + 1] != "{" and _is_quoted_by_client(hook.profile, variable.name))
    ]


def _is_quoted_by_client(client: Profile, name: str) -> bool:
    """Whether the client itself replaces ``$NAME`` by a quoted value, before the shell sees it."""
    text, value = f"${name}", "a b"
    starting = Starting(client, Command(command=text), text, {name: value})
    return overridden(client.overrides.command_text, starting, lambda given: given.text) == f"'{value}'"


_is_plain_word = re.compile(r"(?:\$\{\w+\}|\$\w+|[\w./@%+=:,-])+").fullmatch


def _quote(line: CommandLine, variables: list[Variable]) -> tuple[Edit, ...]:
    """Quotes around each word that has such a variable, or around the variable alone where the word is not plain."""
    document = line.hook.file.document
    if not line.key or not is_editable(document, line.pointer):
        return ()
    offsets = string_offsets(document, line.pointer)
    if len(offsets) != len(line.text) + 1:
        return ()
    words = [word for command in read_text(line.text).commands for word in command.words]
    ranges: dict[tuple[int, int], None] = {}
    for variable in variables:
        inside = [(word.start, word.end) for word in words if word.start <= variable.start and variable.end <= word.end]
        whole = [span for span in inside if _is_plain_word(line.text[slice(*span)])]
        ranges[whole[-1] if whole else (variable.start, variable.end)] = None
    return tuple(Edit(offsets[at], offsets[at], '\\"') for span in ranges for at in span)


# ------------------------------------------------------------------------------------------------------- personal paths

_home_path = re.compile(
    r"(?<![\w.$}~*-])(?:/home/|/Users/|[A-Z]:[\\/]+Users[\\/]+)(?P<who>[A-Za-z0-9._-]+)(?=[\\/])"
).finditer
_NOT_PERSONAL = frozenset({"Shared", "Public", "linuxbrew", "runner", "vscode", "node", "codespace", "coder", "ubuntu"})
"""Accounts that many machines have: build runners, containers, package managers."""


def check_personal_paths(hook: Hook) -> Iterator[Problem]:
    """C006: the home folder of one machine in a file that others get."""
    if not hook.file.is_shared or recorder_like(hook.action) is not None:
        return
    texts = [(line.pointer, line.text) for line in hook.commands()]
    if isinstance(hook.action, Command):
        texts += [(hook.at("args"), argument) for argument in hook.action.args or ()]
        texts += [(hook.at("cwd"), hook.action.cwd)] if hook.action.cwd else []
    for pointer, text in texts:
        found = next((found for found in _home_path(text) if found["who"] not in _NOT_PERSONAL), None)
        if found:
            is_quoted = text[: found.start()].endswith(("'", '"'))  # such a path may have blanks
            shown = re.match(r"[^\"'`]*" if is_quoted else r"[^\s\"'`;|&]*", text[found.start() :])
            yield hook.file.problem(
                "C006",
                pointer,
                f"{shown[0] if shown else found[0]} exists only on the machine of {found['who']}",
                f"{_root_hint(hook)} or $HOME",
            )
            return


# ------------------------------------------------------------------------------------------------------------ variables

INPUT_VARIABLES: Mapping[str, str] = {
    "TOOL_INPUT": "tool_input",
    "TOOL_NAME": "tool_name",
    "TOOL_OUTPUT": "tool_response",
    "TOOL_RESULT": "tool_response",
    "FILE_PATH": "tool_input.file_path",
    "USER_PROMPT": "prompt",
    "CLAUDE_FILE_PATH": "tool_input.file_path",
    "CLAUDE_FILE_PATHS": "tool_input.file_path",
    "CLAUDE_PROMPT": "prompt",
    "CLAUDE_USER_PROMPT": "prompt",
    "CLAUDE_SESSION_ID": "session_id",
    "CLAUDE_TRANSCRIPT_PATH": "transcript_path",
    "CLAUDE_HOOK_EVENT": "hook_event_name",
    "CLAUDE_HOOK_EVENT_NAME": "hook_event_name",
    "CLAUDE_NOTIFICATION": "message",
    "STDIN_JSON": "",
    "HOOK_INPUT_JSON": "",
}
"""Variables that people expect to hold a part of the event, and where that part really is."""

_windows_variable = re.compile(r"\$env:(\w+)|\$\{env:(\w+)\}|%(\w+)%", re.IGNORECASE).finditer


def check_variables(file: CheckedFile) -> Iterator[Problem]:
    """C007: variables that the client never sets. One that has a default is worth a note, once."""
    noted: set[str] = set()
    for hook in file.all_hooks():
        known = set_variables(hook)
        for line in hook.commands():
            expanded = dict(_expanded(line))
            has_own_root = any(is_root_variable(name) for name in expanded.keys() & known)
            for name, has_default in expanded.items():
                if has_own_root and is_root_variable(name) and name not in known:
                    continue  # one of several clients' names: the others are empty, or tried one after another
                is_known = name in known
                found = _borrowed(hook, line, name, expanded) if is_known else never_set(hook, line, name)
                if found and has_default and not is_known:
                    text = f"{found.text}; its default is always taken"
                    found = structs.replace(found, text=text, severity=Severity.NOTE)
                if found and (found.severity is not Severity.NOTE or name not in noted):
                    noted.add(name)
                    yield found


def _expanded(line: CommandLine) -> Iterator[tuple[str, bool]]:
    """The variables that a command line expands, and whether each has a default."""
    if line.shell is Shell.WINDOWS:
        yield from ((next(name for name in found.groups() if name), False) for found in _windows_variable(line.text))
        return
    text = read_text(line.text)
    assigned = text.assigned_names() if line.shell is Shell.POSIX else frozenset()
    parts = list(text.everything())
    if isinstance(line.hook.action, Command):
        parts += [read_text(argument) for argument in line.hook.action.args or ()]
    for part in parts:
        yield from ((v.name, v.has_default) for v in part.variables if v.name not in assigned)


def never_set(hook: Hook, line: CommandLine, name: str) -> Problem | None:
    """C007 for a variable that is not among those set for the hook; None when the user may set it."""
    if (part := _input_part(hook, name)) or name in INPUT_VARIABLES:
        text = f"{hook.profile.title} does not set ${name}; the event comes as JSON on stdin"
        fix = f"read stdin instead: jq -r .{part}" if part and _has_plain_fields(hook) else "read stdin instead"
        return (
            None
            if hook.profile.execution.exports_payload and not part
            else hook.file.problem("C007", line.pointer, text, fix)
        )
    if _invented(name) and not clients_that_set(name) and _exports_are_known(hook):
        own = [known for known in set_variables(hook) if is_root_variable(known)]
        fix = f"{hook.profile.title} has {', '.join(f'${known}' for known in sorted(own)[:3])}" if own else "set it"
        return hook.file.problem("C007", line.pointer, f"no client sets ${name}", fix)
    if not is_root_variable(name) or not _exports_are_known(hook):
        return None
    # The client that anyhook runs the hooks of a package for sets its own variables.
    return None if hook.profile.name == OWN and clients_that_set(name) else _foreign_root(hook, line, name)


_invented = re.compile(
    r"(?:CLAUDE|GEMINI|CURSOR|CODEX|COPILOT)_(?!CODE_|CONFIG|API|HOME)(?:\w+_)?"
    r"(?:DIR|ROOT|PATH|FILE|FILES|TOOL|INPUT|OUTPUT|PROMPT|COMMAND|EVENT|MESSAGE|NAME|ARGS|CWD|WORKSPACE|JSON)"
    r"|PLUGIN_DIR|PLUGIN_PATH|EXTENSION_PATH"
).fullmatch


def _has_plain_fields(hook: Hook) -> bool:
    """Whether the client sends the event with the usual names of fields, so that a path can be given."""
    wire = hook.profile.wire
    return wire.case == "snake" and not wire.container and hook.profile.name == hook.file.profile.name


def _input_part(hook: Hook, name: str) -> str:
    if name.startswith("CLAUDE_TOOL_INPUT_"):
        return f"tool_input.{name.removeprefix('CLAUDE_TOOL_INPUT_').lower()}"
    if name.startswith("CLAUDE_TOOL_"):
        return "tool_input" if "INPUT" in name else "tool_name" if "NAME" in name else "tool_response"
    may_be_set = hook.profile.execution.exports_payload
    return "" if may_be_set and not name.startswith("CLAUDE_") else INPUT_VARIABLES.get(name, "")


def _exports_are_known(hook: Hook) -> bool:
    execution = hook.profile.execution
    return bool(execution.exports or execution.plugin_exports)


def _foreign_root(hook: Hook, line: CommandLine, name: str) -> Problem:
    profile = hook.profile
    if name in profile.execution.plugin_exports:
        text = f"{profile.title} sets ${name} for hooks of plugins only, and this file is not one"
        return hook.file.problem("C007", line.pointer, text, _root_hint(hook))
    owners = clients_that_set(name)
    whose = f"; it is set by {', '.join(owners)}" if owners else ""
    is_set = set_variables(hook)
    named = dict.fromkeys((*profile.execution.exports, *profile.execution.plugin_exports))
    own = [known for known in named if is_root_variable(known) and known in is_set]
    fix = f"{profile.title} has {', '.join(f'${known}' for known in own[:3])}" if own else _root_hint(hook)
    return hook.file.problem("C007", line.pointer, f"{profile.title} does not set ${name}{whose}", fix)


def _root_hint(hook: Hook) -> str:
    """How this client's hooks find the folder of the project or plugin."""
    execution = hook.profile.execution
    if hook.file.is_in_plugin and (own := next(iter(execution.plugin_exports), "")):
        return f"write the path from ${own}"
    if variable := project_variable(hook.profile):
        return f"write the path from ${variable}"
    if execution.cwd == "project":
        return "write the path from the project folder"
    return "write the path from $(git rev-parse --show-toplevel)"


def _borrowed(hook: Hook, line: CommandLine, name: str, expanded: Collection[str]) -> Problem | None:
    """A note where a client sets another client's name only for hooks of that client's plugins."""
    title, own = hook.profile.title, hook.profile.execution.courtesy_exports.get(name, "")
    if not own or own in expanded:
        return None
    text = f"${name} is another client's name; {title} sets it for hooks of installed plugins only"
    fix = f"${own} is {title}'s own name for it"
    return hook.file.problem("C007", line.pointer, text, fix, severity=Severity.NOTE)


_double_braces = re.compile(r"\{\{\s?([A-Za-z_][\w-]*)\s?\}\}").finditer
_single_braces = re.compile(r"\{[A-Z][A-Z0-9_]+\}(?=/)").match
_dashed = re.compile(r"(?<![$\w{])(?:\{[a-z]+(?:[-_][a-z]+)+\}|<(?:your|path|my)[-_ ][a-z-_]+>)").search
_in_path = re.compile(r"(?<=[\w}/]/)<[a-z]+(?:[-_ ][a-z]+)*>").search
_TEMPLATE_NAMES = frozenset({"file", "filePath", "filepath", "path", "tool", "toolName", "toolInput", "input", "args"})


def check_placeholders(file: CheckedFile) -> Iterator[Problem]:
    """C008: a template's placeholder that nothing fills in.

    A file whose client is a guess may be what an installer reads: there, one note for each placeholder is enough.
    """
    if is_template(file):
        return
    fix = "write the real path, or read the event from stdin"
    noted: set[str] = set()
    for hook in file.all_hooks():
        for line in hook.commands():
            placeholder = _placeholder(line)
            if not placeholder or placeholder in noted:
                continue
            if not file.is_certain:
                noted.add(placeholder)
                text = f"{placeholder} is a placeholder: unless an installer fills it in, the command gets it as it is"
                yield file.problem("C008", line.pointer, text, fix, severity=Severity.NOTE)
                continue
            text = f"nothing fills in {placeholder}; the command gets these characters as they are"
            if placeholder.startswith("$"):
                text = f"nothing fills in {placeholder}; the shell makes an empty text or an error of it"
            yield file.problem("C008", line.pointer, text, fix)


def _placeholder(line: CommandLine) -> str:
    """The first placeholder of a command line; empty when it has none."""
    hook = line.hook
    commands = read_text(line.text).commands
    words = [word.text for command in commands for word in command.words]
    plain = [word.text for command in commands for word in command.words if not word.is_quoted]
    named = [] if {"xargs", "find", "parallel", "fd"}.intersection(words) else [*map(_dashed, plain)]
    filled_in = hook.profile.execution.templates if hook.file.is_in_plugin else ()
    double = (found for found in _double_braces(line.text) if found[1] not in filled_in)
    if found := next(
        itertools.chain(double, filter(None, (*map(_single_braces, words), *named, _in_path(line.text)))), None
    ):
        return found[0]
    return _template_variable(line, set_variables(hook)) if line.shell is Shell.POSIX else ""


def placeholder_in(word: str) -> str:
    """The placeholder in a word that names a program or a script; empty when there is none."""
    found = next(_double_braces(word), None) or _single_braces(word) or _dashed(word)
    return found[0] if found else ""


def _template_variable(line: CommandLine, known: frozenset[str]) -> str:
    text = read_text(line.text)
    assigned = text.assigned_names() | known
    for part in text.everything():
        for variable in part.variables:
            if variable.operator.startswith(".") and re.fullmatch(r"\.\w+(?:\.\w+)*", variable.operator):
                return part.text[variable.start : variable.end]
            is_template = variable.name in _TEMPLATE_NAMES and not variable.operator
            if is_template and variable.name not in assigned and part.text.startswith("${", variable.start):
                return f"${{{variable.name}}}"
    return ""


# --------------------------------------------------------------------------------------------------------- odd commands

_drive_path = re.compile(r"(?<![\w\\])[A-Z]:\\+[\w .-]{2,}\\+[\w .-]+").search
_backslash_script = re.compile(r"(?:\A|(?<=\s))\.{0,2}\\?(?:[\w.-]+\\)+[\w-]+\.(?:sh|py|js|mjs|cjs|ts)\b").search


_kept_backslash = re.compile(r"'[^']*'|\\\\").sub


def _unescaped(text: str) -> str:
    """The text without the backslashes that a shell keeps: doubled ones, and those in single quotes."""
    return _kept_backslash("", text)


def check_odd_commands(hook: Hook) -> Iterator[Problem]:
    """C009 and C010: a command that is only a comment, and a Windows path for a POSIX shell."""
    for line in hook.shell_commands():
        lines = [part.strip() for part in line.text.splitlines() if part.strip()]
        if lines and all(part.startswith("#") for part in lines):
            text = "the whole command is a comment, so it does nothing and always succeeds"
            fix = "put a line break behind the comment, or remove the #"
            yield hook.file.problem("C009", line.pointer, text, fix)
        elif found := _drive_path(_unescaped(line.text)) or _backslash_script(_unescaped(line.text)):
            text = f"{found[0]} is a Windows path, but a POSIX shell runs the command and takes \\ as an escape"
            yield hook.file.problem("C010", line.pointer, text, "write the path with / instead of \\")


def check_windows_twins(file: CheckedFile) -> Iterator[Problem]:
    """C011: once per file, hooks that have only a bash command and so do nothing on Windows."""
    keys = keys_of(file.profile.layout, "command")
    posix = [key for key, field in keys.items() if field == "by_os.posix"]
    windows = {key for key, field in keys.items() if field in {"by_os.windows", "command"}}
    lonely = [
        (hook, key)
        for hook in file.all_hooks()
        for key in posix
        if key in hook.entry and windows.isdisjoint(hook.entry) and "windows" not in hook.entry
    ]
    if lonely:
        hook, key = lonely[0]
        count = f"{len(lonely)} hooks have" if len(lonely) > 1 else "the hook has"
        text = f'{count} "{key}" and no command for Windows, where {file.profile.title} then runs nothing'
        names = [name for name, field in keys.items() if field == "by_os.windows"]
        both = 'use "command" for both' if "command" in keys.values() else ""
        fix = ", or ".join(filter(None, (f'add "{names[0]}"' if names else "", both)))
        yield file.problem("C011", hook.at(key), text, fix)
