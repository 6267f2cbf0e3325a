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


def clients_option(*names: str, text: str, one: ClientName | None = None) -> Callable[[_Command], _Command]:
    """An option for several clients: separated by commas, repeated, or both. ``one``: how one of them is written."""

    def joined(_: click.Context, __: click.Parameter, values: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for value in values for name in value))

    return click.option(
        *names, type=ClientNames(one or ClientName()), multiple=True, callback=joined, metavar="A,B", help=text
    )


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


def roots_for_client(name: str, roots: Roots) -> Roots:
    """The folders for one client: a package is also found from the folders below it, as when it is deployed."""
    from anyhook.dialects.clients import OWN

    return package_roots(roots) if name == OWN else roots


def package_roots(roots: Roots, source: str | None = None) -> Roots:
    """The same with the folder of the package, which may be above the project folder."""
    from msgspec import structs

    from anyhook.sources.load import Loader
    from anyhook.sources.package_hooks import find_hooks_above

    return structs.replace(roots, project=find_hooks_above(roots.project, source, Loader()))


def existing_folder(path: Path) -> Path:
    """The absolute path of a folder. Raises UsageError when it cannot be read."""
    if not path.exists():
        raise UsageError(f"{path}: this folder does not exist")
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
