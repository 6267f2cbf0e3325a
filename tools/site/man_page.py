"""Writes ``docs/man/anyhook.1`` from the help of every command, in the roff that ``man`` reads."""

from __future__ import annotations

from collections.abc import Iterator

import click

from anyhook import __version__
from anyhook.cli.main import COMMANDS, cli
from tools.site.settings_page import VARIABLES

STATUS = {
    "0": "Success.",
    "1": "The command found problems.",
    "2": "Wrong usage, or input that cannot be read.",
    "3": "A bug in anyhook; a report was written to a file.",
}
_FILES = {
    "anyhook.toml": "Settings, of a project or in the user's configuration folder.",
    "hooks/hooks.json, hooks/*.py": "The hooks of a package.",
    "$XDG_STATE_HOME/anyhook": "Trust, the journal and the daemon's log.",
}


def man_page() -> str:
    context = click.Context(cli, info_name="anyhook")
    lines = [
        f'.TH ANYHOOK 1 "" "anyhook {__version__}" "User Commands"',
        ".SH NAME",
        "anyhook \\- one lifecycle-hook engine for every coding agent",
        ".SH SYNOPSIS",
        ".B anyhook",
        "[COMMAND] [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        ".SH COMMANDS",
        *(line for name in COMMANDS for line in _command(name, context)),
        ".SH EXIT STATUS",
        *_definitions(STATUS),
        ".SH ENVIRONMENT",
        *_definitions(VARIABLES),
        ".SH FILES",
        *_definitions(_FILES),
    ]
    return "\n".join(lines) + "\n"


def _command(name: str, parent: click.Context) -> Iterator[str]:
    command = cli.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "anyhook {_roff(name)} {_roff(usage)}"'
    yield from _paragraphs(command.help or "")
    if isinstance(command, click.Group):
        yield from _definitions({each: one.get_short_help_str(200) for each, one in command.commands.items()})
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None and isinstance(option, click.Option) and "--help" not in option.opts:
            yield from _definitions(dict([record]))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield _roff(" ".join(paragraph.replace("\b", "").split()))


def _definitions(terms: dict[str, str]) -> Iterator[str]:
    for term, text in terms.items():
        yield from (".TP", f".B {_roff(term)}", _roff(" ".join(text.split())))


def _roff(text: str) -> str:
    """The text with what roff would read as commands made harmless."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped
