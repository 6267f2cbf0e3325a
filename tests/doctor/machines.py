"""A healthy project on a machine with clients and programs of its own, for faults to be planted in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.doctor.examine import Diagnosis, examine
from anyhook.model.codes import CODES, Severity
from anyhook.project.project import Project
from anyhook.sources.discover import Roots

SCRIPT = "#!/usr/bin/env bash\njq -r .tool_input.command | grep -q 'rm -rf' && { echo no >&2; exit 2; }\nexit 0\n"
PROGRAMS = ("sh", "bash", "env", "jq", "grep", "python3", "cat")


class Machine(Struct, frozen=True):
    """Folders for a project, a home and programs; nothing else of the real machine is used."""

    top: Path

    @property
    def project(self) -> Path:
        return self.top / "project"

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def programs(self) -> Path:
        return self.top / "bin"

    @property
    def environment(self) -> dict[str, str]:
        state = str(self.top / "state")
        return {"PATH": str(self.programs), "HOME": str(self.home), "ANYHOOK_STATE_DIR": state}

    @property
    def roots(self) -> Roots:
        return Roots(self.project, self.home, self.top / "system")

    def write(self, name: str, content: object, mode: int = 0o644) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8", newline="")
        path.chmod(mode)
        return path

    def install_program(self, name: str) -> None:
        path = self.programs / name
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)

    def install_client(self, name: str, release: str | None = None) -> None:
        """Like npm does it: a package with its release, and a link to its program."""
        known = profile(name)
        package = self.top / "lib" / name
        package.mkdir(parents=True)
        (package / "cli.js").write_text("", encoding="utf-8")
        (package / "cli.js").chmod(0o755)
        manifest = {"version": release or known.release, "bin": {known.program: "cli.js"}}
        (package / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        (self.programs / known.program).symlink_to(package / "cli.js")

    def examine(self) -> Diagnosis:
        return examine(Project(self.roots), self.environment)

    def problems(self) -> set[str]:
        """The rules of the errors and warnings, and of the notes about this machine."""
        return names_of(self.examine(), with_notes_in_files=False)


def names_of(diagnosis: Diagnosis, *, with_notes_in_files: bool = True) -> set[str]:
    """The rules of what was found."""
    return {
        CODES[found.code].name
        for found in diagnosis.problems
        if with_notes_in_files or found.severity is not Severity.NOTE or found.code.startswith("H")
    }


def healthy_machine(top: Path) -> Machine:
    """Claude Code with one guard, all that it needs, and nothing that is wrong."""
    machine = Machine(top)
    for folder in (machine.project, machine.home, machine.programs):
        folder.mkdir(parents=True)
    (top / "state").mkdir(mode=0o700)
    for name in PROGRAMS:
        machine.install_program(name)
    machine.install_client("claude-code")
    machine.write(".git/HEAD", "ref: refs/heads/main\n")
    machine.write("tools/guard.sh", SCRIPT, 0o755)
    machine.write(".claude/settings.json", claude_settings())
    return machine


def claude_settings(matcher: str = "Bash", event: str = "PreToolUse", **hook: Any) -> dict[str, Any]:
    command = '"$CLAUDE_PROJECT_DIR"/tools/guard.sh'
    entry = {"type": "command", "command": command, "timeout": 10, **hook}
    return {"hooks": {event: [{"matcher": matcher, "hooks": [entry]}]}}
