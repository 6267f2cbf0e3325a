"""What was reported about public hook files and was false, and what was missed: each cause, as small as it can be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from anyhook.lint.fix import fix_paths
from anyhook.lint.lint import check_paths
from anyhook.model.codes import Severity
from anyhook.sources.load import Loader
from anyhook.sources.recognise import written_for
from tests.lint.projects import PLACES, check, codes, flat, found, groups, hook, roots, write

Files = Mapping[str, Any]
GIT = {".git/HEAD": ""}
AGENT = {"name": "a", "hooks": {"stop": [{"command": "make lint"}]}}
OPENHANDS = ".openhands/hooks.json"
CASES = '#!/bin/sh\ncase "$1" in\n  .git/*|lib/a.sh) exit 2 ;;\nesac\nKEPT=(\n  ".git/"\n  lib/b.sh\n)\n'


def openhands(command: str) -> Files:
    return {OPENHANDS: {"stop": [{"hooks": [{"type": "command", "command": command}]}]}}


def claude(command: str, **more: Any) -> Files:
    return {PLACES["claude-code"]: groups("PreToolUse", hook(command, **more))}


FALSE: Mapping[str, tuple[str, Files]] = {
    "only one agent of Kiro is in use": ("X002", {".kiro/agents/a.json": AGENT, ".kiro/agents/b.json": AGENT}),
    "OpenHands starts hooks beside .openhands": ("C005", {**openhands("./a.sh"), "a.sh 755": "#!/bin/sh\n"}),
    "OpenHands does not send stop_hook_active": ("A009", openhands("exit 2")),
    "a server of an extension is no hook": (
        "F011",
        {"gemini-extension.json": {"name": "x", "mcpServers": {"a": {"command": "node"}}}},
    ),
    "hooks differ by arguments that a reader drops": (
        "X002",
        {
            **claude("run", args=["a"]),
            ".claude/settings.local.json": groups("PreToolUse", hook("run", args=["b"])),
        },
    ),
    "patterns and values are no scripts": (
        "C005",
        {**claude('sh "$CLAUDE_PROJECT_DIR/a.sh"'), "a.sh 755": CASES},
    ),
    "a drive is not below the project": ("C002", {**claude("node C:/Users/x/guard.js"), **GIT}),
    "a drive is not relative": ("C005", claude("node c:/tools/guard.js")),
    "a path is not cut at a placeholder": ("C002", {**claude("bash .github/hooks/<script-name>.sh"), **GIT}),
    "a package runs in clients that set their variables": (
        "C007",
        {"hooks/hooks.json": {"version": 1, "hooks": {"stop": [{"hooks": [hook('"$CLAUDE_PROJECT_DIR"/a.sh')]}]}}},
    ),
}


@pytest.mark.parametrize("why", FALSE)
def test_what_is_right_is_not_reported(why: str, tmp_path: Path) -> None:
    code, files = FALSE[why]
    assert code not in codes(tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        {".zcode-plugin/plugin.json": {}, "hooks/hooks.json": groups("Stop", hook("${CLAUDE_PLUGIN_ROOT}/x"))},
        {"trae/hooks/hooks.json": groups("Stop", hook("x", bash="y"))},
        {"hooks/hooks.json": {"hooks": {"deny": [{"bash": "rm", "timeoutSec": 5}]}}},
        {".agents/hooks/hooks.json": {"version": "2", "rules": {"on-save": ["x"]}}},
        {"plugin.json": {}, "hooks/hooks.json": {"hooks": {"PreToolUse": [], "session_end": {"actions": ["save"]}}}},
    ],
    ids=["another manifest", "another client's folder", "keys without events", "a path", "events with another form"],
)
def test_an_unknown_format_is_told_once_and_nothing_else(files: Files, tmp_path: Path) -> None:
    assert [found.code for found in check(tmp_path, files).problems] == ["F013"]


def test_the_folder_of_a_client_tells_whose_a_file_is(tmp_path: Path) -> None:
    content = flat("preToolUse", {"command": "x"}) | {"hooks": {e: [] for e in ("preToolUse", "stop", "afterFileEdit")}}
    write(tmp_path, {".cursor/hooks.windows.json": content})
    guess = written_for(tmp_path / ".cursor/hooks.windows.json", Loader())
    assert guess is not None
    assert guess.dialect == "cursor"


def test_a_manifest_that_several_clients_have_tells_nothing(tmp_path: Path) -> None:
    named = {"guard": {"PreToolUse": [{"matcher": "run_command", "hooks": [hook("true")]}]}}
    files = {"plugin.json": {}, "hooks.json": named, "a/plugin.json": {}}
    files["a/hooks/hooks.json"] = groups("Stop", hook('"${CLAUDE_PLUGIN_ROOT}"/a.sh'))
    found = check(tmp_path, files, everything=False).problems
    assert [(problem.code, problem.origin.dialect) for problem in found] == []


def test_a_link_inside_the_repository_does_not_leave_it(tmp_path: Path) -> None:
    write(tmp_path, {**GIT, "shared/hooks.json": groups("Stop", hook("true"))})
    (tmp_path / "sub/.codex").mkdir(parents=True)
    (tmp_path / "sub/.codex/hooks.json").symlink_to(tmp_path / "shared/hooks.json")
    assert "F007" not in {found.code for found in check_paths([tmp_path], roots(tmp_path)).problems}


@pytest.mark.parametrize(
    ("matcher", "severity", "fix"),
    [
        ("mcp__", Severity.ERROR, "write mcp__.*"),
        ("mcp__memory", Severity.ERROR, "write mcp__memory__.*"),
        ("Write|mcp__memory", Severity.WARNING, "write mcp__memory__.*"),
        ("Stop", Severity.ERROR, "put the hook under Stop, or name a tool"),
        ('tool == "Bash" && x', Severity.ERROR, "write the tool, such as Edit|Write, and test the rest in the hook"),
    ],
)
def test_a_matcher_that_is_no_tool_s_name(matcher: str, severity: Severity, fix: str, tmp_path: Path) -> None:
    files = {PLACES["claude-code"]: groups("PreToolUse", hook("true"), matcher=matcher)}
    (problem,) = check(tmp_path, files, everything=False).problems
    assert (problem.code, problem.severity, problem.fix) == ("M011", severity, fix)


@pytest.mark.parametrize("entry", [hook("echo made"), hook("my-tool", **{"async": True}), hook("sh a.sh")])
def test_a_hook_that_makes_no_worktree(entry: Mapping[str, Any], tmp_path: Path) -> None:
    files = {PLACES["claude-code"]: groups("WorktreeCreate", entry), "a.sh": "echo created >> log\n"}
    assert "A010" in codes(tmp_path, files)


@pytest.mark.parametrize(
    ("group", "text", "fix"),
    [
        ({"timeout": 5}, "", "move it into the hook"),
        ({"tool_name": "Bash"}, "so the hook runs on every tool", 'write it as "matcher"'),
    ],
)
def test_a_key_of_a_group_that_matters(group: Mapping[str, Any], text: str, fix: str, tmp_path: Path) -> None:
    files = {PLACES["claude-code"]: {"hooks": {"PreToolUse": [{**group, "hooks": [hook("true")]}]}}}
    (problem,) = check(tmp_path, files, everything=False).problems
    assert (problem.code, problem.severity, problem.fix) == ("K001", Severity.WARNING, fix)
    assert text in problem.text


def test_wrapping_a_hook_keeps_its_lines(tmp_path: Path) -> None:
    entry = '{\n        "type": "command",\n        "command": "true"\n      }'
    text = f'{{\n  "hooks": {{\n    "Stop": [\n      {entry}\n    ]\n  }}\n}}\n'
    write(tmp_path, {".codex/hooks.json": text})
    fix_paths([tmp_path], roots(tmp_path))
    assert (tmp_path / ".codex/hooks.json").read_text() == (
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n'
        '            "command": "true"\n          }\n        ]\n      }\n    ]\n  }\n}\n'
    )


def test_no_version_is_asked_for_in_a_file_that_stays_lost(tmp_path: Path) -> None:
    problems = check(tmp_path, {".kiro/hooks/a.json": {"name": "x", "trigger": {"type": "y"}}}).problems
    assert {found.code: bool(found.edits) for found in problems} == {"S008": False}


def script(text: str, event: str = "PreToolUse", name: str = "a.sh", **more: Any) -> Files:
    """A hook of Claude Code that starts a script in the project."""
    command = f'bash "$CLAUDE_PROJECT_DIR/{name}"' if name.endswith(".sh") else f'python3 "$CLAUDE_PROJECT_DIR/{name}"'
    return {PLACES["claude-code"]: groups(event, hook(command, **more)), name: text, **GIT}


@pytest.mark.parametrize(("shown", "is_reported"), [('"$(jq -Rs . <why)"', False), ('""', True)])
def test_json_filled_on_the_next_line_is_not_called_broken(shown: str, is_reported: bool, tmp_path: Path) -> None:
    text = f"""#!/bin/bash\nprintf '{{"decision":"block","reason":%s}}\\n' \\\n  {shown}\n"""
    assert ("A004" in codes(tmp_path, script(text))) is is_reported


