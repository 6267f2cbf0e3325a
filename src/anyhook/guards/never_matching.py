"""Patterns in settings that can never match, and what to write instead."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from anyhook.lazy_pattern import LazyPattern

PatternKind: TypeAlias = Literal["command", "path", "existing", "url", "name"]


class _Never(NamedTuple):
    """A row: patterns of this kind in which the expression is found never match."""

    kinds: tuple[PatternKind, ...]
    found: LazyPattern
    why: str
    fix: str


_FILES: tuple[PatternKind, ...] = ("path", "existing")
_NEGATED: tuple[PatternKind, ...] = ("command", "path", "url", "name")
_ROWS = (
    _Never(_NEGATED, LazyPattern(r"^!?\s*$"), "it is empty", "write a pattern, or leave it out"),
    _Never(_NEGATED, LazyPattern(r"^!!"), "! is not taken back by another", "leave both out"),
    _Never(("existing",), LazyPattern("^!"), "! has no meaning here", "write missing in place of exists, or exists"),
    _Never(("command",), LazyPattern(r"(?:^|\s)(?:&&?|\|[|&]?)(?:\s|$)"),
           "a line is judged command by command", "write each command as a pattern of its own"),
    _Never(("command",), LazyPattern(r"(?:^|\s)(?:&|\d*)[<>]+(?:&\d|\||\s|$)"),
           "what is redirected is no part of a command", "leave the redirection out, or use writes"),
    _Never(("command",), LazyPattern(r"^!?\s*\w+=\S*\s"),
           "variables before a command are no part of it", "begin with the program"),
    _Never(("command",), LazyPattern(r"""(?:^|\s)(["']).*\1(?:\s|$)"""),
           "quotes are no part of the words of a command", "write the words without quotes"),
    _Never(_FILES, LazyPattern(r"\\"), "folders are told apart by /", "write / in place of \\"),
    _Never(_FILES, LazyPattern(r"\$\{?[A-Za-z_]"),
           "variables are not replaced", "write ~ for the home folder, or the path"),
    _Never(_FILES, LazyPattern(r"^!?[a-z]+://"), "a file has no scheme", "write its path"),
    _Never((*_FILES, "name"), LazyPattern(r"^\s|\s$"), "it begins or ends with a space", "leave the space out"),
    _Never(("url",), LazyPattern(r"\s"), "an address has no spaces", "leave them out"),
    _Never(("url",), LazyPattern(r"://[^/]*@|^[^/]*@"),
           "the name of a user is no part of what is compared", "begin with the host"),
    _Never(("url",), LazyPattern(r"#"), "what follows # is not sent", "leave it out"),
)  # fmt: skip


def why_never(kind: PatternKind, pattern: str) -> tuple[str, str] | None:
    """Why a pattern never matches, and what to do; None: it may."""
    return next(((row.why, row.fix) for row in _ROWS if kind in row.kinds and row.found.search(pattern)), None)
