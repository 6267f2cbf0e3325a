"""Refuses to write where a symbolic link of a project leads out of it.

A repository could otherwise have files of its user changed: ``hooks -> ~/.config``, ``report.xml -> ~/.bashrc``.
"""

from __future__ import annotations

import os
from pathlib import Path

from anyhook.model.problems import AnyhookError
from anyhook.sources.state import checkout_of


def refuse_outside(path: Path, project: Path, otherwise: str = "") -> None:
    """AnyhookError if a link leads from a file of a project to a place outside of its checkout."""
    _refuse(path, checkout_of(project), otherwise)


def refuse_outside_folder(path: Path, folder: Path) -> None:
    """AnyhookError if a link leads from a file that is written into a folder to a place outside of the folder."""
    _refuse(path, folder.resolve(), "")


def refuse_planted(output: Path) -> None:
    """AnyhookError if an output that the user names in the current project is a link that leads out of it."""
    here = Path.cwd()
    root = checkout_of(here)
    if Path(os.path.normpath(here / output)).is_relative_to(root):
        _refuse(here / output, root, ", or name that place itself")


def _refuse(path: Path, root: Path, otherwise: str) -> None:
    try:
        real = path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        leads = "in a circle"
    else:
        if real.is_relative_to(root):
            return
        leads = f"to {real}, outside the project"
    link = next((part for part in (path, *path.parents) if part.is_symlink()), path)
    remedy = f"replace the link by a folder or file of the project{otherwise}"
    raise AnyhookError(f"{link}: this symbolic link leads {leads}; nothing was written\n{remedy}")
