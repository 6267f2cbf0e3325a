"""What the words of one command tell: its program, and whether it runs something of the project."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyhook.sources.scripts_of import is_interpreter, without_wrappers
from anyhook.sources.shell_text import UNKNOWN
from anyhook.trust.programs import (
    GIT_RUNS,
    LAUNCHERS,
    OWN_ENVIRONMENT,
    PROJECT_RUNS,
    RUNNERS,
)

installed_in_project = re.compile(
    r"(?!/|~|\$\{?HOME\b)(?:.*/)?(?:\.?venv[^/]*/(?:bin|Scripts)|env/bin|\.(?:tox|nox)/.*|node_modules|vendor/bin)(?:/.*)?"
    r"|(?![/~]|\$\{?HOME\b).+/(?:python[\d.]*|pypy3?|node|ruby|perl|bash|sh)",
    re.DOTALL,
).fullmatch
"""A program of a virtual environment or of node_modules, or an interpreter that is in the project."""


def is_descriptor(word: str) -> bool:
    return word.startswith(("/dev/fd/", "/proc/self/fd/")) or word == "/dev/stdin"


def shown_line(words: Sequence[str]) -> str:
    return " ".join(words)[:120].replace(UNKNOWN, "$(...)").replace("\n", " ")


def is_runnable(words: Sequence[str]) -> bool:
    names = [word.rpartition("/")[2] for word in words]
    return any(is_interpreter(name) or name in RUNNERS for name in names)


def program_of(words: Sequence[str]) -> str:
    """The name of the program that a command starts, behind ``env``, ``timeout 5``, ``xargs``, ``python3 -m`` ..."""
    count = len(words) + 1
    while words and len(words) < count:
        count = len(words)
        words, _ = without_wrappers(words)
        is_launched = False
        while words and (words[0] in LAUNCHERS or (is_launched and words[0].startswith("-"))):
            words, is_launched = words[1:], True
        while words and re.fullmatch(r"\d+[smhd]?", words[0]):
            words = words[1:]
    if len(words) > 2 and is_interpreter(words[0]) and words[1] == "-m":
        words = words[2:]
    return words[0].rpartition("/")[2] if words else ""


def runs_project(name: str, arguments: Sequence[str]) -> bool:
    first = next((word for word in arguments if not word.startswith("-")), "")
    return first in PROJECT_RUNS[name] and not (name == "uv" and not OWN_ENVIRONMENT.isdisjoint(arguments))


def is_plain_git(words: Sequence[str]) -> bool:
    """Whether git is given neither settings nor a command that runs something else."""
    options = {word.partition("=")[0] for word in words[1:]}
    own = git_options(words)
    command = next(iter(words[1 + len(own) :]), "")
    is_setting = any(word == "-c" or word.startswith(("-c", "--config-env", "--exec-path=")) for word in own)
    return not is_setting and (
        command not in GIT_RUNS or (command == "rebase" and options.isdisjoint({"-x", "--exec"}))
    )


def git_options(words: Sequence[str]) -> Sequence[str]:
    """The options before git's command, with their values."""
    index = 1
    while index < len(words) and words[index].startswith("-"):
        index += 1 + (words[index] in {"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"})
    return words[1:index]


def has_option(words: Sequence[str], letter: str) -> bool:
    return any(re.match(rf"-[a-zA-Z]*{letter}|--from-file", word) for word in words[1:])


def ends_in_variable(word: str) -> bool:
    """Whether the end of a path, which tells one file from another, is a variable."""
    last = word.rpartition("/")[2]
    return ("$" in last or UNKNOWN in last or "`" in last) and last not in {"$@", "$*"}
