"""All dialects, each loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from anyhook.dialects.base import Dialect
from anyhook.dialects.profile import Profile
from anyhook.model.wording import did_you_mean

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


def find_client(name: str) -> str | None:
    """The client that is called so, in full or for short, in any case; None when there is none."""
    lowered = name.lower()
    client = NICKNAMES.get(lowered, lowered)
    return client if client in NAMES else None


def unknown_client_text(name: str) -> str:
    """The message that there is no such client."""
    return f"there is no client {name!r}; {did_you_mean(name.lower(), (*NAMES, *NICKNAMES), NAMES)}"
