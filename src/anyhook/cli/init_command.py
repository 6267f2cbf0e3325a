"""``anyhook init``: writes a small, working hooks package with tests."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from anyhook.cli.options import client_option, json_option, path_argument
from anyhook.cli.render import console, print_json, printable
from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.model.problems import UsageError
from anyhook.testing.scaffold.scaffold import Scaffold, plan_scaffold, write_scaffold
from anyhook.testing.scaffold.stated_differences import with_differences

_EPILOG = """\b
Examples:
  anyhook init                       a package in this folder: hooks/hooks.json, for every client
  anyhook init my-hooks              in a new folder
  anyhook init --client claude       the same in .claude/settings.json, and the guard in anyhook.toml

\b
Exit status:
  0 written, 2 nothing written, because a file exists

The package has three hooks: the shell guard, which blocks destructive commands, a formatter that cleans up what the
agent writes, and a stop gate that keeps the agent working while TODO.md has open items. No existing file is changed.
With --client, the new hooks are played once in a temporary folder: the cases state where other clients
differ.
"""


@click.command("init", epilog=_EPILOG)
@path_argument
@client_option("Write the hooks to this client's file.", default=(OWN,))
@json_option
def command(path: Path, client: str, as_json: bool) -> None:
    """Create a hooks package in PATH: three hooks, their scripts, and test cases that pass."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: this is a file; name the folder of the package")
    root = path.absolute()
    scaffold = with_differences(plan_scaffold(root, client))
    write_scaffold(root, scaffold)
    if as_json:
        names = [file.path for file in scaffold.files]
        print_json({"client": client, "folder": str(root), "files": names, "left_out": scaffold.left_out})
    else:
        _print(path, scaffold)


def _print(path: Path, scaffold: Scaffold) -> None:

    out = console()
    where = "" if path == Path() else f" in {path}"
    out.print(printable(f"Wrote a hooks package{where} ({profile(scaffold.client).title}):"), style="bold")
    for file in scaffold.files:
        out.print(printable(f"  {file.path}"))
    for hook in scaffold.left_out:
        out.print("Left out: ", style="yellow", end="")
        out.print(printable(hook))
    place = "" if path == Path() else f" {shlex.quote(str(path))}"
    out.print("Next:", style="bold")
    for line in _next_steps(place, scaffold.client):
        out.print(printable(f"  {line}"))


def _next_steps(place: str, client: str) -> tuple[str, ...]:
    """The way from a new package to a blocked command."""
    steps = {
        f"anyhook test{place}": "run the test cases",
        f"anyhook matrix{place}": "see what every client does with the hooks",
    }
    start = place.strip() or "."
    if client == OWN:
        deploy = f"anyhook deploy --client claude-code{place}"
        steps[deploy] = "let a client run them; anyhook clients lists all"
    else:
        steps[f"anyhook deploy --client {client}{place}"] = (
            "let the client ask the shell guard, which only anyhook runs"
        )
    steps[f"anyhook trust{place}"] = "review the hooks, and allow them to run"
    attempt = f"cd {start} && anyhook try 'rm -rf ~'"
    width = max(map(len, steps)) + 3
    return (*(f"{step:<{width}}{text}" for step, text in steps.items()), f"Try it: {attempt.removeprefix('cd . && ')}")