@pytest.mark.parametrize(
    ("use", "is_reported"),
    [
        ("for name in $NAMES; do echo made; done", False),
        ("if [[ $NAMES -gt 0 ]]; then exit 0; fi", False),
        ("if true; then :; elif [[ $NAMES == a* ]]; then :; fi", False),
        ("if rm $NAMES; then exit 0; fi", True),
        ("for name in a b; do rm $NAMES; done", True),
    ],
)
def test_a_value_that_is_meant_to_be_split_or_is_not_split(use: str, is_reported: bool, tmp_path: Path) -> None:
    text = f"#!/bin/bash\nNAMES=$(jq -r '.tool_input.names')\n{use}\n"
    assert ("C017" in codes(tmp_path, script(text))) is is_reported


def test_several_unquoted_values_are_told_as_several(tmp_path: Path) -> None:
    text = "#!/bin/bash\nA=$(jq -r .a)\nB=$(jq -r .b)\nrm $A $B\n"
    (problem,) = found(tmp_path, script(text), "C017")
    assert problem.text.startswith("$A and $B hold parts of the event and are unquoted in a.sh")


REFUSES = (
    'import json, sys\nprint(json.dumps({{"permissionDecision": "deny"}} if {test} else {{"permission": "deny"}}))\n'
)
SHELL_REFUSES = """#!/bin/bash\ncase "$FROM" in\n  copilot) echo '{"permissionDecision":"deny"}' ;;\n{more}esac\n"""


