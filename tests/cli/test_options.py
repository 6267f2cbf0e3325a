"""Options that several commands share mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from anyhook.cli.main import cli
from anyhook.cli.options import ClientName, ClientNames


def commands(command: click.Command, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield above, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, *above, name)


OPTIONS = [(words, command, option) for words, command in commands(cli) for option in command.params]
LISTS = [
    pytest.param(command, option, spelling, id=" ".join((*words, spelling)))
    for words, command, option in OPTIONS
    if option.name == "clients"
    for spelling in option.opts
]


def parsed(command: click.Command, option: click.Parameter, *words: str) -> object:
    """The value of an option; what else the command needs does not matter."""
    context = click.Context(command, resilient_parsing=True)
    command.parse_args(context, list(words))
    return context.params[option.name or ""]


def test_there_are_such_options() -> None:
    assert {option.values[2] for option in LISTS} == {"--client", "-c"}


@pytest.mark.parametrize(("command", "option", "spelling"), LISTS)
def test_a_list_of_clients_is_separated_by_commas_or_repeated(
    command: click.Command, option: click.Parameter, spelling: str
) -> None:
    expected = ("claude-code", "codex", "gemini-cli")
    assert parsed(command, option, spelling, "claude-code,codex,gemini-cli") == expected
    assert parsed(command, option, *(word for name in expected for word in (spelling, name))) == expected
    assert parsed(command, option, spelling, "claude, codex", spelling, "gemini,claude-code") == expected


@pytest.mark.parametrize(("words", "option"), [(words, option) for words, _, option in OPTIONS])
def test_json_is_asked_for_in_one_way(words: tuple[str, ...], option: click.Parameter) -> None:
    assert "json" not in getattr(option.type, "choices", ()), words


ONE = [(" ".join(words), command) for words, command, option in OPTIONS if option.name == "client"]


@pytest.mark.parametrize(("name", "command"), ONE)
def test_a_second_client_is_refused_where_there_can_be_one(name: str, command: click.Command) -> None:
    done = CliRunner().invoke(command, ["-c", "codex", "--client", "gemini"])
    assert done.exit_code == 2
    assert "takes one client, not codex and gemini-cli" in done.output


def test_no_option_takes_several_clients_in_another_way() -> None:
    assert not [words for words, _, option in OPTIONS if isinstance(option.type, ClientName) and option.multiple]


def names_clients(option: click.Parameter) -> bool:
    """Whether an option takes clients, by its spelling or by what its help calls a value."""
    words = {*option.opts, getattr(option, "metavar", None) or ""}
    return any(word == "--source" or "client" in word.lower() for word in words)


def test_every_option_that_takes_clients_is_a_shared_one() -> None:
    """One client is a ClientName, several are ClientNames: texts would know neither nicknames nor commas."""
    options = [(words, option) for words, _, option in OPTIONS if names_clients(option)]
    assert options
    assert not [
        (" ".join(words), option.opts)
        for words, option in options
        if not isinstance(option.type, ClientName | ClientNames)
    ]


def test_a_version_may_follow_a_client_that_is_started() -> None:
    (prove,) = {words: command for words, command in commands(cli) if words == ("prove",)}.values()
    option = next(option for option in prove.params if "--client" in option.opts)
    expected = ("claude-code@2.1.197", "codex@newest", "gemini-cli")
    assert parsed(prove, option, "-c", "claude@2.1.197,codex@newest", "-c", "gemini") == expected
