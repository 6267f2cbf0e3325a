"""Which scripts a command line starts, directly or through an interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from anyhook.sources.shell_text import ShellText

_INTERPRETERS = frozenset(
    {
        "sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "nodejs", "deno", "bun", "tsx", "ts-node",
        "ruby", "perl", "php", "source", ".",
    }
)  # fmt: skip
_WRAPPERS: Mapping[str, int] = {
    # Programs that start another one, with how many words of their own come first.
    "exec": 0, "command": 0, "nohup": 0, "env": 0, "sudo": 0, "time": 0, "nice": 0, "timeout": 1, "npx": 0, "bunx": 0,
    "uvx": 0,
}  # fmt: skip
_PACKAGE_RUNNERS = frozenset({"npx", "bunx", "uvx"})
_RUNNERS = frozenset(
    {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bun", "run"), ("deno", "run"), ("pnpm", "exec")}
)
_CODE_OPTIONS = frozenset(
    {"-c", "-e", "-m", "-p", "-s", "-", "-lc", "-ec", "--eval", "--print", "--command", "-pe", "-E"}
)
_SCRIPT_NAME = re.compile(r".*\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php)", re.DOTALL)


class Script(Struct, frozen=True):
    """A file that a command starts, directly or through an interpreter."""

    path: str
    """As it is written, with its variables, without its quotes."""
    interpreter: str = ""
    """Empty: the file is started directly."""


def scripts(text: ShellText) -> Iterator[Script]:
    """The scripts that a text names, in their order."""
    for part in text.everything():
        for command in part.commands:
            if script := script_of([word.text for word in command.argument_words()]):
                yield script


def script_of(words: Sequence[str]) -> Script | None:
    """The script that a program with its arguments is."""
    words, runner = without_wrappers(words)
    return _script(words, runner) if words else None


def without_wrappers(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """The words from the program on that ``env``, ``timeout 5``, ``uv run`` ... start, and the last package runner."""
    runner, at, end = "", 0, len(words)
    while at < end:
        first = words[at].rpartition("/")[2]
        if first in _WRAPPERS:
            at = _skip_options(words, at + 1) + _WRAPPERS[first]
            runner = first if first in _PACKAGE_RUNNERS else runner
            while at < end and re.match(r"[A-Za-z_]\w*=", words[at]):
                at += 1
        elif at + 1 < end and (first, words[at + 1]) in _RUNNERS:
            at, runner = _skip_options(words, at + 2), first
        else:
            break
    return words[at:], runner


def is_interpreter(program: str) -> bool:
    """Whether a program runs the file that it is given: a shell, Python, Node ..."""
    name = program.rpartition("/")[2]
    return name in _INTERPRETERS or re.fullmatch(r"python3?\.\d+", name) is not None


def _skip_options(words: Sequence[str], at: int) -> int:
    return next((index for index in range(at, len(words)) if not words[index].startswith("-")), len(words))


def _script(words: Sequence[str], runner: str) -> Script | None:
    program = words[0]
    if is_interpreter(program):
        for word in words[1:]:
            if word in _CODE_OPTIONS:
                return None
            if not word.startswith("-"):
                return Script(word, program.rpartition("/")[2]) if _SCRIPT_NAME.fullmatch(word) else None
        return None
    is_path = (
        "/" in program
        and not program.endswith("/")
        and (program.startswith((".", "$", "~", "/")) or _SCRIPT_NAME.fullmatch(program))
    )
    return Script(program, runner) if is_path else None