@pytest.mark.parametrize(
    ("name", "text", "argument", "is_reported"),
    [
        ("a.py", REFUSES.format(test="True"), "", True),
        ("a.py", REFUSES.format(test="sys.argv[1:]"), " --client cursor", False),
        ("a.py", REFUSES.format(test="True"), " --client cursor", True),
        ("a.py", REFUSES.format(test='me == "copilot" or me == "cursor"'), "", False),
        ("a.sh", SHELL_REFUSES.replace("{more}", ""), "", True),
        ("a.sh", SHELL_REFUSES.replace("{more}", "  cursor) exit 0 ;;\n"), "", False),
    ],
)
def test_a_script_that_answers_each_client(
    name: str, text: str, argument: str, is_reported: bool, tmp_path: Path
) -> None:
    program = "bash" if name.endswith(".sh") else "python3"
    text = text.replace('"permission": "deny"', '"permit": "no"')
    files = {PLACES["cursor"]: flat("preToolUse", {"command": f"{program} {name}{argument}"}), name: text, **GIT}
    assert ("A006" in codes(tmp_path, files)) is is_reported


@pytest.mark.parametrize(("status", "is_reported"), [(0, True), (2, False)])
def test_a_quote_turns_no_guard_off_that_exits_with_two(status: int, is_reported: bool, tmp_path: Path) -> None:
    said = """echo '{"decision":"block","reason":"not '"$FILE"'"}'"""
    text = f"#!/bin/bash\nFILE=$(jq -r .tool_input.file_path)\n{said}\nexit {status}\n"
    assert ("A007" in codes(tmp_path, script(text))) is is_reported


