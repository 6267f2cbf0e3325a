"""Small projects with hook files, and the folders to look for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anyhook.editor.overview import Overview
from anyhook.project.hook import ResolvedHook
from anyhook.project.resolve import ProjectClient
from anyhook.sources.discover import Roots, roots_for

CLAUDE_FILE, GEMINI_FILE, KIRO_FILE = ".claude/settings.json", ".gemini/settings.json", ".kiro/hooks/own.json"
CLAUDE = """\
{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "./scripts/guard.sh", "timeout": 10},
        {"type": "command", "command": "true"}
      ]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "./missing.sh"}]}]
  }
}
"""
GEMINI = """\
{
  // comments stay
  "hooks": {
    "BeforeTool": [
      {"matcher": "run_shell_command", "hooks": [{"name": "guard", "type": "command", "command": "exit 0"}]}
    ]
  }
}
"""
KIRO = """\
{
  "version": "v1",
  "hooks": [
    {"name": "first", "trigger": "PreToolUse", "action": {"type": "command", "command": "true"}},
    {"name": "second", "trigger": "Stop", "action": {"type": "command", "command": "false"}}
  ]
}
"""
REFUSING = "#!/bin/sh\necho 'not this' >&2\nexit 2\n"


def make_project(top: Path, files: Mapping[str, str]) -> Roots:
    """A project with these files and a script that refuses everything, beside an empty home folder."""
    project = top / "project"
    (top / "home").mkdir(exist_ok=True)
    for name, text in {"scripts/guard.sh": REFUSING, **files}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    return roots_for(project, top / "home")


def claude_project(top: Path) -> Roots:
    return make_project(top, {CLAUDE_FILE: CLAUDE})


def item_of(overview: Overview, text: str) -> ResolvedHook:
    """The only hook with this text in its action."""
    (found,) = [hook for hook in overview.hooks() if text in hook.text()]
    return found


def client_of(overview: Overview, name: str) -> ProjectClient:
    return next(client for client in overview.clients if client.name == name)


def read(roots: Roots, name: str) -> str:
    return (roots.project / name).read_text(encoding="utf-8")
