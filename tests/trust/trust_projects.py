"""Projects with hooks, their trust, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anyhook.dialects import NAMES
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.load import Loader
from anyhook.trust.decide import Trust, check_trust
from anyhook.trust.fingerprint import Fingerprint, take_fingerprint
from anyhook.trust.records import trust_project


class Project:
    """A folder with one universal hook that runs ``command``."""

    def __init__(self, folder: Path, command: str = "./hooks/guard.sh") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.environment: dict[str, str] = {}
        self.define(command)

    def define(self, command: str, **more: Any) -> None:
        hook = {"type": "command", "command": command, **more}
        data = {"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}}
        self.write("hooks/hooks.json", json.dumps(data))

    def write(self, name: str, text: str, mode: int | None = None) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        if mode is not None:
            path.chmod(mode)
        return path

    @property
    def roots(self) -> Roots:
        outside = self.folder.parent / "nowhere"
        return Roots(project=self.folder, home=outside / "home", system=outside, environment=self.environment)

    def check(self, clients: Sequence[str] = ("universal",), started_in: Path | None = None) -> Trust:
        loader = Loader()
        hook_sets = [hooks_for_project(name, self.roots, loader) for name in clients]
        return check_trust(self.roots, hook_sets, started_in=started_in)

    def fingerprint(self) -> Fingerprint:
        return take_fingerprint(self.roots, [hooks_for_project("universal", self.roots)])

    def uses(self) -> list[str]:
        return list(self.fingerprint().files)

    def trust(self) -> None:
        trust_project(self.roots, self.check(NAMES).fingerprint, accepts_uncovered=True)
        assert self.check().is_trusted

    def changes(self) -> list[str]:
        return [f"{change.path} {change.text}" for change in self.check().changes]
