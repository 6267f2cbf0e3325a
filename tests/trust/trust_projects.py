"""Projects with hooks, in git or not, and what becomes of their trust."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from anyhook.project.package_hooks import PackageHooks
from anyhook.sources.discover import Roots
from anyhook.sources.load import Loader
from anyhook.trust.decide import JudgedHook, ProjectTrust, Trust
from tests.approving import approve
from tests.bridge.bridging import run_anyhook, shell_call

ORIGIN = "git@github.com:acme/shop.git"
STOP = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}


class Project:
    """A folder with one universal hook that runs ``command``."""

    def __init__(self, folder: Path, command: str = "./hooks/guard.sh") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.environment: dict[str, str] = {"PATH": os.environ["PATH"]}
        self.define(command)

    def define(self, *commands: str, **more: Any) -> None:
        groups = [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": command, **more}]} for command in commands
        ]
        self.write("hooks/hooks.json", json.dumps({"version": 1, "hooks": {"pre-tool-use": groups}}))

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

    def check(self, client: str = "universal", started_in: Path | None = None) -> Trust:
        package = PackageHooks(self.folder, Loader())
        return ProjectTrust(self.roots, package.loader, started_in).judge(package.of(client), owner=client)

    def hook(self, number: int = 0, client: str = "universal") -> JudgedHook:
        return self.check(client).hooks[number]

    def files(self, number: int = 0) -> list[str]:
        """What belongs to a hook besides its definition."""
        return [file.path for file in self.hook(number).content.files]

    def states(self, client: str = "universal") -> list[str]:
        return [str(hook.standing) for hook in self.check(client).hooks]

    def trust(self) -> None:
        approve(self.folder, home=self.roots.home)


def git(folder: Path, *words: str) -> str:
    """Run git as somebody, whatever the settings of this machine are."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *who, *words], cwd=folder, env=environment, check=True, capture_output=True)
    return done.stdout.decode()


def make_repository(folder: Path, origin: str = ORIGIN) -> Path:
    """Everything in a folder as the first commit of a repository."""
    git(folder, "init", "-q", "-b", "main")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")


def clone(source: Path, to: Path, *options: str, origin: str = ORIGIN) -> Path:
    git(source.parent, "clone", "-q", *options, f"file://{source}", str(to))
    git(to, "remote", "set-url", "origin", origin)
    return to


def ask(folder: Path, command: str = "ls", *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What Codex is answered before it runs a command."""
    return run_anyhook(folder, "exec", "--client", "codex", *words, stdin=shell_call(command), **variables)


def stop(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What Codex is answered when its agent wants to end."""
    return run_anyhook(folder, "exec", "--client", "codex", *words, stdin=STOP)


def trust(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_anyhook(folder, "trust", *words, **variables)
