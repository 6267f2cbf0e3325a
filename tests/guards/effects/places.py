"""Where the calls of these tests happen."""

from __future__ import annotations

import subprocess
from pathlib import Path

from anyhook.guards.effects import command_line
from anyhook.guards.effects.git_facts import Git, GitFacts
from anyhook.guards.effects.where import Where
from anyhook.guards.families import Finding, judge

APP = Where(folder="/home/me/app", project="/home/me/app", home="/home/me")
"""A project with uncommitted work, in which there is no git: names decide."""


def inside(folder: str, git: GitFacts | None = None) -> Where:
    """The same project, for a call in another folder."""
    return Where(folder=folder, project=APP.project, home=APP.home, git=git)


def in_repository(root: Path, folder: str = "") -> Where:
    """A project in a repository, with a git that may take its time: tests do not depend on speed."""
    git = Git(str(root), {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(root)}, seconds=30)
    return Where(folder=str(root / folder), project=str(root), home="/home/me", git=git)


def run_git(root: Path, *words: str) -> None:
    name = ("-c", "user.name=me", "-c", "user.email=me@example.net", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *name, *words], cwd=root, check=True, capture_output=True)


def judged(line: str, where: Where = APP) -> tuple[Finding, ...]:
    """Why a command line is refused."""
    return judge(command_line(line), where)
