"""Rules about commands, for the text of the scripts that they start: each script is reported once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from anyhook.lint.checked_file import CheckedFile, Hook
from anyhook.lint.roots import is_root_variable, is_template, set_variables
from anyhook.lint.rules.answers import refuses, without_comments
from anyhook.lint.rules.commands import INPUT_VARIABLES, never_set, placeholder_in
from anyhook.lint.rules.exit_status import means_to_block, says_json
from anyhook.lint.rules.scripts import relative_script, script_files
from anyhook.lint.rules.shell import ShellSource, from_payload, shell_sources
from anyhook.model.events import FoldRule
from anyhook.model.problems import Problem
from anyhook.shell.written import ShellText, read_text


def check_script_texts(file: CheckedFile) -> Iterator[Problem]:
    """C005, C007, C008, A001 and A007 inside scripts."""
    found = {(problem.code, problem.text): problem for hook in file.all_hooks() for problem in _of_hook(hook)}
    yield from found.values()


def _of_hook(hook: Hook) -> Iterator[Problem]:
    for source in shell_sources(hook):
        text = read_text(source.text)
        if source.script and text.is_complete and not is_template(hook.file):
            yield from _relative_paths(source, text)
            yield from _variables(source, text)
            yield from _placeholders(source, text)
            yield from _always_succeeds(source, text)
            yield from _broken_decision(source, text)
    yield from _other_languages(hook)


def _relative_paths(source: ShellSource, text: ShellText) -> Iterator[Problem]:
    """C005, unless the script goes to a folder of its own choice or looks whether the file exists."""
    if text.changes_folder() or text.looks_for_files():
        return
    for script in text.scripts():
        for found in relative_script(source.line.hook, source.line, script):
            yield _in(source, found)
            return


def _variables(source: ShellSource, text: ShellText) -> Iterator[Problem]:
    """C007, unless the script has another value ready: a default, a test, or a file that it reads."""
    hook, line = source.line.hook, source.line
    if not text.programs().isdisjoint((".", "source")):
        return
    known = set_variables(hook) | text.assigned_names() | read_text(line.text).assigned_names()
    spared = (
        known | text.tested_names() | {v.name for part in text.everything() for v in part.variables if v.has_default}
    )
    used = dict.fromkeys(v.name for part in text.everything() for v in part.variables)
    has_own_root = any(is_root_variable(name) for name in used.keys() & known)
    for name in used:
        if name in spared or (has_own_root and is_root_variable(name)):
            continue
        if found := never_set(hook, line, name):
            yield _in(source, found)


def _placeholders(source: ShellSource, text: ShellText) -> Iterator[Problem]:
    """C008 where a program or a script is named; elsewhere braces may be text."""
    programs = dict.fromkeys(command.program for command in text.all_commands())
    for word in (*programs, *(script.path for script in text.scripts())):
        if placeholder := placeholder_in(word):
            message = f"nothing fills in {placeholder} in {source.script}"
            yield source.problem("C008", message, "write the real path, or read the event from stdin")
            return


def _always_succeeds(source: ShellSource, text: ShellText) -> Iterator[Problem]:
    """A001: a script that says it blocks, prints no decision and always ends with 0."""
    hook = source.line.hook
    if not hook.decides or hook.event is None or hook.event.fold is not FoldRule.DECISION:
        return
    says_so = any(means_to_block(output.text) for output in text.printed() if output.to != "elsewhere")
    if says_so and text.ending() and not says_json(source.text):
        message = f"{source.script} says that it blocks, but always exits with 0 and prints no decision"
        yield source.problem("A001", message, "write exit 2 where it should block, with the message on stderr (>&2)")


_string = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).findall


def _broken_decision(source: ShellSource, text: ShellText) -> Iterator[Problem]:
    """A007: a refusal whose JSON is put together from text and a part of the event, where one quote breaks it."""
    if "2" in text.exits():  # then the refusal may not depend on what is printed
        return
    names = {found["name"] for found in from_payload(source.text)}
    for output in text.printed():
        if output.to != "stdout" or not output.text.lstrip().startswith("{") or not refuses(output.text):
            continue
        inside = [name for name in sorted(names) if any(_has_variable(part, name) for part in _string(output.text))]
        if inside:
            message = (
                f"{source.script} puts ${inside[0]} into the JSON of its decision: a quote in it turns the guard off"
            )
            yield source.problem("A007", message, f"make the JSON with jq -n --arg, or leave ${inside[0]} out")
            return


def _has_variable(text: str, name: str) -> bool:
    return re.search(rf"\${name}\b|\$\{{{name}[}}:%#/]", text) is not None


_environment = re.compile(
    r"""os\.environ(?:\.get\(|\[)\s*["'](?P<py>\w+)|os\.getenv\(\s*["'](?P<getenv>\w+)|process\.env\.(?P<js>\w+)"""
).finditer
_reads_stdin = re.compile(r"stdin|readFileSync\(\s*0\b|open\(\s*0\b|fileinput|/dev/fd/0|\binput\(").search


def _other_languages(hook: Hook) -> Iterator[Problem]:
    """C007 in Python and JavaScript: a part of the event from a variable, by a script that never reads stdin."""
    known = set_variables(hook)
    for line, path in script_files(hook):
        text = without_comments(hook.file.disk.text(path) or "", path.suffix)
        if path.suffix not in _LANGUAGES or _reads_stdin(text):
            continue
        names = dict.fromkeys(name for found in _environment(text) for name in found.groups() if name)
        for name in names:
            is_input = name in INPUT_VARIABLES or name.startswith("CLAUDE_TOOL_")
            if is_input and name not in known and (found := never_set(hook, line, name)):
                yield _with_name(path, found)


_LANGUAGES = frozenset({".py", ".js", ".mjs", ".cjs"})


def _in(source: ShellSource, found: Problem) -> Problem:
    return _with_name(Path(source.script), found)


def _with_name(script: Path, found: Problem) -> Problem:
    return structs.replace(found, text=f"in {script.name}: {found.text}")
