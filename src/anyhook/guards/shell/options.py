"""Options and operands of a command."""

from __future__ import annotations

from collections.abc import Collection

from anyhook.shell.command import Invocation


def has_option(command: Invocation, short: str = "", *long: str) -> bool:
    """Whether a short option (also within a group such as ``-rf``) or a long one (also abbreviated) is given."""
    for argument in command.arguments:
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


def operands(command: Invocation, values: Collection[str] = ()) -> list[str]:
    """Arguments that are no options; ``values`` are options whose next argument belongs to them."""
    found: list[str] = []
    skip = only_operands = False
    for argument in command.arguments:
        if skip:
            skip = False
        elif argument == "--" and not only_operands:
            only_operands = True
        elif argument.startswith("-") and argument != "-" and not only_operands:
            skip = argument in values
        else:
            found.append(argument)
    return found


def option_values(command: Invocation, *names: str) -> list[str]:
    """The values of options, written ``-x value``, ``--name value``, ``--name=value`` or ``-xvalue``."""
    arguments = command.arguments
    found: list[str] = []
    for number, argument in enumerate(arguments):
        for name in names:
            if argument == name and number + 1 < len(arguments):
                found.append(arguments[number + 1])
            elif name.startswith("--") and argument.startswith(f"{name}="):
                found.append(argument[len(name) + 1 :])
            elif len(name) == 2 and argument.startswith(name) and len(argument) > 2 and not argument.startswith("--"):
                found.append(argument[2:].removeprefix("="))
    return found
