"""Small projects for the tests of the linter: files in, problems out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyhook.lint.lint import Report, check_paths
from anyhook.model.problems import Problem
from anyhook.sources.discover import Roots


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Make a project of these files; what is not text is written as JSON. A name may end in a mode: ``a.sh 755``."""
    for name, content in files.items():
        path_text, _, mode = name.partition(" ")
        path = folder / path_text
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        path.write_text(text, encoding="utf-8", newline="")
        if mode:
            path.chmod(int(mode, 8))
    return folder


def roots(folder: Path) -> Roots:
    return Roots(project=folder, home=folder / "no-home", system=folder / "no-system")


def check(folder: Path, files: Mapping[str, Any], client: str | None = None, **options: Any) -> Report:
    write(folder, files)
    return check_paths([folder], roots(folder), [client] if client else [], **{"everything": True, **options})


def found(folder: Path, files: Mapping[str, Any], code: str, client: str | None = None) -> list[Problem]:
    """The problems of one code."""
    return [problem for problem in check(folder, files, client).problems if problem.code == code]


def codes(folder: Path, files: Mapping[str, Any], client: str | None = None) -> set[str]:
    return {problem.code for problem in check(folder, files, client).problems}


def hook(command: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command, **more}


def groups(event: str, *hooks: Mapping[str, Any], matcher: str | None = None) -> dict[str, Any]:
    """The content of a file with one group, as Claude Code, Codex, Gemini CLI and Qwen Code have it."""
    group: dict[str, Any] = {} if matcher is None else {"matcher": matcher}
    return {"hooks": {event: [{**group, "hooks": list(hooks)}]}}


def flat(event: str, *hooks: Mapping[str, Any], version: int | None = 1) -> dict[str, Any]:
    """The content of a file with flat entries, as Cursor and Copilot CLI have it."""
    head: dict[str, Any] = {} if version is None else {"version": version}
    return {**head, "hooks": {event: list(hooks)}}


PLACES: Mapping[str, str] = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "qwen-code": ".qwen/settings.json",
    "copilot-cli": ".github/hooks/hooks.json",
    "cursor": ".cursor/hooks.json",
    "windsurf": ".windsurf/hooks.json",
    "factory-droid": ".factory/hooks.json",
}
"""Where a project keeps its hooks for a client."""

TOOL_EVENTS: Mapping[str, str] = {
    "gemini-cli": "BeforeTool",
    "copilot-cli": "preToolUse",
    "cursor": "preToolUse",
    "windsurf": "pre_run_command",
}


def guard(client: str, command: str, **more: Any) -> dict[str, Any]:
    """A project in which one hook guards the client's tools by this command."""
    event = TOOL_EVENTS.get(client, "PreToolUse")
    if client in {"copilot-cli", "cursor", "windsurf"}:
        return {PLACES[client]: flat(event, {"command": command, **more})}
    return {PLACES[client]: groups(event, hook(command, **more))}


def texts(problems: Sequence[Problem]) -> list[str]:
    return [problem.text for problem in problems]
