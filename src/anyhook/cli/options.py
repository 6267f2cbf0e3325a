"""Options that several commands share: clients and folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.sources.discover import Roots

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Given = tuple[tuple[str, ...], ...]
"""The clients of each ``--client``."""


class WholeNumber(click.IntRange):
    """As in click, whose message calls the text "not a valid integer range"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return int(super().convert(value, param, ctx))


class DecimalNumber(click.FloatRange):
    """As in click, whose message calls the text "not a valid float range"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        return float(super().convert(value, param, ctx))


class OneOf(click.Choice[str]):
    """As in click, whose message names the choices, but not the one that was probably meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        from anyhook.model.wording import close_matches

        text, close = super().get_invalid_choice_message(value, ctx), close_matches(str(value), self.choices)
        return f"{text.removesuffix('.')}; did you mean {close[0]}?" if close else text


class ClientName(click.ParamType[str]):
    """A client, by its name or a nickname."""

    name = "client"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from anyhook.dialects import find_client, unknown_client_text

        if name := find_client(value):
            return name
        raise click.BadParameter(unknown_client_text(value), ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from anyhook.dialects import NAMES

        return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


class ClientRelease(ClientName):
    """A client, and after an @ one of its releases."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from anyhook.dialects import find_release

        return find_release(value) or super().convert(value, param, ctx)


class ClientVersion(ClientName):
    """A client, and after an @ any version of it: to start it, not to know its rules."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name, at, version = value.partition("@")
        return super().convert(name, param, ctx) + at + version


class ClientNames(click.ParamType[tuple[str, ...]]):
    """Clients by their names or nicknames, separated by commas."""

    name = "clients"

    def __init__(self, one: ClientName) -> None:
        self._one = one

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        names = [name.strip() for name in value.split(",") if name.strip()]
        return tuple(self._one.convert(name, param, ctx) for name in names)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        before, comma, last = incomplete.rpartition(",")
        found = self._one.shell_complete(ctx, param, last)
        return [CompletionItem(f"{before}{comma}{item.value}") for item in found]


def client_option(text: str, one: ClientName | None = None, **settings: Any) -> Callable[[_Command], _Command]:
    """``--client`` of a command that acts for one client, and refuses a second. ``one``: how it is written."""

    def the_only(ctx: click.Context, param: click.Parameter, given: _Given) -> str | None:
        names = _joined(given)
        if len(names) > 1:
            raise click.BadParameter(f"{ctx.command.name} takes one client, not {' and '.join(names)}", ctx, param)
        return names[0] if names else None

    kind = ClientNames(one or ClientName())
    return click.option(
        "--client", "-c", type=kind, multiple=True, callback=the_only, metavar="CLIENT", help=text, **settings
    )


def clients_option(text: str, one: ClientName | None = None, **settings: Any) -> Callable[[_Command], _Command]:
    """``--client`` for several clients: separated by commas, repeated, or both. ``one``: how one of them is written."""

    def all_of_them(_: click.Context, __: click.Parameter, given: _Given) -> tuple[str, ...]:
        return _joined(given)

    kind = ClientNames(one or ClientName())
    return click.option(
        "--client",
        "-c",
        "clients",
        type=kind,
        multiple=True,
        callback=all_of_them,
        metavar="A,B",
        help=text,
        **settings,
    )


def _joined(given: _Given) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in given for name in names))


def source_option(text: str) -> Callable[[_Command], _Command]:
    """``--source``: the client whose hooks are taken."""
    return click.option("--source", type=ClientName(), help=text)


def path_argument(command: _Command) -> _Command:
    """PATH: the folder that the command is about; by default the current one."""
    return click.argument("path", type=click.Path(path_type=Path), default=".")(command)


def scope_option(text: str) -> Callable[[_Command], _Command]:
    """``--scope``: whose files are written."""
    return click.option("--scope", type=OneOf(["project", "user"]), default="project", help=text)


def json_option(command: _Command) -> _Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def fail_option(command: _Command) -> _Command:
    return click.option(
        "--fail",
        type=OneOf(["open", "guard", "closed"]),
        default="guard",
        help="Allow (open) or block (closed) if the hooks cannot be asked; guard: block only if trusted hooks changed.",
        show_default=True,
    )(command)


def home_option(command: _Command) -> _Command:
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        help="Use this folder as the home folder.  [default: $HOME]",
    )(command)


def complete_event(_context: click.Context, _parameter: click.Parameter, start: str) -> list[str]:
    """Canonical names of events that begin so, for the completion of shells."""
    from anyhook.model.events import BY_NAME

    return [name for name in BY_NAME if name.lower().startswith(start.lower())]


def make_roots(path: Path, home: Path | None) -> Roots:
    """The folders to search. Raises UsageError for a path that cannot be searched."""
    from anyhook.sources.discover import roots_for

    return roots_for(existing_folder(path), home)


def existing_folder(path: Path) -> Path:
    """The absolute path of a folder. Raises UsageError when it cannot be read."""
    if not path.exists():
        from anyhook.dialects import find_client

        hint = f"; to name a client: --client {path}" if find_client(str(path)) else ""
        raise UsageError(f"{path}: this folder does not exist{hint}")
    if not path.is_dir():
        raise UsageError(f"{path}: this is a file; name the folder of the project")
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(f"{path}: no permission to read this folder")
    return path.resolve() if ".." in path.parts else path.absolute()  # paths are compared as text


class Display:
    """Paths as people write them: relative to the working directory, with ~ for the home folder."""

    def __init__(self, home: Path) -> None:
        self._here = Path.cwd()
        self._home = home
        self._shown: dict[str, str] = {}

    def path(self, path: Path | str) -> str:
        key = str(path)
        if key not in self._shown:  # many hooks share one file
            self._shown[key] = self._shorten(Path(path))
        return self._shown[key]

    def _shorten(self, path: Path) -> str:
        if path.is_relative_to(self._here):
            return str(path.relative_to(self._here))
        if path.is_relative_to(self._home):
            return f"~/{path.relative_to(self._home).as_posix()}".removesuffix("/.")
        return str(path)

    def text(self, text: str) -> str:
        """A message with the paths in it shortened in the same way."""
        return text.replace(f"{self._here}{os.sep}", "").replace(f"{self._home}{os.sep}", "~/")

    def place(self, file: str, line: int) -> str:
        return f"{self.path(file)}:{line}" if line else self.path(file)


def count(number: int, noun: str) -> str:
    """``1 hook``, ``2 hooks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
