"""``anyhook daemon``: start, stop and watch the process that keeps hooks loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anyhook.cli.options import ClientName, json_option
from anyhook.model.problems import AnyhookError, UsageError

if TYPE_CHECKING:
    from anyhook.serve.runtime_folder import RuntimeFolder
    from anyhook.sources.settings import DaemonSettings

_Command = TypeVar("_Command", bound=Callable[..., Any])

_EPILOG = """\b
Examples:
  anyhook daemon status
  anyhook daemon logs --lines 20
  anyhook daemon start --foreground
  anyhook daemon http-entry --client claude --event PreToolUse

\b
Exit status:
  0 fine, 1 no daemon is running, 2 it could not be started
"""


@click.group("daemon", epilog=_EPILOG)
def command() -> None:
    """Keep the hooks of your projects loaded, so that clients wait less for them.

    Nobody needs this command: the first event of a deployed package starts a daemon for the next ones, and it ends by
    itself when it has had nothing to do for a while. Set ANYHOOK_DAEMON=0 to have none.
    """


def _life_options(command: _Command) -> _Command:
    """How a daemon is to live; what is not said is as in anyhook.toml."""
    idle = click.option(
        "--idle", type=click.FloatRange(min=0.001), help="Minutes without work until it ends.  [default: 30]"
    )
    http = click.option(
        "--http/--no-http", default=None, help="Listen for HTTP hooks of clients, on this machine.  [default: no]"
    )
    return idle(http(_port_option(command)))


def _port_option(command: _Command) -> _Command:
    port = click.option(
        "--http-port", type=click.IntRange(1, 65535), help="Where it listens for them.  [default: 24665]"
    )
    return port(command)


@command.command("start")
@click.option("--foreground", is_flag=True, help="Stay in this terminal until it is told to stop.")
@_life_options
def start(foreground: bool, idle: float | None, http: bool | None, http_port: int | None) -> int:
    """Start the daemon, unless it is running. The defaults are those of [daemon] in your anyhook.toml."""
    place = _place()
    life = _settings(idle, http, http_port)
    if foreground:
        return _run_here(place, life)
    from anyhook.serve.control import start_daemon

    is_new = start_daemon(place, _words(life))
    click.echo("The daemon is running." if is_new else "The daemon was running already.")
    return 0


@command.command("stop")
def stop() -> int:
    """Let the daemon finish what it does, and end it."""
    from anyhook.serve.control import stop_daemon

    was_there = stop_daemon(_place(), wait=_patience())
    click.echo("The daemon has stopped." if was_there else "No daemon is running.")
    return int(not was_there)


@command.command("restart")
@_life_options
def restart(idle: float | None, http: bool | None, http_port: int | None) -> int:
    """Stop the daemon if there is one, and start it again."""
    from anyhook.serve.control import start_daemon, stop_daemon

    place = _place()
    life = _settings(idle, http, http_port)
    stop_daemon(place, wait=_patience())
    start_daemon(place, _words(life))
    click.echo("The daemon is running.")
    return 0


@command.command("status")
@json_option
def status(as_json: bool) -> int:
    """Show whether the daemon is running, and what it has done."""
    from anyhook import __version__
    from anyhook.bridge.entries.daemon_client import client_by_path
    from anyhook.cli.render import print_json
    from anyhook.serve.control import ask_daemon

    place = _place()
    said = ask_daemon(place, "status")
    if as_json:
        print_json(
            {"running": said is not None, "socket": str(place.socket), "client": client_by_path(), "daemon": said}
        )
    elif said is None:
        click.echo("No daemon is running.")
    else:
        click.echo(f"The daemon is running: process {said['pid']}, for {said['seconds']:.0f} seconds.")
        click.echo(f"It has answered {said['answered']} events and left {said['declined']} to anyhook exec.")
        if said.get("http"):
            click.echo(f"HTTP hooks ask it at {said['http']}: see anyhook daemon http-entry --help.")
        if said["version"] != __version__:
            click.echo(f"It is anyhook {said['version']}, this is {__version__}: see anyhook daemon restart.")
    return int(said is None)


@command.command("logs")
@click.option("--lines", type=click.IntRange(min=1), default=100, show_default=True, help="How many of the last lines.")
def logs(lines: int) -> int:
    """Print what the daemon has noted, one JSON object a line."""
    from anyhook.cli.render import printable
    from anyhook.serve.log import read_log

    for line in read_log(_place().log, lines):
        click.echo(printable(line))
    return 0


@command.command("http-entry")
@click.option("--client", type=ClientName(), required=True, help="The client that is to ask.")
@click.option("--event", required=True, help="The event, as the client calls it.")
@click.option("--matcher", help="Which tools it asks about.  [default: all]")
@click.option("--from", "source", type=ClientName(), help="The client that the hooks are written for.")
@click.option("--package", type=click.Path(path_type=Path), help="The folder of the hooks.  [default: the session's]")
@click.option("--fail", type=click.Choice(["open", "closed"]), help="What happens when the hooks cannot be asked.")
@_port_option
def http_entry(
    client: str,
    event: str,
    matcher: str | None,
    source: str | None,
    package: Path | None,
    fail: str | None,
    http_port: int | None,
) -> int:
    """Print an HTTP hook for a client's hook file that asks the daemon, with no process at all.

    Nothing answers it while no daemon is running: what happens then is the client's own rule. Entries that anyhook
    deploy writes do not have that weakness.
    """
    from anyhook.bridge.entries.http_entries import HttpQuery, write_entry
    from anyhook.cli.render import print_json

    place = _place()
    life = _settings(http_port=http_port)
    given = {"from": source, "package": package and str(package.absolute()), "fail": fail}
    options = {name: value for name, value in given.items() if value}
    question = HttpQuery(client=client, event=event, options=options)
    print_json(write_entry(question, life.http_port, matcher))
    for note in _notes_on_entry(place, client, life.http_port):
        click.echo(note, err=True)
    return 0


def _notes_on_entry(place: RuntimeFolder, client: str, port: int) -> list[str]:
    """What else has to be done for an entry to work."""
    from shlex import quote

    from anyhook.bridge.entries.http_entries import TOKEN_VARIABLE, base_url, own_token, token_file
    from anyhook.dialects import profile as profile_of
    from anyhook.serve.control import ask_daemon

    profile = profile_of(client)
    own_token()  # from now on it is in its file
    notes = [f'{profile.title} needs your token: export {TOKEN_VARIABLE}="$(cat {quote(str(token_file()))})"']
    if variable := profile.http.loopback_variable:
        notes.append(f"{profile.title} calls this machine only if {variable} is 1.")
    if (ask_daemon(place, "status") or {}).get("http") != base_url(port):
        notes.append("No daemon listens there: put http = true under [daemon] into your anyhook.toml and restart it.")
    return notes


def _settings(idle: float | None = None, http: bool | None = None, http_port: int | None = None) -> DaemonSettings:
    """How the daemon is to live: as was said, else as the user's file says. Mistakes in that are shown."""
    from msgspec import structs

    from anyhook.sources.settings import read_settings

    settings = read_settings(None, os.environ)
    for problem in settings.problems:
        click.echo(f"{problem.origin}: {problem.text}; {problem.fix}", err=True)
    said = {"idle_minutes": idle, "http": http, "http_port": http_port}
    life = structs.replace(settings.daemon, **{name: value for name, value in said.items() if value is not None})
    if life.http:
        _require_h11()
    return life


def _require_h11() -> None:
    try:
        import h11  # noqa: F401
    except ImportError:
        raise AnyhookError("listening for HTTP hooks needs h11: install anyhook[http]") from None


def _words(life: DaemonSettings) -> tuple[str, ...]:
    """The options that start such a daemon."""
    http = "--http" if life.http else "--no-http"
    return ("--idle", str(life.idle_minutes), http, "--http-port", str(life.http_port))


def _place() -> RuntimeFolder:
    if os.name != "posix":
        raise UsageError("there is no daemon on this system; anyhook answers without one")
    from anyhook.serve.runtime_folder import find_runtime_folder

    return find_runtime_folder(os.environ)


def _patience() -> float:
    from anyhook.serve.bounds import Bounds

    return Bounds().grace + 5


def _run_here(place: RuntimeFolder, life: DaemonSettings) -> int:
    import asyncio

    from anyhook.serve.bounds import Bounds
    from anyhook.serve.daemon import Daemon

    async def run() -> None:
        port = life.http_port if life.http else None
        await Daemon(place, Bounds(idle=life.idle_minutes * 60), http_port=port).run()

    asyncio.run(run())
    return 0
