"""What isolates a case from the user: a home folder of its own, few variables, and a copy of the package on request."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, structs

from anyhook.sources.discover import PRUNED

INHERITED = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP",
    "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR",
)  # fmt: skip
"""The user's variables that programs need to run at all. No tokens, no proxies."""
LINKED = frozenset({"node_modules", ".venv", "venv"})
"""Installed packages: a copy of the package links to them, as they are large and hooks only read them."""
_PACKAGE_ROOT = "PACKAGE_ROOT"
_Value = TypeVar("_Value")


def case_environment(inherited: Mapping[str, str], own: Mapping[str, str], root: Path, home: Path) -> dict[str, str]:
    """The variables of a case's hooks: a few of ``inherited``, a home of its own, and the test config's.

    The universal hooks spec's example sets ``PACKAGE_ROOT`` to ``.``: it is relative to the package's folder.
    """
    kept = {name: inherited[name] for name in INHERITED if name in inherited}
    homes = {"HOME": str(home), "USERPROFILE": str(home)}
    variables = {**kept, **homes, **own}
    if _PACKAGE_ROOT in own:
        variables[_PACKAGE_ROOT] = os.path.normpath(root / own[_PACKAGE_ROOT])
    return variables


def copy_package(root: Path, target: Path) -> None:
    """Copy a package with its links and file modes, without version control and caches."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return set(names) & PRUNED

    shutil.copytree(root, target, symlinks=True, ignore=left_out)
    for name in LINKED:
        if (root / name).is_dir():
            (target / name).symlink_to(root / name, target_is_directory=True)


def outside_the_copy(value: _Value, copy: Path, root: Path, *, kept: type[Struct] | None = None) -> _Value:
    """A value in which every text names the package in place of its copy, which is removed; ``kept``: not in these."""
    names = dict.fromkeys((str(copy), str(copy.resolve())))

    def renamed(part: Any) -> Any:
        if type(part) is str:  # not a member of an enumeration
            for name in names:
                part = part.replace(name, str(root))
            return part
        if type(part) in (tuple, list):
            return type(part)(map(renamed, part))
        if type(part) is dict:
            return {renamed(key): renamed(each) for key, each in part.items()}
        if isinstance(part, Struct) and not (kept and isinstance(part, kept)):
            fields = {name: getattr(part, name) for name in part.__struct_fields__}
            return structs.replace(part, **{name: renamed(each) for name, each in fields.items()})
        return part

    changed: _Value = renamed(value)
    return changed
