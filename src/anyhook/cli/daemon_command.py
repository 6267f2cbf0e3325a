"""``anyhook daemon``: starts, stops and shows the process that keeps hooks loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anyhook.cli.options import DecimalNumber, OneOf, WholeNumber, client_option, count, json_option, source_option
from anyhook.model.problems import AnyhookError, UsageError

if TYPE_CHECKING:
    from anyhook.daemon_socket.runtime_folder import RuntimeFolder
    from anyhook.sources.settings import DaemonSettings

_Command = TypeVar("_Command", bound=Callable[..., Any])

_EPILOG = """\b
Examples:
  anyhook daemon status                  is it running, and what has it done?
  anyhook daemon logs --lines 20
  anyhook daemon start --foreground
  anyhook daemon http-entry --client claude --event PreToolUse

\b
Exit status:
  0 success, 1 no daemon is running, 2 it could not be started
"""


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "".join(f"  anyhook daemon {line}\n" for line in lines)


@click.group("daemon", epilog=_EPILOG)
def command() -> None:
    """Keep the hooks of your projects loaded, so that clients wait less for them.

    You rarely need this command: the first event of a deployed package starts the daemon, and it exits after a while
    without work. Set ANYHOOK_DAEMON=0 to use none.
    """


def _life_options(command: _Command) -> _Command:
    """Options of a daemon; the defaults are those of anyhook.toml."""
    idle = click.option(
        "--idle", type=DecimalNumber(min=0.001), help="Exit after this many minutes without work.  [default: 30]"
    )
    http = click.option(
        "--http/--no-http", default=None, help="Listen for HTTP hooks of clients on this machine.  [default: no]"
    )
    return idle(http(_port_option(command)))


def _port_option(command: _Command) -> _Command:
    port = click.option("--http-port", type=WholeNumber(1, 65535), help="The port for HTTP hooks.  [default: 24665]")
    return port(command)


@command.command("start", epilog=_examples("start", "start --idle 5", "start --foreground --http"))
@click.option("--foreground", is_flag=True, help="Run in this terminal until it is stopped.")
@click.option("--starting", type=WholeNumber(min=3), hidden=True, help="The lock to release when it listens.")
@_life_options
def start(foreground: bool, starting: int | None, idle: float | None, http: bool | None, http_port: int | None) -> int:
    """Start the daemon, unless it is running. The defaults are in [daemon] of your anyhook.toml."""
    folder = _runtime_folder()
    life = _settings(idle, http, http_port)
    if foreground:
        return _run_here(folder, life, starting)
    from anyhook.serve.control import start_daemon

    is_new = start_daemon(folder, _words(life))
    click.echo("The daemon is running." if is_new else "The daemon was already running.")
    return 0


@command.command("stop", epilog=_examples("stop"))
def stop() -> int:
    """Stop the daemon after it has finished its work."""
    from anyhook.serve.control import stop_daemon

    was_there = stop_daemon(_runtime_folder(), wait=_patience())
    click.echo("The daemon has stopped." if was_there else "No daemon is running.")
    return int(not was_there)


@command.command("restart", epilog=_examples("restart", "restart --http"))
@_life_options
def restart(idle: float | None, http: bool | None, http_port: int | None) -> int:
    """Stop the daemon if it is running, and start it again."""
    from anyhook.serve.control import start_daemon, stop_daemon

    folder = _runtime_folder()
    life = _settings(idle, http, http_port)
    stop_daemon(folder, wait=_patience())
    start_daemon(folder, _words(life))
    click.echo("The daemon is running.")
    return 0


@command.command("status", epilog=_examples("status", "status --json"))
@json_option
def status(as_json: bool) -> int:
    """Show whether the daemon is running, and what it has done."""
    from anyhook import __version__
    from anyhook.cli.render import print_json
    from anyhook.daemon_socket.ask import ask_daemon
    from anyhook.entries.daemon_client import client_by_path

    folder = _runtime_folder()
    said = ask_daemon(folder, "status")
    if as_json:
        print_json(
            {"running": said is not None, "socket": str(folder.socket), "client": client_by_path(), "daemon": said}
        )
    elif said is None:
        click.echo("No daemon is running.")
    else:
        click.echo(f"The daemon is running: process {said['pid']}, for {said['seconds']:.0f} seconds.")
        click.echo(f"It has answered {count(said['answered'], 'event')} and left {said['declined']} to anyhook exec.")
        if said.get("http"):
            click.echo(f"It listens for HTTP hooks at {said['http']}: see anyhook daemon http-entry --help.")
        if said["version"] != __version__:
            click.echo(f"It is anyhook {said['version']}, and this is {__version__}; run: anyhook daemon restart")
    return int(said is None)


@command.command("logs", epilog=_examples("logs --lines 20"))
@click.option("--lines", type=WholeNumber(min=1), default=100, show_default=True, help="Lines from the end.")
def logs(lines: int) -> int:
    """Print the log of the daemon, one JSON object per line."""
    from anyhook.cli.render import printable
    from anyhook.serve.log import read_log

    for line in read_log(_runtime_folder().log, lines):
        click.echo(printable(line))
    return 0


@command.command(
    "http-entry",
    epilog=_examples(
        "http-entry --client claude --event PreToolUse",
        "http-entry --client claude --event PreToolUse --matcher Bash --fail closed",
    ),
)
@client_option("The client that gets the entry.", required=True)
@click.option("--event", "-e", required=True, help="The event, by the client's own name for it.")
@click.option("--matcher", "-m", help="The matcher of the entry.  [default: none]")
@source_option("The client that the hooks are written for.")
@click.option("--package", type=click.Path(path_type=Path), help="The folder of the hooks.  [default: the session's]")
@click.option("--fail", type=OneOf(["open", "guard", "closed"]), help="Allow or block when the hooks cannot be run.")
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
    """Print an HTTP hook for a client's hook file that calls the daemon, without a process per event.

    While no daemon is running, the client applies its own rule for failed HTTP hooks. Entries that anyhook deploy
    writes do not have this weakness.
    """
    from anyhook.cli.render import print_json
    from anyhook.entries.http_entries import HttpQuery, write_entry

    folder = _runtime_folder()
    life = _settings(http_port=http_port)
    given = {"from": source, "package": package and str(package.absolute()), "fail": fail}
    options = {name: value for name, value in given.items() if value}
    question = HttpQuery(client=client, event=event, options=options)
    print_json(write_entry(question, life.http_port, matcher))
    for note in _notes_on_entry(folder, client, life.http_port):
        click.echo(note, err=True)
    return 0


def _notes_on_entry(folder: RuntimeFolder, client: str, port: int) -> list[str]:
    """What else the user must do for an entry to work."""
    from shlex import quote

    from anyhook.daemon_socket.ask import ask_daemon
    from anyhook.dialects import profile as profile_of
    from anyhook.entries.http_entries import TOKEN_VARIABLE, base_url, own_token, token_file

    profile = profile_of(client)
    own_token()  # writes it to its file
    notes = [f'{profile.title} needs your token: export {TOKEN_VARIABLE}="$(cat {quote(str(token_file()))})"']
    if variable := profile.execution.loopback_variable:
        notes.append(f"{profile.title} calls this machine only if {variable} is set to 1.")
    if (ask_daemon(folder, "status") or {}).get("http") != base_url(port):
        notes.append(
            "No daemon listens there: set http = true in [daemon] of anyhook.toml, then: anyhook daemon restart"
        )
    return notes


def _settings(idle: float | None = None, http: bool | None = None, http_port: int | None = None) -> DaemonSettings:
    """The daemon's settings: the given options, else the user's anyhook.toml, whose mistakes are printed."""
    from msgspec import structs

    from anyhook.cli.render import printable
    from anyhook.sources.settings import ignored_settings, read_settings

    settings = read_settings(None, os.environ)
    if ignored := ignored_settings():
        raise AnyhookError(f"{ignored[0].origin.file}: {ignored[0].text}; {ignored[0].fix}")
    for problem in settings.problems:
        click.echo(printable(f"{problem.origin}: {problem.text}; {problem.fix}"), err=True)
    said = {"idle_minutes": idle, "http": http, "http_port": http_port}
    life = structs.replace(settings.daemon, **{name: value for name, value in said.items() if value is not None})
    if life.http:
        _require_h11()
    return life


def _require_h11() -> None:
    try:
        import h11  # noqa: F401
    except ImportError:
        from anyhook.extras import install_command

        raise AnyhookError(f"listening for HTTP hooks needs h11; install it: {install_command('http')}") from None


def _words(life: DaemonSettings) -> tuple[str, ...]:
    """The options that start a daemon with these settings."""
    http = "--http" if life.http else "--no-http"
    return ("--idle", str(life.idle_minutes), http, "--http-port", str(life.http_port))


def _runtime_folder() -> RuntimeFolder:
    if os.name != "posix":
        raise UsageError("the daemon needs a POSIX system; anyhook answers without one here")
    from anyhook.daemon_socket.runtime_folder import find_runtime_folder

    return find_runtime_folder(os.environ)


def _patience() -> float:
    from anyhook.serve.bounds import Bounds

    return Bounds().grace + 5


def _run_here(folder: RuntimeFolder, life: DaemonSettings, starting: int | None) -> int:
    import asyncio
    from contextlib import suppress

    from anyhook.serve.bounds import Bounds
    from anyhook.serve.daemon import Daemon

    def release() -> None:
        if starting is not None:
            with suppress(OSError):
                os.close(starting)
        elif sys.stdout.isatty():
            click.echo("The daemon is running. Ctrl-C stops it.")

    async def run() -> None:
        port = life.http_port if life.http else None
        await Daemon(folder, Bounds(idle=life.idle_minutes * 60), http_port=port).run(when_ready=release)

    asyncio.run(run())
    return 0
