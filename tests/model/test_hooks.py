"""Hooks in the form that every dialect reads into."""

from __future__ import annotations

import sys

from anyhook.model.hooks import Command, OsCommands

VARIANTS = {"win32": "windows", "darwin": "macos"}


def test_a_summary_is_what_this_system_runs() -> None:
    own = VARIANTS.get(sys.platform, "linux")
    assert Command(command="default", by_os=OsCommands(**{own: "own"})).summary() == "own"
    other = next(iter({"windows", "macos"} - {own}))
    assert Command(command="default", by_os=OsCommands(**{other: "other"})).summary() == "default"
    assert Command(by_os=OsCommands(**{other: "other"})).summary() == "other"
