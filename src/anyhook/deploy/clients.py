"""Which clients can be deployed to, and which of them a project uses."""

from __future__ import annotations

from anyhook.dialects import NAMES, profile
from anyhook.dialects.places import Root, Writing
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots, find_for_project


def writable_clients(scope: Scope) -> tuple[str, ...]:
    """The clients that have a hook file of this scope which entries can be written to."""

    def is_writable(name: str) -> bool:
        return any(s.scope is scope and s.writing is not Writing.NEVER for s in profile(name).sources)

    return tuple(filter(is_writable, NAMES))


def clients_in_use(roots: Roots, scope: Scope) -> tuple[str, ...]:
    """The clients that have a hook file of their own in the project, or in the home folder."""
    root = Root.HOME if scope is Scope.USER else Root.PROJECT

    def owns(name: str) -> bool:
        sources = (file.source for file in find_for_project(name, roots))
        return any(s.root is root and not s.shared and not s.sniffed for s in sources)

    return tuple(filter(owns, writable_clients(scope)))
