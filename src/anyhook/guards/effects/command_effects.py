"""One command, as a program's row reads it: its options, operands and places, and the effects that it finds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from anyhook.guards.effects.model import Effect, Place, Resource, Target, Verb
from anyhook.guards.effects.where import Where
from anyhook.shell.command import InputKind, Invocation


class CommandEffects:
    """A command whose effects are collected."""

    def __init__(self, command: Invocation, where: Where, by: int | None = None) -> None:
        self.command, self.where, self.by = command, where, by
        self.name, self.arguments = command.name, command.arguments
        self.effects: list[Effect] = []

    def add(self, verb: Verb, target: Target | str, how: str = "", text: str = "", *, sure: bool = True) -> None:
        """An effect; a text is a resource of that kind."""
        if isinstance(target, str):
            target = Resource(target, self.name)
        self.effects.append(Effect(verb, target, how, self.by, sure, text))

    def place(self, path: str, *, follow: bool = False) -> Place:
        return self.where.resolve(path, self.command.folder, follow=follow)

    def shown(self, path: str) -> str:
        return self.place(path).shown

    def has(self, short: str = "", *long: str) -> bool:
        return has_option(self.arguments, short, *long)

    def operands(self, values: Collection[str] = ()) -> list[str]:
        return operands(self.arguments, values)

    def values(self, *names: str) -> list[str]:
        return option_values(self.arguments, *names)

    @cached_property
    def text(self) -> str:
        return self.command.text

    @property
    def input_text(self) -> str:
        """What the command reads, if that is known."""
        return (self.command.input.text or "") if self.command.input is not None else ""

    @property
    def input_file(self) -> str:
        source = self.command.input
        return source.file if source is not None and source.kind is InputKind.FILE else ""

    @property
    def sources(self) -> tuple[Invocation, ...]:
        """The commands whose output it reads."""
        return self.command.input.sources if self.command.input is not None else ()


def has_option(arguments: Iterable[str], short: str = "", *long: str) -> bool:
    """Whether a short option (also within a group such as ``-rf``) or a long one (also abbreviated) is given."""
    for argument in arguments:
        if not argument.startswith("-"):
            continue
        if argument == "--":
            return False
        if argument.startswith("--"):
            name = argument.split("=", 1)[0]
            if any(full == name or (len(name) > 4 and full.startswith(name)) for full in long):
                return True
        elif any(letter in argument[1:] for letter in short):
            return True
    return False


def operands(arguments: Iterable[str], values: Collection[str] = ()) -> list[str]:
    """Arguments that are no options; ``values`` are options whose next argument belongs to them."""
    found: list[str] = []
    skip = only_operands = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "--" and not only_operands:
            only_operands = True
        elif argument.startswith("-") and argument != "-" and not only_operands:
            skip = argument in values
        else:
            found.append(argument)
    return found


def option_values(arguments: tuple[str, ...], *names: str) -> list[str]:
    """The values of options, written ``-x value``, ``--name value``, ``--name=value`` or ``-xvalue``."""
    found: list[str] = []
    for number, argument in enumerate(arguments):
        if argument[:1] != "-":
            continue
        for name in names:
            if argument == name and number + 1 < len(arguments):
                found.append(arguments[number + 1])
            elif name.startswith("--") and argument.startswith(f"{name}="):
                found.append(argument[len(name) + 1 :])
            elif len(name) == 2 and argument.startswith(name) and len(argument) > 2 and not argument.startswith("--"):
                found.append(argument[2:].removeprefix("="))
    return found
