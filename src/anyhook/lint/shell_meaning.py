"""What a scanned command does: where it looks, how it can end, and what it prints."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from anyhook.sources.shell_text import ShellCommand, ShellText, is_assignment

_EXISTENCE_TESTS = frozenset({"-f", "-e", "-x", "-s", "-r", "-d"})


def assigned_names(text: ShellText) -> frozenset[str]:
    """Names that the text itself gives a value: assignments, loops, ``read``."""
    return frozenset(name for part in text.everything() for command in part.commands for name in _assigned(command))


def _assigned(command: ShellCommand) -> Iterator[str]:
    for word in command.words:
        if found := is_assignment(word.text):
            yield re.split(r"[\[+=]", found[0], maxsplit=1)[0]
    words = [word.text for word in command.argument_words()]
    if words[:1] in (["for"], ["select"]):
        yield from words[1:2]
    elif words[:1] in (["read"], ["readarray"], ["mapfile"], ["getopts"], ["local"], ["declare"]):
        yield from (word for word in words[1:] if not word.startswith("-"))


def tested_names(text: ShellText) -> frozenset[str]:
    """Variables that the text asks about, whether they are set or what they hold."""
    tests = (c for part in text.everything() for c in part.commands if c.program in {"[", "[[", "test", "case"})
    words = (word.text for command in tests for word in command.words)
    return frozenset(name for word in words for name in re.findall(r"\$\{?([A-Za-z_]\w*)", word))


def changes_folder(text: ShellText) -> bool:
    return any(command.program in {"cd", "pushd"} for part in text.everything() for command in part.commands)


def looks_for_files(text: ShellText) -> bool:
    """Whether the command looks if files are there, so that a missing one is no mistake."""
    return any(
        command.program in {"[", "[[", "test"} and not _EXISTENCE_TESTS.isdisjoint(word.text for word in command.words)
        for part in text.everything()
        for command in part.commands
    )


def exits(text: ShellText) -> frozenset[str]:
    """What follows every ``exit`` of a text; empty text for an ``exit`` alone. That of ``cd ... || exit`` is none."""
    return frozenset(
        words[1].text if len(words) > 1 else ""
        for part in text.everything()
        for before, command in itertools.pairwise((None, *part.commands))
        if command and (words := command.argument_words()) and words[0].text == "exit"
        if not (command.before == "||" and before and before.program in {"cd", "pushd"})
    )


def ending(text: ShellText) -> str:
    """The last words by which a text always ends with 0, such as ``|| true``; empty when it can end otherwise."""
    top = [command for command in text.commands if command.depth == 0]
    if not text.is_complete or exits(text) - {"0"} or _can_leave_early(text):
        return ""
    if len(top) == 1:
        return next((found for inner in text.nested() if (found := ending(inner))), "")
    last = top[-1] if top else None
    if last is None or last.before not in {"||", ";", "\n"}:
        return ""
    words = [word.text for word in last.argument_words()]
    if words not in (["true"], [":"], ["exit", "0"]):
        return ""
    return f"{last.before.strip() or ';'} {' '.join(words)}"


def _can_leave_early(text: ShellText) -> bool:
    """``exec`` hands the exit status to another program, ``set -e`` ends at the first failure."""
    return any(
        command.program == "exec"
        or (command.program == "set" and any(re.match(r"-\w*e", word.text) for word in command.words))
        for part in text.everything()
        for command in part.commands
    )


class PrintedText(Struct, frozen=True):
    text: str
    to: Literal["stdout", "stderr", "elsewhere"]


def printed(text: ShellText) -> Iterator[PrintedText]:
    """What ``echo``, ``printf`` and ``cat <<EOF`` print, as far as the text shows it."""
    for part in text.everything():
        for index, command in enumerate(part.commands):
            following = part.commands[index + 1].before if index + 1 < len(part.commands) else ""
            is_piped = following in {"|", "|&"}
            yield from _prints(part, command, "elsewhere" if command.depth or is_piped else _target(command))


def _target(command: ShellCommand) -> Literal["stdout", "stderr", "elsewhere"]:
    if command.writes_to_stderr:
        return "stderr"
    to_file = any(r.operator.startswith((">", "&>")) and r.descriptor in {"", "1"} for r in command.redirections)
    return "elsewhere" if to_file else "stdout"


def _prints(
    part: ShellText, command: ShellCommand, to: Literal["stdout", "stderr", "elsewhere"]
) -> Iterator[PrintedText]:
    words = [word.text for word in command.argument_words()]
    match words:
        case ["echo", *rest]:
            yield PrintedText(" ".join(word for word in rest if not re.fullmatch(r"-[neE]+", word)), to)
        case ["printf", *rest] if rest:
            arguments = [word for word in rest if word != "--"]
            template = arguments[0] if arguments else ""
            values = iter(arguments[1:])
            yield PrintedText(re.sub(r"%[sbq]", lambda _: next(values, ""), template), to)
        case ["cat"] if any(r.operator.startswith("<<") for r in command.redirections):
            yield from (PrintedText(body, to) for body in part.heredocs)


_json_token = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL).finditer
MAX_DEPTH = 20


def json_members(text: str) -> Mapping[tuple[str, ...], str]:
    """Members of a printed JSON object, nested ones too: their path and, where it is plain text, their value.

    Works on text that is not JSON yet, because it still has variables. Empty when no object is printed.
    """
    text = text.strip()
    members: dict[tuple[str, ...], str] = {}
    if not text.startswith("{"):
        return members
    stack: list[str | None] = []
    key = ""
    after_colon = False
    for token in _json_token(text):
        mark = token[0]
        if mark in "{[":
            if len(stack) >= MAX_DEPTH:
                break
            stack.append((key if after_colon else "") if mark == "{" else None)
            after_colon = False
        elif mark in "}]":
            if stack:
                stack.pop()
            after_colon = False
            if not stack:
                break
        elif mark == ":":
            after_colon = True
            if None not in stack:
                members.setdefault((*(part for part in stack[1:] if part), key), "")
        elif mark == ",":
            after_colon = False
        elif after_colon:
            if None not in stack:
                members[(*(part for part in stack[1:] if part), key)] = token[1] if token[1] is not None else mark
        elif token[1] is not None:
            key = token[1]
    return members
