"""``anyhook hooks``: the hooks of a project on a full screen, to look at, try and change."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from anyhook.cli.options import clients_option, home_option, make_roots, path_argument
from anyhook.model.problems import UsageError

_EPILOG = """\b
Examples:
  anyhook hooks                             this project, its sub-projects and your home folder
  anyhook hooks ~/src/shop --client codex   what Codex would load there

\b
Exit status:
  0 left with q, 2 there is no terminal, or Textual is not installed, 3 a bug in anyhook

Press ? for the keys. Every change is shown before it is written, and u takes it back. NO_COLOR is honoured. In a pipe
or a script: anyhook list, and anyhook new hook.
"""


@click.command("hooks", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients (repeatable).")
@home_option
def command(path: Path, clients: tuple[str, ...], home: Path | None) -> None:
    """Show the hooks of every client on a full screen; add, edit, disable, delete, fire and test them."""
    roots = make_roots(path, home)
    if find_spec("textual") is None:
        from anyhook.extras import install_command

        raise UsageError(f"the screen needs Textual; install it: {install_command('tui')}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        raise UsageError("this is not a terminal that can show a screen\nin a pipe use: anyhook list, anyhook new hook")
    from anyhook.tui.app import HooksApp

    app = HooksApp(roots, clients, has_colour=_has_colour())
    app.run()
    if app.failure is not None:
        raise app.failure


def _has_colour() -> bool:
    from anyhook.cli.render import has_colour

    if not has_colour(sys.stdout):
        return False
    try:
        import curses

        curses.setupterm(fd=sys.stdout.fileno())
    except Exception:  # not on this system, or the terminal is not in the database
        return True
    return curses.tigetnum("colors") >= 8
