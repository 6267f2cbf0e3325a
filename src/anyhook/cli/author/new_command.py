"""``anyhook new``: adds a test case to a package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import ClientName, Display, json_option
from anyhook.model.problems import UsageError

_EPILOG = """\b
Examples:
  anyhook new case --event pre-tool-use                                a shell command before it runs
  anyhook new case --event PostToolUse --tool Write                    a file that was written
  anyhook new case no-push -e pre-tool-use --input '{"command": "git push --force"}'

\b
Exit status:
  0 written, 2 nothing is written

The case expects that the event goes ahead: edit it to say what must come of it. No hook is run.
"""


@click.group("new")
def command() -> None:
    """Add something to the hooks package that this folder is in."""


@command.command("case", epilog=_EPILOG)
@click.argument("name", required=False)
@click.option("--event", "-e", required=True, help="The event, by any client's name for it.")
@click.option("--tool", "-t", help="The tool, by any client's name for it.  [default: the shell]")
@click.option("--input", "tool_input", metavar="JSON", help="The tool's input.  [default: an example]")
@click.option("--client", "-c", type=ClientName(), help="Whose hooks, when several clients have some here.")
@json_option
def case_command(
    name: str | None, event: str, tool: str | None, tool_input: str | None, client: str | None, as_json: bool
) -> None:
    """Write a test case and its fixture from an event and a tool, ready to edit.

    NAME has a-z, 0-9 and -; without one, the event and the tool are the name.
    """
    from anyhook.testing.scaffold.example_events import find_hooks
    from anyhook.testing.scaffold.new_case import plan_case
    from anyhook.testing.scaffold.new_files import write_new_files

    case = plan_case(
        find_hooks(Path.cwd()), event, name=name, tool=tool, tool_input=_read_input(tool_input), client=client
    )
    write_new_files(case.root, case.files)
    if as_json:
        from anyhook.cli.render import print_json

        paths = [str(case.root / file.path) for file in case.files]
        print_json({"name": case.name, "files": paths, "matches": case.matches})
        return
    from anyhook.cli.render import console, printable

    out, show = console(), Display(Path.home())
    for file in case.files:
        out.print(printable(f"wrote {show.path(case.root / file.path)}"))
    if not case.matches:
        out.print("No hook of the package fits this event, and the case says so.", style="yellow")
    out.print(printable(f"Next: edit it, then anyhook test --case {case.name}"))


def _read_input(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    import json

    try:
        data = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--input is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError('--input must be an object, such as {"command": "ls"}')
    return data
