"""Every command and subcommand explains itself, with examples that name existing commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from anyhook.cli.main import COMMANDS, HIDDEN, MOVED, SECTIONS, cli


def all_commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from all_commands(command, (*path, name))


FOUND = dict(all_commands(cli))


@pytest.mark.parametrize("name", FOUND)
def test_help_has_a_sentence_and_examples(name: str) -> None:
    command = FOUND[name]
    assert command.help is not None
    assert re.search(r"\.$", command.help.strip())
    assert command.epilog is not None
    assert "Examples:\n" in command.epilog
    assert f"anyhook {name}" in command.epilog


@pytest.mark.parametrize("name", FOUND)
def test_examples_use_options_that_exist(name: str) -> None:
    for line in re.findall(rf"anyhook {name}\b(.*)", FOUND[name].epilog or ""):
        words = re.split(r"\s{2,}|\s--\s|[|<>;\"']", line.removeprefix(" "))[0].split()
        command = FOUND[name]
        while isinstance(command, click.Group) and words and f"{name} {words[0]}" in FOUND:
            command = FOUND[f"{name} {words.pop(0)}"]
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("-")} <= options | {"--help", "-h"}, line


@pytest.mark.parametrize("name", FOUND)
def test_every_option_is_described(name: str) -> None:
    options = [each for each in FOUND[name].params if isinstance(each, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_the_module_of_a_command_has_its_name() -> None:
    for name, (module, _) in COMMANDS.items():
        assert re.fullmatch(rf"anyhook\.cli\.{name}_command", module)


def test_every_command_is_in_one_section() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted((*listed, *HIDDEN)) == sorted(COMMANDS)
    assert len(listed) <= 23


@pytest.mark.parametrize("name", MOVED)
def test_what_took_the_place_of_a_command_exists(name: str) -> None:
    _, command, *words = MOVED[name].split()
    options = {option for parameter in FOUND[command].params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert name not in COMMANDS
    assert {word for word in words if word.startswith("-")} <= options
