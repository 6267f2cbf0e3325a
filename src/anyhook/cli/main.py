"""The ``anyhook`` command: finds the subcommand, and turns every error into a message and an exit status.

A subcommand is imported when it is called, so ``anyhook --help`` costs little more than click itself.
Exit status: 0 success, 1 the command found problems, 2 wrong usage, 3 a bug in anyhook, 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click

from anyhook import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "list": ("anyhook.cli.list_command", "Show the hooks of a project, client by client."),
    "explain": ("anyhook.cli.explain_command", "Show which hooks an event would run, and why not the others."),
    "try": ("anyhook.cli.try_command", "Show whether a call is blocked in each client here."),
    "fire": ("anyhook.cli.fire_command", "Run the hooks of an event, as a client would."),
    "check": ("anyhook.cli.check_command", "Find mistakes in hook files."),
    "test": ("anyhook.cli.test_command", "Run the test cases of hooks, without an agent."),
    "matrix": (
        "anyhook.cli.matrix_command",
        "Run every test case as every client; show where they differ.",
    ),
    "prove": (
        "anyhook.cli.prove_command",
        "Run the cases in the real clients, and show which hooks fire.",
    ),
    "init": ("anyhook.cli.init_command", "Create a small hooks package with scripts and test cases."),
    "hooks": ("anyhook.cli.hooks_command", "Show and change hooks on a full screen."),
    "new": ("anyhook.cli.new_command", "Add a hook or a test case."),
    "add": ("anyhook.cli.add_command", "Show the ready-made guards, and add them to the project."),
    "remove": ("anyhook.cli.remove_command", "Remove guards from the project."),
    "record": ("anyhook.cli.record_command", "Record the events of a working agent, to test with them."),
    "deploy": ("anyhook.cli.deploy_command", "Let other clients run the hooks of a package."),
    "plugin": ("anyhook.cli.plugin_command", "Turn a package into a plugin that a client installs."),
    "undeploy": ("anyhook.cli.undeploy_command", "Remove everything that was deployed."),
    "doctor": (
        "anyhook.cli.doctor_command",
        "Show where hooks are deployed, and what keeps them from working.",
    ),
    "log": ("anyhook.cli.log_command", "Show what the hooks did on each event, and why."),
    "ui": ("anyhook.cli.ui_command", "Show sessions, hooks and problems on a local web page."),
    "trust": ("anyhook.cli.trust_command", "Review a project's hooks and allow them to run."),
    "daemon": ("anyhook.cli.daemon_command", "Control the process that keeps hooks loaded."),
    "completion": ("anyhook.cli.completion_command", "Print the completion script for a shell."),
    "clients": ("anyhook.cli.clients_command", "Show the clients that anyhook knows and how they differ."),
}
"""Name -> the module with its ``command``, and its line in ``anyhook --help``."""

SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "See and check hooks": ("list", "explain", "try", "check", "fire", "hooks", "doctor"),
    "Write and test hooks": ("init", "new", "add", "remove", "test", "matrix", "prove", "record"),
    "Let clients run them": ("deploy", "undeploy", "trust", "daemon", "plugin"),
    "See what happened": ("log", "ui"),
    "Look things up": ("clients",),
}
"""The headings of ``anyhook --help``, and the commands below each."""
HIDDEN: Final = ("completion",)
"""Commands that are typed once, if ever."""

MOVED: Final = {
    "convert": "anyhook deploy --native --print",
    "dialects": "anyhook clients",
    "guards": "anyhook add",
    "install": "anyhook deploy --client CLIENT",
    "journal": "anyhook log",
    "lint": "anyhook check",
    "replay": "anyhook test --recording",
    "rule": "anyhook check --explain CODE",
    "schema": "anyhook clients --schema",
    "stats": "anyhook log --stats",
    "status": "anyhook doctor",
    "uninstall": "anyhook undeploy",
    "validate": "anyhook check",
}
"""Where to find what used to be a command, or what other tools call one."""

OPTION_HINTS: Final = {
    "--as": "the client is an option: --client CLIENT",
    "--to": "the client is an option: --client CLIENT",
    "clients --client": "the client is an argument: anyhook clients codex",
    "clients -c": "the client is an argument: anyhook clients codex",
    "try -f": "a command is one argument; quote it: anyhook try 'rm -rf ~'",
    "try -r": "a command is one argument; quote it: anyhook try 'rm -rf ~'",
}
"""What to write in place of an option that does not exist, of every command or of the one that is named first."""

COMPLETION_VARIABLE: Final = "_ANYHOOK_COMPLETE"
FINE, WRONG_USE, INTERNAL_ERROR, INTERRUPTED, READER_GONE = 0, 2, 3, 130, 141

_EPILOG = """\b
Examples:
  anyhook init                  a first package of hooks, with the next steps
  anyhook list                  the hooks of this project
  anyhook check ~/src/shop      mistakes in the hook files of another project
  anyhook explain --help        help with one command

\b
Exit status:
  0 success, 1 problems found, 2 wrong usage, 3 a bug in anyhook
