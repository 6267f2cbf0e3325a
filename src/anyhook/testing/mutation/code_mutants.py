"""Changes of scripts and functions: emptied, conditions inverted, alternatives gone, statuses and replies changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from anyhook.model.hooks import Command, Python, Rule
from anyhook.shell.written import read_text
from anyhook.testing.mutation.mutant import EFFECT, Mutant, missing_case
from anyhook.testing.mutation.python_changes import emptied_function, python_changes, widened_decorator

MAX_PER_FILE = 200
_exit_status = re.compile(r"(?<![\w$])(?:exit[ (]+|sys\.exit\()(?P<code>[1-9]\d*)").finditer
_refusal = re.compile(
    r"(?:permissionDecision|decision|behavior|permission)[\\\"']*\s*:\s*[\\\"']*(?P<word>deny|block)\b"
).finditer
_shell_condition = re.compile(r"(?m)^[ \t]*(?:el)?if +(?P<test>(?!!)[^\n;]+?)(?=[;\n])").finditer
_brace_condition = re.compile(r"(?m)^[ \t}]*(?:else )?if \((?P<test>[^\n{]+)\)(?= *(?:\{|return|process))").finditer
_quoted_alternatives = re.compile(r"(?P<quote>['\"])(?P<text>[^'\"\n$`]*\w\|\\?\w[^'\"\n$`]*)(?P=quote)").finditer
_pattern_literal = re.compile(r"(?<=[(=,:&|!\s])/(?P<text>[^/\n]*\w\|\w[^/\n]*)/(?=[.gimsuy;,)\s])").finditer
_case_alternatives = re.compile(r"(?m)^[ \t]*(?P<text>[^\s()'\"#][^()'\"\n]*\|[^()'\"\n]*)\)").finditer
_BRACED = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".php"})


def script_mutants(rule: Rule, action: Command, root: Path) -> Iterator[Mutant]:
    """The changes of the scripts of the package that a command starts."""
    for command in action.commands():
        for script in read_text(command).scripts():
            # Whatever a path starts from (PACKAGE_ROOT, CLAUDE_PROJECT_DIR ...), it is the package here.
            file = root / re.sub(r"^\$\{?\w+\}?/", "", script.path)
            try:
                if not file.resolve().is_relative_to(root.resolve()):
                    continue
                text = file.read_text("utf-8")
            except (OSError, ValueError):
                continue
            first = text.partition("\n")[0]
            kept = f"{first}\n" if first.startswith("#!") else ""
            emptied = Mutant(file, 1, "the script is empty", _in_which(rule, "it runs"), kept)
            yield from _changed([emptied, *_code_changes(file, text, rule)], text)


def function_mutants(file: Path, text: str, rule: Rule, action: Python) -> Iterator[Mutant]:
    """The changes of a hook function and of what is beside it in its file."""
    own = (emptied_function(file, text, rule, action.function), *widened_decorator(file, text, rule, action.function))
    yield from _changed([*filter(None, own), *_code_changes(file, text, rule)], text)


def _changed(mutants: list[Mutant], text: str) -> list[Mutant]:
    return [mutant for mutant in mutants if mutant.text != text][:MAX_PER_FILE]


def _code_changes(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    yield from _statuses(file, text, rule)
    yield from _refusals(file, text, rule)
    yield from _alternatives(file, text, rule)
    if file.suffix == ".py":
        yield from python_changes(file, text, rule)
    else:
        yield from _conditions(file, text, rule, is_braced=file.suffix in _BRACED)


def _in_which(rule: Rule, what: str) -> str:
    return missing_case(rule.native_event, {}, EFFECT, f"in which {what}")


def _statuses(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    for found in _exit_status(text):
        what = f"the exit status {found['code']} is 0"
        yield _replaced(file, text, found, "code", "0", what, _in_which(rule, "this line is reached"))


def _refusals(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    """A script that refuses by a reply has no other status to change."""
    for found in _refusal(text):
        other = "allow" if found["word"] == "deny" else "approve"
        what = f"the reply {found['word']} is {other}"
        yield _replaced(file, text, found, "word", other, what, _in_which(rule, "this line is reached"))


def _alternatives(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    """Texts with ``|`` in quotes (of grep), in a pattern of JavaScript and before ``)`` (of case)."""
    for found in (*_quoted_alternatives(text), *_pattern_literal(text), *_case_alternatives(text)):
        if set("()[]") & set(found["text"]):
            continue
        parts = re.split(r"\\?\|", found["text"])
        joint = "\\|" if "\\|" in found["text"] else "|"
        for part in parts:
            left = joint.join(other for other in parts if other is not part)
            missing = missing_case(rule.native_event, {}, EFFECT, f"with {part.strip()} in its fixture")
            yield _replaced(file, text, found, "text", left, f"the alternative {part.strip()} is gone", missing)


def _conditions(file: Path, text: str, rule: Rule, *, is_braced: bool) -> Iterator[Mutant]:
    for found in (_brace_condition if is_braced else _shell_condition)(text):
        test = found["test"]
        if test.rstrip().endswith(("|", "&&", "||", "\\")) or test.count("(") != test.count(")"):
            continue
        inverted = f"!({test})" if is_braced else f"! {{ {test}; }}"
        missing = _in_which(rule, f"{' '.join(test.split())} holds, and one in which it does not")
        yield _replaced(
            file, text, found, "test", inverted, f"the condition {' '.join(test.split())} is inverted", missing
        )


def _replaced(file: Path, text: str, found: re.Match[str], group: str, by: str, what: str, missing: str) -> Mutant:
    line = text.count("\n", 0, found.start(group)) + 1
    return Mutant(file, line, what, missing, text[: found.start(group)] + by + text[found.end(group) :])
