"""Options that several commands share: which client, which folders."""

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


class ClientName(click.ParamType[str]):
    """The name of a dialect, or a short form of it."""

    name = "client"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from anyhook.dialects import NAMES, NICKNAMES

        name = NICKNAMES.get(value.lower(), value.lower())
        if name in NAMES:
            return name
        from difflib import get_close_matches

        close = get_close_matches(name, [*NAMES, *NICKNAMES], 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise click.BadParameter(f"there is no client {value!r}.{hint}\nKnown: {', '.join(NAMES)}.", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from anyhook.dialects import NAMES

        return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


class ClientNames(click.ParamType[tuple[str, ...]]):
    """Names of clients, separated by commas."""

    name = "clients"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):  # the default
            return value
        names = [name.strip() for name in value.split(",") if name.strip()]
        return tuple(dict.fromkeys(ClientName().convert(name, param, ctx) for name in names))


def json_option(command: _Command) -> _Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def home_option(command: _Command) -> _Command:
    return click.option(
        "--home",
        type=click.Path(path_type=Path),
        help="Use this folder as the home folder.  [default: yours]",
    )(command)


def make_roots(path: Path, home: Path | None) -> Roots:
    """The folders to search; a path that cannot be searched is an error that says why."""
    from anyhook.sources.discover import roots_for

    return roots_for(existing_folder(path), home)


def existing_folder(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"{path}: there is no such folder")
    if not path.is_dir():
        raise UsageError(f"{path}: this is a file; name the folder of the project")
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(f"{path}: no permission to look into this folder")
    return path.absolute()


class Display:
    """Shows paths the way people write them: relative to where they are, with ~ for the home folder."""

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
            return f"~/{path.relative_to(self._home).as_posix()}"
        return str(path)

    def place(self, file: str, line: int) -> str:
        return f"{self.path(file)}:{line}" if line else self.path(file)


def count(number: int, noun: str) -> str:
    """``1 hook``, ``2 hooks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