@pytest.mark.parametrize(("place", "is_reported"), [("tests/data/hooks.json", False), (PLACES["claude-code"], True)])
def test_text_of_a_file_that_may_be_another_client_s(place: str, is_reported: bool, tmp_path: Path) -> None:
    assert ("A008" in codes(tmp_path, {place: groups("PostToolUse", hook("echo seen"), matcher="Edit")})) is is_reported


HEAD = "-----BEGIN RSA " + "PRIVATE KEY-----"
KEY = "MIIEpAIBAAKCAQEAyLQ8mZ4t7Wb2"


@pytest.mark.parametrize(
    ("text", "is_reported"),
    [
        (f"grep -e '{HEAD}' -r .", False),
        (f"FORMS=(\n  '{HEAD}'\n  'AWS_[A-Z]+=[A-Za-z0-9]'\n)", False),
        (f"cat <<E\n{HEAD}\n{KEY}\nE", True),
        (f"printf '{HEAD}\\n{KEY}\\n'", True),
    ],
)
def test_the_first_line_of_a_key_is_no_key(text: str, is_reported: bool, tmp_path: Path) -> None:
    assert ("C016" in codes(tmp_path, script(f"#!/bin/bash\n{text}\n"))) is is_reported


@pytest.mark.parametrize(("folder", "is_reported"), [("/checkouts/of/mine", False), ("sub", True)])
def test_a_folder_of_another_machine_is_not_compared(folder: str, is_reported: bool, tmp_path: Path) -> None:
    entry = {"command": "node ./guard.mjs", "working_directory": folder}
    files = {PLACES["windsurf"]: flat("pre_run_command", entry, version=None), "guard.mjs": "", "sub/x": "", **GIT}
    assert ("C012" in codes(tmp_path, files)) is is_reported


def test_where_the_hooks_of_a_plugin_start_is_not_said_as_if_it_were_known(tmp_path: Path) -> None:
    content = flat("sessionStart", {"command": "./start.sh"})
    files = {".cursor-plugin/plugin.json": {"name": "x"}, "hooks/hooks.json": content, "start.sh 755": "#!/bin/sh\n"}
    (problem,) = found(tmp_path, files, "C012")
    assert problem.severity is Severity.NOTE
    assert "Cursor may start hooks in the project folder" in problem.text


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("echo seen >>log", Severity.NOTE),
        ("exit 2", Severity.WARNING),
        ("""echo '{"decision":"block"}'""", Severity.WARNING),
    ],
)
def test_a_background_script_that_decides_nothing(text: str, severity: Severity, tmp_path: Path) -> None:
    files = script(f"#!/bin/bash\n{text}\n", "UserPromptSubmit", "a.sh", **{"async": True})
    assert [problem.severity for problem in found(tmp_path, files, "A003")] == [severity]


def test_a_quoted_path_is_shown_to_its_end(tmp_path: Path) -> None:
    files = {**claude('node "/Users/someone/my tools/a.js" "b c"'), **GIT}
    (problem,) = found(tmp_path, files, "C006")
    assert problem.text == "/Users/someone/my tools/a.js exists only on the machine of someone"


@pytest.mark.parametrize(("trigger", "said"), [({"type": "fileEdited"}, "is an object"), (None, "is missing")])
def test_a_hook_of_kiro_with_its_event_elsewhere(trigger: object, said: str, tmp_path: Path) -> None:
    entry: dict[str, Any] = {"name": "a", "event": "stop", "action": {"type": "command", "command": "true"}}
    if trigger:
        entry["trigger"] = trigger
    (problem,) = found(tmp_path, {".kiro/hooks/a.json": {"version": "v1", "hooks": [entry]}}, "K006")
    assert problem.text == f'"trigger" {said}; Kiro wants the event there, as text'


def test_a_skill_whose_hooks_are_lost_is_not_called_lost(tmp_path: Path) -> None:
    text = "---\nname: a\ndescription: b\nhooks:\n  PreToolUse:\n    - true\n---\n"
    (problem,) = found(tmp_path, {".claude/skills/a/SKILL.md": text}, "S008")
    assert problem.text.endswith("because of this entry Claude Code drops all hooks of this file")


