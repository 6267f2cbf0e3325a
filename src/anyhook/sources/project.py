"""Finds the project that a folder belongs to."""

from __future__ import annotations

from anyhook.dialects import NAMES
from anyhook.sources.discover import Roots, find_for_project
from anyhook.sources.state import checkout_of


def project_of(roots: Roots) -> str:
    """The folder whose events ``anyhook log`` and ``ui`` show first: the checkout, else a folder with hooks.

    Empty: no project. The home folder and those above it hold the projects of its user, and are none.
    """
    top = checkout_of(roots.project)
    if roots.home.is_relative_to(top):
        return ""
    is_project = (top / ".git").exists() or any(
        file.path.is_relative_to(top) for name in NAMES for file in find_for_project(name, roots)
    )
    return str(top) if is_project else ""
