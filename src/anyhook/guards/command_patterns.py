"""Patterns of commands: which command of a line a rule or an exception means.

A pattern is broad where it restricts and narrow where it permits. Broad: ``*`` matches any text, and the program may be
written with its folder or with options before its subcommand. Narrow: nothing that the pattern does not say may
happen. ``*`` stays within a word, and as a word of its own it is any number of them; the command sets no variables,
reads no input, writes to no file, is started by no other user or machine, and all its words are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from anyhook.guards.effects.model import words
from anyhook.paths import alternatives
from anyhook.shell.command import Invocation
from anyhook.shell.git_aliases import verb_place

PLAIN_WRAPPERS = words("timeout gtimeout nice ionice nohup stdbuf command exec env bash sh zsh dash")
"""Programs that start another one as it is, by the same user on the same machine."""
_NOWHERE = words("/dev/null /dev/stdout /dev/stderr")


def matches_broadly(command: Invocation, globs: Iterable[str]) -> bool:
    texts = _texts(command)
    return any(_is_like(text, form) for glob in globs for form in _forms(glob) for text in texts)


def matches_narrowly(command: Invocation, globs: Iterable[str]) -> bool:
    if not _is_as_written(command):
        return False
    given = [word.text for word in command.words]
    return any(_is_in_words(given, each.split()) for glob in globs for each in alternatives(glob))


def _is_as_written(command: Invocation) -> bool:
    return (
        bool(command.words)
        and not command.assignments
        and not command.has_more_arguments
        and command.input is None
        and PLAIN_WRAPPERS.issuperset(command.wrapped_by)
        and all(word.is_known for word in command.words)
        and all(each.writes and each.target.text in _NOWHERE for each in command.redirects)
    )


def _texts(command: Invocation) -> tuple[str, ...]:
    """The command as it is written, and with the plain name of its program and, for git, of its subcommand."""
    arguments = command.arguments
    texts = [command.text, " ".join([command.name, *arguments])]
    if command.name == "git":
        texts.append(" ".join(["git", *arguments[verb_place(arguments) :]]))
    return tuple(dict.fromkeys(texts))


@lru_cache(maxsize=256)
def _forms(glob: str) -> tuple[str, ...]:
    """``git push *`` also matches ``git push`` alone."""
    plain = [" ".join(each.split()) for each in alternatives(glob)]
    return tuple(form for each in plain for form in ((each, each[:-2]) if each.endswith(" *") else (each,)))


def _is_like(text: str, glob: str) -> bool:
    """Whether a glob matches a text, found in linear time."""
    first, *others = glob.split("*")
    if not others or not text.startswith(first):
        return text == glob
    at = len(first)
    for part in others[:-1]:
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return text.endswith(others[-1]) and at + len(others[-1]) <= len(text)


def _is_in_words(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the words of a command are those of a pattern, found without going back more than once for each ``*``."""
    at = place = 0
    star = resume = -1
    while at < len(given):
        if place < len(wanted) and wanted[place] == "*":
            star, resume = place, at
            place += 1
        elif place < len(wanted) and fnmatchcase(given[at], _only_stars(wanted[place])):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return all(word == "*" for word in wanted[place:])


def _only_stars(word: str) -> str:
    """Of the signs of ``fnmatch``, patterns of commands have the star alone."""
    return word.replace("[", "[[]").replace("?", "[?]")
