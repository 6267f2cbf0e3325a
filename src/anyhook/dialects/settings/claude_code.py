"""Claude Code's settings.json: what 2.1.325 accepts in a file of the user, the project or the local one.

It reads the file by a schema of its own. A value that the schema refuses loses the file with all its hooks, but for the
settings that it repairs or ignores first; those are not listed here, or as anything. Most were seen in the client's own
complaint about an edit of such a file, and the kinds by starting it: vectors ``settings-*``.
"""

from __future__ import annotations

from anyhook.dialects.settings.shapes import (
    FLAG,
    LIST,
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

_FULL_TEXT = Text(r"[\s\S]", "text that is not empty")
_LARGEST = 2**53 - 1
_POSITIVE = Number(whole=True, above=0, most=_LARGEST)
_CLOCK = Text(r"^([01]?\d|2[0-3]):[0-5]\d$", 'a time such as "22:00"')
_VARIABLE = Text(r"^[A-Za-z_][A-Za-z0-9_]*$", "the name of a variable")
_ADDRESS = Text(r"^[A-Za-z][A-Za-z0-9+.-]*:", "a URL")
_COMMAND = object_of({"type": one_of("command"), "command": TEXT}, "type command")
_HELPER = Text(r"^[\s\S]{0,500}$", "text of up to 500 characters")

# ---------------------------------------------------------------------------------------------------------- sandbox

_MASKING: dict[str, Value] = {
    "extract": TEXT,
    "onExtractNoMatch": one_of("warn deny error"),
    "decode": one_of("jwt"),
    "maskClaims": TEXTS,
    "injectHosts": TEXTS,
}
_TREATED = one_of("deny passthrough")
_SANDBOX = object_of(
    {
        **each(
            "enabled failIfUnavailable autoAllowBashIfSandboxed allowUnsandboxedCommands enableWeakerNestedSandbox "
            "allowNestedUserNamespaces enableWeakerNetworkIsolation allowAppleEvents",
            FLAG,
        ),
        "network": object_of(
            {
                **each("allowedDomains deniedDomains allowUnixSockets allowMachLookup", TEXTS),
                **each("strictAllowlist allowManagedDomainsOnly allowAllUnixSockets allowLocalBinding", FLAG),
                **each("httpProxyPort socksProxyPort", NUMBER),
                "tlsTerminate": object_of(each("caCertPath caKeyPath", _FULL_TEXT)),
            }
        ),
        "filesystem": object_of(
            {
                **each("allowWrite denyWrite denyRead allowRead", TEXTS),
                **each("allowManagedReadPathsOnly disabled", FLAG),
            }
        ),
        "credentials": object_of(
            {
                # With "deny" it does not look at how a value would be masked.
                "files": list_of(
                    any_of(
                        object_of({"path": _FULL_TEXT, "mode": one_of("deny")}, "path mode"),
                        object_of(
                            {"path": _FULL_TEXT, "mode": one_of("mask"), **_MASKING, "maskDuplicates": FLAG},
                            "path mode",
                        ),
                    )
                ),
                "envVars": list_of(
                    any_of(
                        object_of({"name": _VARIABLE, "mode": one_of("deny")}, "name mode"),
                        object_of({"name": _VARIABLE, "mode": one_of("mask"), **_MASKING}, "name mode"),
                    )
                ),
                "allowPlaintextInject": FLAG,
                "awsPairs": list_of(
                    object_of(
                        each("accessKeyIdVar secretAccessKeyVar sessionTokenVar", _VARIABLE),
                        "accessKeyIdVar secretAccessKeyVar",
                    )
                ),
                "sigv4": object_of(each("streaming presigned sigv4a", _TREATED)),
            }
        ),
        "ignoreViolations": map_of(TEXTS),
        "excludedCommands": TEXTS,
        "ripgrep": object_of({"command": TEXT, "args": TEXTS}, "command"),
    }
)

# ----------------------------------------------------------------------------------------------------- marketplaces

_CHECKOUT = {**each("ref path", TEXT), "sparsePaths": TEXTS, "skipLfs": FLAG}
_MARKETPLACE_SOURCE = any_of(
    object_of(
        {"source": one_of("url"), "url": _ADDRESS, "headers": map_of(TEXT), "headersHelper": _HELPER}, "source url"
    ),
    object_of({"source": one_of("github"), "repo": TEXT, **_CHECKOUT}, "source repo"),
    object_of({"source": one_of("git"), "url": TEXT, **_CHECKOUT}, "source url"),
    object_of({"source": one_of("npm"), "package": TEXT, "version": TEXT, "registry": _ADDRESS}, "source package"),
    object_of({"source": one_of("file directory"), "path": TEXT}, "source path"),
    object_of({"source": one_of("skills-dir")}, "source"),
    object_of({"source": one_of("hostPattern"), "hostPattern": TEXT}, "source hostPattern"),
    object_of({"source": one_of("pathPattern"), "pathPattern": TEXT}, "source pathPattern"),
    object_of(
        {
            "source": one_of("settings"),
            "name": _FULL_TEXT,
            "plugins": list_of(object_of({"name": _FULL_TEXT}, "name source")),
        },
        "source name plugins",
    ),
)
# It ignores a marketplace that it cannot use, but not one whose kind of source it does not know.
_KIND = one_of("url github git npm file directory skills-dir hostPattern pathPattern settings")
_NO_OBJECT = "null flag number text list"
_MARKETPLACES = tolerant(
    map_of(
        tolerant(
            object_of(
                {"source": tolerant(object_of({"source": tolerant(_KIND, "null flag number list object")}), _NO_OBJECT)}
            ),
            _NO_OBJECT,
        )
    ),
    _NO_OBJECT,
)
_OPTION = any_of(TEXT, NUMBER, FLAG, TEXTS)

# ------------------------------------------------------------------------------------------------------- everything

SETTINGS = object_of(
    {
        **each(
            "$schema apiKeyHelper proxyAuthHelper awsCredentialExport awsAuthRefresh gcpAuthRefresh processWrapper "
            "attributionProject model prUrlTemplate otelHeadersHelper outputStyle language advisorModel agent "
            "minimumVersion requiredMinimumVersion requiredMaximumVersion plansDirectory timeFormat timeZone "
            "autoMemoryDirectory claudeMd pluginTrustMessage",
            TEXT,
        ),
        **each(
            "respectGitignore wslInheritsWindowsSettings includeCoAuthoredBy includeGitInstructions disableReplyCheck "
            "disableAllHooks "
            "workflowKeywordTriggerEnabled bashEditDiffEnabled respondToBashCommands allowAllClaudeAiMcps "
            "allowClaudeInChromeWithManagedMcp forceRemoteSettingsRefresh spinnerTipsEnabled clawdFileProgressEnabled "
            "syntaxHighlightingDisabled terminalTitleFromRename alwaysThinkingEnabled fastMode promptSuggestionEnabled "
            "emojiCompletionEnabled awaySummaryEnabled showClearContextOnPlanAccept prefersReducedMotion "
            "doneMeansMerged totalTokensReminderAfterUserTurn autoMemoryEnabled autoDreamEnabled showThinkingSummaries "
            "verbose autoCompactEnabled precomputeCompactionEnabled idleCompaction switchModelsOnFlag "
            "autoScrollEnabled wheelScrollAccelerationEnabled fileCheckpointingEnabled showTurnDuration "
            "showMessageTimestamps terminalProgressBarEnabled todoFeatureEnabled inputNeededNotifEnabled "
            "agentPushNotifEnabled voiceEnabled axScreenReader",
            FLAG,
        ),
        # In these it takes null for absent.
        **each(
            "syncClaudeAiSkills syncClaudeAiPlugins enforceAvailableModels enableAllProjectMcpServers "
            "disableClaudeAiConnectors disableBundledSkills disableAgentView disableRemoteControl disableWorkflows "
            "disableArtifact enableArtifact enableWorkflows disableSkillShellExecution disableWindowsBashCommandSplit "
            "allowManagedHooksOnly allowManagedPermissionRulesOnly allowManagedMcpServersOnly "
            "disableCommandPluginSources "
            "disableSideloadFlags skipWebFetchPreflight fastModePerSessionOptIn responseComparisonEnabled "
            "channelsEnabled skipDangerousModePermissionPrompt skipWorkflowUsageWarning autoContinueAtUsageLimit "
            "remoteControlAtStartup isolatePeerMachines autoUploadSessions skipAutoPermissionPrompt "
            "useAutoModeDuringPlan",
            tolerant(FLAG, "null"),
        ),
        **each("disableAutoMode disableDeepLinkRegistration", tolerant(one_of("disable"), "null")),
        "feedbackDrafts": tolerant(one_of("notify quiet off"), "null"),
        **each(
            "fallbackModel availableModels allowedHttpHookUrls httpHookAllowedEnvVars pluginSuggestionMarketplaces "
            "companyAnnouncements claudeMdExcludes",
            TEXTS,
        ),
        # One name without brackets counts as a list of it.
        **each(
            "enabledMcpjsonServers disabledMcpjsonServers",
            any_of(TEXTS, Text(r"^[A-Za-z0-9_-]+$", "the name of a server")),
        ),
        **each("parentSettingsBehavior managedSourcesBehavior", one_of("first-wins merge")),
        "autoUpdatesChannel": one_of("latest stable rc"),
        "daemonColdStart": one_of("transient ask"),
        "defaultShell": one_of("bash powershell"),
        "defaultView": one_of("chat transcript"),
        "totalTokensReminder": one_of("off infinite fixed countdown padded-countdown"),
        "tui": one_of("default fullscreen"),
        "workflowSizeGuideline": one_of("unrestricted small medium large"),
        **each("cleanupPeriodDays skillListingMaxDescChars totalTokensReminderBudget", _POSITIVE),
        "desktopSessionCleanupPeriodDays": Number(whole=True, least=0, most=_LARGEST),
        "feedbackSurveyRate": Number(least=0, most=1),
        "skillListingBudgetFraction": Number(above=0, most=1),
        "allowedChannelPlugins": list_of(object_of(each("marketplace plugin", TEXT), "marketplace plugin")),
        "attribution": any_of(FLAG, object_of({**each("commit pr", TEXT), "sessionUrl": FLAG})),
        "autoMode": object_of(
            {**each("allow soft_deny hard_deny environment", TEXTS), "classifyAllShell": FLAG},
        ),
        "breakReminder": object_of(
            {"enabled": FLAG, "message": TEXT, **each("intervalMinutes breakThresholdMinutes", _POSITIVE)}
        ),
        **each("extraKnownMarketplaces additionalMarketplaces", _MARKETPLACES),
        **each("strictKnownMarketplaces allowedMarketplaces", tolerant(list_of(_MARKETPLACE_SOURCE), "null")),
        "blockedMarketplaces": tolerant(list_of(_MARKETPLACE_SOURCE), "null"),
        "enabledPlugins": map_of(any_of(FLAG, TEXTS)),
        "env": object_of({}),  # whatever a value is, it becomes text
        "fileSuggestion": _COMMAND,
        "forceLoginOrgUUID": any_of(TEXT, TEXTS),
        "modelOverrides": map_of(TEXT),
        "permissions": object_of(
            {
                # It removes rules that it cannot use; only the list must be one.
                **each("allow deny ask", LIST),
                "additionalDirectories": TEXTS,
                "defaultMode": one_of("default acceptEdits auto bypassPermissions dontAsk plan"),
                **each("disableBypassPermissionsMode disableAutoMode", one_of("disable")),
                **each(
                    "blockReadsOutsideWorkingDirectories blockFileToolReadsOutsideWorkingDirectories "
                    "blockWritesOutsideWorkingDirectories denyInsteadOfPrompting",
                    FLAG,
                ),
            }
        ),
        "pluginConfigs": map_of(object_of({"mcpServers": map_of(map_of(_OPTION)), "options": map_of(_OPTION)})),
        "quietHours": object_of({"enabled": FLAG, **each("start end", _CLOCK)}),
        "remote": object_of({"defaultEnvironmentId": TEXT}),
        "remoteTools": object_of({"allowUnattendedServing": FLAG}),
        "sandbox": _SANDBOX,
        "skillOverrides": map_of(one_of("on name-only user-invocable-only off")),
        "spinnerVerbs": object_of({"mode": one_of("append replace"), "verbs": TEXTS}, "mode verbs"),
        "sshConfigs": list_of(
            object_of(
                {
                    **each("id name sshHost sshIdentityFile startDirectory", TEXT),
                    "sshPort": Number(whole=True, least=-_LARGEST, most=_LARGEST),
                },
                "id name sshHost",
            )
        ),
        "statusLine": object_of({**_COMMAND.members, "padding": NUMBER, "hideVimModeIndicator": FLAG}, "type command"),
        "voice": object_of({**each("enabled autoSubmit", FLAG), "mode": one_of("hold tap")}),
        "worktree": object_of({**each("symlinkDirectories sparsePaths", TEXTS), "baseRef": one_of("fresh head")}),
    }
)
