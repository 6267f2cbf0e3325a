"""Programs that run a text as code: shells, interpreters, ``eval``."""

from __future__ import annotations

import re

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "rbash", "csh", "tcsh"})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_INTERPRETERS = frozenset(
    (
        "python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php",
        "lua", "osascript", "tclsh", "rscript", "groovy", "rails", "elixir", "jshell", "swift", "julia",
    )
)  # fmt: skip
_RUNS_CODE = frozenset({"source", ".", "eval", "iex", "invoke-expression", "at", "batch", "pwsh", "powershell", "cmd"})
_VERSIONED = re.compile(r"(?:python|ruby|perl|php|lua)[\d.]+")


def is_shell(name: str) -> bool:
    return name in SHELLS


def is_interpreter(name: str) -> bool:
    return name in _INTERPRETERS or _VERSIONED.fullmatch(name) is not None


def is_code_runner(name: str) -> bool:
    """A program that runs a text as code: a shell, an interpreter, ``eval``, ``source``."""
    return name in SHELLS or name in _RUNS_CODE or is_interpreter(name)
