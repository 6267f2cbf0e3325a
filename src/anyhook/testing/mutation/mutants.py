"""What is changed about the hooks of a package: each mutant is one file with one change. Nothing is written here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.model.document import Document, Format, Span, parse_pointer, value_at
from anyhook.model.hooks import Action, Command, DeclaredRule, FateState, Guard, HookSet, Python, Rule
from anyhook.model.lazyjson import dump_json
from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.editing.guard_tables import with_guard
from anyhook.sources.load import Loader
from anyhook.sources.scripts_of import scripts
from anyhook.sources.shell_text import scan

MAX_PER_FILE = 40
_exit_status = re.compile(r"(?<![\w$])(?:exit[ (]+|sys\.exit\()(?P<code>[1-9]\d*)").finditer
_shell_condition = re.compile(r"(?m)^[ \t]*(?:el)?if +(?P<test>(?!!)[^\n;]+?)(?=[;\n])").finditer
_quoted_alternatives = re.compile(r"(?P<quote>['\"])(?P<text>[^'\"\n$`]*\w\|\\?\w[^'\"\n$`]*)(?P=quote)").finditer
_case_alternatives = re.compile(r"(?m)^[ \t]*(?P<text>[^\s()'\"#][^()'\"\n]*\|[^()'\"\n]*)\)").finditer


class Mutant(Struct, frozen=True):
    """One change of one file."""

    file: Path
    line: int
    what: str
    """What is changed, to be read after the place."""
    missing: str
    """A case that would notice it."""
    text: str
    """The whole file, changed."""


def mutants_of(hook_sets: Iterable[HookSet], root: Path) -> tuple[Mutant, ...]:
    """Every change of the hooks of a package, each once."""
    found: dict[tuple[Path, str], Mutant] = {}
    for hooks in hook_sets:
        for rule in hooks.rules:
            for mutant in _of_rule(rule, root):
                found.setdefault((mutant.file, mutant.text), mutant)
    return tuple(found.values())


def _of_rule(rule: Rule, root: Path) -> Iterator[Mutant]:
    loader = Loader()
    active = [action for action in rule.actions if action.fate.state is FateState.ACTIVE]
    for action in active:
        file = Path(action.origin.file)
        if not file.is_relative_to(root):
            continue
        form = loader.format_of(file)
        document = loader.document(file, form)
        if isinstance(document, Problem):
            continue
        match action:
            case Guard() if form is Format.GUARDS:
                yield from _of_guard(rule, action, document, file)
            case Python():
                yield from _of_code(file, document.text, rule, action)
            case Command() if form is Format.JSON:
                yield from _of_entry(rule, action, document, file)
                yield from _of_scripts(rule, action, root)


def _refused(rule: Rule, what: str) -> str:
    """The case that is missing when a hook can disappear."""
    return f"a case on {rule.native_event} in which {what}"


# ----------------------------------------------------------------------------------------------------------- hook files


def _of_guard(rule: Rule, action: Guard, document: Document, file: Path) -> Iterator[Mutant]:
    line = action.origin.line
    if isinstance(action, DeclaredRule):
        lines = document.text.splitlines(keepends=True)
        for number in range(line - 1, len(lines)):
            if number >= line and lines[number].lstrip().startswith("["):
                break
            changed = re.sub(r"^(\s*then\s*=\s*)[\"'](?:block|ask)[\"']", r'\1"allow"', lines[number])
            if changed != lines[number]:
                text = "".join((*lines[:number], changed, *lines[number + 1 :]))
                yield Mutant(file, number + 1, "the rule allows", _refused(rule, "the rule applies"), text)
        return
    try:
        off = with_guard(document.text, action.guard, "off")
    except AnyhookError:  # written within another table
        return
    yield Mutant(file, line, f"the {action.guard} guard is off", _refused(rule, "it refuses"), off)


def _of_entry(rule: Rule, action: Command, document: Document, file: Path) -> Iterator[Mutant]:
    """The hook does nothing; its matcher loses an alternative, or matches everything."""
    pointer = parse_pointer(document.data, action.origin.pointer)
    line = action.origin.line
    if span := document.spans.get((*pointer, "command")):
        text = _replaced(document, span, "true")
        yield Mutant(file, line, "the hook does nothing", _refused(rule, f"{action.summary()} has an effect"), text)
    group = parse_pointer(document.data, rule.origin.pointer)
    matcher = value_at(document.data, (*group, "matcher"))
    place = document.spans.get((*group, "matcher"))
    if not isinstance(matcher, str) or place is None or matcher in ("", "*", ".*"):
        return
    line, _ = document.position((*group, "matcher"))
    names = matcher.split("|")
    for name in names if len(names) > 1 and not set("()[]\\") & set(matcher) else ():
        text = _replaced(document, place, "|".join(other for other in names if other != name))
        what = f"the matcher is without {name}"
        yield Mutant(file, line, what, f"a case on {rule.native_event} with the tool {name}", text)
    missing = f"a case on {rule.native_event} with another tool than {matcher}, and matched: false"
    yield Mutant(file, line, "the matcher matches everything", missing, _replaced(document, place, ".*"))


def _replaced(document: Document, span: Span, value: str) -> str:
    return document.text[: span.start] + dump_json(value).decode() + document.text[span.end :]


# -------------------------------------------------------------------------------------------------------------- scripts


def _of_scripts(rule: Rule, action: Command, root: Path) -> Iterator[Mutant]:
    for command in action.commands():
        for script in scripts(scan(command)):
            # Whatever a path starts from (PACKAGE_ROOT, CLAUDE_PROJECT_DIR ...), it is the package here.
            file = root / re.sub(r"^\$\{?\w+\}?/", "", script.path)
            try:
                text = file.read_text("utf-8")
            except (OSError, ValueError):
                continue
            yield from _of_code(file, text, rule, action)


def _of_code(file: Path, text: str, rule: Rule, action: Action) -> Iterator[Mutant]:
    is_python = file.suffix == ".py"
    found = (
        [_emptied_function(file, text, rule, action)] if isinstance(action, Python) else [_emptied(file, text, rule)]
    )
    found += [*_statuses(file, text, rule), *_alternatives(file, text, rule)]
    found += [*(_python_conditions(file, text, rule) if is_python else _shell_conditions(file, text, rule))]
    yield from [mutant for mutant in found if mutant is not None and mutant.text != text][:MAX_PER_FILE]


def _emptied(file: Path, text: str, rule: Rule) -> Mutant:
    first = text.partition("\n")[0]
    kept = f"{first}\n" if first.startswith("#!") else ""
    return Mutant(file, 1, "the script is empty", _refused(rule, "it has an effect"), kept)


def _emptied_function(file: Path, text: str, rule: Rule, action: Python) -> Mutant | None:
    """The function returns at once."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == action.function:
            first = node.body[0]
            if first.lineno == node.lineno:
                return None
            indent = " " * first.col_offset
            changed = "".join((*lines[: first.lineno - 1], f"{indent}return None\n", *lines[first.lineno - 1 :]))
            return Mutant(file, node.lineno, f"{node.name} does nothing", _refused(rule, "it has an effect"), changed)
    return None


