"""For every rule, files that resemble the mistake and are right: the rule stays silent on at least three of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.lint import check_paths
from anyhook.model.codes import CODES
from tests.lint.projects import PLACES, flat, groups, guard, hook, roots, write

Files = Mapping[str, Any]
GIT = {".git/HEAD": ""}
MANIFEST = {".claude-plugin/plugin.json": {"name": "p"}}
SH = "#!/bin/sh\n"


def run(command: str, event: str = "PreToolUse", /, **more: Any) -> Files:
    """Claude Code's settings with one command."""
    return {PLACES["claude-code"]: groups(event, hook(command, **more))}


def match(matcher: str, event: str = "PreToolUse", client: str = "claude-code") -> Files:
    return {PLACES[client]: groups(event, hook("true"), matcher=matcher)}


def raw(text: str, client: str = "claude-code") -> Files:
    return {PLACES[client]: text}


def entry(client: str, event: str, value: Any) -> Files:
    version = {"version": 1} if client in {"copilot-cli", "cursor"} else {}
    return {PLACES[client]: {**version, "hooks": {event: value}}}


def plugin(command: str) -> Files:
    return {**MANIFEST, "hooks/hooks.json": groups("Stop", hook(command))}


def script(text: str, command: str = 'sh "$CLAUDE_PROJECT_DIR/a.sh"', event: str = "PreToolUse") -> Files:
    return {**run(command, event), "a.sh 755": text}


def skill(front: str) -> Files:
    return {".claude/skills/a/SKILL.md": f"---\nname: a\n{front}---\nText\n"}


COMMAND = {"type": "command", "command": "true"}
STOP = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
SKILL_HOOKS = "hooks:\n  Stop:\n    - hooks:\n        - {type: command, command: 'true'}\n"
DENY = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'
SLOW_GEMINI = {PLACES["gemini-cli"]: groups("AfterAgent", hook("true", timeout=5000))}
CURSOR_STOP = flat("stop", {"command": "./hooks/a.sh"})

