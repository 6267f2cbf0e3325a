"""All dialects, each loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from anyhook.dialects.base import Dialect
from anyhook.dialects.profile import Profile

SEEDS = ("universal", "copilot-vscode", "open-plugins", "agent-sdk", "code-agent")
RECORDED = ("claude-code", "codex", "gemini-cli", "copilot-cli", "qwen-code")
DOCUMENTED = ("cursor", "windsurf", "factory-droid", "kiro", "openhands", "antigravity", "rulesync")
NAMES: tuple[str, ...] = (*RECORDED, *DOCUMENTED, *SEEDS)

NICKNAMES: Mapping[str, str] = {
    "claude": "claude-code",
    "gemini": "gemini-cli",
    "copilot": "copilot-cli",
    "vscode": "copilot-vscode",
    "qwen": "qwen-code",
    "factory": "factory-droid",
    "droid": "factory-droid",
    "aam": "universal",
}
"""Short names that people type."""


@cache
def dialect(name: str) -> Dialect:
    """The dialect of this name; KeyError when there is none."""
    if name not in NAMES:
        raise KeyError(name)
    module = import_module(f"anyhook.dialects.clients.{name.replace('-', '_')}")
    loaded: Dialect = module.DIALECT
    return loaded


def profile(name: str) -> Profile:
    return dialect(name).profile
