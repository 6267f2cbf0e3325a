"""What the tests of installing share: folders, owners, and one hook for every event of a client."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from anyhook.deploy.install import EntryChange, Owner, apply, plan_install, plan_removal
from anyhook.dialects import NAMES, profile
from anyhook.dialects.events import native_names
from anyhook.dialects.places import Writing
from anyhook.model.hooks import Action, Command, FateState, Rule
from anyhook.model.origin import Scope
from anyhook.project.inventory import hooks_for_project
from anyhook.sources.discover import Roots
from anyhook.sources.state import VARIABLE

CLIENTS = tuple(name for name in NAMES if any(s.writing is not Writing.NEVER for s in profile(name).sources))


def is_ours(action: Action) -> bool:
    return isinstance(action, Command) and action.command.startswith("anyhook exec ")


BRIDGE = Owner("bridge", is_ours)
NATIVE = Owner("native")


def rule(native: str, command: str, client: str = "claude-code", matcher: str | None = None) -> Rule:
    event = native_names(client)[native].name
    return Rule(event=event, native_event=native, matcher=matcher, actions=(Command(command=command, name="ours"),))


def rule_per_event(client: str, command: str = "anyhook exec --client") -> list[Rule]:
    """One for each event; of several names of an event, the first."""
    names = {event.name: native for native, event in reversed(list(native_names(client).items()))}
    return [rule(native, f"{command} {client} --event {native}", client) for native in names.values()]


CLAUDE = ".claude/settings.json"
CODEX = ".codex/hooks.json"
STOP = rule("Stop", "anyhook exec stop")


def groups(command: str) -> dict[str, Any]:
    """A group of one command, as most clients write it."""
    return {"hooks": [{"type": "command", "command": command}]}


class Machine:
    """A project and a home folder, and anyhook's own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own_folder("state of this machine")
        self.roots = Roots(project=folder / "project", home=folder / "home", system=folder / "system")
        self.roots.project.mkdir()
        self.roots.home.mkdir()

    def own_folder(self, name: str) -> Path:
        """Let anyhook keep its own files there from now on; the conftest puts the variable back."""
        os.environ[VARIABLE] = str(self.folder / name)
        return self.folder / name

    def write(self, name: str, text: str) -> Path:
        path = self.roots.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def plan(self, client: str, rules: list[Rule], owner: Owner = BRIDGE, scope: Scope = Scope.PROJECT) -> EntryChange:
        return plan_install(client, rules, self.roots, scope, owner)

    def install(
        self, client: str, rules: list[Rule], owner: Owner = BRIDGE, scope: Scope = Scope.PROJECT
    ) -> EntryChange:
        return apply(self.plan(client, rules, owner, scope))

    def remove(self, client: str, owner: Owner = BRIDGE, scope: Scope = Scope.PROJECT) -> list[EntryChange]:
        plans = plan_removal(client, self.roots, scope, owner)
        return [apply(change) for change in plans]

    def files(self) -> dict[str, bytes | None]:
        """Everything in the project and the home folder; a folder has no content."""
        roots = (self.roots.project, self.roots.home)
        return {
            path.relative_to(root.parent).as_posix(): path.read_bytes() if path.is_file() else None
            for root in roots
            for path in root.rglob("*")
        }


def active(machine: Machine, client: str) -> list[str]:
    """The commands of the owner that the client would really run."""
    hooks = hooks_for_project(client, machine.roots)
    return [a.summary() for r in hooks.rules for a in r.actions if a.fate.state is FateState.ACTIVE and is_ours(a)]
