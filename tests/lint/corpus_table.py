"""The mistakes of section 10 of ``shared/corpus/PROFILE.md``: rule, the codes that report it, and its example files.

Written by hand from that table. A rule without examples has them only in the half of the corpus that nobody sees.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    rule: str
    codes: str
    """Any of these is the right answer."""
    examples: tuple[str, ...] = ()


def row(rule: str, codes: str, *examples: str) -> Row:
    return Row(rule, codes, examples)


_JEREMY = "jeremylongshore__claude-code-plugins-plus-skills__backups__"

ROWS: tuple[Row, ...] = (
    row(
        "A1 async on a deciding event",
        "A003",
        "claude-plugin/affaan-m__everything-claude-code__hooks__hooks.json",
        "claude-plugin/affaan-m__everything-claude-code__plugins__ecc-core__hooks__hooks.json",
        "claude-plugin/mowgliph__everything-qwen-code__hooks__hooks.json",
    ),
    row("A2 once outside front matter", "K008", "claude-settings/mkobit__dotfiles__.claude__settings.json"),
    row(
        "B1 always exits 0",
        "A001",
        "codex/OthmanAdi__planning-with-files__.codex__hooks.json",
        "codex/ix-infrastructure__ix-codex-plugin__.codex__hooks.json",
        "frontmatter/OthmanAdi__planning-with-files__.agents__skills__planning-with-files__SKILL.md",
    ),
    row("B2 gate exits 1", "A002", "claude-settings/cj0311__codex_harness_framework__.claude__settings.json"),
    row(
        "C2 home path of one machine",
        "C006",
        "antigravity/feryamaha__Nemesis_Defender_v0__.agents__hooks.json",
        "claude-settings/PeterJBurke__claude-code-advanced-hooks__.claude__settings.json",
    ),
    row(
        "C3 relative path",
        "C005",
        "claude-settings/Klara-copilot__epost_agent_kit__.claude__settings.json",
        "claude-settings/Klara-copilot__epost_agent_kit__epost-agent-cli__.claude__settings.json",
        "claude-settings/PremierStudio__ai-tools__.claude__settings.json",
    ),
    row("C4 backslash path", "C010", "cursor/OlsonSoftware__ministr__.cursor__hooks.json"),
    row(
        "C5 command is a comment",
        "C009",
        "copilot/rudironsoni__dotnet-agent-harness__.github__hooks__copilot-hooks.json",
        "rulesync/rudironsoni__dotnet-agent-harness__.rulesync__hooks.json",
    ),
    row(
        "D1 identical handler twice",
        "D001",
        "antigravity/su-record__vibe__hooks__antigravity-hooks.json",
        "claude-settings/yuki-matsu783__MR-driven-workflow__.claude__settings.json",
        "gemini-extension/su-record__vibe__hooks__gemini-hooks.json",
    ),
    row(
        "E1 unknown event (belongs to claude)",
        "E001 E002",
        "copilot/Jeffskins1__ghcp-harness__.github__hooks__hooks.json",
        "factory/dat9uy__learning-loop-template__.factory__settings.json",
        "gemini-extension/feryamaha__Nemesis_Defender_v0__.gemini__config__hooks.json",
    ),
    row(
        "E1 unknown event (belongs to claude/gemini)",
        "E001 E002",
        "antigravity/su-record__vibe__hooks__antigravity-hooks.json",
        "copilot-plugin/s-gryt__memory-mason__hooks.json",
    ),
    row(
        "E1 unknown event (belongs to gemini)",
        "E001 E002",
        "antigravity/su-record__vibe__hooks__antigravity-hooks.json",
    ),
    row(
        "E1 unknown event (no agent has it)",
        "E001 E002",
        f"claude-plugin-manifest/{_JEREMY}skill-structure-cleanup-20251108-073936__plugins__productivity"
        "__agent-context-manager__.claude-plugin__plugin.json",
        "claude-plugin/Epiphytic__hookwise__hooks__hooks.json",
        "cursor/DammianMiller__universal-agent-protocol__.cursor__hooks.json",
    ),
    row("E2 non-event key in the event map", "E003", "gemini/entireio__cli__.gemini__settings.json"),
    row(
        "E3 mixed casing",
        "E004",
        "claude-plugin/Epiphytic__hookwise__hooks__hooks.json",
        "rulesync/Albertsun6__AICAP__.rulesync__hooks.json",
    ),
    row(
        "I1 inline JSON decision",
        "A007",
        "claude-settings/OlsonSoftware__ministr__.claude__settings.json",
        "copilot/ElliottBregni__agent-template__.github__hooks__hooks.json",
        "copilot/OlsonSoftware__ministr__.github__hooks__ministr-enforce.json",
    ),
    row("I2 keys no host reads", "A004", "claude-settings/ChrisWiles__claude-code-showcase__.claude__settings.json"),
    row(
        "J1 not valid JSON",
        "F001 F002",
        "claude-plugin/richardmsong__agent-plugins__claude__sdd__hooks__hooks.json",
        "factory/richardmsong__agent-plugins__factory__sdd__hooks__hooks.json",
        "quirks/DekodeInteraktiv__project-base__.github__hooks__hooks.json@dd3ff4f",
    ),
    row(
        "J2 front matter is not valid YAML",
        "F009",
        "frontmatter/disler__claude-code-hooks-mastery__.claude__commands__plan_w_team.md",
    ),
    row(
        "J3 duplicate keys",
        "F003",
        "quirks/disler__claude-code-hooks-mastery__.claude__settings.json@6617855",
        "quirks/disler__claude-code-hooks-mastery__.claude__settings.json@ffaccec",
    ),
    row(
        "K1 unknown key on the group",
        "K001",
        "claude-plugin/45ck__prompt-language__hooks__hooks.json",
        "claude-plugin/ANcpLua__ancplua-claude-plugins__plugins__metacognitive-guard__hooks__hooks.json",
        "claude-plugin/affaan-m__everything-claude-code__hooks__hooks.json",
    ),
    row(
        "K2 unknown key on the handler",
        "K002",
        "claude-plugin/Archival-Memory__hooks__hooks.json",
        "claude-plugin/JuliusBrussee__caveman__plugins__caveman__hooks__hooks.json",
        "claude-plugin/anthropics__claude-code__plugins__security-guidance__hooks__hooks.json",
    ),
    row(
        "M10 value the host never sends",
        "M009",
        "claude-plugin/Yeachan-Heo__oh-my-claudecode__hooks__hooks.json",
        "claude-plugin/su-record__vibe__hooks__hooks.json",
        "claude-settings/xiaomingming92__add-coder__.claude__settings.json",
    ),
    row("M2 permission rule", "M002", "claude-settings/leeroybrun__edison__.claude__settings.json"),
    row("M3 file glob", "M003", "claude-settings/carlrannaberg__claudekit__packages__cli__.claude__settings.json"),
    row(
        "M5 invalid regex",
        "M001 M003",
        "claude-settings/carlrannaberg__claudekit__packages__cli__.claude__settings.json",
    ),
    row(
        "M6 matcher ignored",
        "M004",
        "claude-plugin/13W__local-rag__extensions__claude__hooks__hooks.json",
        "claude-plugin/5uck1ess__devkit__hooks__hooks.json",
    ),
    row(
        "M6b empty matcher ignored",
        "M005",
        "claude-plugin/HajinJ__ai-review-arena__hooks__hooks.json",
        "claude-plugin/Kanevry__session-orchestrator__hooks__hooks.json",
        "claude-plugin/Yeachan-Heo__oh-my-claudecode__hooks__hooks.json",
    ),
    row(
        "O4 milliseconds in a seconds field",
        "T001",
        "claude-plugin/0K-cool__vex-talon__hooks__hooks.json",
        "claude-plugin/0K-cool__vex-talon__packages__core__src__hooks__hooks.json",
        f"claude-plugin/{_JEREMY}plugin-enhancements__plugin-backups__formatter_20251019_165025__hooks__hooks.json",
    ),
    row(
        "O5 seconds in a milliseconds field",
        "T002",
        "gemini-extension/feryamaha__Nemesis_Defender_v0__.gemini__config__hooks.json",
        "qwen/arkiven4__Claude-Code-Game-Studios__.qwen__settings.json",
    ),
    row("O6 unread timeout key", "T003", "copilot/idanshimon__agentic-sdlc__.github__hooks__pre-tool-use.json"),
    row(
        "P1 bash without powershell",
        "C011",
        "copilot/0GiS0__github-copilot-and-jenkins__.github__hooks__hooks.json",
        "copilot/AlexDeMichieli__copilot-hooks-demo__.github__hooks__hooks.json",
        "copilot/E5presso__spakky-framework__.github__hooks__hooks.json",
    ),
    row("R1 no version (cursor)", "S005", "cursor/goondocks-co__myco__.cursor__hooks.json"),
    row(
        "R1 no version (copilot)",
        "S005",
        "copilot/AlexDeMichieli__copilot-hooks-demo__.github__hooks__hooks.json",
        "copilot/akimcse__copilot-security-harness__.github__hooks__pre-tool-use.json",
        "copilot/forgivesam168__ai-dev-workflow__.github__hooks__copilot-hooks.json",
    ),
    row(
        "R3 no hooks wrapper",
        "S001",
        "claude-plugin/goondocks-co__myco__src__symbionts__templates__claude-code__hooks.json",
        "codex/goondocks-co__myco__src__symbionts__templates__codex__hooks.json",
        "copilot/akimcse__copilot-security-harness__.github__hooks__pre-tool-use.json",
    ),
    row(
        "R4 hooks is an array",
        "S002",
        "copilot/Jeffskins1__ghcp-harness__.github__hooks__hooks.json",
        "copilot/forgivesam168__ai-dev-workflow__.github__hooks__copilot-hooks.json",
        "cortex/MLH__snowbirds__.cortex__hooks__hooks.json",
    ),
    row(
        "R5 manifest names the default file",
        "S010",
        "claude-plugin-manifest/ChrisWiles__claude-code-showcase__plugins__skill-activation__.claude-plugin__plugin.json",
        "claude-plugin-manifest/HajinJ__ai-review-arena__.claude-plugin__plugin.json",
        "claude-plugin-manifest/kmshdev__claude-swift-toolkit__plugins__apple-app-architect__.claude-plugin__plugin.json",
    ),
    row("R6 manifest path without ./", "S011"),
    row(
        "R7 glob as manifest path",
        "S011",
        f"claude-plugin-manifest/{_JEREMY}plugin-enhancements__plugin-backups__devops-automation-pack_20251019_163103"
        "__.claude-plugin__plugin.json",
    ),
    row("S1 event -> handler object", "S003 S008"),
    row(
        "S1 event -> string",
        "S003 S008 E001",
        f"claude-plugin-manifest/{_JEREMY}skill-structure-cleanup-20251108-073936__plugins__productivity"
        "__agent-context-manager__.claude-plugin__plugin.json",
    ),
    row(
        "S1 flat entry",
        "S003",
        "claude-plugin/Archival-Memory__hooks__hooks.json",
        "claude-plugin/Epiphytic__hookwise__hooks__hooks.json",
        "claude-settings/korallis__Droidz__.claude__settings.json",
    ),
    row("S1 hooks array", "S002"),
    row("S2 nested group", "S004", "cursor-plugin/REPOZY__superpowers-optimized__hooks__hooks-cursor.json"),
    row("S3 no type", "K004", "codex/AI20K-Build-Phase__starter-code-template__.codex__hooks.json"),
    row(
        "S6 empty list",
        "S007",
        "claude-settings/WinstonFassett__matchina__.claude__settings.json",
        "claude-settings/carlrannaberg__claudekit__.claude__settings.json",
        "claude-settings/carlrannaberg__claudekit__packages__cli__.claude__settings.json",
    ),
    row(
        "T1 removed tool",
        "M008",
        "claude-component/davila7__claude-code-templates__cli-tool__components__hooks__automation"
        "__vercel-auto-deploy.json",
        "claude-component/davila7__claude-code-templates__cli-tool__components__hooks__performance"
        "__performance-budget-guard.json",
        "claude-plugin/ANcpLua__ancplua-claude-plugins__plugins__metacognitive-guard__hooks__hooks.json",
    ),
    row("T2 tool Claude Code does not have", "M006 M007", "claude-plugin/KSEGIT__Version-Sentinel__hooks__hooks.json"),
    row("T3 Claude's names in Gemini", "M006 M007"),
    row(
        "T4 Claude's names in Factory, dead alternative",
        "M007",
        "factory/enkogu__oh-my-droid__.factory__settings.json",
        "factory/lammesen__networkautomation__.factory__settings.json",
    ),
    row(
        "T4 Claude's names in Factory, never fires",
        "M006",
        "factory/Factory-AI__factory__examples__hooks__settings-example.json",
    ),
    row(
        "T6 Claude's names in Cursor, dead alternative",
        "M007",
        "cursor-plugin/rudironsoni__dotnet-agent-harness__hooks.json",
        "cursor/Albertsun6__AICAP__.cursor__hooks.json",
        "cursor/DammianMiller__universal-agent-protocol__.cursor__hooks.json",
    ),
    row(
        "T6 Claude's names in Cursor, never fires",
        "M006",
        "cursor-plugin/REPOZY__superpowers-optimized__hooks__hooks-cursor.json",
        "cursor/DammianMiller__universal-agent-protocol__.cursor__hooks.json",
        "cursor/Fukuemon__depwalk__.cursor__hooks.json",
    ),
    row(
        "T7 Claude's names in .github/hooks",
        "M006 M007",
        "copilot/Jeffskins1__ghcp-harness__.github__hooks__hooks.json",
        "copilot/LIDR-IT__ai-assisted-workflow__.github__hooks__hooks.json",
    ),
    row(
        "T8 names Codex never emits",
        "M007",
        "codex-toml/endavis__pyproject-template__.codex__config.toml",
        "codex/E5presso__spakky-framework__.codex__hooks.json",
        "codex/Fukuemon__depwalk__.codex__hooks.json",
    ),
    row(
        "V1 variables Claude Code does not set",
        "C007",
        "claude-plugin/DgxSparkLabs__marketplace___generated__hook-example__hooks__hooks.json",
        "claude-plugin/wshobson__agents__plugins__protect-mcp__hooks__hooks.json",
        "claude-settings/ChrisWiles__claude-code-showcase__.claude__settings.json",
    ),
    row("V1b variables nobody sets", "C007", "unknown/enkogu__oh-my-droid__examples__hooks.json"),
    row("V2 placeholders", "C008", "claude-plugin/su-record__vibe__hooks__hooks.json"),
    row(
        "V5 Claude's variables in Codex",
        "C007",
        "codex/Fukuemon__depwalk__.codex__hooks.json",
        "codex/JuliusBrussee__caveman__hooks__claude-codex-hooks.json",
        "codex/martin98-afk__drifox-plugins__plugins__ponytail__hooks__claude-codex-hooks.json",
    ),
    row("V5 Claude's variables in Copilot", "C007"),
    row(
        "V6 unquoted root",
        "C001",
        "claude-plugin/0K-cool__vex-talon__hooks__hooks.json",
        "claude-plugin/0K-cool__vex-talon__packages__core__src__hooks__hooks.json",
        "claude-plugin/10CG__aria-plugin__.claude-plugin__hooks.json",
    ),
    row(
        "X1 script missing",
        "C002",
        "claude-plugin/13W__local-rag__extensions__claude__hooks__hooks.json",
        "claude-plugin/google-gemini__gemini-cli__packages__cli__src__commands__extensions__examples__hooks__hooks"
        "__hooks.json",
        "claude-plugin/goondocks-co__myco__src__symbionts__templates__claude-code__hooks.json",
    ),
    row(
        "X2 script not executable",
        "C003",
        "claude-plugin/martin98-afk__drifox-plugins__plugins__superclaude__hooks__hooks.json",
        "copilot/Azure__az-prototype__.github__hooks__post-tool-use.json",
        "copilot/TruaShamu__copilotcli-selflearning__.github__hooks__copilot-hooks.json",
    ),
    row(
        "X3 path from the file's folder",
        "C012",
        "codex/kadoyukasi__dotfiles__.codex__hooks.json",
        "copilot/sampleXbro__agentsbridge__.github__hooks__agentsbridge.json",
        "cursor/RonenSivak__badger__.cursor__hooks.json",
    ),
)
