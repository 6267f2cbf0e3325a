"""Copilot CLI's settings files: what 1.0.102 accepts in those of the user and of the project.

It reads each by a schema of its own. A value that the schema refuses loses that file with all its hooks; a run with
``-p`` says so in its log alone. Unknown settings are ignored. What is listed here was asked of the validators in its
bundle (``userSettingsValidateTopKeyValue`` and ``repoSettingsLoadWithWarning`` of ``runtime.node``), with values of
every kind in each of the 202 settings that they know; vectors ``settings-*`` were played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from anyhook.dialects.settings.shapes import (
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    Number,
    Text,
    Value,
    any_of,
    each,
    list_of,
    map_of,
    object_of,
    one_of,
    tolerant,
)

_UP_TO_128 = Number(whole=True, least=1, most=128)
_COUNT = Number(whole=True, least=1, most=2**32 - 1)
_RULE = Text(
    r"^(?i:(?:bash|shell|powershell|read|edit|write|domain)(?:\([\s\S]+\))?|(?:mcp|customtool)\([\s\S]+\))$",
    "a rule such as Bash(git status)",
)
_HOST = Text(r"^(?:\*\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*$|^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$", "the name of a host")
_IDENTITY = Text(r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$", "a UUID")
_PROGRAM = Text(r"^\s*(?:/|~/|[^\s/\\][^/\\]*$)", "an absolute path, one that starts with ~/, or the name of a program")
_WORKTREE = Text(
    r"^$|^(?=[\s\S]*\{branch(?:Slug)?\})(?:/|~[/\\]|\{repoPath\})",
    "an absolute path, or one that starts with ~/ or {repoPath}, with {branch} or {branchSlug}",
)
_MARKETPLACE = any_of(
    object_of({"source": one_of("directory"), "path": TEXT}, "source path"),
    object_of({"source": one_of("github"), "repo": TEXT, "ref": TEXT}, "source repo"),
    object_of({"source": one_of("git"), "url": TEXT, "ref": TEXT}, "source url"),
)
_PROXY = object_of(each("url username password", TEXT))
_KEYCHAIN = object_of({"keychainAccess": FLAG})
_HEADERS_PROVIDER = object_of(
    {"path": _PROGRAM, "args": TEXTS, "refreshIntervalMs": Number(whole=True, above=0)}, "path", others=None
)

_OF_CLAUDE: Mapping[str, Value] = {
    "disableAllHooks": FLAG,
    "companyAnnouncements": TEXTS,
    "enabledPlugins": map_of(FLAG),
    "extraKnownMarketplaces": map_of(object_of({"source": _MARKETPLACE, "autoUpdate": FLAG}, "source")),
}
_OF_PROJECT: Mapping[str, Value] = {
    **_OF_CLAUDE,
    **each("includeCoAuthoredBy respectGitignore", FLAG),
    **each("model modelProviderId effortLevel", TEXT),
    **each("deniedUrls skillDirectories disabledSkills disabledMcpServers", TEXTS),
    "contextTier": one_of("default long_context"),
    "mergeStrategy": one_of("rebase merge"),
}


def _by_both_names(members: Mapping[str, Value]) -> dict[str, Value]:
    """Names in a project's files may also be written with underscores."""
    return {
        **members,
        **{re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name): shape for name, shape in members.items()},
    }


