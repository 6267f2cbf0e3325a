"""Rows of program knowledge: which option or operand of which program has which effect.

    program("npm pnpm", "publishes something for other people", words="publish|unpublish", unless="--dry-run")

A row holds if all that it says does. ``words`` is a pattern for the operands, joined by spaces, from their start;
``flag`` are options of which one must be given; ``line`` is searched in the whole command; with one of ``unless`` the
program only shows something. ``values`` are options whose next argument is no operand. What no row can say, a function
does: ``special("find", find)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from anyhook.guards.effects.command_effects import CommandEffects, has_option, operands
from anyhook.guards.effects.model import Verb
from anyhook.lazy_pattern import LazyPattern

Reads: TypeAlias = Callable[[CommandEffects], None]
"""Adds the effects of a command."""


class Flags(Struct, frozen=True):
    short: str
    long: tuple[str, ...]
    whole: frozenset[str]
    """Options of one hyphen with more than a letter (``-out``)."""

    def any_in(self, arguments: Sequence[str]) -> bool:
        if self.whole and not self.whole.isdisjoint(arguments):
            return True
        return has_option(arguments, self.short, *self.long)


def flags(text: str) -> Flags:
    names = text.split()
    return Flags(
        "".join(name[1:] for name in names if len(name) == 2),
        tuple(name for name in names if name.startswith("--")),
        frozenset(name for name in names if len(name) > 2 and not name.startswith("--")),
    )


class Row(Struct, frozen=True):
    programs: tuple[str, ...]
    what: str
    words: LazyPattern | None
    flag: Flags | None
    line: LazyPattern | None
    unless: Flags | None
    values: tuple[str, ...]
    more: bool
    given: bool

    def holds(self, run: CommandEffects) -> bool:
        arguments = run.arguments
        if self.flag is not None and not (
            self.flag.any_in(arguments) or (self.more and run.command.has_more_arguments)
        ):
            return False
        if self.words is not None and self.words.match(" ".join(operands(arguments, self.values))) is None:
            return False
        if self.line is not None and self.line.search(run.text) is None:
            return False
        return self.unless is None or not self.unless.any_in(arguments)


def program(
    programs: str,
    what: str,
    *,
    words: str = "",
    flag: str = "",
    line: str = "",
    unless: str = "",
    values: str = "",
    more: bool = False,
    given: bool = False,
) -> Row:
    """A row. ``more``: arguments that are not in the line (``xargs``) count as the flag; ``given``: there are any."""
    return Row(
        tuple(programs.split()),
        what,
        LazyPattern(rf"(?:{words})(?!\w)") if words else None,
        flags(flag) if flag else None,
        LazyPattern(line, re.IGNORECASE) if line else None,
        flags(unless) if unless else None,
        tuple(values.split()),
        more,
        given,
    )


def rows(verb: Verb, kind: str, *given: Row) -> dict[str, tuple[Reads, ...]]:
    """The rows of one kind of effect, by program."""
    found: dict[str, list[Row]] = {}
    for row in given:
        for name in row.programs:
            found.setdefault(name, []).append(row)
    return {name: (_reader(verb, kind, tuple(own)),) for name, own in found.items()}


def _reader(verb: Verb, kind: str, own: tuple[Row, ...]) -> Reads:
    def read(run: CommandEffects) -> None:
        row = next((row for row in own if row.holds(run)), None)
        if row is not None:
            run.add(verb, kind, row.what)

    return read


def special(programs: str, *reads: Reads) -> dict[str, tuple[Reads, ...]]:
    """Programs of which functions tell the effects."""
    return dict.fromkeys(programs.split(), reads)


def merged(*tables: Mapping[str, tuple[Reads, ...]]) -> dict[str, tuple[Reads, ...]]:
    found: dict[str, tuple[Reads, ...]] = {}
    for table in tables:
        for name, reads in table.items():
            found[name] = (*found.get(name, ()), *reads)
    return found
