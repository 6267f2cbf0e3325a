"""Hooks for a host that runs them in its own process: each with its state, untrusted ones too."""

from __future__ import annotations

from pathlib import Path

from anyhook.model.hooks import HookSet
from anyhook.project.package_hooks import PACKAGE_FILE
from anyhook.project.project import Project
from anyhook.sources import disk
from anyhook.sources.config_in_memory import known_client
from anyhook.sources.discover import roots_for


def load(path: Path | str, client: str, *, home: Path | str | None = None) -> HookSet:
    """The hooks that a client has: in a project folder, with those of the home folder, or in one file alone.

    Those of the project that nobody has approved (``anyhook trust``) have the state *untrusted*. The client may be
    given by a nickname. Raises UsageError when there is none of this name, and FileNotFoundError for a path that does
    not exist. What is wrong in the files is in ``problems``.
    """
    path, name = Path(path).absolute(), known_client(client)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist, so it has no hooks")
    if disk.is_dir(path):
        return Project.open(path, home=home).started(name).in_force
    is_package = path.parts[-2:] == Path(PACKAGE_FILE).parts
    folder = path.parent.parent if is_package else path.parent
    (reader,) = Project(roots_for(folder, None if home is None else Path(home)), (name,)).readers_of(path)
    return reader.in_force
