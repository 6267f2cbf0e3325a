"""``anyhook fire``: runs the hooks of an event, as a client would."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    complete_event,
    home_option,
    json_option,
    make_roots,
    roots_for_client,
)
from anyhook.model.problems import UsageError

_EPILOG = """\b
Examples:
  echo '{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}' | anyhook fire --as claude-code --event PreToolUse
  anyhook fire --as gemini --event BeforeTool --input event.json
  anyhook fire --as codex --event PreToolUse --json < event.json | jq .effect

This RUNS the hooks of the project and of your home folder. Use it only with hooks that you trust.
"""


@click.command("fire", epilog=_EPILOG)
@click.option("--as", "client", type=ClientRelease(), required=True, help="The client whose rules apply.")
@click.option(
    "--event", "-e", shell_complete=complete_event, required=True, help="The event, by any client's name for it."
)
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project folder.  [default: here]")
@click.option("--input", "source", type=click.File("rb"), default="-", help="The payload as JSON.  [default: stdin]")
@click.option("--permission-mode", help="The permission mode of the client.")
@click.option("--raw", is_flag=True, help="Give the payload to the hooks as it is; add no fields.")
@click.option("--verbose", "-v", is_flag=True, help="Show what each hook printed.")
@home_option
@json_option
def command(
    client: str,
    event: str,
    project: Path,
    source: BinaryIO,
    permission_mode: str | None,
    raw: bool,
    verbose: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Run the hooks of an event as a client would, and show what the client would do next.

    The payload is the JSON that the client sends to hooks, with its own names. The fields that the client sends with
    every event (its name, session, folder, time) are added if they are missing. The exit status is 0 whatever the hooks
    decide.
    """
    from anyhook.cli.render import console, hanging, print_json, printable
    from anyhook.editor.fire_event import fire_event, trace_lines

    roots = roots_for_client(client, make_roots(project, home))
    native = _native_event(event, client)
    if source.isatty():
        click.echo(f"Type the payload of {native} as a JSON object, then Ctrl-D on a line of its own.", err=True)
    name = "stdin" if source.name == "<stdin>" else source.name
    fired = fire_event(client, native, source.read(), roots, raw=raw, permission_mode=permission_mode, name=name)
    if as_json:
        print_json(fired.outcome.to_json())
        return
    out = console()
    for line in trace_lines(fired, Display(roots.home).place, verbose=verbose):
        text = printable(line.text, keep="\n") if line.keeps_breaks else hanging(line.text, len(line.lead))
        out.print(printable(line.lead), style=line.lead_style, end="")
        out.print(text, style=line.style)


def _native_event(event: str, client: str) -> str:
    """The client's name for an event, which may be given by another client's name. Raises UsageError."""
    from anyhook.dialects import profile
    from anyhook.dialects.events import find_event, native_name, native_names, unknown_event_text

    if event in native_names(client):
        return event
    known = find_event(event, client)
    if known is None:
        raise UsageError(unknown_event_text(event))
    native = native_name(known.name, client)
    if native is None:
        raise UsageError(f"{profile(client).title} has no {event} event; it has {', '.join(native_names(client))}")
    return native
