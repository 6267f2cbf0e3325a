"""Writes ``docs/commands.md`` from the help of every command."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

import click

from anyhook.cli.exec_command import USAGE
from anyhook.cli.main import COMMANDS, HIDDEN, SECTIONS, cli
from tools.site.man_page import STATUS
from tools.site.markdown import table


def page() -> str:
    """Every command in the order of ``anyhook --help``: usage, options, examples."""
    context = click.Context(cli, info_name="anyhook")
    return "\n\n".join(_parts(context)) + "\n"


def _parts(context: click.Context) -> Iterator[str]:
    yield "# Commands"
    yield (
        "This is what `anyhook COMMAND --help` and `man anyhook` print. Where it makes sense, a command has `--json`."
        " `try`, `fire`, `test`, `matrix` and `prove` run hooks, and say so; deployed entries run the hooks of a"
        " project that are [trusted](trust.md). No other command runs or imports a hook."
    )
    yield table(("exit status", "meaning"), list(STATUS.items()))
    for title, names in SECTIONS.items():
        yield f"## {title}"
        rows = [(f"[`anyhook {name}`](#anyhook-{name})", COMMANDS[name][1]) for name in names]
        yield table(("command", "what it does"), rows)
        yield from _commands(names, context)
    yield "## What clients and shells call"
    yield (
        "`anyhook --help` does not list these: the entries that `deploy` writes call `exec`, and you call `completion`"
        " once."
    )
    yield "### anyhook exec"
    yield _fence(USAGE.splitlines())
    yield from _commands(HIDDEN, context)


def _commands(names: Iterable[str], context: click.Context) -> Iterator[str]:
    for name in names:
        command = cli.get_command(context, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=context), "###")


def _command(command: click.Command, context: click.Context, heading: str) -> Iterator[str]:
    yield f"{heading} {context.command_path}"
    usage = " ".join(command.collect_usage_pieces(context))
    yield _fence([f"{context.command_path} {usage}"])
    yield from (_prose(paragraph) for paragraph in (command.help or "").split("\n\n"))
    if options := list(_options(command, context)):
        yield table(("option", "meaning"), options)
    yield from _epilog(command.epilog or "")
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _command(below, click.Context(below, info_name=name, parent=context), "####")


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None and isinstance(option, click.Option) and "--help" not in option.opts:
            yield f"`{record[0]}`", _prose(record[1])


def _epilog(text: str) -> Iterator[str]:
    for block in text.strip().split("\n\n"):
        title, _, rest = block.removeprefix("\b\n").partition("\n")
        if not block.startswith("\b"):
            yield _prose(block)
        elif title == "Examples:":
            yield _fence(textwrap.dedent(rest).splitlines())
        else:
            yield f"{title} {_prose(rest)}."


def _fence(lines: list[str]) -> str:
    return "\n".join(("```text", *(line.rstrip() for line in lines), "```"))


def _prose(text: str) -> str:
    """One line of Markdown that shows the text as it is, except for code in backticks."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.replace("\b", "").split()))
    return "".join(part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts)
