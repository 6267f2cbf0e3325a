"""Command lines inside the code of one-liners: ``python -c``, ``node -e``, ``awk 'BEGIN{system(...)}'``."""

from __future__ import annotations

import re

from anyhook.shell.command import Command, InputKind

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
_SHELL_ESCAPE = re.compile(r":?!\s*(.+)")


def code_of(command: Command) -> str:
    """The code that an interpreter gets on its command line or, if it is known, on its standard input."""
    arguments = command.arguments
    pieces = [arguments[number + 1] for number, text in enumerate(arguments[:-1]) if text in CODE_OPTIONS]
    pieces += [text[2:] for text in arguments if re.match(r"-[cer]\S{3,}", text) and not text.startswith("--")]
    if command.name in ("awk", "gawk", "mawk", "nawk"):
        pieces += [text for text in arguments if "{" in text]
    operands = [text for text in arguments if not text.startswith("-")]
    if command.name in ("deno", "bun") and operands[:1] == ["eval"]:
        pieces += operands[1:2]
    reads_input = not operands or "-" in arguments
    if reads_input and command.input is not None and command.input.kind is not InputKind.FILE and command.input.text:
        pieces.append(command.input.text)
    return "\n".join(pieces)


def lines_in_code(command: Command) -> list[str]:
    """The command lines that the code of a one-liner would start."""
    if command.name in ("sed", "gsed"):
        return [match[1] for text in command.arguments if (match := re.search(r"(?:^|;|\d)e\s+(\S.*)", text))]
    if command.name in ("vim", "ed"):
        return [match[1] for text in command.arguments if (match := _SHELL_ESCAPE.search(text))]
    if command.name == "make":
        return [match[1] for text in command.arguments if (match := re.search(r"--eval=?.*\$\(shell (.*)\)", text))]
    code = code_of(command)
    if not code:
        return []
    lines = []
    for call in _CALLS.finditer(code):
        listed = _LIST.match(code, call.end())
        if listed is not None:
            lines.append(" ".join([_unquoted(text) for text in _STRING.findall(listed[0])]))
    for groups in _BACKTICKS.findall(code):
        lines += [text for text in groups if text]
    return lines


def _unquoted(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal[1:-1], flags=re.DOTALL)
