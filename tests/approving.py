"""Approves the hooks of a project, as its user would with ``anyhook trust --yes``."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

from anyhook.dialects import NAMES
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.sources.discover import roots_for


def approve(project: Path, *, home: Path | None = None, state: Path | None = None) -> Path:
    """Approve every hook of every client that the project has now; ``state`` is the user's folder for state."""
    with patch.dict(os.environ, {"ANYHOOK_STATE_DIR": str(state)} if state else {}):
        trust = TrustedProject(Project(roots_for(project, home)), NAMES)
        trust.approve_all()
        assert trust.is_trusted, trust.reason
    return project