def test_the_other_file_of_a_hook_that_runs_twice_is_named_in_the_project(tmp_path: Path) -> None:
    content = flat("sessionStart", {"type": "command", "bash": "make seen"})
    files = {".github/hooks/a.json": content, ".github/hooks/b.json": content, **GIT}
    problem, *_ = found(tmp_path, files, "X002")
    assert re.search(r"it is also in [ab]\.json:\d", problem.text)
    assert str(tmp_path) not in problem.text


@pytest.mark.parametrize(("twin", "severity"), [("b.txt", Severity.ERROR), ("guard.ps1", Severity.WARNING)])
def test_a_script_that_is_there_for_windows_only(twin: str, severity: Severity, tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "./tools/guard.sh", "powershell": "./tools/guard.ps1"}
    files = {".github/hooks/a.json": flat("preToolUse", entry), f"tools/{twin}": "", **GIT}
    (problem,) = found(tmp_path, files, "C002")
    assert problem.severity is severity
    assert ("only guard.ps1, so the hook fails every time outside Windows" in problem.text) is (twin == "guard.ps1")


def test_a_command_for_which_no_system_is_left_is_not_looked_at(tmp_path: Path) -> None:
    systems = {"windows": "cmd /c dir", "linux": "true", "osx": "true"}
    every, some = (flat("Stop", hook("./a.sh", **dict(list(systems.items())[:count]))) for count in (3, 2))
    assert "C003" not in codes(tmp_path / "a", {PLACES["copilot-cli"]: every, "a.sh": "exit 0", **GIT})
    assert "C003" in codes(tmp_path / "b", {PLACES["copilot-cli"]: some, "a.sh": "exit 0", **GIT})


@pytest.mark.parametrize(
    ("place", "content", "severity"),
    [
        (
            ".grok/plugins/a/hooks/hooks.json",
            groups("Stop", hook('"${CLAUDE_PLUGIN_ROOT}/x"', timeout=5000)),
            Severity.NOTE,
        ),
        ("zcode/market/a/hooks/hooks.json", {"hooks": {"onEdit": [{"run": "x"}]}}, Severity.WARNING),
        ("a/zcode/hooks/hooks.json", {"hooks": {"onEdit": [{"run": "x"}]}}, Severity.NOTE),
    ],
)
def test_a_file_of_an_unknown_client_is_a_note(place: str, content: object, severity: Severity, tmp_path: Path) -> None:
    assert [(p.code, p.severity) for p in check(tmp_path, {place: content}).problems] == [("F013", severity)]


def test_the_name_of_an_unknown_client_counts_in_the_whole_checkout(tmp_path: Path) -> None:
    content = groups("Stop", hook('"${CLAUDE_PLUGIN_ROOT}/x"', timeout=5000))
    files = {"src/integrations/grok/plugin/a/hooks/hooks.json": content, **GIT}
    assert [(p.code, p.severity) for p in check(tmp_path, files).problems] == [("F013", Severity.NOTE)]


def test_a_comment_is_no_error_where_nobody_knows_what_the_client_makes_of_it(tmp_path: Path) -> None:
    text = '{"version": 1, "hooks": {\n// later\n"stop": [{"command": "true"}]}}'
    (problem,) = found(tmp_path / "a", {".cursor/hooks.json": text}, "F002")
    assert (problem.severity, problem.text) == (Severity.WARNING, "comment: Cursor may ignore the whole file")
    (problem,) = found(tmp_path / "b", {".codex/hooks.json": text}, "F002")
    assert problem.severity is Severity.ERROR


def test_a_template_that_is_filled_in_later_is_not_broken(tmp_path: Path) -> None:
    agent = "---\nname: {{LAYER}}-agent\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x}\n---\n"
    assert "F009" not in codes(tmp_path / "a", {"template/.claude/agents/a.md": agent, **GIT})
    assert "F009" in codes(tmp_path / "b", {".claude/agents/a.md": agent, **GIT})


def test_four_owners_of_an_event_are_all_named(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, {PLACES["claude-code"]: groups("preToolUse", hook("true"))}, "E002")
    assert "more clients" not in problem.text