def _statuses(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    for found in _exit_status(text):
        changed = text[: found.start("code")] + "0" + text[found.end("code") :]
        what = f"the exit status {found['code']} is 0"
        yield Mutant(file, _line(text, found.start()), what, _refused(rule, "this line is reached"), changed)


def _alternatives(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    """Texts with ``|`` in quotes (of grep) and before ``)`` (of case), each without one of its alternatives."""
    for found in (*_quoted_alternatives(text), *_case_alternatives(text)):
        parts = re.split(r"\\?\|", found["text"])
        if set("()[]") & set(found["text"]):
            continue
        joint = "\\|" if "\\|" in found["text"] else "|"
        for part in parts:
            left = joint.join(other for other in parts if other is not part)
            changed = text[: found.start("text")] + left + text[found.end("text") :]
            missing = f"a case on {rule.native_event} with {part.strip()}"
            yield Mutant(file, _line(text, found.start()), f"the alternative {part.strip()} is gone", missing, changed)


def _shell_conditions(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    for found in _shell_condition(text):
        if found["test"].rstrip().endswith(("|", "&&", "||", "\\")):
            continue
        changed = text[: found.start("test")] + "! { " + found["test"] + "; }" + text[found.end("test") :]
        yield _inverted(file, _line(text, found.start("test")), found["test"], rule, changed)


def _python_conditions(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for node in ast.walk(_parsed(text)):
        if isinstance(node, ast.If) and node.test.lineno == node.test.end_lineno and text.isascii():
            start = starts[node.test.lineno - 1] + node.test.col_offset
            end = starts[node.test.lineno - 1] + (node.test.end_col_offset or 0)
            test = text[start:end]
            yield _inverted(file, node.test.lineno, test, rule, f"{text[:start]}not ({test}){text[end:]}")


def _inverted(file: Path, line: int, test: str, rule: Rule, changed: str) -> Mutant:
    what = f"the condition {' '.join(test.split())} is inverted"
    return Mutant(file, line, what, f"a case on {rule.native_event} for each side of the condition", changed)


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
