"""``anyhook ui``: a local web page with sessions, live events, hooks, the matrix, problems and clients."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from anyhook.cli.options import WholeNumber, json_option, make_roots, path_argument
from anyhook.model.problems import AnyhookError

_EPILOG = """\b
Examples:
  anyhook ui                       this project, in your browser
  anyhook ui ~/src/shop --no-open  print the address, do not open it
  anyhook ui --port 8765           always on the same port: ssh -L 8765:127.0.0.1:8765 HOST

The address works once: the first browser that opens it may look. Nothing is written, nothing is loaded from elsewhere,
and no other machine can connect. The page Matrix runs the test cases of the project if you trust its hooks.
"""


@click.command("ui", epilog=_EPILOG)
@path_argument
@click.option("--port", type=WholeNumber(0, 65535), default=0, help="The port; 0: any that is free.  [default: 0]")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--local", is_flag=True, help="Read the journal of this machine, not the one in PostgreSQL.")
@json_option
def command(path: Path, port: int, no_open: bool, local: bool, as_json: bool) -> None:
    """Show what happened, the hooks of the project in PATH and what clients do with them, in a web page.

    Sessions event by event, live events, hooks with their figures and problems, the matrix, and every client's rules.
    """
    from anyhook.cli.journal_options import reachable_url, source_url
    from anyhook.cli.render import print_json
    from anyhook.record.store.spool import journal_folder

    roots = make_roots(path, None)
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        from anyhook.extras import install_command

        raise AnyhookError(f"the page needs starlette and uvicorn; install them: {install_command('ui')}") from None
    from anyhook.ui.server import PageServer
    from anyhook.ui.shown import Shown

    shown = Shown(roots, journal_folder(os.environ), reachable_url(source_url({"local": local})))
    server = PageServer(shown, port)
    if as_json:
        print_json({"url": server.url, "port": server.port, "pid": os.getpid()})
    else:
        click.echo(f"{server.url}\nThe address works once. Ctrl-C ends the server.")
    sys.stdout.flush()
    if not no_open:
        _open(server.url)
    server.run()


def _open(url: str) -> None:
    """Open the page in the user's browser, if there is one; the address is printed in any case."""
    import webbrowser

    try:
        webbrowser.open(url)
    except (OSError, webbrowser.Error):
        click.echo("No browser could be started; open the address yourself.", err=True)