"""


class LazyGroup(click.Group):
    """A group that lists its commands from a table and imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command = import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]}.command is not a click command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from anyhook.model.wording import close_matches, join_or

            close = close_matches(name, COMMANDS, limit=3)
            if name in MOVED:
                hint = f" Use: {MOVED[name]}"
            else:
                hint = f" Did you mean {join_or(map(repr, close))}?" if close else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))  # one column for all sections
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(n, help=line)
            for n, (_, line) in COMMANDS.items()
            if n.startswith(incomplete) and n not in HIDDEN
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=LazyGroup,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> int | None:
    """One lifecycle-hook engine for every coding agent.

    Finds the hooks of every client, and shows, checks, tests and deploys them. Without a command, it says what it found
    here and what to do next.
    """
    if context.invoked_subcommand is not None:
        return None
    from anyhook.cli.overview import print_overview

    return print_overview()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status. Every error ends here, as a message and a status."""
    _prepare_streams()
    status = _attempt(lambda: _run(sys.argv[1:] if arguments is None else arguments))
    return _attempt(_flush) or status


def _attempt(action: Callable[[], int]) -> int:
    try:
        return action()
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except click.ClickException as error:
        return _refuse(error)
    except OSError as error:
        return _lose_output(error) if error.errno in (errno.EPIPE, errno.ENOSPC) else _fail(error)
    except Exception as error:
        return _fail(error)


def _run(arguments: Sequence[str]) -> int:
    """Like ``click.Command.main``, but broken pipes and interrupts are handled by :func:`_attempt`."""
    if instruction := os.environ.get(COMPLETION_VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "anyhook", COMPLETION_VARIABLE, instruction)
    try:
        with cli.make_context("anyhook", list(arguments)) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as exit_request:
        return exit_request.exit_code
    return result if isinstance(result, int) else FINE


def _flush() -> int:
    """Notice a closed pipe here, not at exit, where Python can only print a traceback."""
    sys.stdout.flush()
    return FINE


def _refuse(error: click.ClickException) -> int:
    """Wrong usage: print why, and how to get help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().replace("\n\t", "\n  ")  # click lists choices with tabs, which would be escaped
    if isinstance(error, click.NoSuchOption) and context is not None:
        name = error.option_name
        if hint := OPTION_HINTS.get(f"{context.info_name} {name}") or OPTION_HINTS.get(name):
            message = f"{error.message} {hint[0].upper()}{hint[1:]}"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # of a group within: anyhook daemon
        _say(message)
    elif context is None:
        _say(f"anyhook: {message}")
    else:
        _say(f"anyhook: {message}\nTry '{context.command_path} --help'.")
    return WRONG_USE


def _lose_output(error: OSError) -> int:
    """The reader has closed the pipe, or the disk is full."""
    with suppress(OSError, ValueError):  # to /dev/null, so that Python's flush at exit cannot fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return READER_GONE  # what a shell reports for a program that SIGPIPE ended
    _say(f"anyhook: {error.strerror}")
    return WRONG_USE


def _fail(error: Exception) -> int:
    """A command ended with an error: an expected one, or a bug."""
    problems = sys.modules.get("anyhook.model.problems")  # where AnyhookError is raised, it is imported
    if problems is not None and isinstance(error, problems.AnyhookError):
        _say(f"anyhook: {error}")
        return WRONG_USE
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "anyhook":
        raise error  # not a bug: cli/start.py says what it is

    import traceback

    trace = "".join(traceback.format_exception(error))
    report = _write_report(trace)
    if report is None or os.environ.get("ANYHOOK_DEBUG"):
        _say(trace)
    what = traceback.format_exception_only(error)[-1].strip()
    _say(f"anyhook: internal error: {what}{f'; details in {report}' if report else ''}; please report it")
    return INTERNAL_ERROR


def _write_report(trace: str) -> Path | None:
    """Write what a bug report needs to a new file that only the user can read."""
    import platform
    import shlex
    import tempfile
    from importlib import metadata
    from pathlib import Path

    versions = [f"anyhook {__version__}", f"Python {platform.python_version()} on {platform.platform()}"]
    for name in ("click", "google-re2", "msgspec", "rich", "ruamel.yaml", "textual", "tomlkit"):
        with suppress(metadata.PackageNotFoundError):
            versions.append(f"{name} {metadata.version(name)}")
    text = "\n".join([*versions, "", f"$ {shlex.join(['anyhook', *sys.argv[1:]])}", "", trace])

    folders = [Path(tempfile.gettempdir())]
    with suppress(Exception):  # a second failure must not hide the first
        from anyhook.sources.state import make_private, state_folder

        make_private(state_folder())
        folders.insert(0, state_folder())
    for folder in folders:
        with suppress(OSError):
            handle, name = tempfile.mkstemp(prefix="anyhook-error-", suffix=".txt", dir=folder)
            os.close(handle)
            Path(name).write_text(text, encoding="utf-8", errors="backslashreplace")
            return Path(name)
    return None


def _say(message: str) -> None:
    """Print to stderr, with control characters escaped."""
    from anyhook.cli.render import printable

    with suppress(OSError):
        click.echo(printable(message, keep="\n"), err=True)


def _prepare_streams() -> None:
    """Replace characters that the terminal cannot show, and streams that the caller has closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
