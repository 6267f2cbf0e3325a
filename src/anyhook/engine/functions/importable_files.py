"""Which files of a project a hook can import: those that belong to it, and so were trusted with it."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import anyhook
from anyhook.sources import disk
from anyhook.sources.package_files import (
    SETTINGS_FILE,
    defines_hooks,
    files_of,
    is_in_hook_folder,
    package_of,
    used_globs,
)
from anyhook.sources.state import checkout_of


class ImportableFiles:
    """The project around a file of hooks: the git checkout, else the package folder; and what of it belongs to them."""

    def __init__(self, file: Path, will_read: Callable[[Path], object]) -> None:
        """``will_read`` is told of a file on whose content the answers depend."""
        self._file, self._will_read = file, will_read
        self._lexical = package_of(Path(os.path.abspath(file)))  # noqa: PTH100 - links stay
        self.package = disk.resolve(self._lexical)
        # Now, because finding them imports modules, which must not ask this question themselves.
        self._project = checkout_of(self.package)
        self._installed = _installed_folders(self._project)
        self._allowed: set[str] = set()
        self._used: frozenset[Path] = frozenset()

    def refusal(self, path: str) -> str:
        """Why a file cannot be imported; empty: it can."""
        if path in self._allowed:
            return ""
        place = _place(path)
        if self.holds(path) and not self._belongs(place):
            return self._remedy(place)
        self._allowed.add(path)
        return ""

    def holds(self, path: str) -> bool:
        """Whether a file is one of the project, and not of the Python installation or of anyhook."""
        if not os.path.isabs(path):  # noqa: PTH117 - "built-in", "frozen"
            return False
        lexical = Path(os.path.abspath(path))  # noqa: PTH100
        if _is_below((lexical,), self._installed):  # most are; to resolve links takes long
            return False
        ways = (lexical, _place(path), disk.resolve(lexical))
        return _is_below(ways, (self._project, self._lexical)) and not _is_below(ways, self._installed)

    def uses_below(self, folder: Path) -> bool:
        """Whether ``uses`` names a file below a folder."""
        place = _place(str(folder))
        return any(file.is_relative_to(place) for file in self._used or self._find_used())

    def _belongs(self, place: Path) -> bool:
        if place == _place(str(self._file)):
            return True
        if not place.is_relative_to(self.package) or not disk.is_file(place):  # in an archive there is no file
            return False
        if is_in_hook_folder(place.relative_to(self.package)):
            if place.name.startswith("_"):  # never one that defines hooks
                return True
            from anyhook.sources.load import Loader  # a process of one function needs it for few imports

            if not defines_hooks(place, Loader()):
                return True
        return place in self._used or place in self._find_used()

    def _find_used(self) -> frozenset[Path]:
        settings = self.package / SETTINGS_FILE
        if disk.is_file(settings):
            from anyhook.sources.load import Loader

            self._will_read(settings)
            self._used = frozenset(files_of(self.package, used_globs(self.package, Loader())))
        return self._used

    def _remedy(self, place: Path) -> str:
        if not place.is_relative_to(self.package):
            name = place.relative_to(self._project) if place.is_relative_to(self._project) else place
            return f"{name} does not belong to this hook; copy what it needs into {self.package}/hooks"
        name = place.relative_to(self.package)
        if archive := next((parent for parent in name.parents if (self.package / parent).is_file()), None):
            return f"{archive.as_posix()} is an archive, and modules in it cannot belong to a hook; unpack it"
        glob = name.parent / "**" if name.stem == "__init__" and name.parent.name else name
        return (
            f'{name.as_posix()} does not belong to this hook; name it in {SETTINGS_FILE}: uses = ["{glob.as_posix()}"]'
        )


def _installed_folders(project: Path) -> tuple[Path, ...]:
    """Folders whose modules count as installed, also if they are inside a project: ``.venv``."""
    prefixes = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *site.getsitepackages()]
    folders = {Path(anyhook.__file__).parent, Path(os.__file__).parent, *map(Path, prefixes)}
    folders |= set(map(disk.resolve, folders))
    # A project in /usr/src is not a part of the Python in /usr.
    return tuple(folder for folder in folders if not project.is_relative_to(folder))


def _place(path: str) -> Path:
    """A path with the links in its folders resolved; the file itself may be one, whose target was trusted with it."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100
    return disk.resolve(whole.parent) / whole.name


def _is_below(paths: Iterable[Path], folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for path in paths for folder in folders)
