"""Settings other than hooks in the files that have hooks, with a harmless value of each, and ways to spoil one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

_MCP_SERVER = {"command": "true", "args": []}
_COMMON_UI = {"theme": "Default", "hideBanner": True, "hideTips": True, "customThemes": {}}
_GEMINI_FAMILY: Mapping[str, Any] = {
    "general": {"vimMode": False, "preferredEditor": "vim", "checkpointing": {"enabled": False}},
    "ui": {**_COMMON_UI, "showLineNumbers": True, "accessibility": {"screenReader": False}},
    "ide": {"enabled": False, "hasSeenNudge": True},
    "privacy": {"usageStatisticsEnabled": False},
    "model": {"name": "gemini-2.5-pro", "maxSessionTurns": -1, "skipNextSpeakerCheck": True},
    "context": {
        "fileName": "NOTES.md",
        "includeDirectories": [],
        "loadMemoryFromIncludeDirectories": False,
        "fileFiltering": {"respectGitIgnore": True, "enableRecursiveFileSearch": True},
    },
    "tools": {"exclude": ["web_fetch"], "useRipgrep": False, "truncateToolOutputThreshold": 100_000},
    "mcp": {"allowed": [], "excluded": ["x"]},
    "mcpServers": {},
    "advanced": {"excludedEnvVars": ["DEBUG"], "autoConfigureMemory": False},
    "output": {"format": "text"},
    "telemetry": {"enabled": False, "target": "local", "outfile": "t.log"},
    "experimental": {},
    "extensions": {"disabled": []},
}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "claude-code": {
        "$schema": "https://json.schemastore.org/claude-code-settings.json",
        "model": "claude-sonnet-4-5",
        "env": {"SOME_NAME": "x"},
        "permissions": {
            "allow": ["Read(./x)"],
            "deny": ["WebFetch"],
            "ask": ["WebSearch"],
            "defaultMode": "default",
            "additionalDirectories": ["../x"],
        },
        "statusLine": {"type": "command", "command": "true", "padding": 0},
        "fileSuggestion": {"type": "command", "command": "true"},
        "sandbox": {"enabled": False, "autoAllowBashIfSandboxed": True, "excludedCommands": ["x"], "network": {}},
        "attribution": {"commit": "", "pr": ""},
        "includeCoAuthoredBy": False,
        "cleanupPeriodDays": 30,
        "outputStyle": "default",
        "language": "english",
        "spinnerTipsEnabled": False,
        "spinnerVerbs": {"mode": "append", "verbs": ["x"]},
        "alwaysThinkingEnabled": False,
        "enableAllProjectMcpServers": False,
        "enabledMcpjsonServers": ["x"],
        "disabledMcpjsonServers": ["x"],
        "enabledPlugins": {"x@y": False},
        "extraKnownMarketplaces": {"y": {"source": {"source": "directory", "path": "/nonexistent"}}},
        "companyAnnouncements": ["x"],
        "respectGitignore": True,
        "autoUpdatesChannel": "latest",
        "plansDirectory": "./plans",
        "prefersReducedMotion": True,
        "httpHookAllowedEnvVars": ["X"],
        "allowedHttpHookUrls": ["https://example.com/*"],
        "effortLevel": "low",
        "worktree": {"symlinkDirectories": []},
        "skipWebFetchPreflight": True,
        "terminalProgressBarEnabled": False,
        "autoMemoryEnabled": False,
    },
    "codex": {
        "model_reasoning_effort": "low",
        "model_reasoning_summary": "auto",
        "model_verbosity": "low",
        "hide_agent_reasoning": True,
        "personality": "none",
        "history": {"persistence": "none", "max_bytes": 100_000},
        "tui": {"notifications": False, "animations": False},
        "shell_environment_policy": {"inherit": "all", "exclude": ["X"]},
        "features": {"hooks": True, "shell_snapshot": False},
        "project_doc_max_bytes": 1000,
        "project_doc_fallback_filenames": ["x"],
        "tool_output_token_limit": 10_000,
        "file_opener": "none",
        "mcp_servers": {},
        "profiles": {},
        "notice": {},
        "agents": {"max_threads": 4},
        "developer_instructions": "be brief",
        "disable_paste_burst": True,
        "sandbox_workspace_write": {"network_access": False, "writable_roots": []},
    },
    "copilot-cli": {
        "theme": "auto",
        "banner": "never",
        "beep": False,
        "streamerMode": False,
        "renderMarkdown": True,
        "screenReader": False,
        "stream": True,
        "logLevel": "default",
        "autoUpdate": False,
        "includeCoAuthoredBy": False,
        "allowedUrls": ["https://example.com"],
        "deniedUrls": ["https://example.com"],
        "trustedFolders": ["/nonexistent"],
        "enabledPlugins": {"x@y": False},
        "extraKnownMarketplaces": {},
        "companyAnnouncements": ["x"],
        "effortLevel": "low",
        "permissions": {"allow": ["Read"], "deny": ["WebFetch"]},
        "env": {"SOME_NAME": "x"},
        "disableAllHooks": False,
        "description": "x",
        "name": "x",
        "model": "gpt-5",
        "mergeStrategy": "merge",
        "contextTier": "default",
        "denied_urls": ["https://example.com"],
        "disabledSkills": ["x"],
        "footer": {"showQuota": True, "showBranch": False},
        "statusLine": {"type": "command", "command": "true", "padding": 0},
        "subagents": {"maxDepth": 4, "agents": {}},
        "tabs": {"enabled": False, "hide": ["x"]},
        "keepAlive": "off",
        "ide": {"autoConnect": False},
    },
    "gemini-cli": {
        **_GEMINI_FAMILY,
        "hooksConfig": {"enabled": True, "disabled": ["x"], "notifications": True},
        "skills": {"enabled": True, "disabled": ["x"]},
        "admin": {},
        "agents": {"overrides": {}},
        "useWriteTodos": True,
    },
    "qwen-code": {
        **_GEMINI_FAMILY,
        "disableAllHooks": False,
        "permissions": {"allow": ["Read"], "ask": [], "deny": ["web_fetch"]},
        "env": {"SOME_NAME": "x"},
        "modelProviders": {},
        "memory": {"enableManagedAutoMemory": False},
        "outputLanguage": "en",
        "$version": 3,
        "proxy": "",
    },
}
"""By client and key, values that change nothing of what is compared."""
_OF_ANY_KIND: tuple[Any, ...] = (
    None, True, False, 0, 1, -5, 1.5, "", "bogus", [], ["x"], [1], [[]], [None], {}, {"x": 1}, {"x": []}, {"x": None},
)  # fmt: skip


def some_settings(random: Random, client: str) -> dict[str, Any]:
    """One to three settings, all right or one of them wrong."""
    known = SETTINGS[client]
    chosen = {key: known[key] for key in random.sample(sorted(known), random.choice((1, 1, 2, 3)))}
    draw = random.random()
    if draw < 0.25:
        return chosen
    if draw < 0.32:
        return {**chosen, "unknownSetting": random.choice(_OF_ANY_KIND)}
    key = random.choice(sorted(chosen))
    return {**chosen, key: spoilt(random, chosen[key])}


def spoilt(random: Random, right: Any) -> Any:
    """The value with itself, or something in it, replaced by a value of another kind, or of no known meaning.

    A right value of the same kind could change what the client does: a model, a refusal, a sandbox.
    """
    path = random.choice(list(_paths(right)))
    return _put(right, path, random.choice([value for value in _OF_ANY_KIND if _differs(_at(right, path), value)]))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, Mapping):
        for key, below in value.items():
            yield from _paths(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _paths(below, (*path, index))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, list):
        return [_put(each, path[1:], new) if index == path[0] else each for index, each in enumerate(value)]
    return {**value, path[0]: _put(value[path[0]], path[1:], new)}


def _differs(right: Any, value: Any) -> bool:
    """Whether it is of another kind, or a text, list or number that no enumeration and no range has."""
    if isinstance(right, bool) or isinstance(value, bool):
        return type(right) is not type(value)
    if isinstance(right, int | float) and isinstance(value, int | float):
        return value < 0 or value != int(value)
    if isinstance(right, Mapping) and isinstance(value, Mapping):
        return bool(value)
    return type(right) is not type(value) or value in ("bogus", [1], [[]], [None])
