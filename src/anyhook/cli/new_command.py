"""``anyhook new``: adds a hook to a client's file, or a test case to a package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from anyhook.cli.new_hook_command import command as hook_command
from anyhook.cli.options import Display, client_option, complete_event, count, json_option
from anyhook.cli.render import console, print_json, printable
from anyhook.model.problems import UsageError
from anyhook.record.recordings import open_recording
from anyhook.testing.scaffold.example_events import find_hooks
from anyhook.testing.scaffold.from_recording import write_cases
from anyhook.testing.scaffold.new_case import plan_case
from anyhook.testing.scaffold.new_files import write_new_files

_EPILOG = """\b
Examples:
  anyhook new case --event pre-tool-use                                before a shell command
  anyhook new case --event PostToolUse --tool Write                    after a file was written
  anyhook new case no-push -e pre-tool-use --input '{"command": "git push --force"}'
  anyhook new case --recording                                         from everything in the newest recording

\b
Exit status:
  0 written, 2 nothing written

The case expects that the event proceeds; edit it to state what must happen. No hook is run.
"""


_GROUP_EPILOG = """\b
Examples:
  anyhook new hook                           see anyhook new hook --help
  anyhook new case --event pre-tool-use      see anyhook new case --help
"""


@click.group("new", epilog=_GROUP_EPILOG)
def command() -> None:
    """Add a hook, or a test case of the package in this folder."""


command.add_command(hook_command)


@command.command("case", epilog=_EPILOG)
@click.argument("name", required=False)
@click.option("--event", "-e", shell_complete=complete_event, help="The event, by any client's name for it.")
@click.option("--tool", "-t", help="The tool, by any client's name for it.  [default: the shell]")
@click.option("--input", "tool_input", metavar="JSON", help="The tool's input.  [default: an example]")
@client_option("Test this client's hooks, if several clients have some.")
@click.option(
    "--recording",
    is_flag=False,
    flag_value="",
    metavar="[RECORDING]",
    help="Write cases from a recording, as of anyhook test --recording.  [default: the newest]",
)
@json_option
def case_command(
    name: str | None,
    event: str,
    tool: str | None,
    tool_input: str | None,
    client: str | None,
    recording: str | None,
    as_json: bool,
) -> None:
    """Write a test case and its fixture from an event and a tool, ready to edit.

    NAME may have a-z, 0-9 and -. By default it is made of the event and the tool.
    """
    if recording is not None:
        if any((name, event, tool, tool_input, client, as_json)):
            raise UsageError("--recording takes everything from the recording; leave out all else")
        _write_recorded_cases(recording or None)
        return
    if event is None:
        raise UsageError("name an event with --event, or a recording with --recording")

    case = plan_case(
        find_hooks(Path.cwd()), event, name=name, tool=tool, tool_input=_read_input(tool_input), client=client
    )
    write_new_files(case.root, case.files)
    if as_json:
        paths = [str(case.root / file.path) for file in case.files]
        print_json({"name": case.name, "files": paths, "matches": case.matches})
        return

    out, show = console(), Display(Path.home())
    for file in case.files:
        out.print(printable(f"wrote {show.path(case.root / file.path)}"))
    if not case.matches:
        out.print("No hook of the package matches this event; the case says so.", style="yellow")
    out.print(printable(f"Next: edit it, then anyhook test --case {case.name}"))


def _write_recorded_cases(session: str | None) -> None:
    """Write cases from a recording of the project here, by default the newest."""
    project, show = Path.cwd(), Display(Path.home())
    recording = open_recording(project, session)
    written = write_cases(recording, project)
    for case in written.cases:
        click.echo(f"wrote {show.path(case)}")
    made = count(len(written.cases), "case")
    click.echo(f"{made} from {count(len(recording.events), 'event')} of {recording.name}.")
    left = [
        (written.without_effect, "state what should happen: the recording does not show it"),
        (written.known, "the same as another event or an existing fixture"),
        (written.without_hook, "no hook of the project has this event"),
        (written.needs_verdict, "a hook asks a model: write this case by hand, with input.verdict"),
        (len(recording.problems), "unreadable lines of the recording"),
    ]
    for number, why in left:
        if number:
            click.echo(f"  {number:>4}  {why}")
    if written.cases:
        click.echo("Edit them, then run: anyhook test")


def _read_input(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None

    try:
        data = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--input is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise UsageError('--input must be an object, such as {"command": "ls"}')
    return data
