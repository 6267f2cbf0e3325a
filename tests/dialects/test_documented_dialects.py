"""The clients that are known from their documents: small files from the fact sheets, and what becomes of each hook."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from anyhook.dialects import dialect, profile
from anyhook.dialects.clients.kiro.formats import NO_LIMIT_S, path_pattern
from anyhook.dialects.places import FileKind
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Agent, Command, FateState, HookFile, Prompt, Rule, Unreadable
from anyhook.model.origin import Scope
from anyhook.sources.parsing.parse_json import parse_json


def read(name: str, content: Any, kind: FileKind = FileKind.HOOKS) -> HookFile:
    text = content if isinstance(content, str) else json.dumps(content)
    return dialect(name).read(parse_json(text, "hooks.json"), kind, Scope.PROJECT)


def actions(file: HookFile) -> list[Action]:
    return [action for rule in file.rules for action in rule.actions]


def only(file: HookFile) -> tuple[Rule, Action]:
    """The one rule of a file and its one action."""
    [rule] = file.rules
    [action] = rule.actions
    return rule, action


def states(file: HookFile) -> list[FateState]:
    return [action.fate.state for action in actions(file)]


def codes(file: HookFile) -> list[str]:
    return [problem.code for problem in file.problems]


def commands(file: HookFile) -> list[str]:
    """What the client runs."""
    return [action.summary() for action in actions(file) if action.is_loaded]


# ------------------------------------------------------------------------------------------------------------- Cursor


def cursor(**events: Any) -> dict[str, Any]:
    return {"version": 1, "hooks": events}


def test_cursor_reads_the_example_of_its_document() -> None:
    guard = {"command": ".cursor/hooks/net.sh", "matcher": "curl|wget", "timeout": 30, "failClosed": True}
    gate = {"command": ".cursor/hooks/gate.sh", "loop_limit": None}
    file = read("cursor", cursor(beforeShellExecution=[guard], stop=[gate]))
    assert not file.problems
    first, second = file.rules
    assert (first.event, first.matcher, first.is_nested) == ("BeforeShellExecution", "curl|wget", False)
    [action] = first.actions
    assert isinstance(action, Command)
    assert (action.timeout_ms, action.fail_closed) == (30_000, True)
    assert second.event == "Stop"
    assert second.actions[0].extra == {"loop_limit": None}
    assert dialect("cursor").write(file.rules) == cursor(beforeShellExecution=[guard], stop=[gate])


def test_cursor_asks_a_model_with_a_prompt_hook() -> None:
    _, action = only(read("cursor", cursor(preToolUse=[{"type": "prompt", "prompt": "Is it safe?", "model": "fast"}])))
    assert isinstance(action, Prompt)
    assert (action.prompt, action.model, action.purpose) == ("Is it safe?", "fast", "judge")


@pytest.mark.parametrize(
    ("content", "code", "lost"),
    [
        ({"hooks": {"stop": [{"command": "a"}]}}, "S005", False),
        ({"version": 2, "hooks": {"stop": [{"command": "a"}]}}, "S006", True),
        (cursor(stop=[{"hooks": [{"command": "a"}]}]), "S004", True),
        (cursor(stop={"command": "a"}), "S008", True),
        (cursor(stop=[{"type": "http", "url": "https://example.com"}]), "K005", True),
        (cursor(stop=[{"command": ""}]), "K006", True),
        (cursor(stop=[{"command": "a", "async": True}]), "K002", False),
        ('{"version": 1, "hooks": {"stop": [{"command": "a"}]}} // why', "F002", True),
    ],
)
def test_cursor_loses_what_it_cannot_read(content: Any, code: str, lost: bool) -> None:
    file = read("cursor", content)
    assert codes(file) == [code]
    assert states(file) == [FateState.DROPPED if lost else FateState.ACTIVE]


def test_cursor_never_fires_names_that_were_never_documented() -> None:
    file = read("cursor", cursor(beforeShellCommand=[{"command": "a"}]))
    assert [problem.fix for problem in file.problems] == ["did you mean beforeShellExecution?"]
    assert states(file) == [FateState.DROPPED]


def test_cursor_runs_claudes_files_after_its_own() -> None:
    sources = profile("cursor").sources
    own = [source.pattern for source in sources if not source.shared and source.scope in (Scope.PROJECT, Scope.USER)]
    shared = [(source.scope, source.written_in) for source in sources if source.shared]
    assert own == [".cursor/hooks.json", ".cursor/hooks.json"]
    assert shared == [(scope, "claude-code") for scope in (Scope.LOCAL, Scope.PROJECT, Scope.USER)]
    order = [(source.scope, source.shared) for source in sources if source.scope is not Scope.PLUGIN]
    assert order == sorted(order, key=lambda place: place[1])


# ----------------------------------------------------------------------------------------------------------- Windsurf


def test_windsurf_has_neither_matcher_nor_timeout() -> None:
    hook = {"command": "python3 guard.py", "powershell": "py guard.py", "show_output": False, "working_directory": "ui"}
    file = read("windsurf", {"hooks": {"pre_run_command": [hook], "post_cascade_response": [{"command": "log"}]}})
    assert not file.problems
    action = actions(file)[0]
    assert isinstance(action, Command)
    assert (action.command, action.by_os.windows, action.show_output, action.cwd) == (
        "python3 guard.py",
        "py guard.py",
        False,
        "ui",
    )
    assert [rule.event for rule in file.rules] == ["BeforeShellExecution", "AfterAgentResponse"]
    assert codes(read("windsurf", {"hooks": {"pre_run_command": [{"command": "a", "timeout": 5}]}})) == ["T003"]
    assert profile("windsurf").matching.ignored


def test_windsurf_has_no_event_for_all_tools() -> None:
    file = read("windsurf", {"hooks": {"pre_tool_use": [{"command": "a"}]}})
    assert states(file) == [FateState.DROPPED]
    assert file.problems[0].fix.startswith(
        "Windsurf has pre_user_prompt, "
    )  # no single one of them would be the right advice


def test_a_devin_file_hides_windsurfs() -> None:
    places = [source.pattern for source in profile("windsurf").sources if source.scope is Scope.PROJECT]
    assert places == [".devin/hooks.json", ".windsurf/hooks.json"]
    assert all(source.only_first for source in profile("windsurf").sources if source.scope is not Scope.USER)


# ------------------------------------------------------------------------------------------------------ Factory Droid


def test_factory_reads_a_hook_file_without_and_settings_with_the_hooks_key() -> None:
    events = {
        "PreToolUse": [
            {
                "matcher": "Execute",
                "hooks": [{"type": "command", "command": "g.sh", "timeout": 30}],
                "commandRegex": "^git ",
            }
        ]
    }
    bare = read("factory-droid", events)
    settings = read("factory-droid", {"hooks": events}, kind=FileKind.SETTINGS)
    assert bare.extra == {}
    for file in (bare, settings):
        assert not file.problems
        rule, action = only(file)
        assert (rule.matcher, rule.command_pattern, action.timeout_ms) == ("Execute", "^git ", 30_000)
        assert dialect("factory-droid").write(file.rules) == events
    assert not read("factory-droid", {}).problems


def test_factory_ignores_a_hook_file_with_the_hooks_key() -> None:
    events = {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}
    for content in ({"hooks": events}, {"hooks": events, **events}):
        file = read("factory-droid", content)
        (found,) = file.problems
        assert (found.code, found.severity, found.fix) == ("S001", "error", 'remove the "hooks" around the events')
        assert all(action.fate.state is FateState.DROPPED for rule in file.rules for action in rule.actions)


def test_factory_runs_commands_only() -> None:
    hooks = [{"type": "prompt", "prompt": "Sum up"}, {"type": "command", "command": "a"}]
    file = read("factory-droid", {"Stop": [{"hooks": hooks}, hooks[1]]})
    assert codes(file) == ["K005", "S003"]
    assert commands(file) == ["a"]


def test_factory_reads_the_settings_only_without_a_hook_file() -> None:
    for scope in (Scope.USER, Scope.PROJECT):
        sources = [source for source in profile("factory-droid").sources if source.scope is scope]
        assert [source.pattern for source in sources] == [
            ".factory/hooks.json",
            ".factory/hooks/hooks.json",
            ".factory/settings.json",
        ]
        assert all(source.only_first for source in sources)


# ---------------------------------------------------------------------------------------------------------- OpenHands

GROUP = {"matcher": "terminal", "hooks": [{"command": "guard.sh", "timeout": 10}]}


@pytest.mark.parametrize("name", ["pre_tool_use", "PreToolUse"])
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_openhands_reads_both_spellings_and_both_shapes(name: str, is_wrapped: bool) -> None:
    events = {name: [GROUP]}
    file = read("openhands", {"hooks": events, "note": 1} if is_wrapped else events)
    rule, action = only(file)
    assert not file.problems
    assert (rule.event, rule.matcher, action.timeout_ms) == ("PreToolUse", "terminal", 10_000)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ({"pre_tool_use": [GROUP], "PreToolUse": [GROUP]}, "E004"),
        ({"pre_tool_use": [GROUP], "description": "ours"}, "K003"),
        ({"pre_tool_use": [GROUP], "version": 1}, "K003"),
        ({"pre_tool_use": [GROUP], "Notification": [GROUP]}, "E002"),
        ({"pre_tool_use": [GROUP, {"matcher": None, "hooks": []}]}, "S008"),
        ({"pre_tool_use": [GROUP, {"hooks": [{"type": "prompt", "prompt": "?", "command": "a"}]}]}, "K007"),
        ({"pre_tool_use": [GROUP, {"hooks": [{"command": "a", "timeout": 1.5}]}]}, "K007"),
    ],
)
def test_openhands_rejects_the_whole_file(content: Any, code: str) -> None:
    file = read("openhands", content)
    assert codes(file) == [code, "S009"]
    assert set(states(file)) == {FateState.DROPPED}


def test_openhands_takes_a_flat_hook_for_an_empty_group() -> None:
    file = read("openhands", {"stop": [{"type": "command", "command": "a"}, {"hooks": [{"command": "b"}]}]})
    assert codes(file) == ["S003"]
    assert commands(file) == ["b"]


def test_openhands_marks_expressions_with_slashes() -> None:
    rule, _ = only(read("openhands", {"pre_tool_use": [{**GROUP, "matcher": "/file_.*/"}]}))
    assert rule.matcher == "(?:file_.*)"


def test_openhands_agents_have_a_system_prompt() -> None:
    hook = {"type": "agent", "system_prompt": "Judge", "tools": ["grep"], "max_iterations": 2}
    _, action = only(read("openhands", {"stop": [{"hooks": [hook]}]}))
    assert isinstance(action, Agent)
    assert (action.prompt, action.tools, action.max_turns) == ("Judge", ("grep",), 2)


def test_openhands_is_never_given_two_spellings_of_one_event() -> None:
    rules = [*read("openhands", {"stop": [GROUP]}).rules, *read("openhands", {"Stop": [GROUP]}).rules]
    assert dialect("openhands").write(rules) == {"hooks": {"stop": [GROUP, GROUP]}}


# -------------------------------------------------------------------------------------------------------- Antigravity

LINT = {"type": "command", "command": "./lint.sh", "timeout": 10}


def test_antigravity_reads_hooks_by_name_and_event() -> None:
    content = {
        "lint": {"PostToolUse": [{"matcher": "run_command", "hooks": [{"command": "./lint.sh", "timeout": 10}]}]},
        "gate": {"enabled": False, "PreToolUse": [{"hooks": [{"command": "./gate.sh"}]}]},
        "remind": {
            "PreInvocation": [{"type": "prompt", "prompt": "Times are UTC."}],
            "stop": [{"command": "./end.sh"}],
        },
    }
    file = read("antigravity", content)
    assert not file.problems
    assert [action.name for action in actions(file)] == ["lint", "gate", "remind", "remind"]
    assert states(file) == [FateState.ACTIVE, FateState.DISABLED, FateState.ACTIVE, FateState.ACTIVE]
    assert [rule.event for rule in file.rules] == ["PostToolUse", "PreToolUse", "PreInvocation", "Stop"]
    assert [rule.is_nested for rule in file.rules] == [True, True, False, False]
    assert dialect("antigravity").write(file.rules) == content


def test_antigravity_takes_a_wrapper_for_a_hook_called_hooks() -> None:
    file = read("antigravity", {"hooks": {"PreToolUse": [{"hooks": [LINT]}], "BeforeTool": [{"command": "old.sh"}]}})
    assert [action.name for action in actions(file)] == ["hooks", "hooks"]
    assert states(file) == [FateState.ACTIVE, FateState.DROPPED]
    assert [(problem.code, problem.fix) for problem in file.problems] == [("E002", "did you mean PreToolUse?")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"PreToolUse": [{"hooks": [LINT]}]}, ["S001", "S009"]),
        ({"hooks": [{"trigger": "PreToolUse", "command": "a"}]}, ["S008", "S009"]),
        ({"lint": {"enabled": "no", "Stop": [LINT]}}, ["K007", "S009"]),
        ({"lint": {"Stop": [{**LINT, "timeout": 1.5}]}}, ["K007", "S009"]),
        ({"lint": {"Stop": [{**LINT, "timeout": "5"}]}}, ["K007", "S009"]),
        ({"lint": {"Stop": [{**LINT, "prompt": "?"}]}}, ["K007", "S009"]),
        ({"lint": {"Stop": [{**LINT, "type": "COMMAND"}]}}, ["K005", "S009"]),
        ({"lint": {"Stop": LINT}}, ["S008", "S009"]),
    ],
)
def test_antigravity_drops_the_whole_file(content: Any, expected: list[str]) -> None:
    file = read("antigravity", {**content, "other": {"Stop": [LINT]}})
    assert codes(file) == expected
    assert len(actions(file)) == 2
    assert set(states(file)) == {FateState.DROPPED}


def test_antigravity_passes_over_what_runs_nothing() -> None:
    content = {
        "a": {"Stop": [{"type": "command"}, {"hooks": [LINT]}, LINT], "PreToolUse": [LINT], "SessionEnd": [LINT]}
    }
    file = read("antigravity", content)
    assert codes(file) == ["K006", "S004", "S003", "E002"]
    assert commands(file) == ["./lint.sh"]
    assert len(actions(file)) == 5


def test_antigravity_never_switches_a_hook_on_by_writing_it() -> None:
    off = read("antigravity", {"a": {"enabled": False, "Stop": [{"command": "off.sh"}]}})
    on = read("antigravity", {"a": {"Stop": [{"command": "on.sh"}]}})
    assert dialect("antigravity").write([*off.rules, *on.rules]) == {
        "a": {"enabled": False, "Stop": [{"command": "off.sh"}]},
        "a-on": {"Stop": [{"command": "on.sh"}]},
    }


# ----------------------------------------------------------------------------------------------------------- rulesync

SHARED = {"sessionStart": [{"command": "start.sh"}]}


def test_rulesync_reads_shared_hooks_and_those_of_each_client() -> None:
    content = {
        "version": 1,
        "hooks": {
            "preToolUse": [{"matcher": "Bash", "command": "confirm.sh", "timeout": 120}],
            "postCompact": [{"type": "prompt", "prompt": "Go on"}],
        },
        "cursor": {"hooks": {"afterFileEdit": [{"command": "format.sh"}]}},
        "kiro": {"hooks": {"PostFileSave": [{"command": "save.sh"}]}},
        "opencode": {"hooks": {"session.idle": [{"command": "idle.sh"}]}},
    }
    file = read("rulesync", content)
    assert not file.problems
    assert [(rule.event, rule.extra.get("section")) for rule in file.rules] == [
        ("PreToolUse", None),
        ("PostCompact", None),
        ("AfterFileEdit", "cursor"),
        ("PostFileSave", "kiro"),
        ("session.idle", "opencode"),
    ]
    assert set(states(file)) == {FateState.ACTIVE}
    assert file.extra == {}
    assert dialect("rulesync").write(file.rules) == content


@pytest.mark.parametrize("section", ["geminicli", "kiro-ide", "nobody"])
def test_rulesync_uses_no_hooks_of_a_section_it_does_not_read(section: str) -> None:
    file = read("rulesync", {"hooks": SHARED, section: {"hooks": {"stop": [{"command": "a"}, {"command": "b"}]}}})
    assert codes(file) == ["K008"]
    assert states(file) == [FateState.ACTIVE, FateState.DROPPED, FateState.DROPPED]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"hooks": {**SHARED, "Stop": [{"command": "a"}]}}, ["E002", "S009"]),
        ({"hooks": {**SHARED, "stop": [{"command": "a\nb"}]}}, ["K007", "S009"]),
        ({"hooks": {**SHARED, "stop": [{"command": 5}]}}, ["K007", "S009"]),
        ({"cursor": {"hooks": SHARED}}, ["S001", "S009"]),
    ],
)
def test_rulesync_rejects_the_whole_file(content: Any, expected: list[str]) -> None:
    file = read("rulesync", content)
    assert codes(file) == expected
    assert set(states(file)) == {FateState.DROPPED}


def test_rulesync_passes_over_what_it_cannot_generate() -> None:
    odd = [{"hooks": [{"command": "a"}]}, {"type": "function"}, {"matcher": "Bash"}]
    file = read(
        "rulesync", {"hooks": {**SHARED, "stop": odd}, "cursor": {"hooks": {"beforeCommit": [{"command": "b"}]}}}
    )
    assert codes(file) == ["S004", "K005", "K006", "E001"]
    assert commands(file) == ["start.sh"]


def test_rulesync_accepts_comments_and_trailing_commas() -> None:
    assert not read("rulesync", '{"hooks": {"stop": [{"command": "a"},]}} // ours').problems


# --------------------------------------------------------------------------------------------------------------- Kiro


def v1(**hook: Any) -> dict[str, Any]:
    usual = {"name": "guard", "trigger": "PreToolUse", "action": {"type": "command", "command": "./guard.sh"}}
    return {"version": "v1", "hooks": [{**usual, **hook}]}


def test_kiro_reads_a_list_of_hooks() -> None:
    content = v1(matcher="shell|execute_bash", timeout=20, enabled=True)
    file = read("kiro", content)
    rule, action = only(file)
    assert not file.problems
    assert isinstance(action, Command)
    assert (rule.event, rule.matcher) == ("PreToolUse", "shell|execute_bash")
    assert (action.name, action.command, action.timeout_ms) == ("guard", "./guard.sh", 20_000)
    assert dialect("kiro").write(file.rules) == content


def test_kiro_gives_the_prompt_of_an_agent_action_to_the_agent() -> None:
    content = v1(action={"type": "agent", "prompt": "Mind the tests"}, timeout=5)
    file = read("kiro", content)
    _, action = only(file)
    assert isinstance(action, Prompt)
    assert (action.prompt, action.purpose, action.timeout_ms) == ("Mind the tests", "submit", None)
    assert dialect("kiro").write(file.rules) == content


def test_kiro_keeps_a_hook_switched_off() -> None:
    file = read("kiro", v1(enabled=False))
    assert states(file) == [FateState.DISABLED]
    assert dialect("kiro").write(file.rules) == v1(enabled=False)


def test_kiro_without_limit_is_a_very_long_time() -> None:
    file = read("kiro", v1(timeout=0))
    assert actions(file)[0].timeout_ms == NO_LIMIT_S * 1000
    assert dialect("kiro").write(file.rules) == v1(timeout=0)


@pytest.mark.parametrize(
    ("content", "code", "lost"),
    [
        (v1(trigger="preToolUse"), "E002", True),
        (v1(trigger="SessionEnd"), "E002", True),
        (v1(trigger=None), "K006", True),
        (v1(name=""), "K006", True),
        (v1(action="./guard.sh"), "K006", True),
        (v1(action={"type": "http", "url": "https://example.com"}), "K005", True),
        (v1(enabled="yes"), "K007", True),
        (v1(matcher=["shell"]), "S008", True),
        (v1(action={"type": "command", "command": "a", "timeout": 5}), "T003", False),
        ({"version": "v1", "hooks": ["./guard.sh"]}, "S008", True),
        ({"version": "v1", "name": "guard", "trigger": "Stop", "action": {}}, "S008", True),
        ({"version": "v1", "when": {"type": "agentStop"}, "then": {"type": "askAgent", "prompt": "?"}}, "S008", True),
    ],
)
def test_kiro_loses_what_it_cannot_read(content: Any, code: str, lost: bool) -> None:
    file = read("kiro", content)
    assert codes(file) == [code]
    assert states(file) == [FateState.DROPPED if lost else FateState.ACTIVE]


def test_kiro_says_what_an_event_is_called_in_this_format() -> None:
    assert read("kiro", v1(trigger="fileEdited")).problems[0].fix == "write PostFileSave"
    content = {"hooks": {"PreToolUse": [{"command": "a"}]}}
    assert read("kiro", content, FileKind.SETTINGS).problems[0].fix == "write preToolUse"


def test_kiro_reads_the_hooks_of_an_agent_in_milliseconds() -> None:
    hook = {"matcher": "fs_write", "command": "tsc", "timeout_ms": 10_000, "cache_ttl_seconds": 60}
    file = read("kiro", {"name": "coder", "hooks": {"postToolUse": [hook]}}, FileKind.SETTINGS)
    rule, action = only(file)
    assert not file.problems
    assert (rule.event, rule.matcher, action.timeout_ms) == ("PostToolUse", "fs_write", 10_000)
    assert profile("kiro").variant(rule.native_event).timeouts.default_ms == 30_000
    assert dialect("kiro").write(file.rules) == {"hooks": {"postToolUse": [hook]}}


OLD_HOOK = {
    "enabled": False,
    "name": "Docs",
    "description": "Keep them current",
    "version": "1",
    "when": {"type": "fileEdited", "patterns": ["src/**/*.ts", "*.md"]},
    "then": {"type": "askAgent", "prompt": "Update the docs"},
}


def test_kiro_reads_one_hook_from_a_file_of_the_old_ide() -> None:
    file = read("kiro", OLD_HOOK, FileKind.EMBEDDED)
    rule, action = only(file)
    assert not file.problems
    assert isinstance(action, Prompt)
    assert (rule.event, action.name, action.purpose, action.fate.state) == (
        "PostFileSave",
        "Docs",
        "submit",
        FateState.DISABLED,
    )
    assert rule.matcher == path_pattern(["src/**/*.ts", "*.md"])
    assert dialect("kiro").write(file.rules) == OLD_HOOK


@pytest.mark.parametrize("kind", ["runCommand", "shellCommand"])
def test_kiro_runs_commands_of_the_old_ide(kind: str) -> None:
    then = {"type": kind, "command": "npx tsc", "timeout": 30}
    content = {"name": "types", "when": {"type": "preToolUse", "toolTypes": ["write", "shell"]}, "then": then}
    file = read("kiro", content, FileKind.EMBEDDED)
    rule, action = only(file)
    assert (rule.matcher, action.summary(), action.timeout_ms) == ("write|shell", "npx tsc", 30_000)
    assert dialect("kiro").write(file.rules) == content


def test_kiro_does_not_read_filters_of_other_events() -> None:
    file = read("kiro", {**OLD_HOOK, "when": {"type": "userTriggered", "patterns": ["*"]}}, FileKind.EMBEDDED)
    assert codes(file) == ["K008"]
    assert file.rules[0].matcher is None


def test_kiro_writes_hooks_of_several_formats_in_the_newest() -> None:
    old = read("kiro", OLD_HOOK, FileKind.EMBEDDED).rules
    agent = read(
        "kiro", {"hooks": {"agentSpawn": [{"matcher": "*", "command": "git status"}]}}, FileKind.SETTINGS
    ).rules
    foreign = read("cursor", cursor(stop=[{"command": "end.sh"}])).rules
    assert dialect("kiro").write([*old, *agent, *foreign]) == {
        "version": "v1",
        "hooks": [
            {
                "name": "Docs",
                "trigger": "PostFileSave",
                "matcher": path_pattern(["src/**/*.ts", "*.md"]),
                "action": {"type": "agent", "prompt": "Update the docs"},
                "description": "Keep them current",
                "enabled": False,
            },
            {"name": "SessionStart", "trigger": "SessionStart", "action": {"type": "command", "command": "git status"}},
            {"name": "Stop", "trigger": "Stop", "action": {"type": "command", "command": "end.sh"}},
        ],
    }
    assert "hooks" in dialect("kiro").write(foreign)
    assert dialect("kiro").write(foreign)["version"] == "v1"


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "/repo/src/a/b/c.ts", True),
        ("src/**/*.ts", "mysrc/a.ts", False),
        ("src/*.ts", "src/a/b.ts", False),
        ("*.md", "docs/readme.md", True),
        ("*.md", "readme.mdx", False),
        ("**/*.{js,ts}", "a/b.js", True),
        ("**/*.{js,ts}", "a/b.css", False),
        ("[!a]?.txt", "bc.txt", True),
        ("[!a]?.txt", "ac.txt", False),
        ("./package.json", "package.json", True),
        ("a.b", "axb", False),
    ],
)
def test_globs_become_expressions(glob: str, path: str, matches: bool) -> None:
    assert bool(re.search(path_pattern([glob]), path)) is matches


# ------------------------------------------------------------------------------------------------------ all of them


@pytest.mark.parametrize(
    "name", ["cursor", "windsurf", "factory-droid", "kiro", "openhands", "antigravity", "rulesync"]
)
def test_what_is_lost_says_what_it_was_and_where(name: str) -> None:
    text = '{\n  "version": 1,\n  "hooks": [\n    {"event": "stop", "command": "guard.sh"}\n  ]\n}'
    file = read(name, text.replace("1,", '"v1",') if name == "kiro" else text)
    _, action = only(file)
    assert isinstance(action, Unreadable)
    assert action.summary() == "guard.sh"
    assert (action.origin.line, action.fate.state) == (4, FateState.DROPPED)
    assert any(problem.severity is Severity.ERROR for problem in file.problems)