CLAUDE_SETTINGS = object_of(_by_both_names(_OF_CLAUDE))
"""Of a project's .claude/settings.json, which it shares with Claude Code."""
PROJECT_SETTINGS = object_of(
    {
        **_by_both_names(_OF_PROJECT),
        **each("agentDirectories instructionDirectories hookDirectories", TEXTS),  # settings-one-name-*
        "include_coauthor": FLAG,
        "reasoning_effort": TEXT,
    }
)
"""Of a project's .github/copilot/settings.json."""
SETTINGS = object_of(
    {
        **each(
            "mouse askUser autoUpdate bashEnv showTipsOnStartup beep beepOnSchedule notifications "
            "terminalNotifications taskbarPresence includeCoAuthoredBy compactPaste copyOnSelect respectGitignore "
            "memory contextManagementTools connectors imageGeneration imageGenerationWatermark continueOnAutoMode "
            "stayInAutopilot shellShortcut renderMarkdown renderHexColors inlineImages scrollbar pinnedPrompts "
            "remoteExport screenReader storeTokenPlaintext stream streamerMode updateTerminalTitle terminalProgress "
            "enableAllGithubMcpTools githubMcpInsiders showReasoning showTimestamps showToolDurations remoteSessions "
            "disableAllHooks experimental",
            FLAG,
        ),
        **each(
            "powershellFlags allowedUrls deniedUrls companyAnnouncements skillDirectories ignoredSkillsLocations "
            "disabledSkills disabledMcpServers enabledMcpServers githubMcpToolsets githubMcpTools disabledHooks",
            TEXTS,
        ),
        **each(
            "proxyKerberosServicePrincipal proxyUrl model modelProviderId planModel planModelProviderId "
            "assistedApprovalInstructions copilotUrl",
            TEXT,
        ),
        "autoUpdatesChannel": one_of("stable prerelease"),
        "banner": one_of("always once never"),
        "bannerStyle": one_of("mona classic"),
        "keepAlive": one_of("on off busy"),
        "worktreeBaseRef": one_of("head defaultBranch"),
        "worktreePathTemplate": _WORKTREE,
        "defaultMode": one_of("interactive plan autopilot"),
        "defaultPermissionMode": one_of("manual assisted allow-all"),
        "mergeStrategy": one_of("rebase merge"),
        "editorMode": one_of("normal vim"),
        "transcriptView": one_of("default concise"),
        "logLevel": one_of("none error warning info debug all default"),
        **each("enabledFeatureFlags enabledPlugins", map_of(FLAG)),
        "builtInAgents": object_of(each("rubberDuck rubberDuckAutoInvoke", FLAG)),
        "subagents": object_of(
            {
                "agents": map_of(object_of({})),
                "disabledSubagents": TEXTS,
                **each("maxConcurrency maxDepth", _UP_TO_128),
            }
        ),
        "workflows": object_of(
            {
                "maxConcurrentRuns": Number(whole=True, least=1, most=16),
                "logPhaseNames": FLAG,
                "defaultLimits": object_of(
                    {
                        **each("maxConcurrentSubagents maxTotalSubagents", _COUNT),
                        "timeoutSeconds": Number(above=0, most=2_147_483.647),
                        "maxAiCredits": Number(least=5e-10, most=(2**53 - 1) / 1e9),
                    }
                ),
            }
        ),
        "footer": object_of(
            each(
                "showModelEffort showDirectory showBranch showContextWindow showQuota showAiUsed showAgent "
                "showCodeChanges showUsername showSandbox showYolo showCiStatus showSchedules showPullRequest "
                "showCustom",
                FLAG,
            )
        ),
        "sidebar": tolerant(
            object_of(
                each(
                    "enabled showResumableSessions showHeaderButtons showCloseButton hoverFocus coloredHints "
                    "accentActiveSession",
                    FLAG,
                )
            ),
            "flag",
        ),
        "statusLine": object_of(
            {
                "type": one_of("command"),
                "command": TEXT,
                "padding": NUMBER,
                "refreshInterval": Number(whole=True, least=1, most=2_147_483),
            },
            "command",
        ),
        "tabs": object_of({"enabled": FLAG, **each("sort hide", TEXTS)}),
        "customAgents": object_of({"defaultLocalOnly": FLAG}),
        "ide": object_of(each("autoConnect openDiffOnEdit", FLAG)),
        "feature_flags": object_of({"enabled": TEXTS}),
        "dynamicRetrieval": object_of(each("skills mcp", FLAG)),
        "extensions": object_of({"disabledExtensions": TEXTS, "mode": one_of("disabled load_only load_and_augment")}),
        "extraKnownMarketplaces": _OF_CLAUDE["extraKnownMarketplaces"],
        "telemetry": object_of(
            {
                "capture": object_of(
                    each("identity prompts responses toolArguments toolOutput policyDetail", FLAG), others=None
                ),
                "captureContent": FLAG,
                "headersProvider": any_of(FLAG, _HEADERS_PROVIDER),
            },
            others=None,
        ),
        "voice": object_of({"enabled": FLAG, "selectedModel": tolerant(TEXT, "null")}),
        "ahpEnvironment": object_of(
            {
                "name": tolerant(TEXT, "null"),
                "computeId": _IDENTITY,
                **each("acceptRemoteConnections publishNewSessionsByDefault requireConnectionBinding", FLAG),
                "outgoingConnections": list_of(object_of({}, "hostUrl connected")),
            }
        ),
        "permissions": object_of(
            {
                **each("allow ask deny", list_of(_RULE)),
                **each("disableBypassPermissionsMode defaultMode", TEXT),
                "disableAssistedPermissionsMode": FLAG,
            }
        ),
        "sandbox": object_of(
            {
                **each(
                    "enabled addCurrentWorkingDirectory sandboxMcpServers sandboxLspServers allowBypass "
                    "allowDevToolAccess",
                    FLAG,
                ),
                "auth": object_of(each("git gh", FLAG)),
                "credentials": object_of(
                    {"envVars": map_of(object_of({"injectHosts": list_of(_HOST, 1)}, "injectHosts", others=None))},
                    "envVars",
                    others=None,
                ),
                "userPolicy": object_of(
                    {
                        "filesystem": object_of(each("readwritePaths readonlyPaths deniedPaths", TEXTS)),
                        "network": object_of(
                            {
                                **each("allowOutbound allowLocalNetwork", FLAG),
                                **each("allowedHosts blockedHosts", list_of(_HOST)),
                                "proxy": _PROXY,
                            }
                        ),
                        "seatbelt": _KEYCHAIN,
                        "experimental": object_of({"seatbelt": _KEYCHAIN}),
                    }
                ),
            }
        ),
    }
)
"""Of ~/.copilot/settings.json."""
