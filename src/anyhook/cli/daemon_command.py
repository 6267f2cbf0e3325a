"""``anyhook daemon``: start, stop and watch the process that keeps hooks loaded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from anyhook.cli.options import json_option
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.serve.socket_place import Place

_EPILOG = """\b
Examples:
  anyhook daemon status
  anyhook daemon logs --lines 20
  anyhook daemon start --foreground

\b
Exit status:
  0 fine, 1 no daemon is running, 2 it could not be started
"""


@click.group("daemon", epilog=_EPILOG)
def command() -> None:
    """Keep the hooks of your projects loaded, so that clients wait less for them.

    It ends by itself when it has had nothing to do for a while. Entries that anyhook deploy writes do not ask it yet:
    see docs/daemon.md.
    """


_idle_option = click.option(
    "--idle",
    type=click.FloatRange(min=0.001),
    default=30.0,
    show_default=True,
    help="Minutes without work until it ends.",
)


@command.command("start")
@click.option("--foreground", is_flag=True, help="Stay in this terminal until it is told to stop.")
@_idle_option
def start(foreground: bool, idle: float) -> int:
    """Start the daemon, unless it is running."""
    place = _place()
    if foreground:
        return _run_here(place, idle)
    from anyhook.serve.control import start_daemon

    is_new = start_daemon(place, ("--idle", str(idle)))
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
@_idle_option
def restart(idle: float) -> int:
    """Stop the daemon if there is one, and start it again."""
    from anyhook.serve.control import start_daemon, stop_daemon

    place = _place()
    stop_daemon(place, wait=_patience())
    start_daemon(place, ("--idle", str(idle)))
    click.echo("The daemon is running.")
    return 0


@command.command("status")
@json_option
def status(as_json: bool) -> int:
    """Show whether the daemon is running, and what it has done."""
    from anyhook import __version__
    from anyhook.cli.render import print_json
    from anyhook.serve.client import program
    from anyhook.serve.control import ask_daemon

    place = _place()
    said = ask_daemon(place, "status")
    if as_json:
        print_json({"running": said is not None, "socket": str(place.socket), "client": program(), "daemon": said})
    elif said is None:
        click.echo("No daemon is running.")
    else:
        click.echo(f"The daemon is running: process {said['pid']}, for {said['seconds']:.0f} seconds.")
        click.echo(f"It has answered {said['answered']} events and left {said['declined']} to anyhook exec.")
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


def _place() -> Place:
    if os.name != "posix":
        raise UsageError("there is no daemon on this system; anyhook answers without one")
    from anyhook.serve.socket_place import find_place

    return find_place(os.environ)


def _patience() -> float:
    from anyhook.serve.daemon import Bounds

    return Bounds().grace + 5


def _run_here(place: Place, idle: float) -> int:
    import asyncio

    from anyhook.serve.daemon import Bounds, Daemon

    async def run() -> None:
        await Daemon(place, Bounds(idle=idle * 60)).run()

    asyncio.run(run())
    return 0
