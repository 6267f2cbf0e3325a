"""Hook files in every format that anyhook knows, written by the format's own dialect."""

from __future__ import annotations

import json
from pathlib import Path

from anyhook.deploy.target_files import choose_target, writable_clients
from anyhook.dialects import dialect as dialect_of
from anyhook.model.hooks import Rule
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots
from anyhook.sources.load import Loader

PACKAGES = {
    "universal": "hooks/hooks.json",
    "open-plugins": "hooks/hooks.json",
    "rulesync": ".rulesync/hooks.json",
    "code-agent": ".claude/settings.json",
}
"""Formats that are no client's own: where such a file is."""
DIALECTS = (*PACKAGES, *writable_clients(Scope.PROJECT))
"""Every format that has hook files."""


def write_hooks(folder: Path, dialect: str, *rules: Rule) -> Path:
    """A project with a hook file of these rules, where the dialect's client looks for it."""
    roots = Roots(project=folder, home=folder.parent / "home", system=folder.parent / "system")
    if dialect in PACKAGES:
        path = folder / PACKAGES[dialect]
    else:
        path = choose_target(dialect, roots, Scope.PROJECT, lambda _: False, Loader()).path
    path.parent.mkdir(parents=True)
    (folder / ".plugin").mkdir(exist_ok=True)
    path.write_text(json.dumps(dialect_of(dialect).write(rules)))
    return path
