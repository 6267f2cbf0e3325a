"""Codex: ``codex exec``, the Responses API. Settings are given with ``-c``, so the home folder stays as it is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from anyhook.prove.driver import Driver, Package, Start
from anyhook.prove.model_server.messages import Message
from anyhook.prove.script import EditStep, Step, ToolStep

_REVIEWER = "You are judging one planned coding-agent action."
"""How the instructions of the agent begin that approves calls (``--approve-for-me``); it gets tools, too."""


class _Codex(Driver):
    package = Package(
        registry="npm",
        name="@openai/codex",
        version="0.166.0",
        programs="node_modules/.bin/codex",
        command="codex",
    )
    approval = ("--dangerously-bypass-approvals-and-sandbox",)
    shell_ran = r"Process (?:exited|running) with"
    absolute_paths = False
    trust_files = (".codex/config.toml",)

    def arguments(self, start: Start) -> Sequence[str]:
        trust = ("--dangerously-bypass-hook-trust",) if start.trust else ()
        overrides = [part for key, value in _settings(start).items() for part in ("-c", f"{key}={_toml(value)}")]
        return ["exec", "--skip-git-repo-check", *trust, *overrides, start.prompts[0]]

    def environment(self, start: Start) -> Mapping[str, str]:
        return {"MOCK_API_KEY": "invented"}

    def is_aside(self, messages: Sequence[Message]) -> bool:
        return any(message.text.startswith(_REVIEWER) for message in messages)

    def trust_in(self, files: Mapping[str, str]) -> Mapping[str, str]:
        """Projects and hooks that are trusted; a file that is no TOML trusts nothing."""
        trust = {}
        for name, text in files.items():
            with suppress(TOMLKitError):
                settings = tomlkit.parse(text).unwrap()
                state = settings.get("hooks", {}).get("state", {})
                kept = {"projects": settings.get("projects", {}), "hooks": {"state": state}}
                trust[name] = tomlkit.dumps(kept)
        return trust

    def shell(self, command: str) -> ToolStep:
        return ToolStep("exec_command", {"cmd": command})

    def write(self, path: str, content: str) -> ToolStep:
        return _patch(f"*** Add File: {path}", added=content)

    def edit(self, path: str, old: str, new: str) -> ToolStep:
        return _patch(f"*** Update File: {path}\n@@", old, new)

    def read(self, path: str) -> ToolStep:
        return self.shell(f"cat {shlex.quote(path)}")  # there is no tool that reads text

    def tool_use(self, step: Step, project: Path) -> ToolStep | None:
        return super().tool_use(_whole_lines(step, project) if isinstance(step, EditStep) else step, project)


def _whole_lines(step: EditStep, project: Path) -> EditStep:
    """apply_patch replaces whole lines: the edit, widened to the lines that it touches."""
    try:
        text = (project / step.path).read_text(encoding="utf-8")
    except OSError:
        text = step.old
    at = max(text.find(step.old), 0)
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(step.old))
    lines = text[start : end if end >= 0 else len(text)]
    return EditStep(step.path, lines, lines.replace(step.old, step.new, 1))


def _settings(start: Start) -> dict[str, Any]:
    settings = {
        "model": "gpt-5.5",  # a model that Codex knows: others get other tools
        "model_provider": "mock",
        "model_providers.mock": {
            "name": "mock",
            "base_url": f"{start.url}/v1",
            "wire_api": "responses",
            "env_key": "MOCK_API_KEY",
            "request_max_retries": 0,
            "stream_max_retries": 0,
            "supports_websockets": False,
        },
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        "feedback.enabled": False,
        "features.plugins": False,  # Codex would look for plugins on the network, for 5 seconds
    }
    if start.trust:
        settings["projects"] = {str(start.project): {"trust_level": "trusted"}}
    return settings


def _patch(header: str, removed: str = "", added: str = "") -> ToolStep:
    lines = ["*** Begin Patch", header]
    lines += [f"-{line}" for line in removed.splitlines()] + [f"+{line}" for line in added.splitlines()]
    return ToolStep("apply_patch", "\n".join([*lines, "*** End Patch\n"]))


def _toml(value: Any) -> str:
    """A TOML value; numbers, booleans and strings of JSON are TOML already, but for pairs of escapes (emoji)."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


DRIVER = _Codex()