LOOKALIKES: Mapping[str, tuple[Files, ...]] = {
    "F001": (raw(STOP + "\n\n"), raw("{}"), raw("// a remark\n" + STOP, "gemini-cli"), raw('{"hooks": {}}')),
    "F002": (
        raw("// a remark\n" + STOP, "gemini-cli"),
        raw("/* a remark */\n" + STOP, "qwen-code"),
        raw(STOP.replace('"true"', '"curl https://example.org // x"')),
        {".rulesync/hooks.jsonc": '{"version": 1, "hooks": {"stop": [{"command": "true"},]}}'},
    ),
    "F003": (
        raw('{"env": {"A": "1"}, "permissions": {"A": "1"}, ' + STOP[1:]),
        entry("claude-code", "Stop", [{"hooks": [COMMAND, {**COMMAND, "timeout": 5}]}]),
        entry("codex", "Stop", [{"hooks": [COMMAND]}, {"hooks": [{**COMMAND, "command": "x"}]}]),
    ),
    "F004": (raw("\ufeff" + STOP), raw(STOP.replace("true", "echo \ufeffx"), "codex"), raw("\n" + STOP, "codex")),
    "F005": (raw(STOP), {"note.json": "{}", **raw(STOP)}, {".claude/settings.json 600": STOP}),
    "F006": (raw(STOP + " " * 200_000), raw(STOP), run("echo " + "x" * 60_000)),
    "F007": (raw(STOP), {"elsewhere/settings.json": STOP, **raw(STOP)}, {".codex/hooks.json": STOP}),
    "F008": (run("echo ünïcödé"), run("echo \U0001f600"), run("echo \\xff")),
    "F009": (
        skill(SKILL_HOOKS),
        skill("description: one: two\n"),
        skill('description: "one: two"\n' + SKILL_HOOKS),
        {".claude/skills/a/SKILL.md": "No front matter: at all\n"},
    ),
    "F010": (
        {"hooks/a.py": "from anyhook import hook\n\n@hook('Stop')\ndef a(event):\n    return None\n"},
        {"hooks/_a.py": "from anyhook import hook\n\n@hook(*EVENTS)\ndef a(event):\n    return None\n"},
        {"hooks/a.py": "def hook(x):\n    return x\n"},
    ),
    "F012": (
        {"anyhook.toml": '[guards.shell]\nlevel = "ask"\n'},
        {"anyhook.toml": '[guards.shell.families]\ngit = "warn"\n'},
        {"anyhook.toml": "# [guards.shel]\n[clients]\n"},
        {"guards.toml": "[guards.shel]\n"},
    ),
    "F013": (
        {"hooks/hooks.json": {"version": 1, "hooks": {"pre-tool-use": []}}},
        {"hooks/hooks.json": {"version": 1, "hooks": {"pretool": []}}},
        plugin("true"),
        {"hooks/hooks.json": groups("Stop", hook("true"))},
    ),
    "F011": (
        {".github/hooks/a.json": flat("preToolUse", {"bash": "true", "powershell": "true"})},
        plugin("true"),
        {"gemini-extension.json": {"name": "x"}, "hooks/hooks.json": groups("BeforeTool", hook("true"))},
        {**MANIFEST, "skills/a/SKILL.md": f"---\nname: a\n{SKILL_HOOKS}---\n"},
    ),
    "S001": (
        raw(STOP),
        {PLACES["factory-droid"]: groups("Stop", hook("true"))["hooks"]},
        {".mastracode/hooks.json": {"Stop": [{"type": "command", "command": "true"}]}},
        raw('{"model": "x"}'),
    ),
    "S002": (
        entry("claude-code", "Stop", [{"hooks": []}]),
        raw('{"hooks": {}}'),
        {"package.json": {"hooks": [1]}, **raw(STOP)},
    ),
    "S003": (
        raw(STOP),
        entry("copilot-cli", "preToolUse", [{**COMMAND, "powershell": "x"}]),
        entry("cursor", "stop", [{"command": "true"}]),
        entry("codex", "Stop", [{"hooks": []}]),
    ),
    "S004": (
        entry("copilot-cli", "PreToolUse", [{"matcher": "Bash", "hooks": [COMMAND]}]),
        entry("cursor", "stop", [{"command": "true", "matcher": "completed"}]),
        raw(STOP, "codex"),
    ),
    "S005": (
        entry("cursor", "stop", [{"command": "true"}]),
        {PLACES["copilot-cli"]: flat("PreToolUse", COMMAND, version=None)},
        raw(STOP),
    ),
    "S006": (
        entry("cursor", "stop", [{"command": "true"}]),
        entry("copilot-cli", "preToolUse", [COMMAND]),
        raw('{"version": 7, ' + STOP[1:]),
    ),
    "S007": (raw(STOP), raw('{"hooks": {}}'), entry("codex", "Stop", [{"hooks": [COMMAND]}])),
    "S008": (raw(STOP), entry("gemini-cli", "AfterAgent", {"hooks": [COMMAND]}), run("true", timeout=5)),
    "S009": (
        entry("claude-code", "Stop", [{"command": "x"}, {"hooks": [COMMAND]}]),
        raw(STOP),
        entry("gemini-cli", "AfterAgent", [{"hooks": [{"type": "prompt"}]}]),
    ),
    "S010": (
        {**MANIFEST, "hooks/hooks.json": STOP},
        {".claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"}, "more.json": STOP},
        {".codex-plugin/plugin.json": {"name": "p", "hooks": "./hooks/hooks.json"}, "hooks/hooks.json": STOP},
    ),
    "S011": (
        {".claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"}, "more.json": STOP},
        {".claude-plugin/plugin.json": {"name": "p", "hooks": ["./a.json"]}, "a.json": STOP},
        {".codex-plugin/plugin.json": {"name": "p", "hooks": "a.json"}, "a.json": STOP},
        {".claude-plugin/plugin.json": {"name": "p", **groups("Stop", hook("true"))}},
    ),
    "S012": (
        {".claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"}, "more.json": STOP, **GIT},
        {".claude-plugin/plugin.json": {"name": "p"}, **GIT},
        {"templates/p/.claude-plugin/plugin.json": {"name": "p", "hooks": "./more.json"}, **GIT},
    ),
    "S013": (
        {PLACES["claude-code"]: {"permissions": {"allow": [5]}, **groups("Stop", hook("true"))}},
        {PLACES["claude-code"]: {"effortLevel": "bogus", "enableArtifact": None, **groups("Stop", hook("true"))}},
        {PLACES["claude-code"]: {"model": 5}},
        {PLACES["claude-code"]: {"someSetting": 5, **groups("Stop", hook("true"))}},
    ),
    "E001": (
        raw(STOP),
        {PLACES["gemini-cli"]: groups("AfterAgent", hook("true"))},
        {PLACES["claude-code"]: {"model": "Nonsense", **groups("Stop", hook("true"))}},
    ),
    "E002": (
        {".github/hooks/a.json": {"hooks": {"Notification": [COMMAND]}}},
        run("true", "SubagentStart"),
        {PLACES["cursor"]: flat("beforeShellExecution", {"command": "true"})},
        {PLACES["codex"]: groups("SessionEnd", hook("true"))},
    ),
    "E003": (
        raw(STOP),
        {PLACES["gemini-cli"]: {"hooksConfig": {"enabled": True}, **groups("AfterAgent", hook("true"))}},
        {PLACES["claude-code"]: {"disableAllHooks": False, **groups("Stop", hook("true"))}},
    ),
    "E004": (
        entry("cursor", "stop", [{"command": "true"}]),
        {PLACES["cursor"]: {"version": 1, "hooks": {"stop": [{"command": "x"}], "preToolUse": [{"command": "x"}]}}},
        {PLACES["claude-code"]: {"hooks": {"Stop": [], "pre_tool_use": []}}},
    ),
    "K001": (
        match("Bash"),
        {PLACES["gemini-cli"]: {"hooks": {"BeforeTool": [{"sequential": True, "hooks": [COMMAND]}]}}},
        {PLACES["factory-droid"]: {"PreToolUse": [{"matcher": "Execute", "commandRegex": "rm", "hooks": [COMMAND]}]}},
    ),
    "K002": (
        run("true", timeout=5, statusMessage="x"),
        {PLACES["gemini-cli"]: groups("BeforeTool", hook("true", name="a", description="b"))},
        entry("cursor", "stop", [{"command": "true", "loop_limit": 3}]),
        entry("claude-code", "Stop", [{**COMMAND, "note": "the entry is not loaded"}]),
    ),
    "K003": (
        raw('{"description": "x", ' + STOP[1:], "codex"),
        raw('{"$schema": "x", "model": "y", ' + STOP[1:]),
        raw('{"version": 1, ' + STOP[1:], "gemini-cli"),
    ),
    "K004": (
        raw(STOP, "codex"),
        entry("cursor", "stop", [{"command": "true"}]),
        {".agents/hooks.json": {"a": {"Stop": [{"hooks": [{"command": "true"}]}]}}},
    ),
    "K005": (
        {PLACES["claude-code"]: groups("Stop", {"type": "prompt", "prompt": "Done?"})},
        {PLACES["claude-code"]: groups("SessionEnd", {"type": "http", "url": "http://127.0.0.1/x"})},
        raw(STOP, "codex"),
    ),
    "K006": (
        run("true"),
        {PLACES["claude-code"]: groups("Stop", {"type": "prompt", "prompt": "Done?"})},
        entry("copilot-cli", "preToolUse", [{"type": "command", "bash": "true", "powershell": "true"}]),
    ),
    "K007": (run("true", timeout=0.5), run("true", shell="bash"), run("true", "PreToolUse", **{"async": False})),
    "K008": (
        skill("hooks:\n  Stop:\n    - hooks:\n        - {type: command, command: 'true', once: true}\n"),
        run("true", **{"if": "Bash(git *)"}),
        run("true", "PostToolUse", **{"if": "Edit(*.py)"}),
    ),
    "M001": (match("Edit|Write"), match("^Ba.h$"), match("mcp__.*", client="codex")),
    "M002": (match("Bash"), match("(Bash|Edit)"), run("true", **{"if": "Bash(git *)"})),
    "M003": (match("Edit|Write"), match("mcp__files__read.*"), match("src/a.py", "FileChanged"), match(".*")),
    "M004": (match("Bash"), match("startup", "SessionStart"), run("true", "Stop")),
    "M005": (match("*"), match(""), run("true", "Stop")),
    "M006": (
        match("Bash"),
        match("mcp__server__tool"),
        match("MyOwnTool"),
        match("run_shell_command", "BeforeTool", "gemini-cli"),
        match("Task"),
    ),
    "M007": (match("Edit|Write"), match("Edit|mcp__a__b"), match("Bash|MyOwnTool")),
    "M008": (match("Edit"), match("Write|NotebookEdit"), match("MultiEditor")),
    "M009": (
        match("startup|resume", "SessionStart"),
        match("manual", "PreCompact"),
        match("startup", "SessionStart", "gemini-cli"),
    ),
    "M010": (match("(Edit|Write)+"), match("mcp__.*__.*"), match("a+b+")),
    "M011": (match("mcp__memory__.*"), match("mcp__x__y"), match("mcp__", client="gemini-cli"), match("Skill")),
    "T001": (run("true", timeout=600), run("true", timeout=3600), SLOW_GEMINI),
    "T002": (
        SLOW_GEMINI,
        run("true", timeout=5),
        {PLACES["codex"]: groups("Stop", hook("true", timeout=30))},
    ),
    "T003": (
        run("true", timeout=5),
        entry("copilot-cli", "preToolUse", [{**COMMAND, "timeoutSec": 5}]),
        {PLACES["claude-code"]: {"timeoutMs": 5, **groups("Stop", hook("true"))}},
    ),
    "T004": (run("true", timeout=600), run("true", "SessionEnd", timeout=30), run("true", "Stop", timeout=1800)),
    "C001": (
        plugin('sh "${CLAUDE_PLUGIN_ROOT}/a.sh"'),
        plugin('R=$CLAUDE_PLUGIN_ROOT; sh "$R/a.sh"'),
        run("echo '$CLAUDE_PROJECT_DIR'"),
        guard("gemini-cli", "sh $GEMINI_PROJECT_DIR/a.sh"),
    ),
    "C002": (
        {**run('[ -f "$CLAUDE_PROJECT_DIR/a.sh" ] && sh "$CLAUDE_PROJECT_DIR/a.sh"'), **GIT},
        {**script(SH), **GIT},
        {**run("sh ~/a.sh; sh /opt/a.sh"), **GIT},
        {"hooks/audit/hooks.json": flat("sessionStart", {"bash": ".github/hooks/audit/a.sh"}), **GIT},
    ),
    "C003": (
        {**run('"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": SH},
        {**run('sh "$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 644": SH},
        {**run('python3 "$CLAUDE_PROJECT_DIR"/a.py'), "a.py 644": ""},
    ),
    "C004": (
        {**run('"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": SH},
        {**run('sh "$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": "true\n"},
        {**run('"$CLAUDE_PROJECT_DIR"/a.cmd'), "a.cmd 755": ": << 'X'\n@echo off\nX\n"},
    ),
    "C005": (
        script(SH),
        {**guard("gemini-cli", "sh hooks/a.sh"), "hooks/a.sh": SH},
        {**run('cd "$CLAUDE_PROJECT_DIR" && sh hooks/a.sh'), "hooks/a.sh": SH},
        {".agents/plugins/p/hooks/hooks.json": groups("Stop", hook("node scripts/a.js"))},
    ),
    "C006": (
        run("$HOME/x.sh; ~/y.sh"),
        run("/home/linuxbrew/.linuxbrew/bin/x"),
        {".claude/settings.local.json": groups("Stop", hook("/home/ann/x.sh"))},
    ),
    "C007": (
        run('x "$CLAUDE_PROJECT_DIR"'),
        run('TOOL_INPUT=$(cat); x "$TOOL_INPUT"'),
        run("echo '$CLAUDE_TOOL_INPUT'"),
        run('x "$MY_TOOL_HOME"'),
        script(SH + '[ -n "$CURSOR_PROJECT_DIR" ] && cd "$CURSOR_PROJECT_DIR"\n'),
    ),
    "C008": (
        run("docker ps --format '{{.Names}}'"),
        run("for file in *; do cat ${file}; done"),
        run("ls | xargs -I {one-file} cat {one-file}"),
        script(SH + "sed 's/{{NAME}}/x/' a\n"),
    ),
    "C009": (run("# why\ntrue"), run("true # why"), run("echo '#'")),
    "C010": (run("grep -E '\\.(js|ts)$' a"), run(r'node "C:\\a\\b.js"'), run("cmd /c hooks\\a.cmd")),
    "C011": (
        entry("copilot-cli", "preToolUse", [{"type": "command", "bash": "x", "powershell": "y"}]),
        entry("copilot-cli", "preToolUse", [COMMAND]),
        run("bash -c true"),
    ),
    "C012": (
        {PLACES["cursor"]: flat("stop", {"command": "./hooks/a.sh"}), "hooks/a.sh 755": SH},
        {**plugin('"${CLAUDE_PLUGIN_ROOT}"/hooks/a.sh'), "hooks/a.sh 755": SH},
        {".plugin/plugin.json": {}, "hooks/hooks.json": groups("Stop", hook("./gradlew check"))},
        script(SH),
    ),
    "C013": (
        run('echo "don\'t"'),
        run("[[ $x =~ ^(a|b)$ ]] && diff <(a) <(b)"),
        run('echo "it says “hello”"'),
        script(SH + "case $1 in a) true;; esac\n"),
    ),
    "C014": (
        run("bash -c '[[ -f x ]]'"),
        run("[ -f x ] && echo '[[ x ]]'"),
        {**run('"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": "#!/bin/bash\n[[ -f x ]]\n"},
        guard("codex", "[ -f x ]"),
    ),
    "C015": (
        run("pwsh -File a.ps1"),
        run("cmd=$(cat); echo \"$cmd\""),
        entry("copilot-cli", "preToolUse", [{"type": "command", "bash": "x", "powershell": "powershell -File a.ps1"}]),
        {".claude/settings.local.json": groups("Stop", hook("powershell -File a.ps1"))},
    ),
    "C016": (
        run("curl -H 'Authorization: Bearer $TOKEN' x"),
        run("x sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx"),
        run("x AKIAEXAMPLE"),
        {".claude/settings.local.json": groups("Stop", hook("x ghp_" + "a1B2" * 9))},
    ),
    "C017": (
        run('F=$(jq -r .a); cat "$F"'),
        run('F=$(jq -r .a); G=$F; [[ $F == x ]]'),
        run("F=3; cat $F"),
        run('jq -r .a | while read -r F; do cat "$F"; done'),
    ),
    "C018": (
        {**run('"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": SH},
        {**run('"$CLAUDE_PROJECT_DIR"/a.sh'), "a.sh 755": SH + "printf 'a\r\n'\n"},
        {**run('node "$CLAUDE_PROJECT_DIR"/a.js'), "a.js": "let a\r\nlet b\r\n"},
        {**run('python3 "$CLAUDE_PROJECT_DIR"/a.py'), "a.py": "import sys\r\n"},
    ),
    "C019": (
        run("P=$(jq -r .prompt); printf '%s' \"$P\" | grep -q rm"),
        run('eval "$(direnv export bash)"'),
        run("P=$(jq -r .prompt); sh -c 'echo \"$1\"' sh \"$P\""),
        run("P=$(jq -r .prompt); eval 'echo $P'", "Stop"),
        run('P=$(pwd); eval "$P"', "Stop"),
    ),
    "A001": (
        run('guard || true', "Stop"),
        run("exec guard || true"),
        run("guard || exit 2"),
        script(SH + 'echo "Blocked" >&2\nexit 2\n'),
    ),
    "A002": (
        run("echo blocked >&2; exit 2"),
        run("npm test || exit 1"),
        guard("copilot-cli", "echo blocked; exit 1"),
        script(SH + "echo usage\nexit 1\n"),
    ),
    "A003": (
        run("true", "PreToolUse", **{"async": False}),
        run("true", "Notification", **{"async": True}),
        guard("gemini-cli", "true", **{"async": True}),
    ),
    "A004": (
        run(f"echo '{DENY}'"),
        run("echo '{\"systemMessage\": \"hi\"}'"),
        run("echo '{\"seen\": 1}' >> log"),
        run('echo "{\\"decision\\": \\"block\\", \\"reason\\": $WHY}"'),
    ),
    "A005": (
        run("exit 2"),
        guard("codex", "echo why >&2; exit 2"),
        guard("codex", "npm test || exit 2"),
    ),
    "A006": (
        run(f"echo '{DENY}'"),
        guard("gemini-cli", "echo '{\"decision\": \"deny\", \"reason\": \"no\"}'"),
        guard("cursor", "echo '{\"decision\": \"allow\"}'"),
        script(SH + "# {\"permission\": \"deny\"}\necho ok\n"),
    ),
    "A007": (
        run("guard --json"),
        run("echo permissionDecision"),
        script(SH + f"cat <<'E'\n{DENY}\nE\n"),
        script(SH + 'N=3\necho "{\\"decision\\": \\"block\\", \\"reason\\": \\"$N\\"}"\n'),
    ),
    "A008": (
        run("echo hello", "UserPromptSubmit"),
        run("echo hello", "SessionStart"),
        run('echo "$(date)"'),
        run("echo hello >> log"),
        run("echo hello >&2; exit 2"),
    ),
    "A009": (
        run("jq -e .stop_hook_active && exit 0; exit 2", "Stop"),
        run("npm test", "Stop"),
        run("exit 2"),
        run('[ "$(cat counter)" -gt 3 ] && exit 0; exit 2', "Stop"),
    ),
    "A010": (
        run("git worktree add x >&2; pwd", "WorktreeCreate"),
        run("my-tool worktree", "WorktreeCreate"),
        run("echo removed", "WorktreeRemove"),
        script(SH + 'mkdir -p "$1" && echo "$1"\n', event="WorktreeCreate"),
    ),
    "D001": (
        {PLACES["codex"]: {"hooks": {"Stop": [{"hooks": [COMMAND]}], "SessionStart": [{"hooks": [COMMAND]}]}}},
        entry("claude-code", "PreToolUse", [{"matcher": m, "hooks": [COMMAND]} for m in ("Edit", "Bash")]),
        entry("copilot-cli", "preToolUse", [{**COMMAND, "cwd": "a"}, {**COMMAND, "cwd": "b"}]),
    ),
    "X001": (
        raw(STOP),
        {PLACES["codex"]: groups("PreToolUse", hook("true"))},
        {PLACES["cursor"]: flat("stop", {"command": "x"})},
    ),
    "X002": (
        {**run("make lint", "Stop"), ".claude/settings.local.json": groups("SessionEnd", hook("make lint"))},
        {**run("make lint", "Stop"), PLACES["codex"]: groups("Stop", hook("make lint"))},
        {f".claude/skills/{n}/SKILL.md": f"---\nname: {n}\n{SKILL_HOOKS}---\n" for n in "ab"},
    ),
    "X003": (
        {PLACES["codex"]: groups("SessionEnd", hook("true")), "anyhook.toml": '[clients]\ncodex = "0.166.0"\n'},
        {PLACES["codex"]: groups("PreToolUse", hook("true")), "anyhook.toml": '[clients]\ncodex = "0.142.0"\n'},
        {PLACES["codex"]: groups("SessionEnd", hook("true")), "anyhook.toml": '[clients]\nclaude = "2.1.100"\n'},
    ),
}  # fmt: skip
CASES = [
    pytest.param(code, files, id=f"{code}-{n}")
    for code, several in LOOKALIKES.items()
    for n, files in enumerate(several)
]


def test_every_rule_has_three_lookalikes() -> None:
    assert {code: len(several) for code, several in LOOKALIKES.items() if len(several) < 3} == {}
    assert set(LOOKALIKES) == {code for code in CODES if code[0] not in "HL"}, "H and L are not the linter's"


@pytest.mark.parametrize(("code", "files"), CASES)
def test_a_lookalike_is_not_reported(code: str, files: Files, tmp_path: Path) -> None:
    write(tmp_path, files)
    found = [p for p in check_paths([tmp_path], roots(tmp_path), everything=True).problems if p.code == code]
    assert found == []
