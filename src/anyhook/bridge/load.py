"""Hooks for a host that runs them in its own process: each with its state, untrusted ones too."""

from __future__ import annotations

from pathlib import Path

from anyhook.bridge.entries.anyhook_entries import without_own_calls
from anyhook.model.hooks import HookSet
from anyhook.sources import disk
from anyhook.sources.discover import roots_for
from anyhook.sources.inventory import hooks_for_project, hooks_of_file, known_client
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import PACKAGE_FILE
from anyhook.trust.decide import ProjectTrust, hooks_in_force


def load(path: Path | str, client: str, *, home: Path | str | None = None) -> HookSet:
    """The hooks that a client has: in a project folder, with those of the home folder, or in one file alone.

    Those of the project that nobody has approved (``anyhook trust``) have the state *untrusted*. The client may be
    given by a nickname. Raises UsageError when there is none of this name.
    """
    path, name, loader = Path(path).absolute(), known_client(client), Loader()
    if disk.is_dir(path):
        roots = roots_for(path, None if home is None else Path(home))
        hooks = hooks_for_project(name, roots, loader)
    else:
        is_package = path.parts[-2:] == Path(PACKAGE_FILE).parts
        roots = roots_for(path.parent.parent if is_package else path.parent, None if home is None else Path(home))
        hooks = hooks_of_file(path, name, loader)[0].hooks
    # Entries of anyhook run no code of the project: they ask anyhook, which judges what they ask for.
    return hooks_in_force(hooks, ProjectTrust(roots, loader).judge(without_own_calls(hooks)))
