"""Programs that run a text as code: shells, interpreters, ``eval``."""

from __future__ import annotations

import re

POSIX_SHELLS = frozenset(
    {"sh", "ash", "bash", "dash", "ksh", "ksh93", "lksh", "mksh", "oksh", "osh", "pdksh", "posh", "yash", "zsh"}
)
"""Shells that run what hooks are written in: the language of POSIX, and programs by their path, unlike ``rbash``."""
SHELLS = POSIX_SHELLS | {"rbash", "rksh", "fish", "csh", "tcsh", "elvish", "nu", "xonsh", "ysh"}
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_INTERPRETERS = frozenset(
    (
        "python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php",
        "lua", "luajit", "osascript", "tclsh", "rscript", "groovy", "rails", "elixir", "jshell", "swift", "julia",
        "tsx", "ts-node", "guile", "racket", "escript", "scala", "crystal",
    )
)  # fmt: skip
CODE_RUNNERS = (
    SHELLS
    | _INTERPRETERS
    | {"source", ".", "eval", "iex", "invoke-expression", "at", "batch", "pwsh", "powershell", "cmd"}
)
"""Those of them that have a fixed name: there are also ``python3.12`` and the like."""
_WITH_VERSIONS = ("python", "ruby", "perl", "php", "lua")
_VERSIONED = re.compile(rf"(?:{'|'.join(_WITH_VERSIONS)})[\d.]+")


def is_shell(name: str) -> bool:
    return name in SHELLS


def is_interpreter(name: str) -> bool:
    return name in _INTERPRETERS or (name.startswith(_WITH_VERSIONS) and _VERSIONED.fullmatch(name) is not None)


def is_code_runner(name: str) -> bool:
    """A program that runs a text as code: a shell, an interpreter, ``eval``, ``source``."""
    return name in CODE_RUNNERS or is_interpreter(name)
