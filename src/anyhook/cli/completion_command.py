"""``anyhook completion``: prints the script by which a shell completes commands, options and clients."""

from __future__ import annotations

import click

from anyhook.cli.options import OneOf

_EPILOG = """\b
Examples:
  anyhook completion bash > ~/.local/share/bash-completion/completions/anyhook
  anyhook completion zsh > ~/.zfunc/_anyhook        (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  anyhook completion fish > ~/.config/fish/completions/anyhook.fish
"""


@click.command("completion", epilog=_EPILOG)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL. The shell asks anyhook itself for what can follow."""
    from click.shell_completion import get_completion_class

    from anyhook.cli.main import COMPLETION_VARIABLE, cli

    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(cli, {}, "anyhook", COMPLETION_VARIABLE).source(), nl=False)
