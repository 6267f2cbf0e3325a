"""Command lines inside the code of one-liners: ``python -c``, ``node -e``, ``awk 'BEGIN{system(...)}'``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.shell.code_values import JOINED, with_values
from anyhook.shell.command import InputKind, Invocation
from anyhook.shell.programs import AWKS, is_interpreter

CODE_OPTIONS = {
    "-c",
    "-e",
    "-E",
    "-p",
    "-r",
    "-pe",
    "-ne",
    "-nle",
    "-lne",
    "-ple",
    "-i",
    "--eval",
    "--execute",
    "--print",
    "--run",
    "-command",
}
_CALLS = re.compile(
    r"""(?:system|popen|exec(?:Sync|File|FileSync|v|vp|l|lp)?|spawn(?:Sync)?|run|call|check_call|check_output|Popen|
        getoutput|getstatusoutput|shell_exec|passthru|shell\s+script|execute|qx|os\.system|Deno\.Command|
        \$)\s*[\(\s`{\[]\s*""",
    re.VERBOSE,
)
_STRING = re.compile(r"""(?:[rbfu]{0,2})("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)""", re.DOTALL)
_LIST = re.compile(
    r"""\s*\[?\s*(?:[rbfu]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)\s*,?\s*\[?\s*)+""", re.DOTALL
)
_BACKTICKS = re.compile(r"`([^`]+)`|%x[\{\(\[]([^\}\)\]]+)|qx[\{\(/]([^\}\)/]+)")
STARTS_PROGRAMS = re.compile(
    r"child_process|subprocess|popen|system|spawn|execSync|exec\b|getattr|\.send\(|__import__|shell_exec|Process"
)
_WORDS = re.compile(r"qw[\(\{\[/]([^)}\]/]+)")
_CODES = re.compile(r"(?:\b(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b\s*,\s*){3,}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b")
_AWK_PIPE = re.compile(r"""\|&?\s*"((?:[^"\\]|\\.)+)"|"((?:[^"\\]|\\.)+)"\s*\|&?\s*getline""")
_STATEMENT = re.compile(
    r"""[rbfu]{0,2}["'`]{1,3}\s*(?:select(?!\s+\w+\s+in\s+[^(])|insert\s+(?:or\s+\w+\s+)?into|update\s+\w+\s+set|
        delete\s+from|create\s+(?:table|index|view)|alter\s+table|drop\s+table|pragma)\s""",
    re.VERBOSE | re.IGNORECASE,
)
"""SQL, which is what ``execute`` is given by the libraries of databases."""
_WITHOUT_BACKTICKS = ("python", "pypy", "node", "deno", "bun", "tsx", "ts-node")
"""Interpreters for which backticks are text, or quotes, and that call nothing without parentheses."""
_SYSTEM_IN_TEXT = re.compile(r"\bsystem\s+(?!as\b)[a-z]")
"""``docker system prune`` in a text."""


def code_of(command: Invocation) -> str:
    """The code that an interpreter gets: on its command line, on its standard input, or in a file the line wrote."""
    arguments = command.arguments
    pieces = [arguments[number + 1] for number, text in enumerate(arguments[:-1]) if is_code_option(text)]
    pieces += [text[2:] for text in arguments if re.match(r"-[cer]\S{3,}", text) and not text.startswith("--")]
    if command.name in AWKS:
        pieces += [text for text in arguments if "{" in text]
    operands = [text for text in arguments if not text.startswith("-")]
    if operands[:1] in (["eval"], ["runner"]):
        pieces += operands[1:]
    reads_input = not operands or "-" in arguments
    if reads_input and command.input is not None and command.input.kind is not InputKind.FILE and command.input.text:
        pieces.append(command.input.text)
    return _plain_strings("\n".join([*pieces, *command.written_files]))


def is_code_option(text: str) -> bool:
    return text in CODE_OPTIONS or re.fullmatch(r"-[a-zA-Z0-9]*[ce]", text) is not None


def _plain_strings(code: str) -> str:
    """Code with its strings as one piece: ``"r" + "m"`` is ``"rm"``, and a list of character codes is its text."""
    code = JOINED.sub("", code)
    spelled = [
        "".join([chr(int(number)) for number in re.findall(r"\d+", match[0])]) for match in _CODES.finditer(code)
    ]
    return "\n".join([code, *[f"system({text!r})" for text in spelled]])


def lines_in_code(command: Invocation) -> Iterator[str]:
    """The command lines that the code of a one-liner would start; an empty one for each other place looked at."""
    code = code_of(command)
    if not code:
        return
    yield from lines_of_calls(code, has_backticks=not command.name.startswith(_WITHOUT_BACKTICKS))
    if command.name in AWKS:  # print | "line", and "line" | getline
        yield from (_unescaped(one or other) for one, other in _AWK_PIPE.findall(code))


def printed_by_code(command: Invocation) -> list[str]:
    """The strings in the code of a one-liner: what it may print, where a shell reads its output."""
    if command.name not in AWKS and not is_interpreter(command.name):
        return []
    return [text for text in map(_unquoted, _STRING.findall(code_of(command))) if " " in text.strip()]


def lines_of_calls(code: str, *, has_backticks: bool = True) -> Iterator[str]:
    """The command lines that code hands to ``system`` and the like; an empty one for each other place looked at.

    ``has_backticks``: what stands in backticks is a command of the language.
    """
    code = with_values(code)
    starts_programs = STARTS_PROGRAMS.search(code if has_backticks else _SYSTEM_IN_TEXT.sub("", code)) is not None
    for call in _CALLS.finditer(code):
        if call[0].startswith("execute") and _STATEMENT.match(code, call.end()):
            yield ""
            continue
        listed = _LIST.match(code, call.end())
        yield " ".join([_unquoted(text) for text in _STRING.findall(listed[0])]) if listed is not None else ""
        literals = [_unquoted(text) for text in _STRING.findall(code[call.end() : call.end() + 300].split(")")[0])]
        if len(literals) > 1:
            yield " x ".join(literals)
    if starts_programs:  # a string that reads like a command, wherever the code hands it on
        yield from (text for text in map(_unquoted, _STRING.findall(code)) if " " in text)
    yield from (match[1] for match in _WORDS.finditer(code))
    for groups in _BACKTICKS.findall(code) if has_backticks or starts_programs else ():
        yield from (text for text in groups if text)


def _unquoted(literal: str) -> str:
    return _unescaped(literal[1:-1])


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
