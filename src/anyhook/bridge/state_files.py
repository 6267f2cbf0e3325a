"""The names of files in the folder for state that belong to one client and one package."""

from __future__ import annotations

from pathlib import Path

from anyhook.sources.state import state_folder
from anyhook.trust.digests import digest_of


def state_file(kind: str, *about: str) -> Path:
    """The file in the folder ``kind`` that is about these; no part of its name comes from outside."""
    return state_folder() / kind / digest_of("\0".join(about).encode(errors="replace"))
