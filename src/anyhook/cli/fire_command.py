"""``anyhook fire``: runs the hooks of an event, as a client would."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    clients_option,
    complete_event,
    home_option,
    json_option,
    make_roots,
    path_argument,
)
from anyhook.cli.render import console, hanging, print_json, printable
from anyhook.dialects import profile
from anyhook.dialects.events import find_event, native_name, native_names, unknown_event_text
from anyhook.dialects.translation.equivalents import routes
from anyhook.editor.fire_event import FiredEvent, fire_event, trace_lines
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_and
from anyhook.project.project import Project

_EPILOG = """\b
Examples:
  echo '{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}' | anyhook fire -c claude-code -e PreToolUse
  anyhook fire --client gemini --event BeforeTool --input event.json
  anyhook fire -c claude-code -c codex -e PreToolUse --input event.json
  anyhook fire --client codex --event PreToolUse --json < event.json | jq .effect

This RUNS the hooks of the project and of your home folder. Use it only with hooks that you trust.
"""


@click.command("fire", epilog=_EPILOG)
@path_argument
@clients_option("The client whose rules apply (repeatable).", ClientRelease(), required=True)
@click.option(
    "--event", "-e", shell_complete=complete_event, required=True, help="The event, by any client's name for it."
)
@click.option("--input", "source", type=click.File("rb"), default="-", help="The payload as JSON.  [default: stdin]")
@click.option("--permission-mode", help="The permission mode of the client.")
@click.option("--raw", is_flag=True, help="Give the payload to the hooks as it is.")
@click.option("--verbose", "-v", is_flag=True, help="Show what each hook printed.")
@home_option
@json_option
def command(
    path: Path,
    clients: tuple[str, ...],
    event: str,
    source: BinaryIO,
    permission_mode: str | None,
    raw: bool,
    verbose: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Run the hooks of an event in the project in PATH as a client would, and show what the client would do next.

    The payload is the JSON that the client sends to hooks. A tool that has another client's name gets the client's own,
    and a line on stderr says so. The fields that the client sends with every event (its name, session, folder, time)
    are added if they are missing. With several clients, each is played in turn, and --json prints a list. The exit
    status is 0 whatever the hooks decide.
    """
    roots = make_roots(path, home)
    native = {client: _native_event(event, client) for client in clients}
    if source.isatty():
        names = " or ".join(dict.fromkeys(native.values()))
        click.echo(f"Type the payload of {names} as a JSON object, then Ctrl-D on a line of its own.", err=True)
    name = "stdin" if source.name == "<stdin>" else source.name
    payload, project = source.read(), Project(roots)
    results: list[dict[str, Any]] = []
    for client in clients:
        fired = fire_event(
            client, native[client], payload, project, raw=raw, permission_mode=permission_mode, name=name
        )
        if as_json:
            results.append({**fired.outcome.to_json(), "notes": list(fired.notes)})
        else:
            _print(fired, Display(roots.home), verbose=verbose)
    if as_json:
        print_json(results[0] if len(clients) == 1 else results)


def _print(fired: FiredEvent, show: Display, *, verbose: bool) -> None:

    out = console()
    for note in fired.notes:
        click.echo(f"anyhook: {printable(note)}", err=True)
    for line in trace_lines(fired, show.place, verbose=verbose):
        text = printable(line.text, keep="\n") if line.keeps_breaks else hanging(line.text, len(line.lead))
        out.print(printable(line.lead), style=line.lead_style, end="")
        out.print(text, style=line.style)


def _native_event(event: str, client: str) -> str:
    """The client's name for an event, which may be given by another client's name. Raises UsageError."""
    if event in native_names(client):
        return event
    known = find_event(event, client)
    if known is None:
        raise UsageError(unknown_event_text(event))
    native = native_name(known.name, client)
    if native is None:
        parts = [native_name(way.event, client) or "" for way in routes(known.name, client)]
        has = f"for it, it has {join_and(parts)}" if parts else f"it has {', '.join(native_names(client))}"
        raise UsageError(f"{profile(client).title} has no {event} event; {has}")
    return native
