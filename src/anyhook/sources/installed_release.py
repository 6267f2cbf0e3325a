"""Which release of a client is installed: read from its files, without starting it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from anyhook.dialects import all_profiles
from anyhook.dialects.profile import Profile
from anyhook.dialects.releases import unknown_release_text
from anyhook.sources.settings import read_settings

_VERSIONED_FOLDER = re.compile(r"\d+\.\d+\.\d+")


def installed_release(profile: Profile, environment: Mapping[str, str] | None = None) -> str:
    """The release of the client that PATH finds; empty: there is none, or its files do not tell."""
    path = (os.environ if environment is None else environment).get("PATH", "")
    program = shutil.which(profile.program, path=path) if profile.program else None
    if program is None:
        return ""
    real = Path(os.path.realpath(program))
    # Native installers have a file or folder for each release; npm packages say it in package.json.
    versioned = (part for part in reversed(real.parts) if _VERSIONED_FOLDER.fullmatch(part))
    return next(versioned, "") or _packaged_release(real, profile.program)


def used_releases(environment: Mapping[str, str]) -> dict[str, str]:
    """The release of each client that the user's anyhook.toml names, else the one that PATH finds."""
    installed = {
        known.name: release
        for known in all_profiles()
        if (release := installed_release(known, environment)) and not unknown_release_text(known, release)
    }
    return {**installed, **read_settings(None, environment).clients}


def _packaged_release(program: Path, command: str) -> str:
    for folder in program.parents:
        manifest = folder / "package.json"
        if manifest.is_file():
            try:
                package = json.loads(manifest.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return ""
            release = package.get("version") if isinstance(package, dict) and command in str(package.get("bin")) else ""
            return release if isinstance(release, str) and _VERSIONED_FOLDER.fullmatch(release) else ""
    return ""
